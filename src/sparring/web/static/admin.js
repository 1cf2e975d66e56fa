// The admin page: which arena, its state and settings, data in and out. Each part calls the API, as any program may.

import { api, download } from "./api.js";
import { byId, isolated, make, onSubmit, say, tell } from "./dom.js";
import { showItems } from "./items.js";
import { setKey, takeKey } from "./key.js";
import { showPeople, showVoters } from "./people.js";

const STATUS = { open: "Open: people are asked.", paused: "Paused: nobody is asked, answers still count.", closed: "Closed: answers are kept, not learnt." };
const MODE = { live: "the learner chooses the pairs", shadow: "pairs are drawn uniformly, the learner watches", frozen: "it chooses and learns nothing" };
const settingsForm = byId("settings-form");
const chosen = byId("arena");
let settings = {};
let filled = ""; // what the form of settings held when it was filled
let shownArena = "";

const path = (rest = "") => `arenas/${encodeURIComponent(chosen.value)}${rest}`;

async function start(wanted = "") {
  const { arenas } = await api("GET", "arenas");
  byId("locked").hidden = true;
  byId("unlocked").hidden = false;
  chosen.replaceChildren(...arenas.map((name) => make("option", { value: name }, name)));
  if (wanted) chosen.value = wanted;
  await show();
}

async function show() {
  byId("links").hidden = !chosen.value;
  if (!chosen.value) return "There is no arena yet: make one.";
  const name = encodeURIComponent(chosen.value);
  byId("to-vote").href = `a/${name}`;
  byId("to-board").href = `a/${name}/board`;
  byId("snippet").textContent = `<script src="${new URL(`a/${name}/embed.js`, location.href)}" async></script>`;
  settings = await api("GET", path("/settings"));
  shownArena = chosen.value;
  showState();
  fillSettings();
  await Promise.all([showItems(chosen.value), showPeople(chosen.value)]);
}

// State and settings.

function showState() {
  for (const pressed of document.querySelectorAll("[data-status]")) pressed.setAttribute("aria-pressed", pressed.dataset.status === settings.status);
  for (const pressed of document.querySelectorAll("[data-mode]")) pressed.setAttribute("aria-pressed", pressed.dataset.mode === settings.mode);
  byId("state").textContent = `${STATUS[settings.status]} Mode ${settings.mode}: ${MODE[settings.mode]}.`;
}

/** Write the settings into the form; only here and after they were saved, as what was typed is the user's. */
function fillSettings() {
  const { page } = settings;
  for (const field of settingsForm.elements) {
    const { name, type } = field;
    if (!name) continue;
    if (name === "answers") field.checked = settings.answers.includes(field.value);
    else if (type === "checkbox") field.checked = name === "board" ? page.board === "public" : Boolean(page[name] ?? settings[name]);
    else if (name === "origins") field.value = (page.origins ?? []).join("\n");
    else if (name === "uniform") field.value = +(100 * settings.uniform).toFixed(2);
    else field.value = (name in settings ? settings[name] : page[name]) ?? "";
  }
  filled = typed();
  noteUnsaved();
}

const typed = () => JSON.stringify([...new FormData(settingsForm)]);
const isUnsaved = () => filled !== "" && typed() !== filled;

function noteUnsaved() {
  byId("unsaved").hidden = !isUnsaved();
}
settingsForm.addEventListener("input", noteUnsaved);
addEventListener("beforeunload", (event) => isUnsaved() && event.preventDefault());

async function change(changes) {
  settings = await api("PATCH", path("/settings"), changes);
  showState();
}

onSubmit("settings-form", async ({ elements }) => {
  const answers = [...settingsForm.querySelectorAll("[name=answers]:checked")].map((box) => box.value);
  const page = {
    ...settings.page,
    title: elements.title.value.trim(),
    question: elements.question.value.trim(),
    blind: elements.blind.checked,
    reveal: elements.reveal.checked,
    board: elements.board.checked ? "public" : "private",
    origins: elements.origins.value.split(/\s+/).filter(Boolean),
  };
  const cap = elements.cap.value === "" ? null : Number(elements.cap.value);
  const numbers = { uniform: Number(elements.uniform.value) / 100, grace: Number(elements.grace.value), dwell: Number(elements.dwell.value), cap };
  await change({ answers, hold: elements.hold.checked, invited: elements.invited.checked, page, ...numbers });
  fillSettings();
  return "Saved.";
});

for (const pressed of document.querySelectorAll("[data-status], [data-mode]"))
  pressed.addEventListener("click", () => {
    const { status, mode } = pressed.dataset;
    if (status === "closed" && !confirm("Close the arena? Answers that come later are kept and not learnt.")) return;
    tell(async () => {
      await change(status ? { status } : { mode });
      const rest = isUnsaved() ? " The settings below are not saved yet." : "";
      return (status ? `The arena is ${settings.status} now.` : `The mode is ${settings.mode} now.`) + rest;
    });
  });

// Arenas and data.

chosen.addEventListener("change", () => {
  if (mayLeave()) tell(show);
  else chosen.value = shownArena;
});
const mayLeave = () => !isUnsaved() || confirm("The settings are not saved. Leave them?");
onSubmit("arena-form", async (form) => {
  if (!mayLeave()) return;
  const items = form.elements.items.value.split("\n").map((line) => line.trim()).filter(Boolean);
  const name = form.elements.name.value.trim();
  await api("POST", "arenas", { name, items });
  form.reset();
  await start(name);
  return `${isolated(name)} is made.`;
});
for (const pressed of document.querySelectorAll("[data-export]"))
  pressed.addEventListener("click", () => tell(() => download(path(`/export?format=${pressed.dataset.export}`), `${chosen.value}.${pressed.dataset.export}`), "The export is in your downloads."));
byId("backup").addEventListener("click", () => tell(() => download("backup", "arena-backup.db"), "The backup is in your downloads. Keep it safe: it holds secrets."));
byId("look-again").addEventListener("click", () => tell(showVoters));
onSubmit("import-form", async (form) => {
  const [file] = form.elements.file.files;
  const source = encodeURIComponent(form.elements.source.value.trim());
  const { imported } = await api("POST", path(`/import?source=${source}`), await file.text(), "text/csv");
  form.reset();
  return `${imported} comparisons taken in.`;
});
byId("copy-snippet").addEventListener("click", async () => {
  getSelection().selectAllChildren(byId("snippet")); // where copying is refused, Ctrl-C still works
  const copied = await navigator.clipboard?.writeText(byId("snippet").textContent).then(() => true, () => false);
  say(copied ? "Copied." : "Selected: press Ctrl-C.");
});

// The key.

async function unlock() {
  try {
    await start();
  } catch (error) {
    byId("unlocked").hidden = true;
    byId("locked").hidden = false;
    if (error.status === 401) setKey("");
    throw error;
  }
}
onSubmit("unlock-form", (form) => {
  setKey(form.elements.key.value);
  form.reset();
  return unlock();
});
byId("lock").addEventListener("click", () => {
  if (!mayLeave()) return;
  filled = "";
  setKey("");
  location.reload();
});
if (takeKey()) tell(unlock);
else byId("locked").hidden = false;

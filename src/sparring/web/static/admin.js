// The admin page: which arena, its state and settings, data in and out. Each part calls the API, as any program may.

import { api, download } from "./api.js";
import { byId, make, onSubmit, tell } from "./dom.js";
import { showItems } from "./items.js";
import { setKey, takeKey } from "./key.js";
import { showPeople, showVoters } from "./people.js";

const STATUS = { open: "Open: people are asked.", paused: "Paused: nobody is asked, answers still count.", closed: "Closed: answers are kept, not learnt." };
const MODE = { live: "the learner chooses the pairs", shadow: "pairs are drawn uniformly, the learner watches", frozen: "it chooses and learns nothing" };
const settingsForm = byId("settings-form");
const chosen = byId("arena");
let settings = {};

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
  showSettings();
  await Promise.all([showItems(chosen.value), showPeople(chosen.value)]);
}

// State and settings.

function showSettings() {
  for (const pressed of document.querySelectorAll("[data-status]")) pressed.setAttribute("aria-pressed", pressed.dataset.status === settings.status);
  for (const pressed of document.querySelectorAll("[data-mode]")) pressed.setAttribute("aria-pressed", pressed.dataset.mode === settings.mode);
  byId("state").textContent = `${STATUS[settings.status]} Mode ${settings.mode}: ${MODE[settings.mode]}.`;
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
}

async function change(changes) {
  settings = await api("PATCH", path("/settings"), changes);
  showSettings();
  return "Saved.";
}

onSubmit("settings-form", ({ elements }) => {
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
  return change({ answers, hold: elements.hold.checked, invited: elements.invited.checked, page, ...numbers });
});

for (const pressed of document.querySelectorAll("[data-status], [data-mode]"))
  pressed.addEventListener("click", () => {
    const { status, mode } = pressed.dataset;
    if (status === "closed" && !confirm("Close the arena? Answers that come later are kept and not learnt.")) return;
    tell(() => change(status ? { status } : { mode }));
  });

// Arenas and data.

chosen.addEventListener("change", () => tell(show));
onSubmit("arena-form", async (form) => {
  const items = form.elements.items.value.split("\n").map((line) => line.trim()).filter(Boolean);
  const name = form.elements.name.value.trim();
  await api("POST", "arenas", { name, items });
  form.reset();
  await start(name);
  return `${name} is made.`;
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
  byId("said").textContent = copied ? "Copied." : "Selected: press Ctrl-C.";
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
  setKey("");
  location.reload();
});
if (takeKey()) tell(unlock);
else byId("locked").hidden = false;

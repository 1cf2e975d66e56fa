// Items on the admin page: listed, added, edited, withdrawn, and many at once.

import { api } from "./api.js";
import { readItems } from "./csv.js";
import { button, byId, fillTable, isolated, make, onSubmit, percent, tell } from "./dom.js";

const SHOWN = 20; // rows of a preview
let base = "";
let editing = "";
const form = byId("item-form");

export async function showItems(arena) {
  base = `arenas/${encodeURIComponent(arena)}/items`;
  const { items } = await api("GET", base);
  const present = items.filter((item) => item.withdrawn === null);
  const gone = items.filter((item) => item.withdrawn !== null);
  byId("items-many").textContent = `${present.length} shown${gone.length ? `, ${gone.length} withdrawn` : ""}`;
  fillTable(byId("items"), [...present, ...gone].map(row), "No items yet.");
}

function row(item) {
  const content = item.content ?? { kind: "name only" };
  const what = content.text || content.alt || content.url || "";
  const words = make("span", { className: "clip", dir: "auto", title: what.slice(0, 500) }, what.slice(0, 120));
  const acts = item.withdrawn === null
    ? make("span", { className: "acts" }, button("Edit", () => edit(item), `Edit ${item.name}`), button("Withdraw", () => withdraw(item.name), `Withdraw ${item.name}`))
    : "withdrawn";
  return [item.name, content.kind, words, percent(2 * item.share), String(item.votes), item.votes ? percent(item.wins / item.votes) : "", acts];
}

function edit(item) {
  editing = item.name;
  const content = item.content ?? { kind: "text", text: "" };
  for (const name of ["kind", "text", "url", "alt"]) form.elements[name].value = content[name] ?? "";
  form.elements.name.value = item.name;
  form.elements.name.readOnly = true;
  byId("item-do").textContent = "Save";
  fit();
  form.elements.text.focus();
}

function fresh() {
  editing = "";
  form.reset();
  form.elements.name.readOnly = false;
  byId("item-do").textContent = "Add";
  fit();
}

/** Show only the fields that the kind has. */
function fit() {
  const kind = form.elements.kind.value;
  const has = { text: ["text"], markdown: ["text"], link: ["url", "text"] }[kind] ?? ["url", "alt"];
  for (const name of ["text", "url", "alt"]) form.elements[name].closest("label").hidden = !has.includes(name);
  return has;
}

async function withdraw(name) {
  if (!confirm(`Withdraw ${isolated(name)}? It is not shown again; its votes are kept.`)) return;
  await api("DELETE", `${base}/${encodeURIComponent(name)}`);
  await refresh();
  return `${isolated(name)} is withdrawn.`;
}

const refresh = () => showItems(decodeURIComponent(base.split("/")[1]));

onSubmit("item-form", async () => {
  const fields = form.elements;
  const values = fit().map((name) => [name, fields[name].value]).filter(([, value]) => value.trim());
  const name = fields.name.value.trim();
  const kind = fields.kind.value;
  let content = { kind, ...Object.fromEntries(values) };
  if (!values.length && ["text", "markdown"].includes(kind)) content = editing ? { kind: "text", text: editing } : null;
  if (editing) await api("PUT", `${base}/${encodeURIComponent(editing)}`, { content });
  else await api("POST", base, { name, content });
  const said = `${isolated(name)} is ${editing ? "changed" : "added"}.`;
  fresh();
  await refresh();
  return said;
});
form.elements.kind.addEventListener("change", fit);
form.addEventListener("reset", () => editing && setTimeout(fresh));
fit();

// Many at once.

const bulk = byId("bulk-form");
bulk.elements.file.addEventListener("change", () =>
  tell(async () => {
    const [file] = bulk.elements.file.files;
    if (file) bulk.elements.text.value = await file.text();
    preview();
  }),
);
bulk.elements.text.addEventListener("input", preview);

function preview() {
  const text = bulk.elements.text.value;
  const { items, errors } = text.trim() ? readItems(text) : { items: [], errors: [] };
  byId("bulk-errors").replaceChildren(...errors.slice(0, SHOWN).map((error) => make("li", {}, error)));
  byId("bulk-do").disabled = !items.length || errors.length > 0;
  byId("bulk-do").textContent = items.length ? `Add or edit ${items.length} items` : "Add or edit";
  const table = byId("bulk-preview");
  table.hidden = !items.length;
  const rows = items.slice(0, SHOWN).map((item) => [item.name, item.kind || "text", (item.text || item.alt || item.url || "").slice(0, 80)]);
  if (items.length > SHOWN) rows.push([`and ${items.length - SHOWN} more`, "", ""]);
  fillTable(table, rows, "");
}

onSubmit("bulk-form", async () => {
  const done = await api("POST", `${base}/bulk`, bulk.elements.text.value, "text/csv");
  bulk.reset();
  preview();
  await refresh();
  return `${done.added} added, ${done.edited} edited, ${done.unchanged} as before.`;
});

// Making elements; texts are always texts, never markup.

export const byId = (id) => document.getElementById(id);

export function make(tag, properties = {}, ...children) {
  const { data = {}, ...rest } = properties;
  const element = Object.assign(document.createElement(tag), rest);
  Object.assign(element.dataset, data);
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** The rows of a table, the first cell of each its head; a line that says so if there are none. */
export function fillTable(table, rows, none) {
  const columns = table.tHead.rows[0].cells.length;
  const cells = (row) => row.map((cell, place) => make(place ? "td" : "th", place ? {} : { scope: "row" }, place ? (cell ?? "") : named(cell ?? "")));
  const lines = rows.map((row) => make("tr", {}, ...cells(row)));
  table.tBodies[0].replaceChildren(...(lines.length ? lines : [make("tr", {}, make("td", { colSpan: columns, className: "none" }, none))]));
}

/** A name within a sentence: one from right to left would turn the words round. */
export const isolated = (name) => (/[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(name) ? `\u2068${name}\u2069` : name);

/** A name from the data, of any length and direction. */
export const named = (text) => make("bdi", { className: "name" }, text);

export function button(text, action, about = text) {
  const made = make("button", { type: "button", className: "plain small", ariaLabel: about }, text);
  made.addEventListener("click", () => tell(action));
  return made;
}

const SHOWN = 8000; // milliseconds that good news stay; what went wrong stays until the next action
let fading = 0;

export function say(text, kind = "") {
  clearTimeout(fading);
  byId("said").className = `said ${kind}`;
  byId("said").textContent = text;
  if (!kind) fading = setTimeout(() => say(""), SHOWN);
}

/** Do something, and say how it ended. */
export async function tell(action, done = "") {
  try {
    say((await action()) ?? done);
  } catch (error) {
    say(error.message, "wrong");
  }
}

/** Do something with a form that is sent, once at a time; what was wrong is said in it. */
export function onSubmit(id, action) {
  const form = byId(id);
  const pressed = form.querySelector("button[type=submit], button:not([type])");
  const refused = make("p", { id: `${id}-refused`, className: "refused", role: "alert" });
  const clear = () => {
    refused.remove();
    for (const field of form.querySelectorAll("[aria-invalid]")) {
      field.removeAttribute("aria-invalid");
      field.removeAttribute("aria-describedby");
    }
  };
  form.addEventListener("reset", clear);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    clear();
    say("");
    pressed.disabled = true;
    try {
      say((await action(form)) ?? "");
    } catch (error) {
      const field = fieldOf(form, error);
      refused.textContent = error.message;
      (field?.closest("label") ?? pressed.closest(".acts, label") ?? pressed)[field ? "after" : "before"](refused);
      field?.setAttribute("aria-invalid", "true");
      field?.setAttribute("aria-describedby", refused.id);
      (field ?? refused).scrollIntoView({ block: "nearest" });
    }
    pressed.disabled = false;
    if (refused.isConnected) form.querySelector("[aria-invalid]")?.focus();
  });
  return form;
}

/** The field that an error is about: the first that it names, or that has one of its words in data-about. */
function fieldOf(form, { message, where = [] }) {
  const fields = [...form.elements].filter((field) => field.name && !field.closest("[hidden]"));
  const names = [...where.flatMap((path) => path.split(".").reverse()), ...(message.match(/[\w]+/g) ?? [])];
  for (const name of names) {
    const found = fields.find((field) => [field.name, ...(field.dataset.about ?? "").split(" ")].includes(name));
    if (found) return found;
  }
  return fields.length === 1 ? fields[0] : null;
}

export const percent = (share) => (share === null || share === undefined ? "" : `${Math.round(100 * share)}%`);
export const day = (seconds) => (seconds ? new Date(1000 * seconds).toISOString().slice(0, 16).replace("T", " ") : "");

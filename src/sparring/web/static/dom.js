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
  const cells = (row) => row.map((cell, place) => make(place ? "td" : "th", place ? {} : { scope: "row", dir: "auto" }, cell ?? ""));
  const lines = rows.map((row) => make("tr", {}, ...cells(row)));
  table.tBodies[0].replaceChildren(...(lines.length ? lines : [make("tr", {}, make("td", { colSpan: columns, className: "none" }, none))]));
}

export function button(text, action, about = text) {
  const made = make("button", { type: "button", className: "plain small", ariaLabel: about }, text);
  made.addEventListener("click", () => tell(action));
  return made;
}

/** Do something, and say how it ended. */
export async function tell(action, done = "") {
  const said = byId("said");
  try {
    const text = (await action()) ?? done;
    said.className = "said";
    said.textContent = text;
  } catch (error) {
    said.className = "said wrong";
    said.textContent = error.message;
  }
}

/** Do something with a form that is sent, once at a time. */
export function onSubmit(id, action) {
  const form = byId(id);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const pressed = form.querySelector("button[type=submit], button:not([type])");
    pressed.disabled = true;
    await tell(() => action(form));
    pressed.disabled = false;
  });
  return form;
}

export const percent = (share) => (share === null || share === undefined ? "" : `${Math.round(100 * share)}%`);
export const day = (seconds) => (seconds ? new Date(1000 * seconds).toISOString().slice(0, 16).replace("T", " ") : "");

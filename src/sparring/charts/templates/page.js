// What a page's buttons do: theme, copying, learners on and off, views, values at a point, sorting.

const root = document.documentElement;
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const press = (button, on) => button.setAttribute("aria-pressed", on);
const pressed = (button) => button.getAttribute("aria-pressed") === "true";
root.dataset.scripted = "";

/** Do something with the storage; a page from a file may have none, and forgets its theme. */
function stored(action) {
  try {
    return action(localStorage);
  } catch {
    return null;
  }
}
const kept = stored((storage) => storage.getItem("sparring-theme")); // before anything is painted
if (["light", "dark"].includes(kept)) root.dataset.theme = kept;

/** Show or hide a learner in the charts of a panel. */
function turn(panel, label, on) {
  for (const key of all(".key", panel)) if (key.dataset.label === label) press(key, on);
  for (const part of all("[data-of]", panel)) if (part.dataset.of === label) part.toggleAttribute("data-off", !on);
  for (const chart of all(".chart", panel)) {
    chart.querySelector(".empty").hidden = all("[data-of]:not([data-off])", chart).length > 0;
    read(chart, chart.querySelector(".spots .read"));
  }
}

/** Only what has a curve in the chart that is seen can be switched there. */
function fit(panel) {
  const drawn = new Set(all(".chart:not([hidden]) [data-of]", panel).map((part) => part.dataset.of));
  for (const key of all(".key", panel)) key.disabled = !drawn.has(key.dataset.label);
}

const clicks = {
  "#theme"() {
    const usual = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    root.dataset.theme = (root.dataset.theme ?? usual) === "dark" ? "light" : "dark";
    stored((storage) => storage.setItem("sparring-theme", root.dataset.theme));
  },
  async "#copy"(button) {
    const command = document.getElementById("command");
    getSelection().selectAllChildren(command); // where copying is refused, Ctrl-C still works
    const copied = await navigator.clipboard?.writeText(command.textContent).then(() => true, () => false);
    button.textContent = copied || document.execCommand("copy") ? "Copied" : "Selected";
  },
  ".key"(key) {
    const on = !pressed(key); // what is on in some panels only comes on in all
    const places = key.closest("#everywhere") ? all(".panel, .overview") : [key.closest(".panel")];
    for (const place of places) turn(place, key.dataset.label, on);
    for (const shared of all("#everywhere .key")) {
      const own = all(".panel .key").filter((one) => one.dataset.label === shared.dataset.label);
      const states = new Set(own.map(pressed));
      press(shared, states.size > 1 ? "mixed" : [...states][0]);
    }
  },
  ".views button"(button) {
    const panel = button.closest(".panel");
    for (const one of all(".views button", panel)) press(one, one === button);
    for (const chart of all(".chart", panel)) {
      chart.hidden = chart.dataset.view !== button.dataset.view;
      read(chart, null);
    }
    fit(panel);
  },
  ".sort"(button) {
    const [head, table] = [button.closest("th"), button.closest("table")];
    const up = head.getAttribute("aria-sort") !== "ascending";
    for (const one of all("thead th", table)) one.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const value = (row) => Number(row.cells[head.cellIndex].dataset.sort || (up ? Infinity : -Infinity));
    const rows = [...table.tBodies[0].rows].sort((a, b) => (up ? 1 : -1) * (value(a) - value(b)) || 0);
    table.tBodies[0].append(...rows); // those without a number come last
  },
};
addEventListener("click", ({ target }) => {
  for (const [selector, act] of Object.entries(clicks)) {
    const button = target.closest(selector);
    if (button) act(button);
  }
});

/** Show the values of all learners that are on at a place of a chart; or, without a place, none. */
function read(chart, spot) {
  const box = chart.querySelector(".readout");
  const off = new Set(all("[data-off]", chart).map((part) => part.dataset.of));
  const [head, ...lines] = spot ? spot.dataset.values.split("\n") : [""];
  const shown = lines.map((line) => line.split("\t")).filter(([label]) => !off.has(label));
  for (const one of all(".spots rect", chart)) one.classList.toggle("read", one === spot);
  box.hidden = !shown.length;
  tell(chart, spot && `${head}: ${shown.map((pair) => pair.join(" ")).join("; ")}`);
  if (box.hidden) return;
  const element = (tag, text) => Object.assign(document.createElement(tag), { textContent: text });
  const list = document.createElement("dl");
  for (const [label, value] of shown) list.append(element("dt", label), element("dd", value));
  box.replaceChildren(element("b", head), list);
  const [from, at] = [chart.getBoundingClientRect(), spot.getBoundingClientRect()];
  const fits = at.right + 8 + box.offsetWidth <= from.right;
  box.style.left = `${Math.max(0, (fits ? at.right + 8 : at.left - 8 - box.offsetWidth) - from.left)}px`;
}

/** Say to a screen reader where in the chart it is, and what is read there. */
function tell(chart, values) {
  const spots = all(".spots rect", chart);
  const at = spots.findIndex((spot) => spot.classList.contains("read"));
  const empty = chart.querySelector(".empty");
  chart.setAttribute("aria-valuenow", at < 0 ? spots.length - 1 : at);
  chart.setAttribute("aria-valuetext", empty.hidden ? values || "no point chosen" : empty.textContent);
}

function offerValues(chart) {
  const spots = all(".spots rect", chart);
  const slider = { role: "slider", tabindex: 0, "aria-valuemin": 0, "aria-valuemax": spots.length - 1 };
  slider["aria-label"] = chart.querySelector(".drawing").getAttribute("aria-label");
  for (const [name, value] of Object.entries(slider)) chart.setAttribute(name, value);
  tell(chart);
  for (const spot of spots) {
    const title = spot.querySelector("title"); // which the browser would show too
    spot.dataset.values = title.textContent;
    title.remove();
    for (const event of ["pointerenter", "pointerdown"]) spot.addEventListener(event, () => read(chart, spot));
  }
  chart.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && read(chart, null));
  chart.addEventListener("blur", () => read(chart, null));
  chart.addEventListener("keydown", (event) => {
    const now = spots.findIndex((spot) => spot.classList.contains("read"));
    const next = {
      ArrowLeft: now - 1, ArrowDown: now - 1, ArrowRight: now + 1, ArrowUp: now + 1,
      Home: 0, End: spots.length - 1,
    }[event.key];
    if (event.key === "Escape") read(chart, null);
    if (next === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    read(chart, spots.at(Math.min(Math.max(next, now < 0 ? -1 : 0), spots.length - 1)));
  });
}

function begin() {
  all(".panel").forEach(fit);
  all(".chart").forEach(offerValues);
}
addEventListener("DOMContentLoaded", begin);
addEventListener("redrawn", begin); // a live page has put new charts in the place of all others

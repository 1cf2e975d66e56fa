// What the page's buttons do: theme, copying, curves on and off, what a chart draws.

document.documentElement.dataset.scripted = "";

const system = matchMedia("(prefers-color-scheme: dark)");
const theme = {
  // A page from a file may have no storage; then a choice lasts as long as the page.
  get kept() {
    try {
      return localStorage.getItem("sparring-theme");
    } catch {
      return null;
    }
  },
  set kept(value) {
    try {
      if (value) localStorage.setItem("sparring-theme", value);
      else localStorage.removeItem("sparring-theme");
    } catch {
      // Nothing is lost but the memory of it.
    }
  },
  get own() {
    return system.matches ? "dark" : "light";
  },
  get now() {
    return document.documentElement.dataset.theme ?? this.own;
  },
  set(value) {
    if (value === this.own) delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = value;
  },
};
// At once, before anything is painted.
if (["dark", "light"].includes(theme.kept)) theme.set(theme.kept);

function offerTheme() {
  document.getElementById("theme").addEventListener("click", () => {
    theme.set(theme.now === "dark" ? "light" : "dark");
    theme.kept = document.documentElement.dataset.theme;
  });
}

function offerCopy() {
  const [button, command] = ["copy", "command"].map((id) => document.getElementById(id));
  button.addEventListener("click", async () => {
    getSelection().selectAllChildren(command); // where copying is refused, Ctrl-C still works
    try {
      await navigator.clipboard.writeText(command.textContent);
      button.textContent = "Copied";
    } catch {
      button.textContent = document.execCommand("copy") ? "Copied" : "Selected";
    }
    setTimeout(() => (button.textContent = "Copy"), 2000);
  });
}

/** The chart of a panel and its buttons; `changed` is called when one was pressed. */
function openPanel(section, looks, changed) {
  const data = JSON.parse(section.querySelector("script.data").textContent);
  const chart = new Chart(section.querySelector(".chart"), data, looks);
  const keys = [...section.querySelectorAll(".key")];
  const views = [...section.querySelectorAll(".views button")];
  const panel = {
    labels: new Set(keys.map((key) => key.dataset.label)),
    shows: (label) => !chart.off.has(label),
    turn(label, on) {
      chart.turn(label, on);
      keys.find((key) => key.dataset.label === label).setAttribute("aria-pressed", on);
    },
  };
  for (const key of keys) {
    const { label } = key.dataset;
    key.addEventListener("click", () => {
      panel.turn(label, !panel.shows(label));
      changed();
    });
  }
  for (const button of views) {
    button.addEventListener("click", () => {
      chart.choose(button.dataset.view);
      for (const one of views) one.setAttribute("aria-pressed", one === button);
      for (const key of keys) key.disabled = !chart.has(key.dataset.label);
    });
  }
  return panel;
}

addEventListener("DOMContentLoaded", () => {
  offerTheme();
  offerCopy();
  const looks = JSON.parse(document.getElementById("looks").textContent);
  const keys = [...document.querySelectorAll("#everywhere .key")];
  const having = (key) => panels.filter((panel) => panel.labels.has(key.dataset.label));
  const state = (key) => {
    const shown = new Set(having(key).map((panel) => panel.shows(key.dataset.label)));
    return shown.size > 1 ? "mixed" : [...shown][0];
  };
  const changed = () => {
    for (const key of keys) key.setAttribute("aria-pressed", state(key));
  };
  const sections = [...document.querySelectorAll(".panel")];
  const panels = sections.map((section) => openPanel(section, looks, changed));
  for (const key of keys) {
    key.addEventListener("click", () => {
      const on = state(key) !== true; // what is on in some only comes on in all
      for (const panel of having(key)) panel.turn(key.dataset.label, on);
      changed();
    });
  }
});

// Reading a course of strengths, by pointer or arrow keys; and names that colour their curves.

{
  const FEW = 5; // arms that are read besides those in colour
  const PAGE = 8; // moments that PageUp and PageDown go over

  /** The arms that were there at a moment, the strongest first. */
  const there = (told, at) =>
    told.keys.map((key, place) => ({ key, name: told.names[place], share: told.shares[place][at] }))
      .filter((one) => one.share !== null)
      .sort((a, b) => b.share - a.share);

  /** What a name or a curve has besides its state. */
  const hue = (course, key) => course.querySelector(`.arm[data-key="${key}"]`).classList;

  function offer(course) {
    const told = JSON.parse(course.querySelector("script").textContent);
    const box = course.querySelector(".reading");
    const last = told.at.length - 1;
    let place = last;

    /** Where a moment is in a drawing. */
    function across(svg, at) {
      const [first, end, left, right] = ["first", "last", "left", "right"].map((name) => Number(svg.dataset[name]));
      return left + ((at - first) / (end - first)) * (right - left);
    }

    function read(svg, to) {
      place = Math.max(0, Math.min(last, to));
      const found = there(told, place);
      const shown = found.filter(({ key }, rank) => rank < FEW || hue(course, key).contains("on"));
      const rows = shown.map(({ key, name, share }) => {
        const [row, who, value] = ["div", "bdi", "span"].map((tag) => document.createElement(tag));
        const classes = hue(course, key);
        if (classes.contains("on")) row.className = `on ${[...classes].find((one) => /^h\d$/.test(one))}`;
        [who.textContent, value.textContent] = [name, `${share}%`];
        row.append(who, value);
        return row;
      });
      const head = Object.assign(document.createElement("b"), { textContent: told.when[place] });
      box.replaceChildren(head, ...rows);
      if (found.length > shown.length) box.append(`and ${found.length - shown.length} more`);
      box.hidden = false;
      const x = across(svg, told.at[place]);
      const cursor = svg.querySelector(".cursor");
      cursor.removeAttribute("hidden");
      cursor.setAttribute("transform", `translate(${x} 0)`);
      const room = svg.getBoundingClientRect().width;
      const from = (x * room) / svg.viewBox.baseVal.width;
      const fits = from + 14 + box.offsetWidth <= room;
      box.style.left = `${fits ? from + 14 : Math.max(0, from - 14 - box.offsetWidth)}px`;
      const reader = svg.querySelector(".reader");
      reader.setAttribute("aria-valuenow", place);
      const words = shown.map(({ name, share }) => `${name} ${share}%`).join(", ");
      reader.setAttribute("aria-valuetext", `${told.when[place]}: ${words}`);
    }

    function hide() {
      box.hidden = true;
      for (const cursor of course.querySelectorAll(".cursor")) cursor.setAttribute("hidden", "");
    }

    function colour(key) {
      const on = !hue(course, key).contains("on");
      for (const part of course.querySelectorAll(`[data-key="${key}"]`)) {
        part.classList.toggle("on", on);
        if (part.matches(".arm")) part.classList.toggle("banded", on);
        if (!part.matches(".end")) continue;
        part.setAttribute("aria-pressed", on);
        part.dataset.own = ""; // pressed by the reader: a newer chart keeps it
      }
    }

    for (const svg of course.querySelectorAll("svg")) {
      const reader = svg.querySelector(".reader");
      const slider = { role: "slider", tabindex: 0, "aria-valuemin": 0, "aria-valuemax": last, "aria-valuenow": last };
      slider["aria-label"] = reader.dataset.label;
      slider["aria-valuetext"] = "no moment chosen";
      for (const [name, value] of Object.entries(slider)) reader.setAttribute(name, value);
      const point = (event) => {
        const drawn = svg.getBoundingClientRect();
        const x = ((event.clientX - drawn.left) / drawn.width) * svg.viewBox.baseVal.width;
        const far = told.at.map((at) => Math.abs(across(svg, at) - x));
        read(svg, far.indexOf(Math.min(...far)));
      };
      reader.addEventListener("pointermove", point);
      reader.addEventListener("pointerdown", point);
      reader.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && hide());
      reader.addEventListener("blur", hide);
      reader.addEventListener("keydown", (event) => {
        if (event.key === "Escape") hide();
        const start = box.hidden ? last + 1 : place; // the first key reads what is now
        const to = {
          ArrowLeft: start - 1, ArrowDown: start - 1, ArrowRight: place + 1, ArrowUp: place + 1,
          PageDown: place - PAGE, PageUp: place + PAGE, Home: 0, End: last,
        }[event.key];
        if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
        event.preventDefault();
        read(svg, to);
      });
      for (const end of svg.querySelectorAll(".end")) {
        const button = { role: "button", tabindex: 0, "aria-pressed": end.classList.contains("on") };
        button["aria-label"] = end.dataset.label;
        for (const [name, value] of Object.entries(button)) end.setAttribute(name, value);
        end.addEventListener("click", () => colour(end.dataset.key));
        end.addEventListener("keydown", (event) => {
          if (event.key !== "Enter" && event.key !== " ") return;
          event.preventDefault();
          colour(end.dataset.key);
        });
      }
    }
  }

  const begin = () => document.querySelectorAll(".course:has(.reader)").forEach(offer);
  addEventListener("DOMContentLoaded", begin);
  addEventListener("redrawn", begin); // a live page has put new charts in the place of all others
}

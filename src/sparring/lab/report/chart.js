// The chart of a panel: which curves and which view it shows, and the readout at the nearest x.

class Chart {
  constructor(box, data, looks) {
    Object.assign(this, { box, looks, views: data.views, theory: data.guide });
    this.view = this.views.axis;
    this.at = null; // the point that is read
    this.off = new Set();
    this.place = box.querySelector(".drawing");
    this.readout = box.querySelector(".readout");
    const readNearest = (event) => this.read(this.nearest(event));
    box.addEventListener("pointermove", readNearest);
    box.addEventListener("pointerdown", readNearest);
    box.addEventListener("pointerleave", (event) => {
      if (event.pointerType === "mouse") this.read(null); // a finger leaves and wants to read on
    });
    box.addEventListener("focus", () => {
      if (box.matches(":focus-visible")) this.read(this.last);
    });
    box.addEventListener("blur", () => this.read(null));
    box.addEventListener("keydown", (event) => this.step(event));
    this.draw();
    new ResizeObserver(() => this.fit()).observe(box);
  }

  get shown() {
    return this.view.curves.filter((curve) => !this.off.has(curve.label));
  }

  get last() {
    return this.view.x.length - 1;
  }

  has(label) {
    return this.view.curves.some((curve) => curve.label === label);
  }

  turn(label, on) {
    if (on) this.off.delete(label);
    else this.off.add(label);
    this.draw();
  }

  choose(view) {
    this.view = this.views[view];
    this.at = null;
    this.draw();
  }

  /** Draw anew if the size is another one. */
  fit() {
    const { clientWidth: width, clientHeight: height } = this.box;
    if (width !== this.size.width || height !== this.size.height) this.draw();
  }

  draw() {
    this.size = { width: this.box.clientWidth, height: this.box.clientHeight };
    if (this.size.width === 0) return;
    this.drawing = new Drawing(this.view, this.shown, this.looks, this.theory, this.size);
    this.place.replaceChildren(this.drawing.element);
    this.read(this.at);
  }

  nearest(event) {
    const position = event.clientX - this.box.getBoundingClientRect().left - EDGE.left;
    const away = this.view.x.map((x) => Math.abs(this.drawing.x(x) - position));
    return away.indexOf(Math.min(...away));
  }

  step(event) {
    const at = this.at ?? this.last + 1;
    const [back, on] = [at - 1, at + 1];
    const places = { ArrowLeft: back, ArrowDown: back, ArrowRight: on, ArrowUp: on };
    Object.assign(places, { Home: 0, End: this.last });
    if (event.key === "Escape") this.read(null);
    if (!(event.key in places) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.read(Math.min(Math.max(places[event.key], 0), this.last));
  }

  /** Show what all curves are at a point, highest first; or nothing. */
  read(at) {
    this.at = at;
    const curves = at === null ? [] : this.shown.filter((curve) => curve.shown[at]);
    curves.sort((one, other) => other.mean[at] - one.mean[at]);
    this.readout.hidden = curves.length === 0;
    this.drawing?.point(curves, curves.length ? at : null);
    if (curves.length) this.write(curves, at);
    const told = curves.map((curve) => `${curve.label} ${curve.shown[at]}`).join("; ");
    this.box.setAttribute("aria-valuemax", this.last);
    this.box.setAttribute("aria-valuenow", at ?? this.last);
    this.box.setAttribute("aria-valuetext", `${this.head(at ?? this.last)}: ${told || "not read"}`);
  }

  head(at) {
    return `${this.view.axis.map(([text]) => text).join("_")} = ${this.view.x_shown[at]}`;
  }

  /** Fill the readout, and put it beside the cursor where there is room. */
  write(curves, at) {
    const list = document.createElement("dl");
    for (const curve of curves) {
      const [term, fact] = ["dt", "dd"].map((tag) => document.createElement(tag));
      term.className = `look-${curve.look}`;
      term.textContent = curve.label;
      fact.textContent = curve.shown[at];
      list.append(term, fact);
    }
    const title = document.createElement("b");
    title.textContent = this.head(at);
    this.readout.replaceChildren(title, list);
    const cursor = EDGE.left + this.drawing.x(this.view.x[at]);
    const fits = cursor + 14 + this.readout.offsetWidth <= this.size.width;
    const left = fits ? cursor + 14 : cursor - 14 - this.readout.offsetWidth;
    this.readout.style.left = `${Math.max(0, left)}px`;
  }
}

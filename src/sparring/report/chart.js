// A chart of one panel: curves with bands in SVG, theory's slope, and a readout at the nearest x.

const EDGE = { left: 44, right: 10, top: 26, bottom: 40 }; // pixels around the plot
const ROOM = 12; // pixels between the outermost points and the edge of the plot
const MARKERS = 10; // at most, of a curve

/** An element of SVG with attributes, a text and children; texts are never read as markup. */
function drawn(name, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** A formula's pieces as parts of an SVG text. */
function formula(pieces) {
  let level = 0;
  return pieces.map(([text, kind]) => {
    const wanted = { sub: 3, sup: -5 }[kind] ?? 0;
    const part = drawn("tspan", { class: kind || "name", dy: wanted - level }, text);
    level = wanted;
    return part;
  });
}

class Chart {
  constructor(box, data, looks) {
    Object.assign(this, { box, looks, views: data.views, theory: data.guide, view: "axis", at: null });
    this.off = new Set();
    this.drawing = box.querySelector(".drawing");
    this.readout = box.querySelector(".readout");
    box.addEventListener("pointermove", (event) => this.read(this.nearest(event)));
    box.addEventListener("pointerdown", (event) => this.read(this.nearest(event)));
    box.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && this.read(null));
    box.addEventListener("focus", () => box.matches(":focus-visible") && this.read(this.last));
    box.addEventListener("blur", () => this.read(null));
    box.addEventListener("keydown", (event) => this.step(event));
    new ResizeObserver(() => this.draw()).observe(box);
  }

  get shown() {
    return this.views[this.view].curves.filter((curve) => !this.off.has(curve.label));
  }

  get last() {
    return this.views[this.view].x.length - 1;
  }

  has(label) {
    return this.views[this.view].curves.some((curve) => curve.label === label);
  }

  turn(label, on) {
    this.off[on ? "delete" : "add"](label);
    this.draw();
  }

  choose(view) {
    this.view = view;
    this.at = null;
    this.draw();
  }

  /** Whether a point of a curve can be on the axes. */
  fits(curve, i) {
    return curve.mean[i] !== null && (!this.views[this.view].log || curve.mean[i] > 0);
  }

  draw() {
    const { clientWidth: width, clientHeight: height } = this.box;
    if (width === 0) return;
    const view = this.views[this.view];
    const curves = this.shown.filter((curve) => view.x.some((_, i) => this.fits(curve, i)));
    const inner = { width: width - EDGE.left - EDGE.right, height: height - EDGE.top - EDGE.bottom };
    const svg = drawn("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
    this.drawing.replaceChildren(svg);
    this.x = scale(reach(view.log ? view.x : [0, ...view.x], view.log), 0, inner.width, view.log, view.log ? ROOM : 0);
    this.y = scale(this.height(curves), inner.height, 0, view.log, view.log ? ROOM : 0);
    svg.append(...this.axes(view, inner, curves.length > 0));
    // A drawing in the drawing cuts off what leaves the plot.
    this.plot = drawn("svg", { x: EDGE.left, y: EDGE.top, ...inner, width: inner.width + EDGE.right, class: "plot" });
    this.plot.append(...curves.map((curve) => this.band(curve)));
    const [line, ...name] = view.log && this.theory ? this.guide(curves, inner) : [];
    if (line) this.plot.append(line);
    this.plot.append(...curves.map((curve) => this.curve(curve)), ...name);
    this.cursor = drawn("g");
    this.plot.append(this.cursor);
    svg.append(this.plot);
    this.read(this.at === null ? null : Math.min(this.at, this.last));
  }

  /** How high the curves and their bands reach. A band may go down to zero: a logarithm may not. */
  height(curves) {
    const { x, log } = this.views[this.view];
    const values = curves.flatMap((curve) =>
      x.flatMap((_, i) => {
        if (!this.fits(curve, i)) return [];
        const [mean, sd] = [curve.mean[i], curve.sd[i] ?? 0];
        return [log ? Math.max(mean - sd, mean / 2) : mean - sd, mean + sd];
      }),
    );
    if (values.length === 0) return [1, 10];
    if (log) return reach(values, true);
    const [low, high] = reach([0, ...values], false);
    return [low * 1.05, high * 1.05]; // so that zero stays at the edge where nothing is below
  }

  axes(view, inner, some) {
    const [right, bottom] = [EDGE.left + inner.width, EDGE.top + inner.height];
    const across = view.ticks ?? (view.log ? logTicks(this.x.ends) : evenTicks(this.x.ends, Math.min(5, inner.width / 70)));
    const parts = [];
    for (const value of some ? (view.log ? logTicks : (ends) => evenTicks(ends, 5))(this.y.ends) : []) {
      const y = EDGE.top + this.y(value);
      parts.push(
        drawn("path", { class: value === 0 ? "base" : "grid", d: `M${EDGE.left} ${y}H${right}` }),
        drawn("text", { x: EDGE.left - 8, y: y + 4, "text-anchor": "end" }, short(value)),
      );
    }
    parts.push(drawn("path", { class: "base", d: `M${EDGE.left} ${bottom}H${right}` }));
    let free = -Infinity;
    for (const value of across) {
      const x = EDGE.left + this.x(value);
      parts.push(drawn("path", { class: "base", d: `M${x} ${bottom}v5` }));
      if (x < free) continue;
      const anchor = x > right - 8 ? "end" : "middle";
      parts.push(drawn("text", { x: anchor === "end" ? right : x, y: bottom + 18, "text-anchor": anchor }, short(value)));
      free = x + 34;
    }
    parts.push(
      drawn("text", { x: right, y: bottom + 34, "text-anchor": "end" }, ...formula(view.axis)),
      drawn("text", { class: "name", x: 0, y: 13 }, "regret"),
    );
    if (!some) {
      const middle = { x: (EDGE.left + right) / 2, y: (EDGE.top + bottom) / 2, "text-anchor": "middle" };
      const why = this.shown.length ? "No mean is positive." : "All curves are switched off.";
      parts.push(drawn("text", middle, why));
    }
    return parts;
  }

  /** The stretches of a curve without a gap, as lists of indices. */
  stretches(curve) {
    const found = [[]];
    curve.mean.forEach((_, i) => (this.fits(curve, i) ? found.at(-1).push(i) : found.push([])));
    return found.filter((stretch) => stretch.length);
  }

  path(stretch, value) {
    const { x } = this.views[this.view];
    return stretch.map((i) => `${this.x(x[i]).toFixed(1)} ${this.y(value(i)).toFixed(1)}`).join("L");
  }

  band(curve) {
    const floor = this.views[this.view].log ? this.y.ends[0] / 10 : -Infinity;
    const low = (i) => Math.max(curve.mean[i] - curve.sd[i], floor);
    const outline = (stretch) =>
      `M${this.path(stretch, (i) => curve.mean[i] + curve.sd[i])}L${this.path([...stretch].reverse(), low)}Z`;
    const d = this.stretches(curve).map(outline).join("");
    return drawn("path", { class: `band look-${curve.look}`, d });
  }

  curve(curve) {
    const [dash, marker] = this.looks[curve.look];
    const stretches = this.stretches(curve);
    const line = stretches.map((stretch) => `M${this.path(stretch, (i) => curve.mean[i])}`).join("");
    const group = drawn("g", { class: `curve look-${curve.look}` });
    group.dataset.label = curve.label;
    group.append(drawn("path", { class: "stroke", d: line, "stroke-dasharray": dash }));
    const every = Math.ceil(curve.mean.length / MARKERS);
    for (const i of stretches.flat()) {
      if ((this.last - i) % every) continue;
      group.append(drawn("path", { class: "mark", d: marker, transform: this.spot(curve, i) }));
    }
    return group;
  }

  spots(curve, which = this.stretches(curve).flat()) {
    const { x } = this.views[this.view];
    return which.map((i) => [this.x(x[i]), this.y(curve.mean[i])]);
  }

  spot(curve, i) {
    return `translate(${this.spots(curve, [i])[0].map((place) => place.toFixed(1)).join(" ")})`;
  }

  /** Theory's slope through the last point of its learner: a line, and its name beside it. */
  guide(curves, inner) {
    const { label, slope, text } = this.theory;
    const curve = curves.find((one) => one.label === label);
    const last = curve ? this.stretches(curve).flat().at(-1) : undefined;
    if (last === undefined) return [];
    const x = this.views[this.view].x[last];
    const height = (at) => this.y(curve.mean[last] * (at / x) ** slope);
    const [from, to] = this.x.ends;
    const line = drawn("path", { class: "guide", d: `M0 ${height(from)}L${inner.width} ${height(to)}` });
    const place = this.freest(curves, inner, (px) => height(from) + ((height(to) - height(from)) * px) / inner.width);
    return [line, drawn("text", { class: "theory", ...place, "text-anchor": "middle" }, ...formula(text))];
  }

  /** Where a name above or below a line is farthest from all curves; more than enough is enough. */
  freest(curves, inner, line) {
    let best = { room: -1 };
    for (let x = 18; x < inner.width - 18; x += 6) {
      for (const away of [-13, 13]) {
        const y = line(x) + away;
        if (y < 10 || y > inner.height - 10) continue;
        const gaps = curves.flatMap((curve) => [
          ...[-14, 0, 14].map((aside) => Math.abs(this.between(curve, x + aside) - y)),
          ...this.spots(curve).map((spot) => Math.hypot((spot[0] - x) / 2, spot[1] - y) - 6),
        ]);
        const room = Math.min(26, ...gaps);
        if (room > best.room) best = { room, x, y: y + 4 };
      }
    }
    return { x: best.x ?? inner.width / 2, y: best.y ?? 14 };
  }

  /** The height in pixels of a drawn curve at a place between its points; far away beside them. */
  between(curve, px) {
    for (const stretch of this.stretches(curve)) {
      const points = this.spots(curve, stretch);
      const next = points.findIndex(([x]) => x >= px);
      if (next === 0 && points[0][0] - px < 10) return points[0][1];
      if (next < 1) continue;
      const [[x0, y0], [x1, y1]] = [points[next - 1], points[next]];
      return y0 + ((y1 - y0) * (px - x0)) / (x1 - x0);
    }
    return Infinity;
  }

  nearest(event) {
    const position = event.clientX - this.box.getBoundingClientRect().left - EDGE.left;
    const away = this.views[this.view].x.map((x) => Math.abs(this.x(x) - position));
    return away.indexOf(Math.min(...away));
  }

  step(event) {
    const at = this.at ?? this.last + 1;
    const places = { ArrowLeft: at - 1, ArrowRight: at + 1, ArrowDown: at - 1, ArrowUp: at + 1, Home: 0, End: this.last };
    if (event.key === "Escape") this.read(null);
    if (!(event.key in places) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.read(Math.min(Math.max(places[event.key], 0), this.last));
  }

  /** Show what all curves are at a point, highest first; or nothing. */
  read(at) {
    this.at = at;
    const view = this.views[this.view];
    this.cursor.replaceChildren();
    const curves = at === null ? [] : this.shown.filter((curve) => curve.shown[at]);
    this.readout.hidden = curves.length === 0;
    if (curves.length === 0) return;
    curves.sort((one, other) => other.mean[at] - one.mean[at]);
    const x = this.x(view.x[at]);
    this.cursor.append(drawn("path", { class: "cursor", d: `M${x} 0V${this.plot.getAttribute("height")}` }));
    for (const curve of curves.filter((one) => this.fits(one, at))) {
      this.cursor.append(drawn("circle", { class: `ring look-${curve.look}`, r: 7, transform: this.spot(curve, at) }));
    }
    this.readout.replaceChildren(...this.words(view, curves, at));
    const wide = this.readout.offsetWidth;
    const right = EDGE.left + x + 14;
    const left = right + wide <= this.box.clientWidth ? right : EDGE.left + x - 14 - wide;
    this.readout.style.left = `${Math.max(0, left)}px`;
  }

  words(view, curves, at) {
    const name = view.axis.map(([text]) => text).join("_");
    const head = `${name} = ${view.x_shown[at]}`;
    const list = document.createElement("dl");
    for (const curve of curves) {
      const [term, fact] = ["dt", "dd"].map((tag) => document.createElement(tag));
      term.className = `look-${curve.look}`;
      term.textContent = curve.label;
      fact.textContent = curve.shown[at];
      list.append(term, fact);
    }
    const told = curves.map((curve) => `${curve.label} ${curve.shown[at]}`).join("; ");
    this.box.setAttribute("aria-valuemax", this.last);
    this.box.setAttribute("aria-valuenow", at);
    this.box.setAttribute("aria-valuetext", `${head}: ${told}`);
    const title = document.createElement("b");
    title.textContent = head;
    return [title, list];
  }
}

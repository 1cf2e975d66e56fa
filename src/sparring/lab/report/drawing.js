// One drawing of some curves in SVG: axes, bands, lines with markers, theory's slope.

const EDGE = { left: 44, right: 10, top: 26, bottom: 40 }; // pixels around the plot
const ROOM = 12; // pixels between the outermost points and the edges of a logarithmic plot
const MARKERS = 10; // at most, of a curve

/** An element of SVG with attributes and children; texts are never read as markup. */
function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** The pieces of a formula as parts of an SVG text. */
function formula(pieces) {
  let level = 0;
  return pieces.map(([text, kind]) => {
    const wanted = { sub: 3, sup: -5 }[kind] ?? 0;
    const part = svg("tspan", { class: kind || "name", dy: wanted - level }, text);
    level = wanted;
    return part;
  });
}

class Drawing {
  /** Curves of a view, drawn into so many pixels; `looks` has dash and marker of each. */
  constructor(view, curves, looks, theory, { width, height }) {
    Object.assign(this, { view, looks });
    this.width = width - EDGE.left - EDGE.right;
    this.height = height - EDGE.top - EDGE.bottom;
    this.curves = curves.filter((curve) => this.stretches(curve).length);
    const room = view.log ? ROOM : 0;
    const across = reach(view.log ? view.x : [0, ...view.x], view.log);
    this.x = scale(across, 0, this.width, view.log, room);
    this.y = scale(this.heights(), this.height, 0, view.log, room);
    this.cursor = svg("g");
    const guide = theory && view.log ? this.guide(theory) : {};
    // A drawing in the drawing cuts off what leaves the plot, but for markers at its right end.
    const plot = svg(
      "svg",
      { x: EDGE.left, y: EDGE.top, width: this.width + EDGE.right, height: this.height },
      ...this.curves.map((curve) => this.band(curve)),
      ...(guide.line ? [guide.line] : []),
      ...this.curves.map((curve) => this.curve(curve)),
      ...(guide.name ? [guide.name] : []),
      this.cursor,
    );
    const whole = { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" };
    const message = this.curves.length ? [] : [this.apology(curves.length)];
    this.element = svg("svg", whole, ...this.up(), ...this.across(), ...message, plot);
  }

  /** Whether a point of a curve can be on the axes. */
  fits(curve, i) {
    return curve.mean[i] !== null && (!this.view.log || curve.mean[i] > 0);
  }

  /** The stretches of a curve without a gap, as lists of indices. */
  stretches(curve) {
    const found = [[]];
    curve.mean.forEach((_, i) => (this.fits(curve, i) ? found.at(-1).push(i) : found.push([])));
    return found.filter((stretch) => stretch.length);
  }

  /** How high curves and bands reach. A band may go down to zero: a logarithm may not. */
  heights() {
    const { log } = this.view;
    const values = this.curves.flatMap((curve) =>
      this.stretches(curve).flat().flatMap((i) => {
        const [mean, sd] = [curve.mean[i], curve.sd[i] ?? 0];
        return [log ? Math.max(mean - sd, mean / 2) : mean - sd, mean + sd];
      }),
    );
    if (values.length === 0) return [1, 10];
    if (log) return reach(values, true);
    const [low, high] = reach([0, ...values], false);
    return [low * 1.05, high * 1.05]; // zero stays at the edge where nothing is below
  }

  /** The lines of the grid and their values. */
  up() {
    const ticks = this.view.log ? logTicks(this.y.ends) : evenTicks(this.y.ends, 5);
    const name = svg("text", { class: "name", x: 0, y: 13 }, "regret");
    if (this.curves.length === 0) return [name];
    const lines = ticks.flatMap((value) => {
      const y = EDGE.top + this.y(value);
      const line = { class: value === 0 ? "base" : "grid", d: `M${EDGE.left} ${y}h${this.width}` };
      const place = { x: EDGE.left - 8, y: y + 4, "text-anchor": "end" };
      return [svg("path", line), svg("text", place, short(value))];
    });
    return [...lines, name];
  }

  across() {
    const { log, axis, ticks } = this.view;
    const [right, bottom] = [EDGE.left + this.width, EDGE.top + this.height];
    const values = ticks ?? (log ? logTicks : evenTicks)(this.x.ends, Math.min(5, this.width / 70));
    const parts = [svg("path", { class: "base", d: `M${EDGE.left} ${bottom}h${this.width}` })];
    let free = -Infinity; // where the next value has room
    for (const value of values) {
      const x = EDGE.left + this.x(value);
      parts.push(svg("path", { class: "base", d: `M${x} ${bottom}v5` }));
      if (x < free) continue;
      const [at, anchor] = x > right - 8 ? [right, "end"] : [x, "middle"];
      parts.push(svg("text", { x: at, y: bottom + 18, "text-anchor": anchor }, short(value)));
      free = x + 34;
    }
    const place = { x: right, y: bottom + 34, "text-anchor": "end" };
    return [...parts, svg("text", place, ...formula(axis))];
  }

  apology(some) {
    const [x, y] = [EDGE.left + this.width / 2, EDGE.top + this.height / 2];
    const why = some ? "No mean is positive." : "All curves are switched off.";
    return svg("text", { x, y, "text-anchor": "middle" }, why);
  }

  /** Places of the points of a curve, in pixels of the plot. */
  spots(curve, which = this.stretches(curve).flat(), height = (i) => curve.mean[i]) {
    return which.map((i) => [this.x(this.view.x[i]), this.y(height(i))]);
  }

  path(spots) {
    return spots.map((spot) => spot.map((place) => place.toFixed(1)).join(" ")).join("L");
  }

  band(curve) {
    const floor = this.view.log ? this.y.ends[0] / 10 : -Infinity;
    const high = (i) => curve.mean[i] + curve.sd[i];
    const low = (i) => Math.max(curve.mean[i] - curve.sd[i], floor);
    const d = this.stretches(curve).map((stretch) => {
      const there = this.path(this.spots(curve, stretch, high));
      const back = this.path(this.spots(curve, stretch, low).reverse());
      return `M${there}L${back}Z`;
    });
    return svg("path", { class: `band look-${curve.look}`, d: d.join("") });
  }

  curve(curve) {
    const [dash, marker] = this.looks[curve.look];
    const stretches = this.stretches(curve);
    const d = stretches.map((stretch) => `M${this.path(this.spots(curve, stretch))}`).join("");
    const group = svg("g", { class: `curve look-${curve.look}` });
    group.dataset.label = curve.label;
    group.append(svg("path", { class: "stroke", d, "stroke-dasharray": dash }));
    const every = Math.ceil(curve.mean.length / MARKERS);
    const marked = stretches.flat().filter((i) => (curve.mean.length - 1 - i) % every === 0);
    for (const spot of this.spots(curve, marked)) {
      const transform = `translate(${this.path([spot])})`;
      group.append(svg("path", { class: "mark", d: marker, transform }));
    }
    return group;
  }

  /** Theory's slope through the last point of its learner: a line, and its name beside it. */
  guide({ label, slope, text }) {
    const curve = this.curves.find((one) => one.label === label);
    const last = this.view.x.length - 1;
    if (!curve || !(curve.mean[last] > 0)) return {}; // as in the figures: no line through nothing
    const value = (x) => curve.mean[last] * (x / this.view.x[last]) ** slope;
    const [from, to] = this.x.ends.map((x) => this.y(value(x)));
    const line = svg("path", { class: "guide", d: `M0 ${from}L${this.width} ${to}` });
    const place = this.freest((x) => from + ((to - from) * x) / this.width);
    const name = { class: "theory", "text-anchor": "middle", ...place };
    return { line, name: svg("text", name, ...formula(text)) };
  }

  /** Where a name above or below a line is far from all curves and markers. */
  freest(line) {
    let best = { room: -1, x: this.width / 2, y: 14 };
    for (let x = 18; x < this.width - 18; x += 6) {
      for (const y of [line(x) - 13, line(x) + 13]) {
        if (y < 10 || y > this.height - 10) continue;
        const gaps = this.curves.flatMap((curve) => [
          ...[-14, 0, 14].map((aside) => Math.abs(this.between(curve, x + aside) - y)),
          ...this.spots(curve).map((spot) => Math.hypot((spot[0] - x) / 2, spot[1] - y) - 6),
        ]);
        const room = Math.min(26, ...gaps); // more than enough is enough: the first such place
        if (room > best.room) best = { room, x, y: y + 4 };
      }
    }
    return { x: best.x, y: best.y };
  }

  /** The height of a drawn curve between its points; infinite beside them. */
  between(curve, x) {
    for (const stretch of this.stretches(curve)) {
      const spots = this.spots(curve, stretch);
      const next = spots.findIndex((spot) => spot[0] >= x);
      if (next < 1) continue;
      const [[x0, y0], [x1, y1]] = [spots[next - 1], spots[next]];
      return y0 + ((y1 - y0) * (x - x0)) / (x1 - x0);
    }
    return Infinity;
  }

  /** Mark the curves at a point; or none. */
  point(curves, i) {
    this.cursor.replaceChildren();
    if (i === null) return;
    const x = this.x(this.view.x[i]);
    this.cursor.append(svg("path", { class: "cursor", d: `M${x} 0V${this.height}` }));
    for (const curve of curves.filter((one) => this.fits(one, i))) {
      const transform = `translate(${this.path(this.spots(curve, [i]))})`;
      this.cursor.append(svg("circle", { class: `ring look-${curve.look}`, r: 7, transform }));
    }
  }
}

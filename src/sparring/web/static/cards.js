// What a card shows: text, markdown, a picture, a sound, a film, a link.

const LONG = 240; // letters, from which on two cards do not fit beside each other on a phone
const SHORT = 60;

export function element(tag, properties = {}) {
  return Object.assign(document.createElement(tag), properties);
}

/** An address that is what it says; markup may not smuggle a script in. */
function address(url, ...schemes) {
  try {
    return schemes.includes(new URL(url).protocol) ? url : "";
  } catch {
    return "";
  }
}

function media(tag) {
  return (side) => {
    const src = address(side.url, "https:", "http:", "data:");
    const shown = element(tag, { src, [tag === "img" ? "alt" : "ariaLabel"]: side.alt ?? "" });
    if (tag !== "img") Object.assign(shown, { controls: true, preload: "metadata" });
    if (tag === "video") shown.playsInline = true;
    const gone = element("p", { className: "gone", textContent: `${side.alt || "This item"} could not be loaded.` });
    shown.addEventListener("error", () => shown.replaceWith(gone), { once: true });
    const about = element("p", { className: "about", textContent: side.alt ?? "", dir: "auto" });
    return tag !== "img" && side.alt ? [shown, about] : [shown];
  };
}

const KINDS = {
  text: (side) => {
    const short = side.text.length <= SHORT ? " short" : "";
    return [element("p", { className: `text${short}`, textContent: side.text, dir: "auto" })];
  },
  // The server has made it safe, and the page's policy runs no script that stands in it.
  markdown: (side) => [element("div", { className: "markdown", innerHTML: side.html, dir: "auto" })],
  image: media("img"),
  audio: media("audio"),
  video: media("video"),
  link: (side) => {
    const href = address(side.url, "https:", "http:");
    const target = { href, target: "_blank", rel: "noopener noreferrer nofollow" };
    const shown = element("p", { className: "text", dir: "auto" });
    shown.append(element("a", { ...target, textContent: side.text || side.url }));
    return side.text ? [shown, element("p", { className: "about", textContent: side.url })] : [shown];
  },
};

export function fill(card, side) {
  const name = side.name ? [element("p", { className: "name", textContent: side.name, dir: "auto" })] : [];
  card.replaceChildren(...name, ...(KINDS[side.kind] ?? KINDS.text)(side));
}

export function isLong(side) {
  return (side.text ?? side.html ?? "").length > LONG || side.kind === "video";
}

/** A side in words, for who listens. */
export function spoken(side) {
  const html = side.html && new DOMParser().parseFromString(side.html, "text/html").body.textContent;
  const text = (side.text || html || side.alt || side.kind).trim();
  return text.length > 140 ? `${text.slice(0, 139)}…` : text;
}

/** Have the pictures of a pair at hand before it is shown. */
export function prefetch(pair) {
  for (const side of [pair.first, pair.second]) if (side.kind === "image") new Image().src = side.url;
}

// The live board: fetches what was drawn, and again when the server says that there is something new.

import { setKey, takeKey, withKey } from "./key.js";

const main = document.getElementById("board");
const live = document.getElementById("live");
const all = (selector) => [...document.querySelectorAll(selector)];
const sleep = (seconds) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
let shown = "";
let leader = "";

function state(text, on = false) {
  live.textContent = text;
  live.dataset.on = on;
}

async function get(path) {
  const reply = await fetch(main.dataset.api + path, { headers: withKey(), credentials: "omit", cache: "no-store" });
  if (reply.status === 401 || reply.status === 403) throw Object.assign(new Error("key"), { needsKey: true });
  if (!reply.ok) throw new Error(String(reply.status));
  return reply;
}

/** What the reader stands on or has pressed, so that it can be found again in a newer board. */
function marked(element) {
  const [course, drawing] = [element.closest(".course"), element.closest("svg")];
  if (!course || !drawing) return element.getAttribute("aria-label") ?? "";
  return [all(".course").indexOf(course), drawing.classList[0], element.dataset.key ?? element.classList[0]].join(" ");
}

/** Put the newest board in the place of the old one; curves that the reader coloured stay so. */
async function load() {
  const reply = await get("board/part");
  const version = reply.headers.get("X-Board");
  const text = await reply.text();
  while (document.querySelector(".reading:not([hidden])")) await sleep(0.5); // somebody reads a chart
  const pressed = new Map(all(".end[data-own]").map((end) => [marked(end), end.getAttribute("aria-pressed")]));
  const scroll = all(".scroll").map((box) => box.scrollLeft);
  const focused = main.contains(document.activeElement) && marked(document.activeElement);
  main.innerHTML = text; // the server's own page part: every name in it is escaped
  main.setAttribute("aria-busy", "false");
  dispatchEvent(new Event("redrawn"));
  for (const end of all(".end")) {
    const wanted = pressed.get(marked(end));
    if (wanted && wanted !== end.getAttribute("aria-pressed")) end.dispatchEvent(new Event("click"));
  }
  all(".scroll").forEach((box, at) => (box.scrollLeft = scroll[at] ?? 0));
  if (focused) all(".scroll, .reader, .end").find((one) => marked(one) === focused)?.focus({ preventScroll: true });
  const now = main.querySelector("h1").textContent;
  if (leader && leader !== now) document.getElementById("said").textContent = now;
  leader = now;
  document.title = `${now} · ${document.querySelector(".where").textContent}`;
  shown = version;
}

/** Read server-sent events; with fetch, as EventSource sends no key. */
async function follow() {
  const reply = await get("board/events");
  state("live", true);
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ""; ; ) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    const events = text.split("\n\n");
    text = events.pop();
    const news = events.filter((event) => event.startsWith("event: board")).at(-1);
    if (news && /^id: (.*)$/m.exec(news)[1] !== shown) await load();
  }
}

function askForKey() {
  const form = Object.assign(document.createElement("form"), { className: "row" });
  const label = Object.assign(document.createElement("label"), { textContent: "This board needs a key" });
  const input = Object.assign(document.createElement("input"), { type: "password", autocomplete: "off", required: true });
  const button = Object.assign(document.createElement("button"), { className: "strong", textContent: "Look" });
  label.append(input);
  form.append(label, button);
  const way = Object.assign(document.createElement("p"), { className: "prose" });
  way.textContent = "If you run this arena, come by the third link that sparring serve printed when it first started (“Run it”), and press “Board” there. There you can also let everybody see the board. Others need a reader key from you.";
  document.getElementById("waiting")?.replaceWith(form, way);
  state("waiting for a key");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    setKey(input.value);
    location.reload();
  });
  input.focus();
}

takeKey();
for (let pause = 1; ; pause = Math.min(2 * pause, 30)) {
  try {
    if (!shown) await load();
    pause = 1;
    await follow();
  } catch (error) {
    if (error.needsKey) {
      setKey("");
      askForKey();
      break;
    }
    state("no connection: trying again");
    await sleep(pause);
  }
}

// The voting page: shows a pair, takes the answer at once, and has the next pair at hand.

import { Outbox, openStore } from "./outbox.js";
import { element, fill, isLong, prefetch, spoken } from "./cards.js";

const AHEAD = 2; // pairs at hand: the one on the screen, and the next
const WORDS = {
  waiting: "No connection. Your answers are kept here and will be sent.",
  paused: "This arena is paused. Your answers are safe; come back a little later.",
  closed: "This arena is closed. Thank you for your votes!",
  none: "There is nothing to compare yet.",
  trouble: "Something went wrong here. We will try again.",
};

const main = document.querySelector("main");
const [pairBox, notice, told, said, undoButton, letters, progress] =
  ["pair", "notice", "told", "said", "undo", "letters", "progress"].map((id) => document.getElementById(id));
const cards = [...document.querySelectorAll(".card")];
const keyed = [...document.querySelectorAll("[data-key]")];
const buttons = keyed.filter((one) => one !== undoButton);
const grace = 1000 * Number(main.dataset.grace);

const store = openStore(`sparring ${main.dataset.arena} `);
const voter = store.get("voter") ?? [...crypto.getRandomValues(new Uint32Array(5))].map((one) => one.toString(36)).join("");
store.set("voter", voter);
const invite = location.hash.match(/invite=([\w-]+)/)?.[1] ?? store.get("invite");
if (invite) store.set("invite", invite);

const queue = []; // pairs at hand, the first on the screen
const over = new Set(); // tickets that were answered here
let last = null; // what can be taken back
let asking = false;
let pause = 1;

/** A call of the API: {status, body, wait}; status 0 if nobody answered. */
async function call(path, content) {
  try {
    const headers = { "Content-Type": "application/json", "X-Voter": voter, ...(invite && { "X-Invite": invite }) };
    const reply = await fetch(main.dataset.api + path, { method: "POST", headers, body: JSON.stringify(content), keepalive: true, credentials: "omit", cache: "no-store" });
    const body = await reply.json().catch(() => ({}));
    return { status: reply.status, body, wait: Number(reply.headers.get("Retry-After")) || 0 };
  } catch {
    return { status: 0, body: {}, wait: 0 };
  }
}

/** Say what is the matter, if anything. */
function warn(text = "") {
  notice.hidden = !text;
  if (notice.textContent !== text) notice.textContent = text;
}

/** What to say of a reply that is none. */
function trouble({ status, body, wait = 0 }) {
  if (status === 0) return WORDS.waiting;
  if (isShut(body)) return /paused/.test(body.detail) ? WORDS.paused : WORDS.closed;
  if (status === 429) return `That was fast. Please go on in ${wait > 1 ? `${Math.ceil(wait)} seconds` : "a second"}.`;
  return status >= 500 ? WORDS.trouble : body.detail || WORDS.trouble;
}

const isShut = ({ type }) => /arena-not-open$/.test(type);
const passes = ({ status }) => status === 0 || status === 429 || status >= 500;

// Pairs.

function take(pairs = []) {
  const known = new Set(queue.map((pair) => pair.ticket));
  for (const pair of pairs) {
    if (known.has(pair.ticket) || over.has(pair.ticket) || outbox.has(pair.ticket)) continue;
    queue.push(pair);
    prefetch(pair);
  }
  show();
}

async function ask() {
  if (asking || queue.length >= AHEAD) return;
  asking = true;
  const reply = await call("ask", { n: AHEAD });
  asking = false;
  if (reply.status === 200) {
    pause = 1;
    warn();
    take(reply.body.pairs);
    if (!queue.length && !outbox.waiting.length) warn(WORDS.none);
    return;
  }
  if (!queue.length || reply.status === 0) warn(trouble(reply));
  setTimeout(ask, 1000 * Math.max(reply.wait, (pause = Math.min(2 * pause, 30))));
}

function show() {
  const pair = queue[0];
  for (const button of buttons) button.setAttribute("aria-disabled", !pair);
  pairBox.setAttribute("aria-busy", !pair);
  if (pairBox.dataset.ticket === (pair?.ticket ?? "")) return;
  pairBox.dataset.ticket = pair?.ticket ?? "";
  if (!pair) return cards.forEach((card) => card.replaceChildren());
  [pair.first, pair.second].forEach((side, place) => fill(cards[place], side));
  pairBox.classList.toggle("long", [pair.first, pair.second].some(isLong));
  pairBox.classList.remove("fresh");
  void pairBox.offsetWidth; // so that the animation begins anew
  pairBox.classList.add("fresh");
  said.textContent = `New pair. Left: ${spoken(pair.first)}. Right: ${spoken(pair.second)}.`;
  if (Number(main.dataset.dwell) > 0) call("seen", { ticket: pair.ticket });
  resize();
}

// Answers.

function answer(given) {
  const pair = queue[0];
  if (!pair) return;
  queue.shift();
  over.add(pair.ticket);
  last = given === "skip" ? null : { pair, until: Date.now() + grace };
  told.textContent = "";
  show();
  outbox.put(pair.ticket, given);
  offerUndo();
}

/** One try to bring an answer home; a refusal is final, what passes is tried again. */
async function send(ticket, given) {
  const reply = await call("vote", { ticket, answer: given, next: AHEAD });
  if (passes(reply)) {
    warn(trouble(reply));
    return { later: reply.wait };
  }
  return { reply };
}

function done(ticket, given, { status, body }) {
  if ((status !== 200 || body.why) && last?.pair.ticket === ticket) last = null; // none to undo
  offerUndo();
  if (status !== 200) {
    warn(trouble({ status, body }));
  } else {
    warn(body.asking && !queue.length ? trouble({ status: body.asking.status, body: body.asking }) : "");
    if (given !== "skip") thank(1);
    if (body.reveal) reveal(given, body.reveal);
    else if (body.why && given !== "skip") told.textContent = `Kept, but not counted: ${body.why}.`;
    take(body.pairs);
    if (parent !== window) parent.postMessage({ sparring: "voted", number: body.number }, "*");
  }
  ask();
}

function reveal(given, { first, second }) {
  const [winner, loser] = given === "second" ? [second, first] : [first, second];
  const name = (textContent) => element("b", { textContent, dir: "auto" });
  const words = /first|second/.test(given) ? ["You chose ", " over "] : ["That was ", " and "];
  told.replaceChildren(words[0], name(winner), words[1], name(loser), ".");
}

/** Count today's votes: one more, or one less if it was taken back. */
function thank(more) {
  const day = new Date().toDateString();
  const [before, count] = (store.get("today") ?? "").split("|");
  const many = Math.max(0, (before === day ? Number(count) : 0) + more);
  store.set("today", `${day}|${many}`);
  progress.textContent = many ? `Thank you: ${many} vote${many > 1 ? "s" : ""} today` : "";
}

// Taking back.

let undoTimer = 0;
function offerUndo() {
  if (!undoButton) return;
  clearTimeout(undoTimer);
  const left = last ? last.until - Date.now() : 0;
  undoButton.setAttribute("aria-disabled", left <= 0);
  if (left > 0) undoTimer = setTimeout(offerUndo, left);
}

async function undo() {
  const taken = last;
  if (!undoButton || !taken || Date.now() > taken.until) return;
  last = null;
  offerUndo();
  let pair = taken.pair;
  if (!(await outbox.take(pair.ticket))) {
    const reply = await call("undo", { ticket: pair.ticket });
    if (reply.status !== 200) return void (told.textContent = trouble(reply));
    pair = reply.body;
    thank(-1);
  } else over.delete(pair.ticket);
  queue.unshift(pair);
  told.textContent = "Taken back.";
  show();
}

// Buttons, cards and keys.

addEventListener("click", ({ target }) => {
  const chosen = target.closest("[data-answer]");
  const isOther = target.closest("a, audio, video") || String(getSelection()); // in a card
  if (target.closest("#undo")) undo();
  else if (chosen?.matches("button") || (chosen && !isOther)) answer(chosen.dataset.answer);
});
addEventListener("keydown", (event) => {
  const { target, altKey, ctrlKey, metaKey, repeat } = event;
  if (altKey || ctrlKey || metaKey || repeat) return;
  if (target.scrollWidth > target.clientWidth || target.closest?.("audio, video")) return; // they take arrows
  const key = event.key.toLowerCase();
  const button = keyed.find((one) => one.dataset.key === key);
  if (!button || (key.length === 1 && !letters.checked)) return;
  event.preventDefault();
  button.click();
});
letters.checked = store.get("letters") !== "off";
letters.onchange = () => store.set("letters", letters.checked ? "on" : "off");

/** Within another page: tell it how high this one is. */
function resize() {
  if (parent !== window) parent.postMessage({ sparring: "height", height: document.body.scrollHeight }, "*");
}
if (parent !== window) {
  document.body.classList.add("embedded");
  new ResizeObserver(resize).observe(document.body);
}
addEventListener("online", () => ask());

const outbox = new Outbox(store, send, done);
if (main.dataset.status === "closed") warn(WORDS.closed);
outbox.run();
ask();

// What the browser keeps: who votes, and the answers that have not arrived yet. Nothing is lost.

/** A store that a reload keeps: localStorage, or where that is blocked the page's entry in the history. */
export function openStore(prefix) {
  const kept = { ...history.state?.sparring };
  const write = () => history.replaceState({ ...history.state, sparring: kept }, "");
  let local = null;
  try {
    localStorage.setItem(prefix, "1"); // a full or blocked one says so only now
    local = localStorage;
  } catch { /* the history it is */ }
  return {
    get: (key) => (local ? local.getItem(prefix + key) : (kept[key] ?? null)),
    set(key, value) {
      if (local) {
        try {
          return local.setItem(prefix + key, value);
        } catch {
          local = null; // full: what is in it can still not be read, but the page goes on
        }
      }
      kept[key] = value;
      write();
    },
    drop(key) {
      local?.removeItem(prefix + key);
      if (key in kept) {
        delete kept[key];
        write();
      }
    },
    keys(start) {
      const all = local ? Object.keys(local).filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length)) : [];
      return [...all, ...Object.keys(kept)].filter((key) => key.startsWith(start));
    },
  };
}

/** Answers on their way, oldest first. A ticket is taken once by the server, so sending twice does no harm. */
export class Outbox {
  /**
   * @param store from `openStore`
   * @param send takes ticket and answer; resolves to {later: seconds} to try again, or to {reply}
   * @param done takes ticket, answer and reply
   */
  constructor(store, send, done) {
    Object.assign(this, { store, send, done, flying: null, running: false, wake: () => {} });
    addEventListener("online", () => this.wake());
  }

  has(ticket) {
    return this.store.get(`out ${ticket}`) !== null;
  }

  get waiting() {
    return this.store
      .keys("out ")
      .map((key) => ({ ticket: key.slice(4), ...JSON.parse(this.store.get(key) ?? "{}") }))
      .sort((a, b) => a.at - b.at);
  }

  put(ticket, answer) {
    this.store.set(`out ${ticket}`, JSON.stringify({ answer, at: Date.now() }));
    this.run();
  }

  /** Take an answer back that was not sent; false if it is gone, once it has arrived. */
  async take(ticket) {
    if (this.flying?.ticket === ticket) await this.flying.landed;
    if (!this.has(ticket)) return false;
    this.store.drop(`out ${ticket}`);
    return true;
  }

  async run() {
    if (this.running) return this.wake();
    this.running = true;
    let pause = 1;
    for (let next; (next = this.waiting[0]); ) {
      const landed = this.send(next.ticket, next.answer);
      this.flying = { ticket: next.ticket, landed };
      const { reply, later } = await landed;
      this.flying = null;
      if (reply) {
        pause = 1;
        this.store.drop(`out ${next.ticket}`);
        this.done(next.ticket, next.answer, reply);
      } else {
        const seconds = Math.max(later, pause);
        pause = Math.min(2 * pause, 30);
        await new Promise((resolve) => {
          this.wake = resolve;
          setTimeout(resolve, 1000 * seconds);
        });
      }
    }
    this.running = false;
  }
}

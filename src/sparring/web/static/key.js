// The key of whoever runs or reads an arena: from the link into this tab's memory, and to nobody else.

const NAME = "sparring-key";
let held = "";

/** Take the key out of the address, so that it is not seen, copied or kept in the history. */
export function takeKey() {
  const given = new URLSearchParams(location.hash.slice(1)).get("key");
  if (given) {
    setKey(given);
    history.replaceState(null, "", location.pathname + location.search);
  } else {
    try {
      held = sessionStorage.getItem(NAME) ?? "";
    } catch { /* blocked: the key is asked for again after a reload */ }
  }
  return held;
}

export function setKey(key) {
  held = key.trim();
  try {
    if (held) sessionStorage.setItem(NAME, held);
    else sessionStorage.removeItem(NAME);
  } catch { /* as above */ }
}

/** The headers of a request. */
export function withKey(more = {}) {
  return held ? { ...more, Authorization: `Bearer ${held}` } : more;
}

// Voters, invites, keys and webhooks on the admin page.

import { api } from "./api.js";
import { button, byId, day, fillTable, make, onSubmit, percent } from "./dom.js";

let arena = "";
const path = (rest) => `arenas/${encodeURIComponent(arena)}/${rest}`;

export async function showPeople(name) {
  arena = name;
  await Promise.all([showVoters(), showInvites(), showKeys(), showHooks()]);
}

export async function showVoters() {
  const { voters } = await api("GET", path("voters/evidence"));
  const rows = voters.map((one) => {
    const acts = { free: ["held", "banned"], held: ["free", "banned"], banned: ["free"] }[one.verdict];
    const words = { held: "Hold", banned: "Ban", free: "Free" };
    const buttons = acts.map((verdict) => button(words[verdict], () => judge(one.voter, verdict), `${words[verdict]} voter ${one.voter}`));
    return [
      make("code", {}, one.voter.slice(0, 12)), String(one.answers), String(one.counted), percent(one.left),
      one.seconds === null ? "" : `${one.seconds.toFixed(1)} s`, percent(one.agrees), one.verdict, make("span", { className: "acts" }, ...buttons),
    ];
  });
  fillTable(byId("voters"), rows, "Nobody has voted yet.");
}

async function judge(voter, verdict) {
  if (verdict === "banned" && !confirm("Ban this voter? All answers become void, and the learner forgets them.")) return;
  await api("POST", path("voters"), { voter, verdict });
  await showVoters();
  return `The voter is ${verdict} now.`;
}

async function showInvites() {
  const { invites } = await api("GET", path("invites"));
  const end = (one) => button("End", async () => {
    if (!confirm(`End the invite “${one.label}”? Whoever came in by it is out again.`)) return;
    await api("DELETE", path(`invites/${one.id}`));
    await showInvites();
    return "The invite is ended.";
  }, `End the invite ${one.label}`);
  fillTable(byId("invites"), invites.map((one) => [one.label, `${one.used} of ${one.uses}`, day(one.expires) || "any time", end(one)]), "No invites.");
}

async function showKeys() {
  const { keys } = await api("GET", "keys");
  const end = (key) => button("End", async () => {
    if (!confirm(`End the key “${key.label}”? Whoever uses it is shut out.`)) return;
    await api("DELETE", `keys/${key.id}`);
    await showKeys();
    return "The key is ended.";
  }, `End the key ${key.label}`);
  fillTable(byId("keys"), keys.map((key) => [key.label, key.role, day(key.made), end(key)]), "No keys.");
}

async function showHooks() {
  const { hooks } = await api("GET", path("hooks"));
  const end = (hook) => button("End", async () => {
    await api("DELETE", path(`hooks/${hook.id}`));
    await showHooks();
    return "The webhook is ended.";
  }, `End the webhook to ${hook.url}`);
  fillTable(byId("hooks"), hooks.map((hook) => [hook.url, hook.kinds.join(", "), end(hook)]), "No webhooks.");
}

/** Show a secret once, where it can be copied. */
function showSecret(id, words, secret) {
  byId(id).hidden = false;
  byId(id).replaceChildren(words, make("code", { className: "secret" }, secret));
}

onSubmit("key-form", async (form) => {
  const { role, label } = form.elements;
  const made = await api("POST", "keys", { role: role.value, label: label.value.trim() });
  showSecret("new-key", "Copy it now, it is not shown again: ", made.key);
  form.reset();
  await showKeys();
  return "The key is made.";
});

onSubmit("invite-form", async (form) => {
  const { label, uses, expires } = form.elements;
  const until = expires.value ? new Date(expires.value).getTime() / 1000 : null;
  const made = await api("POST", path("invites"), { label: label.value.trim(), uses: Number(uses.value), expires: until });
  showSecret("new-invite", "Copy the link now, it is not shown again: ", made.link);
  form.reset();
  await showInvites();
  return "The invite is made.";
});

onSubmit("hook-form", async (form) => {
  const kinds = [...form.querySelectorAll("input[name=kind]:checked")].map((box) => box.value);
  const made = await api("POST", path("hooks"), { url: form.elements.url.value.trim(), kinds });
  showSecret("new-hook", "Messages are signed with this secret, which is not shown again: ", made.secret);
  form.reset();
  await showHooks();
  return "The webhook is made.";
});

// Calls of the API with the key of this tab; what goes wrong is an Error with the problem's own words.

import { withKey } from "./key.js";

export async function api(method, path, content, type = "application/json") {
  const body = content === undefined ? undefined : type === "application/json" ? JSON.stringify(content) : content;
  const headers = withKey(body === undefined ? {} : { "Content-Type": type });
  const reply = await fetch(`api/v1/${path}`, { method, headers, body, credentials: "omit", cache: "no-store" }).catch(() => null);
  if (!reply) throw new Error("No connection to the service.");
  if (reply.ok) return reply.headers.get("Content-Type")?.match(/^application\/json\b/) ? reply.json() : reply.blob();
  const problem = await reply.json().catch(() => ({}));
  throw Object.assign(new Error(problem.detail || `The service said ${reply.status}.`), {
    status: reply.status,
    where: (problem.errors ?? []).map((error) => error.where),
  });
}

/** Fetch a file with the key, and hand it to the browser as a download. */
export async function download(path, name) {
  const found = await api("GET", path);
  const blob = found instanceof Blob ? found : new Blob([JSON.stringify(found)]);
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

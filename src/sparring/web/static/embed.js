// The voting page within another page: put <script src=".../a/NAME/embed.js" async></script> where it shall stand.

(() => {
  const own = document.currentScript;
  const frame = document.createElement("iframe");
  frame.src = own.src.replace(/\/embed\.js(\?.*)?$/, "") + (own.dataset.invite ? `#invite=${own.dataset.invite}` : "");
  frame.title = own.dataset.title || "Which one is better?";
  frame.referrerPolicy = "no-referrer";
  Object.assign(frame.style, { width: "100%", height: "26rem", border: "0", colorScheme: "normal" });
  addEventListener("message", ({ source, data }) => {
    if (source !== frame.contentWindow || !data?.sparring) return;
    if (data.sparring === "height") frame.style.height = `${Math.min(Math.max(Number(data.height) || 0, 160), 5000)}px`;
    if (data.sparring === "voted") frame.dispatchEvent(new CustomEvent("sparring-voted", { bubbles: true, detail: data }));
  });
  own.after(frame);
})();

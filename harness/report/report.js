"use strict";
(() => {
  const MARKED = 5000; // more hits are counted, but not highlighted
  const main = document.getElementById("main");
  const find = document.getElementById("find");
  const output = document.getElementById("hits");
  const keys = document.getElementById("keys");
  const marks = window.CSS?.highlights; // an older browser filters and counts, but marks no hit
  const stops = [...main.querySelectorAll(".transcript > summary, .chunk > summary, .turn")];
  const fold = (text) => { const low = text.toLowerCase(); return low.length === text.length ? low : text; };

  // Search: a text is its text nodes without the labels of unseen characters, so that those hide no word.
  let texts = null, opened = [], ranges = [], here = -1, total = 0;

  function read(element) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT, (node) =>
      node.parentElement.closest(".ctl") ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT);
    const nodes = [];
    let text = "";
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      nodes.push({ node, start: text.length });
      text += node.data;
    }
    return { element, nodes, text: fold(text) };
  }

  function rangeOf({ nodes }, start, stop) {
    const range = document.createRange();
    const place = (at) => { let i = nodes.length - 1; while (nodes[i].start > at) i--; return nodes[i]; };
    const first = place(start), last = place(stop - 1);
    range.setStart(first.node, start - first.start);
    range.setEnd(last.node, stop - last.start);
    return range;
  }

  function reveal(element, mark) {
    for (let each = element; each && each !== main; each = each.parentElement) {
      if (mark) each.classList.add("found");
      if (each.tagName === "DETAILS" && !each.open) { each.open = true; if (mark) opened.push(each); }
    }
  }

  function clear() {
    marks?.clear();
    for (const each of main.querySelectorAll(".found")) each.classList.remove("found");
    for (const each of opened) each.open = false;
    opened = []; ranges = []; here = -1; total = 0;
    document.body.classList.remove("searching");
    output.textContent = "";
  }

  function search() {
    clear();
    const wanted = fold(find.value);
    if (!wanted.trim()) return;
    texts ??= [...main.querySelectorAll(".text, .transcript > summary .name")].map(read);
    for (const each of texts) {
      let at = each.text.indexOf(wanted);
      if (at < 0) continue;
      reveal(each.element, true);
      for (; at >= 0; at = each.text.indexOf(wanted, at + wanted.length)) {
        total++;
        if (ranges.length < MARKED) ranges.push(rangeOf(each, at, at + wanted.length));
      }
    }
    document.body.classList.add("searching");
    if (marks) {
      const all = new Highlight();
      for (const range of ranges) all.add(range);
      marks.set("hit", all);
    }
    ranges[0]?.startContainer.parentElement.scrollIntoView({ block: "nearest" });
    tell();
  }

  function tell() {
    const count = total === 1 ? "1 hit" : total.toLocaleString("en") + " hits";
    const rest = total > ranges.length ? ", the first " + MARKED.toLocaleString("en") + " marked" : "";
    output.textContent = (here >= 0 ? (here + 1).toLocaleString("en") + " of " : "") + count + rest;
  }

  function hop(by) {
    if (!ranges.length) return;
    here = here < 0 ? (by > 0 ? 0 : ranges.length - 1) : (here + by + ranges.length) % ranges.length;
    if (marks) {
      const one = new Highlight(ranges[here]);
      one.priority = 1;
      marks.set("here", one);
    }
    ranges[here].startContainer.parentElement.scrollIntoView({ block: "center" });
    tell();
  }

  // Walking: the transcripts, the chunks of long talks and the turns that are open to the eye.
  function reachable(stop) {
    const outside = stop.tagName === "SUMMARY" ? stop.parentElement.parentElement : stop;
    if (outside.closest("details:not([open])")) return false;
    return !document.body.classList.contains("searching") || stop.closest(".turn, details").classList.contains("found");
  }

  function walk(by, kind) {
    const now = document.activeElement.closest(".turn") || document.activeElement.closest("summary") ||
      document.activeElement.closest(".transcript")?.querySelector("summary");
    const from = stops.indexOf(now);
    for (let i = from < 0 ? (by > 0 ? 0 : stops.length - 1) : from + by; i >= 0 && i < stops.length; i += by) {
      if (kind && !stops[i].matches(kind)) continue;
      if (!reachable(stops[i])) continue;
      stops[i].focus({ preventScroll: true });
      stops[i].scrollIntoView({ block: "start" });
      return;
    }
  }

  function follow() {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target || !main.contains(target)) return;
    if (find.value) { find.value = ""; clear(); }
    reveal(target, false);
    target.scrollIntoView({ block: "start" });
    if (target.tagName === "DETAILS") target.querySelector("summary").focus({ preventScroll: true });
  }

  find.addEventListener("input", search);
  find.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "Enter") { event.preventDefault(); hop(event.shiftKey ? -1 : 1); }
  });
  document.getElementById("help").addEventListener("click", () => keys.showModal());
  document.getElementById("close").addEventListener("click", () => keys.close());
  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey || keys.open) return;
    if (event.key === "Escape") { find.value = ""; clear(); find.blur(); return; }
    if (event.target === find) return;
    const acts = {
      "/": () => { find.focus(); find.select(); },
      "?": () => keys.showModal(),
      j: () => walk(1), k: () => walk(-1),
      J: () => walk(1, ".transcript > summary"), K: () => walk(-1, ".transcript > summary"),
    };
    if (Object.hasOwn(acts, event.key)) { event.preventDefault(); acts[event.key](); }
  });
  window.addEventListener("hashchange", follow);
  document.addEventListener("click", (event) => { // the same link twice changes no hash
    const link = event.target.closest?.("a[href^='#']");
    if (link && link.getAttribute("href") === location.hash) follow();
  });
  follow();
})();

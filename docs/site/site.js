// What a page can do beyond being read: a search of all pages, and a choice of light or dark.
// Nothing here is needed to read.
"use strict";
(() => {
  const root = document.currentScript.dataset.root;
  const page = document.documentElement;
  const stored = (value) => {
    try { // a browser may refuse to remember anything of files
      if (value) localStorage.setItem("modebench-theme", value);
      return localStorage.getItem("modebench-theme");
    } catch { return null; }
  };
  if (stored()) page.dataset.theme = stored();

  let index = null;
  window.modebenchIndex = (parts) => {
    index = parts.map((part) => ({ ...part, h: part.h || "", x: part.x || "" }));
    for (const part of index) {
      part.head = (part.t + " " + part.h).toLowerCase();
      part.all = part.head + " " + part.x.toLowerCase();
    }
    show();
  };
  const load = () => {
    if (index || document.getElementById("index")) return;
    const script = document.createElement("script");
    script.id = "index";
    script.src = root + "search-index.js";
    document.head.append(script);
  };
  // Every word has to be there; titles count most, and whole words more than parts of words. Every part is
  // asked at every key, so the expressions of a query are made once.
  const asked = (text) => text.toLowerCase().split(/\s+/).filter(Boolean).map((word) => (
    { word, whole: new RegExp("(^|[^\\w-])" + word.replace(/[^\w\s-]/g, "\\$&") + "($|[^\\w-])") }));
  const score = (part, words) => {
    let sum = part.h ? 0 : 1;
    for (const { word, whole } of words) {
      if (!part.all.includes(word)) return 0;
      sum += (part.head.includes(word) ? 10 : 1) * (whole.test(part.head) ? 3 : 1) + (whole.test(part.all) ? 2 : 0);
    }
    return sum + 20 / (20 + part.head.length);
  };
  const show = () => {
    const box = document.getElementById("page-results"), list = box.querySelector("ol"), said = document.getElementById("page-found");
    const words = asked(document.getElementById("page-query").value);
    list.replaceChildren();
    box.hidden = words.length === 0;
    if (!words.length || !index) return;
    const found = index.map((part) => [score(part, words), part]).filter(([s]) => s > 0).sort((a, b) => b[0] - a[0]);
    said.textContent = found.length + (found.length === 1 ? " place" : " places") + (found.length > 12 ? ", the first 12 of them" : "");
    for (const [, part] of found.slice(0, 12)) {
      const item = document.createElement("li"), link = document.createElement("a"), small = document.createElement("small");
      link.href = root + part.p.split("#").map(encodeURIComponent).join("#").replaceAll("%2F", "/");
      link.textContent = part.h ? part.t + ": " + part.h : part.t;
      const at = Math.max(0, part.x.toLowerCase().indexOf(words[0].word) - 60);
      small.textContent = (at ? "… " : "") + part.x.slice(at, at + 160);
      item.append(link, small);
      list.append(item);
    }
  };

  addEventListener("DOMContentLoaded", () => {
    const form = document.getElementById("page-search"), query = document.getElementById("page-query"), theme = document.getElementById("page-theme");
    form.hidden = theme.hidden = false;
    query.addEventListener("focus", load);
    query.addEventListener("input", () => { load(); show(); });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const first = document.querySelector("#page-results a");
      if (first) first.click();
    });
    addEventListener("keydown", (event) => {
      if (event.key === "/" && !/^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) {
        event.preventDefault();
        query.focus();
      }
      if (event.key === "Escape") { query.value = ""; show(); }
    });
    const dark = () => page.dataset.theme ? page.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    const name = () => { theme.textContent = dark() ? "Light" : "Dark"; };
    theme.addEventListener("click", () => {
      page.dataset.theme = dark() ? "light" : "dark";
      stored(page.dataset.theme);
      name();
    });
    name();
  });
})();

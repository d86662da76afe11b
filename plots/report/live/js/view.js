// What the reader has chosen stands in the address, so that a link leads to it. A part of the page
// has keys of its own; what is as the page was written has none.
const view = { chosen: new Map(), listeners: [] };
const isView = () => location.hash.includes("=");
const readView = () => { view.chosen = new Map(isView() ? new URLSearchParams(location.hash.slice(1)) : []); };
const chosen = (key, usual) => view.chosen.has(key) ? view.chosen.get(key) : usual;
const choose = (key, value, usual) => {
  if (value === usual) view.chosen.delete(key);
  else view.chosen.set(key, value);
  if (!writing) writing = setTimeout(writeView, Math.max(20, 350 - (Date.now() - written)));
};
// Browsers let a page change its address about three times a second: what is chosen is written
// together, and again later where a browser refuses.
let writing = 0, written = 0;
const writeView = () => {
  writing = 0;
  written = Date.now();
  try { history.replaceState(null, "", "#" + new URLSearchParams([...view.chosen])); } catch { writing = setTimeout(writeView, 2000); }
};
addEventListener("pagehide", () => { if (writing) writeView(); });
// What an address says may be anything: some of a list, and names in which "|" does not separate.
const oneOf = (value, list, usual) => list.includes(value) ? value : usual;
const joined = (names) => names.map((n) => n.replace(/[%|]/g, encodeURIComponent)).join("|");
const parted = (text) => text.split("|").filter((n) => n !== "").map((n) => n.replace(/%25|%7C/g, decodeURIComponent));
readView();
addEventListener("hashchange", () => {
  if (!isView()) return; // a link to a heading leaves the view as it is
  readView();
  for (const f of view.listeners) f();
});

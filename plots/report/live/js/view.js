// What the reader has chosen stands in the address, so that a link leads to it. A part of the page
// has keys of its own; what is as the page was written has none.
const view = { chosen: new Map(), listeners: [] };
const isView = () => location.hash.includes("=");
const readView = () => { view.chosen = new Map(isView() ? new URLSearchParams(location.hash.slice(1)) : []); };
const chosen = (key, usual) => view.chosen.has(key) ? view.chosen.get(key) : usual;
const choose = (key, value, usual) => {
  if (value === usual) view.chosen.delete(key);
  else view.chosen.set(key, value);
  const hash = new URLSearchParams([...view.chosen]).toString();
  history.replaceState(null, "", "#" + hash);
};
readView();
addEventListener("hashchange", () => {
  if (!isView()) return; // a link to a heading leaves the view as it is
  readView();
  for (const f of view.listeners) f();
});

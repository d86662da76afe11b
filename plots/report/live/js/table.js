// Sorting: numbers from the largest first, names from A, then the other way, then as
// the page lists them. What has no number comes last either way.
const key = (row, i) => {
  const cell = row.cells[i];
  if (!("sort" in cell.dataset)) return cell.textContent;
  return cell.dataset.sort === "" ? null : Number(cell.dataset.sort);
};
const compare = (a, b) => typeof a === "string" ? a.localeCompare(b, "en", { numeric: true }) : a - b;
const sorted = (rows, i, direction) => {
  const place = (r) => Number(r.dataset.place);
  return rows.sort((r, s) => {
    const a = key(r, i), b = key(s, i);
    let order = 0;
    if (direction !== "none") {
      if (a === null || b === null) order = (a === null) - (b === null);
      else order = compare(a, b) * (direction === "ascending" ? 1 : -1);
    }
    return order || place(r) - place(s);
  });
};

// The name of a column, without what it says more.
const headName = (head) => head.firstElementChild.textContent;

// The cells of a row for a file: a number with all its digits and the ends of its interval.
// Of ranks there are the ends alone.
const csvParts = (head) => head.dataset.ends ? ["low", "high"] : head.dataset.interval ? ["", "low", "high"] : [""];
const csvHead = (head) => csvParts(head).map((part) => `${headName(head)} ${part}`.trim());
const csvCells = (cell, head) => csvParts(head).map((part) => part === "" ? cell.dataset.sort ?? cell.textContent : cell.dataset[part]);

// A table that is sorted by its heads, searched, filtered by a number, and saved.
const tableControls = (table, scope) => {
  const id = table.dataset.id, heads = all(table, "thead th"), body = table.tBodies[0], rows = Array.from(body.rows);
  const search = make("input"), least = make("input"), status = made("p", "status");
  const usual = { column: "", side: "least" };
  const numeric = heads.map((h, i) => [String(i), headName(h)]).filter(([i]) => !heads[i].classList.contains("name"));
  const able = { column: (v) => oneOf(v, numeric.map(([i]) => i), ""), side: (v) => oneOf(v, ["least", "most"], "least"), than: (v) => v.trim() !== "" && Number.isFinite(Number(v)) ? v : "" };
  const state = (name) => { const v = chosen(`${id}.${name}`, usual[name] ?? ""); return able[name] ? able[name](v) : v; };
  const set = (name, value) => { choose(`${id}.${name}`, value, usual[name] ?? ""); apply(); };
  search.type = "search";
  search.addEventListener("input", () => set("find", search.value));
  least.type = "number";
  least.step = "any";
  least.addEventListener("input", () => set("than", least.value));
  const column = chooser("Column", [["", "any"], ...numeric], state("column"), (v) => set("column", v));
  const side = chooser("is", [["least", "at least"], ["most", "at most"]], state("side"), (v) => set("side", v));
  const only = scope && toggle("Only methods shown in the figures", () => state("on") === "1", (v) => set("on", v ? "1" : ""));
  const csv = button("Download CSV", () => save(id, [heads.flatMap(csvHead), ...Array.from(body.rows).filter((r) => !r.hidden).map((r) => heads.flatMap((h, i) => csvCells(r.cells[i], h)))]));
  const bar = made("div", "controls", made("label", "choice", make("span", "Search"), search), column, side, made("label", "choice", make("span", "Number"), least), ...(only ? [only] : []), csv);
  bar.setAttribute("role", "group");
  bar.setAttribute("aria-label", "Search, filter and save the table");
  status.setAttribute("role", "status");
  table.parentElement.before(bar, status);

  const kept = (row) => {
    const i = state("column"), than = state("than"), words = state("find").toLowerCase().split(/\s+/);
    if (!words.every((w) => row.textContent.toLowerCase().includes(w))) return false;
    if (scope && state("on") === "1" && !scope.isOn(scope.indexOf(row.cells[0].textContent))) return false;
    if (i === "" || than === "") return true;
    const exact = key(row, Number(i)), shown = Number.parseFloat(row.cells[Number(i)].textContent);
    if (exact === null) return false;
    const x = Number.isFinite(shown) ? shown : exact; // what the reader sees
    return state("side") === "most" ? x <= Number(than) : x >= Number(than);
  };
  const sort = () => chosen(`${id}.sort`, "0:none");
  const apply = () => {
    const [by, direction] = /^\d+:(ascending|descending)$/.test(sort()) && heads[parseInt(sort(), 10)] ? sort().split(":") : ["0", "none"];
    heads.forEach((h, i) => h.setAttribute("aria-sort", String(i) === by ? direction : "none"));
    body.append(...sorted(rows.slice(), Number(by), direction));
    let n = 0;
    for (const r of rows) { r.hidden = !kept(r); n += !r.hidden; }
    const said = n === rows.length ? "" : `${n} of ${rows.length} rows`;
    if (status.textContent !== said) status.textContent = said;
    for (const [e, name] of [[search, "find"], [least, "than"], [column.lastChild, "column"], [side.lastChild, "side"]]) if (e.value !== state(name)) e.value = state(name);
    if (only) only.setAttribute("aria-pressed", String(state("on") === "1"));
  };
  heads.forEach((head, i) => head.firstElementChild.addEventListener("click", () => {
    const cycle = head.classList.contains("name") ? ["none", "ascending", "descending"] : ["none", "descending", "ascending"];
    const next = cycle[(cycle.indexOf(head.getAttribute("aria-sort")) + 1) % 3];
    choose(`${id}.sort`, next === "none" ? "0:none" : `${i}:${next}`, "0:none");
    apply();
  }));
  for (const r of rows) { // its name leads to what else there is of it
    const more = document.getElementById("position-" + r.cells[0].textContent);
    if (more) r.cells[0].addEventListener("click", () => { more.open = true; more.scrollIntoView({ block: "nearest" }); });
    r.cells[0].classList.toggle("leads", Boolean(more));
  }
  if (scope) {
    for (const r of rows) {
      const i = scope.indexOf(r.cells[0].textContent);
      r.addEventListener("pointerenter", () => scope.point(i));
      r.addEventListener("pointerleave", () => scope.point(-1));
    }
    scope.listeners.push((what) => { if (what !== "highlight") apply(); });
  }
  view.listeners.push(apply);
  apply();
};

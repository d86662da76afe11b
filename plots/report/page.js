(() => {
"use strict";
const root = document.documentElement;
const all = (from, what) => Array.from(from.querySelectorAll(what));
const make = (tag, text) => { const e = document.createElement(tag); if (text !== undefined) e.textContent = text; return e; };

// The theme is the system's until the button says otherwise; nothing is stored.
const theme = document.getElementById("theme");
const system = matchMedia("(prefers-color-scheme: dark)");
const dark = () => (root.dataset.theme || (system.matches ? "dark" : "light")) === "dark";
const showTheme = () => theme.setAttribute("aria-pressed", String(dark()));
theme.hidden = false;
theme.addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; showTheme(); });
system.addEventListener("change", showTheme);
showTheme();

// Sorting: numbers from the largest first, names from A, then the other way, then as
// the experiment lists them. What has no number comes last either way.
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
for (const table of all(document, "table.sortable")) {
  const heads = all(table, "thead th");
  heads.forEach((head, i) => head.firstElementChild.addEventListener("click", () => {
    const cycle = head.classList.contains("name") ? ["none", "ascending", "descending"] : ["none", "descending", "ascending"];
    const next = cycle[(cycle.indexOf(head.getAttribute("aria-sort")) + 1) % 3];
    for (const h of heads) h.setAttribute("aria-sort", h === head ? next : "none");
    const body = table.tBodies[0];
    body.append(...sorted(Array.from(body.rows), i, next));
  }));
}

// Reading a figure: over every panel of lines lies a slider along its axis, which
// shows the row of the panel's table at that place.
const reading = document.getElementById("reading");
const hide = () => { reading.hidden = true; for (const i of all(document, ".reader i")) i.hidden = true; };
const lines = (table, row) => {
  const heads = Array.from(table.tHead.rows[0].cells).slice(1);
  const out = heads.map((head, i) => {
    const cell = row.cells[i + 1], rest = cell.querySelector("span");
    return { sample: head.querySelector("svg"), name: head.textContent.trim(), mean: cell.firstChild.textContent.trim(), rest: rest ? rest.textContent : "" };
  });
  const height = (l) => { const x = parseFloat(l.mean); return Number.isNaN(x) ? -Number.MAX_VALUE : x; };
  return out.sort((a, b) => height(b) - height(a));
};
const fill = (table, row) => {
  const list = lines(table, row), p = make("p");
  for (const l of list) {
    const div = make("div");
    div.append(l.sample.cloneNode(true), make("span", l.name), make("span", l.mean), make("span", l.rest));
    p.append(div);
  }
  const head = table.tHead.rows[0].cells[0].textContent + " " + row.cells[0].textContent;
  reading.replaceChildren(make("b", head), p);
  reading.classList.toggle("many", list.length > 14);
  return head + ": " + list.map((l) => l.name + " " + l.mean + " " + l.rest).join("; ");
};
const place = (x, y) => {
  const box = reading.getBoundingClientRect(), gap = 14;
  let left = x + gap, top = y + gap;
  if (left + box.width > root.clientWidth - 8) left = x - gap - box.width;
  if (top + box.height > innerHeight - 8) top = innerHeight - 8 - box.height;
  reading.style.left = Math.max(8, Math.min(left, root.clientWidth - 8 - box.width)) + "px";
  reading.style.top = Math.max(8, top) + "px";
};
const reader = (table, plot) => {
  const d = table.dataset, low = Number(d.low), span = Number(d.high) - low;
  const rows = Array.from(table.tBodies[0].rows);
  const at = rows.map((r) => (Number(r.dataset.x) - low) / span);
  const slider = make("div"), rule = make("i");
  slider.className = "reader";
  slider.style.cssText = `left:${d.left}%;top:${d.top}%;width:${d.width}%;height:${d.height}%`;
  slider.tabIndex = 0;
  slider.setAttribute("role", "slider");
  slider.setAttribute("aria-label", (table.caption ? table.caption.textContent + " by " : "by ") + table.tHead.rows[0].cells[0].textContent);
  slider.setAttribute("aria-valuemin", rows[0].cells[0].textContent);
  slider.setAttribute("aria-valuemax", rows[rows.length - 1].cells[0].textContent);
  rule.hidden = true;
  slider.append(rule);
  plot.append(slider);
  let now = rows.length - 1;
  const show = (i, x, y) => {
    now = Math.max(0, Math.min(rows.length - 1, i));
    hide();
    reading.hidden = false;
    slider.setAttribute("aria-valuenow", rows[now].cells[0].textContent);
    slider.setAttribute("aria-valuetext", fill(table, rows[now]));
    rule.hidden = false;
    rule.style.left = 100 * at[now] + "%";
    const box = slider.getBoundingClientRect();
    place(x === undefined ? box.left + at[now] * box.width : x, y === undefined ? box.top + box.height / 3 : y);
  };
  const nearest = (e) => {
    const box = slider.getBoundingClientRect(), x = (e.clientX - box.left) / box.width;
    let best = 0;
    at.forEach((v, i) => { if (Math.abs(at[best] - x) > Math.abs(v - x)) best = i; });
    show(best, e.clientX, e.clientY);
  };
  slider.setAttribute("aria-valuenow", rows[now].cells[0].textContent);
  slider.addEventListener("pointermove", nearest);
  slider.addEventListener("pointerdown", nearest);
  slider.addEventListener("pointerleave", hide);
  slider.addEventListener("focus", () => { if (slider.matches(":focus-visible")) show(now); });
  slider.addEventListener("blur", hide);
  slider.addEventListener("keydown", (e) => {
    const page = Math.max(1, Math.round(rows.length / 10));
    const to = { ArrowRight: now + 1, ArrowUp: now + 1, ArrowLeft: now - 1, ArrowDown: now - 1, PageUp: now + page, PageDown: now - page, Home: 0, End: rows.length - 1 }[e.key];
    if (e.key === "Escape") hide();
    if (to === undefined) return;
    e.preventDefault();
    show(to);
  });
};
for (const table of all(document, "table.values[data-left]")) reader(table, table.closest("figure").querySelector(".plot"));
addEventListener("scroll", hide, { passive: true });

// On paper everything is open.
let opened = [];
addEventListener("beforeprint", () => { hide(); opened = all(document, "details:not([open])"); for (const d of opened) d.open = true; });
addEventListener("afterprint", () => { for (const d of opened) d.open = false; opened = []; });
})();

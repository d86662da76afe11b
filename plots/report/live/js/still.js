// Figures that are drawings: over every panel of lines lies a slider along its axis, which
// shows the row of the panel's table at that place.
const rowEntries = (table, row) => {
  const heads = Array.from(table.tHead.rows[0].cells).slice(1);
  const out = heads.map((head, i) => {
    const cell = row.cells[i + 1], rest = cell.querySelector("span");
    return { sample: head.querySelector("svg").cloneNode(true), name: head.textContent.trim(), mean: cell.firstChild.textContent.trim(), rest: rest ? rest.textContent : "" };
  });
  const height = (l) => { const x = parseFloat(l.mean); return Number.isNaN(x) ? -Number.MAX_VALUE : x; };
  return out.sort((a, b) => height(b) - height(a));
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
    const head = table.tHead.rows[0].cells[0].textContent + " " + rows[now].cells[0].textContent, entries = rowEntries(table, rows[now]);
    rule.hidden = false;
    rule.style.left = 100 * at[now] + "%";
    const box = slider.getBoundingClientRect();
    tell(head, entries, x === undefined ? box.left + at[now] * box.width : x, y === undefined ? box.top + box.height / 3 : y);
    slider.setAttribute("aria-valuenow", rows[now].cells[0].textContent);
    slider.setAttribute("aria-valuetext", inWords(head, entries));
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
for (const table of all(document, "figure:not(.works) table.values[data-left]")) reader(table, table.closest("figure").querySelector(".plot"));

// A chart is a figure that the reader works with: its controls, its panels and their tables.

const groupOf = (tag, className, label, ...children) => {
  const e = made(tag, className, ...children);
  e.setAttribute("role", "group");
  e.setAttribute("aria-label", label);
  return e;
};

// The metric of a panel: of a family, such as pass@k, with a list of its k.
const metricPicker = (scope, label, get, set) => {
  const box = made("span", "picker"), plain = scope.data.metrics.filter((m) => !/@\d+$/.test(m.name)).map((m) => [m.name, m.title]);
  const family = (name) => { const m = name.match(/^(.+)@(\d+)$/); return m && scope.families.has(m[1]) ? [m[1], m[2]] : null; };
  const options = [...plain, ...[...scope.families.keys()].map((f) => [f + "@", scope.familyTitle(f)])];
  const write = () => {
    const of = family(get());
    const first = chooser(label, options, of ? of[0] + "@" : get(), (v) => {
      const ks = v.endsWith("@") ? scope.families.get(v.slice(0, -1)) : null;
      set(ks ? v + ks[ks.length - 1] : v);
      write();
      box.querySelector("select").focus();
    });
    box.replaceChildren(first);
    if (of) box.append(chooser("k", scope.families.get(of[0]).map((k) => [String(k), String(k)]), of[1], (k) => set(`${of[0]}@${k}`)));
  };
  write();
  return { box, write };
};

// makeChart fills a figure. It gives what redraws it: wholly, or only what is highlighted.
const makeChart = (figure, chart, scope) => {
  const id = chart.id, title = chart.title, panels = [], writers = [];
  const usual = { at: String(chart.at), logx: chart.kind === "k" ? "1" : chart.bent ? "1" : "0", logy: "0", seeds: "0", bands: "1" };
  chart.metrics?.forEach((m, i) => { usual["m" + i] = m; });
  const metrics = chart.kind === "k" ? [...scope.families.keys()] : chart.kind === "paths" ? scope.data.paths.columns : [...scope.metrics.keys()];
  const get = (name) => {
    const v = chosen(`${id}.${name}`, usual[name] ?? "");
    if (name === "at") return oneOf(v, scope.data.slices.map((_, i) => String(i)), usual.at);
    return /^m\d+$/.test(name) ? oneOf(v, metrics, usual[name] ?? "") : v;
  };
  const set = (name, value) => { choose(`${id}.${name}`, value, usual[name] ?? ""); refresh(); };
  const is = (name) => get(name) === "1";
  const flag = (text, name) => { const b = toggle(text, () => is(name), (v) => set(name, v ? "1" : "0")); writers.push(() => b.setAttribute("aria-pressed", String(is(name)))); return b; };
  const list = (label, options, name) => { const l = chooser(label, options, get(name), (v) => set(name, v)); writers.push(() => { l.lastChild.value = get(name); }); return l; };
  const hasLines = chart.kind === "slices" || chart.kind === "k", rows = chart.kind === "rows";
  const hidden = () => parted(get("hide"));
  const name = (p) => p.label ?? scope.data.methods[p.method].name + (scope.data.methods[p.method].partly ? " (not on all tasks)" : "");

  const content = (panel) => {
    const at = Number(get("at"));
    if (hasLines) return linesOf(scope, chart, get("m" + panel), at);
    if (rows) return rowsOf(scope, chart, hidden());
    return (chart.kind === "paths" ? pathsOf : pairOf)(scope, chart, get("m0"), get("m1"), at);
  };

  // Controls.
  const bar = groupOf("div", "controls", `Controls of ${title}`);
  const picker = (label, i) => { const p = metricPicker(scope, label, () => get("m" + i), (v) => set("m" + i, v)); writers.push(p.write); return p.box; };
  if (chart.kind === "pair") bar.append(picker("Across", 0), picker("Up", 1));
  if (chart.kind === "paths") for (const [i, label] of [[0, "Across"], [1, "Up"]]) bar.append(list(label, scope.data.paths.columns.map((c) => [c, c]), "m" + i));
  if (["k", "pair", "paths"].includes(chart.kind)) {
    const slices = scope.data.slices.map((s, i) => [String(i), s]).filter(([i]) => chart.at === 0 || scope.data.numeric || i !== "0");
    bar.append(list(scope.data.slice[0].toUpperCase() + scope.data.slice.slice(1), slices, "at"));
  }
  if (rows) {
    for (const g of new Set(chart.rows.map((r) => r.group).filter((g) => g))) {
      const count = chart.rows.filter((r) => r.group === g).length;
      const b = toggle(`${g} (${count})`, () => !hidden().includes(g), (v) => set("hide", v ? joined(hidden().filter((h) => h !== g)) : joined([...hidden(), g])));
      writers.push(() => b.setAttribute("aria-pressed", String(!hidden().includes(g))));
      bar.append(b);
    }
  }
  if (chart.bent) bar.append(flag("Axis bent", "logx"));
  else if (!rows) bar.append(flag("Log across", "logx"), flag("Log up", "logy"));
  if (hasLines) {
    if (scope.data.values.some((m) => m.some((v) => v && v.l && v.l.some((x) => x !== null)))) bar.append(flag("Intervals", "bands"));
    if (scope.data.values.some((m) => m.some((v) => v && v.s))) bar.append(flag("Seeds", "seeds"));
  }
  const { range, zoom, scale, pan } = makeZoom(id, chart, panels, get, () => notes());
  bar.append(
    button("Zoom in", () => scale(1 / 1.5)), button("Zoom out", () => scale(1.5)),
    button("Left", () => pan(-1, "x")), button("Right", () => pan(1, "x")), button("Reset zoom", () => zoom(panels[0], null, null)),
    button("CSV", () => panels.forEach((p, i) => save(id + (panels.length > 1 ? `-${i + 1}` : ""), csvOf(p.table())))),
  );

  // Panels.
  const grid = made("div", "panels"), now = make("details"), summary = make("summary", "Values of this view"), tables = make("div");
  summary.append(made("span", "of", ` of ${title}`));
  now.append(summary, tables);
  now.addEventListener("toggle", () => fillTables());
  for (let i = 0; i < (hasLines ? chart.metrics.length : 1); i++) {
    const box = made("div", "canvas"), about = made("p", "of"), head = make("div"), panel = { box, about, index: i };
    about.id = `${id}-about${i}`;
    if (chart.kind === "slices") head.append(picker("Metric", i));
    if (chart.kind === "k") head.append(list("Metric", [...scope.families.keys()].map((f) => [f, scope.familyTitle(f)]), "m" + i));
    grid.append(made("div", "panel", head, about, box));
    panels.push(panel);
  }
  const note = made("p", "note"), live = made("div", "live", bar, grid, note, now);
  const still = figure.querySelector(".still");
  if (still) still.before(live); else figure.append(live);

  const draw = (panel) => {
    const width = panel.box.clientWidth, c = content(panel.index);
    const o = { logX: is("logx") && !chart.bent, logY: is("logy"), bent: chart.bent && is("logx"), bands: is("bands"), seeds: is("seeds"), paths: chart.kind === "paths", whole: rows, names: rows ? rowNames(c.rows, width) : null };
    emphasise(scope, hasLines ? c.lines : c.groups);
    const spec = hasLines ? specOfLines(c, o) : specOfPoints(c, o, name);
    panel.table = () => hasLines ? tableOfLines(linesOf(scope, chart, get("m" + panel.index), Number(get("at")))) : tableOfPoints(content(panel.index), name);
    panel.about.textContent = hasLines ? aboutLines(c) : aboutPoints(c, name);
    panel.full = { x: spec.x.at, y: spec.y.at };
    panel.log = { x: o.logX || o.bent, y: o.logY };
    panel.lost = spec.lost;
    spec.x.at = range(panel, "x");
    spec.y.at = range(panel, "y");
    const height = rows ? 56 + o.names.height * Math.max(3, c.rows.length) : panels.length > 1 ? 280 : 400;
    panel.plot?.destroy();
    panel.items = spec.items;
    panel.plot = drawPlot(panel.box, {
      ...spec, height, label: `${title}: ${c.yTitle || "rows"} ${rows ? "by" : "against"} ${c.xTitle}. Arrow keys read values, plus and minus zoom, 0 shows the whole.`, about: panel.about.id,
      zoom: (x, y) => zoom(panel, x, y), scale, pan, overlay: (u) => {
        if (rows) { drawZero(u, chart); drawRowNames(u, o.names); }
        if (chart.front) drawFront(u, spec.items.filter((g) => !g.partly || get("at") !== "0").flatMap((g) => g.points));
        if (!hasLines && !rows) drawNames(u, spec.items, name, chart.kind === "paths");
      },
      reached: (stop) => { if (stop === null) scope.point(-1); else if (stop.method >= 0) scope.point(stop.method); },
    });
  };
  const fillTables = () => { if (now.open) tables.replaceChildren(...panels.filter((p) => p.table).map((p) => { const wide = groupOf("div", "wide", `Values of ${title}`, writeTable(p.table())); wide.tabIndex = 0; return wide; })); };

  // What a reader would miss or wonder at.
  const notes = () => {
    const out = [], shown = panels.filter((p) => p.plot);
    if (hasLines && is("logx") && shown.some((p) => linesOf(scope, chart, get("m" + p.index), Number(get("at"))).xs.some((x) => !(x > 0)))) out.push("0 is not on a logarithmic axis.");
    const lost = [...new Set(shown.flatMap((p) => p.lost))];
    if (lost.length > 0) out.push(`At or below 0, and so not on a logarithmic axis: ${listed(lost)}.`);
    if (!hasLines) {
      const outside = new Set();
      for (const p of shown) for (const g of p.items) for (const q of g.points) {
        const x = range(p, "x"), y = range(p, "y");
        if (chart.kind !== "paths" && (q.x < x[0] || q.x > x[1] || q.y < y[0] || q.y > y[1])) outside.add(name(q));
      }
      if (outside.size > 0) out.push(`Outside this view: ${listed([...outside])}.`);
      if (chart.front) out.push("The blue line goes through what no method beats in both metrics.");
      if (chart.rings) out.push("A ring: the value of the source.");
      if (shown.some((p) => p.items.some((g) => g.whiskers && (!g.grey || g.row) && g.points.some((q) => [q.xl, q.yl].some((e) => e !== null && e !== undefined))))) out.push("Whiskers: 95% intervals.");
      if (!rows && scope.data.methods.some((m) => m.partly)) out.push("Hollow: the method does not fit all tasks.");
    }
    note.textContent = out.join(" ");
  };

  let seen = false, stale = true;
  const refresh = () => {
    for (const f of writers) f();
    stale = true;
    if (!seen) return;
    panels.forEach(draw);
    fillTables();
    notes();
    stale = false;
  };
  const mark = () => {
    if (!seen) stale = true; // it is drawn anew when it comes near
    if (stale) return;
    for (const p of panels) { emphasise(scope, p.items); restyle(p.plot, p.items); }
  };
  new IntersectionObserver((entries) => {
    seen = entries.at(-1).isIntersecting;
    if (seen && stale) refresh();
  }, { rootMargin: "300px" }).observe(figure);
  new ResizeObserver(() => { for (const p of panels) if (p.plot && p.box.clientWidth > 0 && p.plot.width !== Math.max(240, p.box.clientWidth)) p.plot.setSize({ width: Math.max(240, p.box.clientWidth), height: p.plot.height }); }).observe(grid);
  scope.listeners.push((what) => what === "highlight" ? mark() : refresh());
  figure.classList.add("works");
};

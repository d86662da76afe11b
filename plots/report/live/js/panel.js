// A panel is one plot of a chart with its table of values. Its content is one of those of kinds.js.

const stopsOfLines = (xs, lines, xTitle) => xs.map((x, i) => ({
  x, head: `${xTitle} ${x}`,
  entries: () => lines.filter((l) => !l.grey && l.values[i]).sort((a, b) => b.ys[i] - a.ys[i])
    .map((l) => ({ sample: sample(l), name: l.name, mean: number(l.ys[i]), rest: bracket(l.low[i], l.high[i]), method: l.method })),
}));
const stopsOfPoints = (groups, names, xTitle, yTitle) => groups.flatMap((g) => g.points.filter((_, i) => g.join !== "path" || i === g.points.length - 1 || !g.grey).map((p) => ({
  x: p.x, y: p.y, method: p.method, head: names(p),
  entries: () => [
    { sample: make("span"), name: xTitle, mean: number(p.x), rest: bracket(p.xl, p.xh) },
    ...(yTitle ? [{ sample: make("span"), name: yTitle, mean: number(p.y), rest: bracket(p.yl, p.yh) }] : []),
  ],
}))).sort((a, b) => a.x - b.x);

// The numbers of what is drawn, as rows of cells.
const tableOfLines = ({ xs, lines, xTitle, yTitle }) => {
  const on = lines.filter((l) => !l.grey);
  return { title: yTitle, heads: [xTitle, ...on.map((l) => l.name)], rows: xs.map((x, i) => [String(x), ...on.map((l) => l.values[i] || {})]).filter((r) => r.slice(1).some((c) => c.m !== undefined)) };
};
const tableOfPoints = (content, name) => {
  const { groups, xTitle, yTitle } = content;
  return { title: "", heads: ["", xTitle, ...(yTitle ? [yTitle] : [])], rows: groups.filter((g) => !g.grey).flatMap((g) => g.points.map((p) => [name(p), { m: p.x, l: p.xl, h: p.xh }, ...(yTitle ? [{ m: p.y, l: p.yl, h: p.yh }] : [])])) };
};
const writeTable = ({ title, heads, rows }) => {
  const table = made("table", "numbers values"), head = make("thead"), body = make("tbody"), line = make("tr");
  if (title) table.append(make("caption", title));
  heads.forEach((h, i) => { const th = make("th", h || "method"); th.scope = "col"; if (i === 0) th.className = "name"; line.append(th); });
  head.append(line);
  for (const r of rows) {
    const tr = make("tr"), th = make("th", r[0]);
    th.scope = "row";
    tr.append(th);
    for (const c of r.slice(1)) { const td = make("td", number(c.m)), rest = bracket(c.l, c.h); if (rest) td.append(" ", make("span", rest)); tr.append(td); }
    body.append(tr);
  }
  table.append(head, body);
  return table;
};
const csvOf = ({ heads, rows }) => [[heads[0] || "method", ...heads.slice(1).flatMap((h) => [h, h + " low", h + " high"])], ...rows.map((r) => [r[0], ...r.slice(1).flatMap((c) => [c.m, c.l, c.h])])];

// A few words on what is to be seen, for those who do not see it.
const aboutLines = ({ xs, lines, xTitle, yTitle }) => {
  const on = lines.filter((l) => !l.grey), last = on.map((l) => [l.name, within(l.ys).at(-1)]).sort((a, b) => b[1] - a[1]);
  if (on.length === 0) return `${yTitle} by ${xTitle}: no method is on.`;
  const ends = last.length > 1 ? `At the end the highest is ${last[0][0]} with ${number(last[0][1])}, the lowest ${last.at(-1)[0]} with ${number(last.at(-1)[1])}.` : `${last[0][0]} ends at ${number(last[0][1])}.`;
  return `${yTitle} by ${xTitle}, ${counted(on.length, "method")}, from ${xs[0]} to ${xs.at(-1)}. ${ends}`;
};
const aboutPoints = ({ groups, xTitle, yTitle }, name) => {
  const points = groups.filter((g) => !g.grey).flatMap((g) => g.join === "path" ? g.points.slice(-1) : g.points);
  if (points.length === 0) return `${yTitle} against ${xTitle}: nothing is on.`;
  const most = (of) => points.reduce((a, b) => of(b) > of(a) ? b : a);
  const top = (title, of) => `The most ${title}: ${name(most(of))} with ${number(of(most(of)))}.`;
  return `${counted(points.length, "point")}. ${top(xTitle, (p) => p.x)}${yTitle ? " " + top(yTitle, (p) => p.y) : ""}`;
};

// The methods with values that a logarithmic axis has no place for.
const lostOf = (o, items) => [...new Set(items.filter((i) => o.logX && i.xs.some((x) => !(x > 0)) || o.logY && i.ys.some((y) => !(y > 0))).map((i) => i.name))];

// What uPlot needs of lines.
const specOfLines = (c, o) => {
  const lost = lostOf(o, c.lines.map((l) => ({ name: l.name, xs: [1], ys: within(l.ys) })));
  const keep = c.xs.map((x, i) => i).filter((i) => !o.logX || c.xs[i] > 0);
  const cut = (list) => keep.map((i) => o.logY && !(list[i] > 0) ? null : list[i] ?? null);
  const xs = keep.map((i) => c.xs[i]);
  const lines = c.lines.map((l) => Object.assign(l, { ys: cut(l.ys), low: cut(l.low), high: cut(l.high), seeds: l.seeds.map(cut), values: keep.map((i) => l.values[i]) }));
  const s = lineSeries(lines, o), seen = lines.flatMap((l) => [...l.ys, ...(l.grey ? [] : [...(o.bands ? [...l.low, ...l.high] : []), ...(o.seeds ? l.seeds.flat() : [])])]);
  const byK = c.xTitle.startsWith("k ");
  return {
    mode: 1, lost, data: [xs, ...s.data], series: s.series, bands: s.bands, items: lines,
    x: { at: xs.length ? byK && o.logX ? [xs[0] / 1.1, xs.at(-1) * 1.1] : xs.length > 1 ? [xs[0], xs.at(-1)] : extent(xs, o.logX) : [0, 1], title: c.xTitle, scale: o.logX ? { distr: 3, log: byK ? 2 : 10 } : {}, axis: byK ? { splits: (u) => xs.filter((x) => x >= u.scales.x.min && x <= u.scales.x.max), filter: (u, splits) => splits } : o.logX ? logAxis("x") : {} },
    y: { at: extent(seen, o.logY), title: c.yTitle, scale: o.logY ? { distr: 3 } : {}, axis: o.logY ? logAxis("y") : {} },
    stops: stopsOfLines(xs, lines, c.xTitle.split(" (")[0]),
  };
};

// What uPlot needs of points.
const specOfPoints = (c, o, name) => {
  const lost = lostOf(o, c.groups.flatMap((g) => g.points.map((p) => ({ name: name(p), xs: [p.x], ys: [p.y] }))));
  const groups = c.groups.map((g) => Object.assign(g, { points: g.points.filter((p) => (!o.logX || p.x > 0) && (!o.logY || p.y > 0)) }));
  const s = pointSeries(groups), points = groups.flatMap((g) => g.points);
  const of = (k, ends) => points.flatMap((p) => [p[k], ...(o.whole ? ends.map((e) => p[e]) : [])]);
  const rows = c.rows;
  return {
    mode: 2, lost, data: s.data, series: s.series, items: groups, byRow: !!rows,
    x: { at: extent(of("x", ["xl", "xh"]), o.logX, !rows && !o.paths), title: c.xTitle, scale: o.bent ? { distr: 4, asinh: 1 } : o.logX ? { distr: 3 } : {}, axis: o.bent ? bentAxis : o.logX ? logAxis("x") : {} },
    y: rows ? { at: [0.6 - rows.length, 0.6], title: null, scale: {}, axis: rowAxis(rows, o.names) } : { at: extent(of("y", ["yl", "yh"]), o.logY, !o.paths), title: c.yTitle, scale: o.logY ? { distr: 3 } : {}, axis: o.logY ? logAxis("y") : {} },
    stops: rows ? stopsOfPoints(groups, name, c.xTitle, c.yTitle).sort((a, b) => b.y - a.y) : stopsOfPoints(groups, name, c.xTitle, c.yTitle),
  };
};

// The ticks of the bent axis of claims.
const bentTicks = [1, 2, 5, 10, 20, 50, 100, 200, 500];
const bentAxis = {
  splits: (u) => [...bentTicks.map((x) => -x).reverse(), 0, ...bentTicks].filter((x) => x >= u.scales.x.min && x <= u.scales.x.max),
  filter: (u, splits) => splits,
};

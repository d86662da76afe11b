// What each kind of chart shows at the reader's choices: lines over steps or over k, and points of
// one metric against another, of paths through training, or in rows below each other.

// A value at a slice. At the last step a method that ended earlier has its own last value, and what
// does not train has one value everywhere. A task has its own values alone.
const sliceOf = (v, at, still, numeric) => {
  const known = (i) => v.m[i] !== null;
  if (still) return v.m.findIndex((x) => x !== null);
  if (numeric && at === v.m.length - 1) for (let i = at; i >= 0; i--) if (known(i)) return i;
  return at;
};
const valueAt = (scope, metric, method, at) => {
  const v = scope.values(metric, method);
  if (!v) return null;
  const i = sliceOf(v, at, scope.data.methods[method].still, scope.data.numeric);
  if (i < 0 || v.m[i] === null) return null;
  return { m: v.m[i], l: v.l ? v.l[i] : null, h: v.h ? v.h[i] : null, s: v.s ? v.s.map((line) => line[i]) : [] };
};

// Which methods a chart draws: those that are on with their looks, behind them others in grey.
const drawnMethods = (scope, chart) => {
  const list = (chart.methods || scope.data.methods.map((_, i) => i)).filter((i) => scope.isOn(i) || scope.others());
  return list.sort((a, b) => scope.isOn(a) - scope.isOn(b));
};
const lookOf = (scope, i) => ({ ...scope.data.methods[i], method: i, grey: !scope.isOn(i) });

// Highlighting: what is highlighted is strong, all else fades.
const emphasise = (scope, items) => {
  const h = scope.highlighted(), has = (l) => l.points ? l.points.some((p) => p.method === h) : l.method === h;
  const some = h >= 0 && items.some(has);
  for (const l of items) { l.strong = some && has(l); l.alpha = some && !l.strong ? 0.22 : 1; }
};

// Lines of a metric along the slices, or of a family along k.
const linesOf = (scope, chart, metric, at) => {
  const along = chart.kind === "slices";
  const ks = along ? null : scope.families.get(metric) || [];
  const xs = along ? scope.data.slices.map(Number) : ks;
  const lines = drawnMethods(scope, chart).map((i) => {
    const values = xs.map((x, j) => along ? valueAt(scope, metric, i, j) : valueAt(scope, `${metric}@${x}`, i, at));
    if (along && !scope.data.methods[i].still) { // beyond the end of its training there is nothing
      const v = scope.values(metric, i);
      values.forEach((_, j) => { if (v && v.m[j] === null) values[j] = null; });
    }
    const seeds = Math.max(0, ...values.map((v) => v ? v.s.length : 0));
    return {
      ...lookOf(scope, i), values, ys: values.map((v) => v ? v.m : null),
      low: values.map((v) => v ? v.l : null), high: values.map((v) => v ? v.h : null),
      seeds: Array.from({ length: seeds }, (_, s) => values.map((v) => v && v.s[s] !== undefined ? v.s[s] : null)),
    };
  }).filter((l) => l.ys.some((y) => y !== null));
  return { xs, lines, xTitle: along ? scope.data.slice : "k (answers per problem)", yTitle: along ? scope.title(metric) : scope.familyTitle(metric) };
};

// Points of a metric against another: one a method, joined where methods of a group are.
const pairOf = (scope, chart, x, y, at) => {
  const groups = new Map();
  for (const i of drawnMethods(scope, chart)) {
    const a = valueAt(scope, x, i, at), b = valueAt(scope, y, i, at);
    if (!a || !b) continue;
    const look = lookOf(scope, i), name = chart.join ? look.group + look.grey : i;
    if (!groups.has(name)) groups.set(name, { ...look, join: chart.join, whiskers: true, points: [] });
    groups.get(name).points.push({ x: a.m, xl: a.l, xh: a.h, y: b.m, yl: b.l, yh: b.h, method: i, mark: look.mark, ring: (chart.rings || []).includes(i) });
  }
  return { groups: [...groups.values()], xTitle: scope.title(x), yTitle: scope.title(y) };
};

// Lines through training: a column of the paths against another.
const pathsOf = (scope, chart, x, y, at) => {
  const { columns, values } = scope.data.paths, [cx, cy] = [columns.indexOf(x), columns.indexOf(y)];
  const groups = drawnMethods(scope, chart).map((i) => {
    const points = ((values[at] || [])[i] || []).map((p) => ({ x: p[cx], y: p[cy], method: i, p })).filter((p) => p.x !== null && p.y !== null);
    return { ...lookOf(scope, i), join: "path", whiskers: false, points };
  }).filter((g) => g.points.length);
  return { groups, xTitle: x, yTitle: y };
};

// Rows with their intervals. The first is at the top.
const rowsOf = (scope, chart, hidden) => {
  const partly = (r) => scope && r.method >= 0 && scope.data.methods[r.method].partly;
  const rows = chart.rows.filter((r) => r.m !== null && !hidden.includes(r.group)).map((r) => partly(r) ? { ...r, label: r.label + " (not all tasks)", partly: true } : r);
  const groups = rows.map((r, i) => {
    const look = r.method >= 0 && scope ? lookOf(scope, r.method) : { grey: false };
    return { ...look, method: r.method, color: r.color, mark: r.mark, whiskers: true, row: true, partly: r.partly, points: [{ x: r.m, xl: r.l, xh: r.h, y: -i, method: r.method, label: r.label }] };
  });
  return { rows, groups, xTitle: chart.axis, yTitle: "" };
};

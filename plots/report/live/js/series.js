// Series of uPlot: lines with bands and seeds, and points with whiskers.

// Marks at some points of a line, so that it is told from others without its colour.
const marksOf = (mark) => ({
  show: mark >= 0, size: 8,
  filter: (u, si, show, gaps) => {
    if (mark < 0) return null;
    const ys = u.data[si], n = ys.length, stride = Math.max(1, Math.ceil(n / 8)), out = [];
    for (let i = 0; i < n; i++) if (ys[i] !== null && ys[i] !== undefined && ((i + si) % stride === 0 || i === n - 1)) out.push(i);
    return out;
  },
  paths: (u, si, i0, i1, idxs) => {
    const path = new Path2D(), r = 4 * devicePixelRatio;
    for (const i of idxs || []) outline(path, mark, u.valToPos(u.data[0][i], "x", true), u.valToPos(u.data[si][i], "y", true), r);
    return { fill: path, stroke: path, clip: null, flags: 3 };
  },
});
const outline = (path, mark, x, y, r) => {
  corners(mark, x, y, r).forEach(([px, py], i) => i === 0 ? path.moveTo(px, py) : path.lineTo(px, py));
  path.closePath();
};

// A line is of a method: ys over the plot's xs, its bounds, its seeds. What is highlighted stands
// out, all else fades.
const lineSeries = (lines, options) => {
  const series = [{}], data = [], bands = [];
  const add = (ys, s) => { data.push(ys); return series.push({ spanGaps: true, points: { show: false }, ...s }) - 1; };
  for (const l of lines) {
    const color = l.grey ? grey : l.color;
    if (!l.grey && options.seeds) for (const ys of l.seeds || []) add(ys, { stroke: color, width: 0.8, alpha: 0.45 * l.alpha, of: () => l, share: 0.45 });
    if (!l.grey && options.bands && l.low) {
      const low = add(l.low, { width: 0 }), high = add(l.high, { width: 0 }), share = lines.length > 8 ? 0.09 : 0.18;
      bands.push({ series: [high, low], fill: () => translucent(l.color, share * l.alpha) });
    }
  }
  for (const l of lines) {
    const color = l.grey ? grey : l.color;
    add(l.ys, { stroke: color, width: l.grey ? 1 : l.strong ? 3.4 : 2, alpha: l.alpha, of: () => l, share: 1, main: true, dash: (!l.grey && l.dashes || []).map((d) => d * 1.4), points: l.grey ? { show: false } : { ...marksOf(l.mark), fill: color, stroke: "#fff", width: 0.8 } });
  }
  return { series, data, bands };
};
const translucent = (hex, alpha) => hex + Math.round(255 * alpha).toString(16).padStart(2, "0");

// Points are of methods: places with whiskers, joined or not. Each method is a series of uPlot's
// second mode, which draws itself.
const pointSeries = (groups) => {
  const series = [null], data = [null];
  for (const g of groups.length ? groups : [{ points: [] }]) { // uPlot wants one at least
    data.push([g.points.map((p) => p.x), g.points.map((p) => p.y)]);
    series.push({ facets: [{ scale: "x", auto: false }, { scale: "y", auto: false }], paths: (u) => { drawGroup(u, g); return null; } });
  }
  return { series, data };
};
const drawGroup = (u, g) => {
  const { ctx, bbox } = u, dpr = devicePixelRatio, color = g.grey ? grey : g.color;
  const X = (x) => u.valToPos(x, "x", true), Y = (y) => u.valToPos(y, "y", true);
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.globalAlpha = g.alpha;
  ctx.strokeStyle = ctx.fillStyle = color;
  if (g.join) {
    ctx.lineWidth = (g.grey ? 1 : g.strong ? 3.4 : 2) * dpr;
    ctx.setLineDash((!g.grey && g.dashes || []).map((d) => 1.4 * d * dpr));
    ctx.beginPath();
    g.points.forEach((p, i) => i === 0 ? ctx.moveTo(X(p.x), Y(p.y)) : ctx.lineTo(X(p.x), Y(p.y)));
    ctx.stroke();
    ctx.setLineDash([]);
  }
  const marked = g.join === "path" ? g.points.slice(-1) : g.points;
  if (g.whiskers && (!g.grey || g.row)) {
    ctx.lineWidth = (g.strong ? 2 : 1.2) * dpr;
    ctx.beginPath();
    for (const p of marked) {
      if (p.xl !== null && p.xh !== null && p.xl !== undefined) { ctx.moveTo(X(p.xl), Y(p.y)); ctx.lineTo(X(p.xh), Y(p.y)); }
      if (p.yl !== null && p.yh !== null && p.yl !== undefined) { ctx.moveTo(X(p.x), Y(p.yl)); ctx.lineTo(X(p.x), Y(p.yh)); }
    }
    ctx.stroke();
  }
  if (!g.grey || g.join !== "path") {
    const path = new Path2D();
    for (const p of marked) outline(path, g.grey ? 0 : Math.max(0, p.mark ?? g.mark), X(p.x), Y(p.y), (g.grey ? 3 : g.strong ? 7 : 5) * dpr);
    if (g.partly) { ctx.fillStyle = "#fff"; ctx.lineWidth = 1.4 * dpr; ctx.fill(path); ctx.stroke(path); }
    else ctx.fill(path);
    if (!g.grey && !g.partly) { ctx.strokeStyle = "#fff"; ctx.lineWidth = 0.8 * dpr; ctx.stroke(path); }
    ctx.strokeStyle = color;
    ctx.lineWidth = 1.4 * dpr;
    for (const p of marked) if (p.ring) { ctx.beginPath(); ctx.arc(X(p.x), Y(p.y), 9 * dpr, 0, 2 * Math.PI); ctx.stroke(); }
  }
  ctx.restore();
};

// Highlighting without a new plot: lines read their look anew, points draw themselves. uPlot copies
// the options of a series but for functions, so that a line is reached by one.
const restyle = (u, items) => {
  for (const s of u.series) {
    if (!s || !s.of) continue;
    const l = s.of();
    s.alpha = l.alpha * s.share;
    if (s.main) s.width = l.grey ? 1 : l.strong ? 3.4 : 2;
  }
  u.redraw(false);
};

// The border of what is beaten in both metrics: through the points that no other beats.
const drawFront = (u, points) => {
  const best = points.filter((p) => !points.some((o) => o.x >= p.x && o.y >= p.y && (o.x > p.x || o.y > p.y))).sort((a, b) => a.x - b.x);
  if (best.length === 0) return;
  const { ctx, bbox } = u, X = (p) => u.valToPos(p.x, "x", true), Y = (p) => u.valToPos(p.y, "y", true);
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.strokeStyle = "#8cc4e6";
  ctx.lineWidth = 1.5 * devicePixelRatio;
  ctx.beginPath();
  ctx.moveTo(bbox.left, Y(best[0]));
  best.forEach((p, i) => { if (i > 0) ctx.lineTo(X(best[i - 1]), Y(p)); ctx.lineTo(X(p), Y(p)); });
  ctx.lineTo(X(best.at(-1)), bbox.top + bbox.height);
  ctx.stroke();
  ctx.restore();
};

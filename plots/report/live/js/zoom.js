// Zoom: the ranges of axes as the address has them, of which only those count that an axis can show.

// A range that an axis can show; null: none. What was chosen on a linear axis may begin at or below
// 0, where a logarithmic one has nothing: there it begins where the data do.
const ableRange = (r, full, log) => {
  if (!r || r.length !== 2 || !r.every(Number.isFinite)) return null;
  const [a, b] = [log && !(r[0] > 0) ? full[0] : r[0], r[1]];
  return b - a > 1e-9 * Math.max(Math.abs(a), Math.abs(b)) && Number.isFinite(b - a) && b - a > Number.MIN_VALUE && (!log || a > 0) ? [a, b] : null;
};

// makeZoom has what changes the ranges of a chart's panels. A panel has its full ranges, and which of
// its axes are logarithmic; rows are whole upwards.
const makeZoom = (id, chart, panels, get, changed) => {
  const rows = chart.kind === "rows", name = (p, key) => key === "x" ? "x" : "y" + p.index, bent = (p, key) => key === "x" && chart.bent && p.log.x;
  const range = (p, key) => ableRange(get(name(p, key)) === "" ? null : get(name(p, key)).split(":").map(Number), p.full[key], p.log[key] && !bent(p, key)) || p.full[key];
  const keep = (p, key, r) => {
    const short = r && r.map((x) => Number(x.toPrecision(6)));
    if (r === null || ableRange(short, p.full[key], p.log[key] && !bent(p, key))) choose(`${id}.${name(p, key)}`, r ? short.join(":") : "", "");
  };
  const rescale = () => {
    for (const p of panels) {
      if (!p.plot) continue;
      const x = range(p, "x"), y = range(p, "y");
      p.plot.batch(() => { p.plot.setScale("x", { min: x[0], max: x[1] }); p.plot.setScale("y", { min: y[0], max: y[1] }); });
    }
    changed();
  };
  const zoom = (p, x, y) => {
    if (x === null && y === null) { keep(p, "x", null); for (const q of panels) keep(q, "y", null); }
    if (x) keep(p, "x", x);
    if (y) keep(p, "y", y);
    rescale();
  };
  // Zoom and pan move on the axis as it is drawn: of logarithms by factors.
  const moved = (p, key, f) => {
    const { min, max } = p.plot.scales[key], to = bent(p, key) ? Math.asinh : p.log[key] ? Math.log : (v) => v, back = bent(p, key) ? Math.sinh : p.log[key] ? Math.exp : (v) => v;
    return f(to(min), to(max)).map(back);
  };
  const scale = (by) => {
    const about = (a, b) => { const mid = (a + b) / 2, half = by * (b - a) / 2; return [mid - half, mid + half]; };
    for (const p of panels) for (const key of ["x", "y"]) {
      if (!p.plot || key === "x" && p.index > 0 || key === "y" && rows) continue;
      const [a, b] = moved(p, key, about), least = Math.min(0, p.plot.scales[key].min);
      keep(p, key, by > 1 && p.full[key][0] >= 0 && !p.log[key] ? [Math.max(a, least), b] : [a, b]); // what has no values below 0 needs no room there
    }
    rescale();
  };
  const pan = (by, key) => {
    const shift = (a, b) => { const d = by * (b - a) / 5; return [a + d, b + d]; };
    for (const p of panels) if (p.plot && (key === "y" || p.index === 0)) keep(p, key, moved(p, key, shift));
    rescale();
  };
  return { range, zoom, scale, pan };
};

// A plot is a uPlot with what all figures here share: axes, zoom, keys and a reading of values.
// Colours are those of paper; in the dark the style sheet turns them over.
const grey = "#c4c4c4", ink = "#1b1f24", gridLine = { stroke: "#e4e8ec", width: 1 };
const axisFont = "12px system-ui, -apple-system, 'Segoe UI', 'Liberation Sans', Arial, sans-serif";

// The numbers at the ticks of a logarithmic axis are those with room.
const axis = (more) => ({ stroke: ink, font: axisFont, labelFont: axisFont, labelSize: 18, labelGap: 0, grid: gridLine, ticks: { ...gridLine, size: 5 }, ...more });
const tickText = (u, splits) => splits.map((v) => v === null ? "" : Math.abs(v) >= 1e6 || v !== 0 && Math.abs(v) < 1e-3 ? v.toExponential(0) : String(Number(v.toPrecision(4))));

// The reading lies beside the pointer, or at the place that keys are at.
const reading = document.getElementById("reading");
const hide = () => { reading.hidden = true; for (const i of all(document, ".reader i")) i.hidden = true; };
const place = (x, y) => {
  const box = reading.getBoundingClientRect(), gap = 14;
  let left = x + gap, top = y + gap;
  if (left + box.width > root.clientWidth - 8) left = x - gap - box.width;
  if (top + box.height > innerHeight - 8) top = innerHeight - 8 - box.height;
  reading.style.left = Math.max(8, Math.min(left, root.clientWidth - 8 - box.width)) + "px";
  reading.style.top = Math.max(8, top) + "px";
};

// Entries of a reading: a sample of the line, a name, a mean and the rest, from the largest mean.
const tell = (head, entries, x, y) => {
  const p = make("p"), more = make("p"), room = innerHeight - 16;
  for (const l of entries) {
    const div = make("div");
    div.append(l.sample, make("span", l.name), make("span", l.mean), make("span", l.rest));
    p.append(div);
  }
  reading.replaceChildren(make("b", head), p);
  reading.classList.toggle("many", entries.length > 14);
  reading.hidden = false;
  for (let h; (h = reading.offsetHeight) > room && p.childElementCount > 1;) { // as many as the window has room for
    const n = Math.min(p.childElementCount - 1, Math.floor(p.childElementCount * room / h));
    while (p.childElementCount > Math.max(1, n)) p.lastChild.remove();
    more.textContent = `and ${entries.length - p.childElementCount} more`;
    reading.append(more);
  }
  place(x, y);
};
const inWords = (head, entries) => head + ": " + entries.map((l) => `${l.name} ${l.mean} ${l.rest}`.trim()).join("; ");

const within = (list) => list.filter((x) => x !== null && x !== undefined && Number.isFinite(x));

// The range of an axis: all values with some room. Of a crowd, those far from all others stay
// outside: they would press the others together.
const extent = (values, log, crowd) => {
  let xs = within(values).filter((x) => !log || x > 0).sort((a, b) => a - b);
  if (xs.length === 0) return log ? [0.1, 1] : [0, 1];
  let [low, high] = [xs[0], xs[xs.length - 1]];
  if (crowd && xs.length >= 20) {
    const at = (q) => xs[Math.round(q * (xs.length - 1))], far = 4 * (at(0.75) - at(0.25));
    if (far > 0) [low, high] = [Math.max(low, at(0.25) - far), Math.min(high, at(0.75) + far)];
  }
  if (log) return low === high ? [low / 2, high * 2] : [low / 1.08, high * 1.08];
  if (low === high) return [low - 0.5, high + 0.5];
  const room = 0.04 * (high - low);
  return [low >= 0 && low - room < 0 ? Math.min(0, low) : low - room, high + room];
};

// The ticks of a logarithmic axis are round numbers.
const logSplits = (min, max) => {
  if (!(min > 0 && min < max && max < Infinity)) return [];
  for (const digits of [[1], [1, 2, 5], [1, 2, 3, 4, 5, 6, 7, 8, 9]]) {
    const out = [];
    for (let p = Math.floor(Math.log10(min)); p <= Math.log10(max); p++) for (const d of digits) out.push(Number((d * 10 ** p).toPrecision(1)));
    const there = out.filter((x) => x >= min && x <= max);
    if (there.length >= 3) return there;
  }
  const step = 10 ** Math.floor(Math.log10((max - min) / 2)), out = []; // less than a power of ten
  for (let n = Math.ceil(min / step); n * step <= max && out.length < 30; n++) out.push(Number((n * step).toPrecision(6)));
  return out.length > 12 ? out.filter((_, i) => i % 3 === 0) : out;
};
const logAxis = (key) => ({ splits: (u) => logSplits(u.scales[key].min, u.scales[key].max), filter: (u, splits) => splits });
// A range is as it was asked for: uPlot would round that of a logarithmic axis outwards.
const asAsked = (u, min, max) => [min, max];

// drawPlot puts a uPlot into a box. Of spec: xs, lines or points as uPlot has them, full ranges,
// stops to read at, and what to call when the reader zooms. It returns the uPlot.
const drawPlot = (box, spec) => {
  const u = new uPlot({
    width: Math.max(240, box.clientWidth), height: spec.height, mode: spec.mode, pxAlign: false, legend: { show: false }, padding: [10, 22, 0, 0],
    scales: {
      x: { time: false, auto: false, min: spec.x.at[0], max: spec.x.at[1], range: asAsked, ...spec.x.scale },
      y: { auto: false, min: spec.y.at[0], max: spec.y.at[1], range: asAsked, ...spec.y.scale },
    },
    axes: [axis({ label: spec.x.title, size: 34, values: tickText, ...spec.x.axis }), axis({ label: spec.y.title, size: 52, values: tickText, ...spec.y.axis })],
    series: spec.series,
    bands: spec.bands || [],
    focus: { alpha: 1 },
    cursor: {
      drag: { x: true, y: true, uni: 24, setScale: false }, points: { show: false }, dataIdx: spec.mode === 2 ? () => null : undefined,
      bind: { dblclick: () => () => spec.zoom(null, null) },
    },
    hooks: {
      setSelect: [(u) => {
        const { left, top, width, height } = u.select;
        if (width < 4 && height < 4) return;
        const x = width < 4 ? null : [u.posToVal(left, "x"), u.posToVal(left + width, "x")];
        const y = height < 4 || height > u.over.clientHeight - 2 ? null : [u.posToVal(top + height, "y"), u.posToVal(top, "y")];
        u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        spec.zoom(x, y);
      }],
      draw: [(u) => spec.overlay && spec.overlay(u)],
    },
  }, spec.data, box);
  readable(u, spec);
  return u;
};

// readable makes a plot a slider along its stops, for pointers, keys and screen readers.
const readable = (u, spec) => {
  const over = u.over, stops = spec.stops;
  let now = stops.length - 1;
  over.tabIndex = 0;
  over.setAttribute("role", "slider");
  over.setAttribute("aria-label", spec.label);
  over.setAttribute("aria-describedby", spec.about);
  over.setAttribute("aria-valuemin", "1");
  over.setAttribute("aria-valuemax", String(Math.max(1, stops.length)));
  const announce = () => {
    over.setAttribute("aria-valuenow", String(now + 1));
    over.setAttribute("aria-valuetext", stops.length ? inWords(stops[now].head, stops[now].entries()) : "nothing is on");
  };
  const at = (i) => ({ left: u.valToPos(stops[i].x, "x"), top: stops[i].y === undefined ? over.clientHeight / 3 : u.valToPos(stops[i].y, "y") });
  const show = (i, x, y) => {
    if (stops.length === 0) return;
    now = Math.max(0, Math.min(stops.length - 1, i));
    const box = over.getBoundingClientRect(), p = at(now);
    u.setCursor(x === undefined ? p : { left: x - box.left, top: y - box.top }, false);
    tell(stops[now].head, stops[now].entries(), x ?? box.left + p.left, y ?? box.top + p.top);
    announce();
    if (spec.reached) spec.reached(stops[now]);
  };
  announce();
  over.addEventListener("pointermove", (e) => {
    const box = over.getBoundingClientRect(), x = e.clientX - box.left, y = e.clientY - box.top;
    let best = -1, least = Infinity;
    stops.forEach((s, i) => {
      const p = at(i), d = s.y === undefined ? Math.abs(p.left - x) : spec.byRow ? Math.abs(p.top - y) : Math.hypot(p.left - x, p.top - y);
      if (d < least) [best, least] = [i, d];
    });
    if (best >= 0) show(best, e.clientX, e.clientY);
  });
  over.addEventListener("pointerleave", () => { hide(); if (spec.reached) spec.reached(null); });
  over.addEventListener("focus", () => { if (over.matches(":focus-visible")) show(now); });
  over.addEventListener("blur", () => { hide(); u.setCursor({ left: -10, top: -10 }, false); if (spec.reached) spec.reached(null); });
  over.addEventListener("keydown", (e) => {
    const page = Math.max(1, Math.round(stops.length / 10));
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const move = { ArrowRight: 1, ArrowDown: spec.byRow ? 1 : -1, ArrowLeft: -1, ArrowUp: spec.byRow ? -1 : 1, PageUp: page, PageDown: -page, Home: -Infinity, End: Infinity }[e.key];
    const act = { "+": () => spec.scale(1 / 1.5), "=": () => spec.scale(1 / 1.5), "-": () => spec.scale(1.5), 0: () => spec.zoom(null, null) }[e.key];
    if (e.key === "Escape") { hide(); return; }
    if (act) act();
    else if (e.shiftKey && move !== undefined && Number.isFinite(move)) spec.pan(Math.sign(move), e.key === "ArrowUp" || e.key === "ArrowDown" ? "y" : "x");
    else if (move !== undefined) show(Math.abs(move) === Infinity ? (move < 0 ? 0 : stops.length - 1) : now + move);
    else return;
    e.preventDefault();
  });
};
addEventListener("scroll", hide, { passive: true });

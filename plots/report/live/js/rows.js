// Names of rows stand at their left, in as many lines as they need.
const rowFont = 12, rowLine = 14;
const measured = (() => { const ctx = make("canvas").getContext("2d"); ctx.font = axisFont; return (text) => ctx.measureText(text).width; })();

// A name in lines that are at most so wide, broken where words end, or else within them.
const inLines = (text, width) => {
  const lines = [""];
  for (const word of text.match(/[^ \-_,@+]*[ \-_,@+]|[^ \-_,@+]+/g) || [text]) {
    for (const part of measured(word) > width ? word : [word]) {
      if (lines.at(-1) !== "" && measured((lines.at(-1) + part).trimEnd()) > width) lines.push("");
      lines[lines.length - 1] += part;
    }
  }
  return lines.map((l) => l.trim());
};
// The names of rows in a figure of this width: half of it at most is theirs.
const rowNames = (rows, width) => {
  const size = Math.ceil(Math.min(Math.max(0, ...rows.map((r) => measured(r.label))) + 16, width / 2));
  const lines = rows.map((r) => inLines(r.label, size - 16));
  return { size, lines, height: 19 + rowLine * (Math.max(1, ...lines.map((l) => l.length)) - 1) };
};
const rowAxis = (rows, names) => ({
  size: names.size, labelSize: 0, grid: { show: false }, ticks: { show: false },
  splits: (u) => rows.map((_, i) => -i).filter((y) => y >= u.scales.y.min && y <= u.scales.y.max).reverse(),
  values: (u, splits) => splits.map(() => ""),
});
const drawRowNames = (u, names) => {
  const { ctx, bbox } = u, dpr = devicePixelRatio;
  ctx.save();
  ctx.font = axisFont.replace(/^\d+px/, rowFont * dpr + "px");
  ctx.textAlign = "right";
  ctx.textBaseline = "middle";
  ctx.fillStyle = ink;
  names.lines.forEach((lines, i) => lines.forEach((line, j) => {
    const y = u.valToPos(-i, "y", true);
    if (y >= bbox.top && y <= bbox.top + bbox.height) ctx.fillText(line, bbox.left - 8 * dpr, y + (j - (lines.length - 1) / 2) * rowLine * dpr);
  }));
  ctx.restore();
};

// What rows are held against: 0, or 1, and of claims the band that is too small to matter.
const drawZero = (u, chart) => {
  const { ctx, bbox } = u, X = (x) => u.valToPos(x, "x", true);
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  if (chart.bent) { ctx.fillStyle = "rgba(87,96,106,.12)"; ctx.fillRect(X(-1), bbox.top, X(1) - X(-1), bbox.height); }
  ctx.strokeStyle = "#57606a";
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([4, 3]);
  ctx.beginPath();
  ctx.moveTo(X(chart.zero), bbox.top);
  ctx.lineTo(X(chart.zero), bbox.top + bbox.height);
  ctx.stroke();
  ctx.restore();
};

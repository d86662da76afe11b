// Names beside points, so that looks which are alike need no legend: each where it covers neither
// a name nor a mark, to the right, the left, above or below. What has no room has no name.
const nameFont = 12, nameGap = 8;
const drawNames = (u, groups, name, ends) => {
  const { ctx, bbox } = u, dpr = devicePixelRatio, height = nameFont * dpr, gap = nameGap * dpr;
  const inside = (b) => b.x >= bbox.left && b.x + b.w <= bbox.left + bbox.width && b.y >= bbox.top && b.y + b.h <= bbox.top + bbox.height;
  const apart = (a, b) => a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y;
  const places = groups.filter((g) => !g.grey).flatMap((g) => (ends ? g.points.slice(-1) : g.points).map((p) =>
    ({ g, text: name(p), x: u.valToPos(p.x, "x", true), y: u.valToPos(p.y, "y", true) })));
  const taken = places.map((p) => ({ x: p.x - 5 * dpr, y: p.y - 5 * dpr, w: 10 * dpr, h: 10 * dpr }));
  ctx.save();
  ctx.font = axisFont.replace(/^\d+px/, height + "px");
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  ctx.lineJoin = "round";
  ctx.lineWidth = 3 * dpr;
  ctx.strokeStyle = "#fff";
  ctx.fillStyle = ink;
  for (const p of places) {
    const w = ctx.measureText(p.text).width;
    if (!inside({ x: p.x, y: p.y, w: 0, h: 0 })) continue;
    const at = [[gap, -height / 2], [-gap - w, -height / 2], [-w / 2, -gap - height], [-w / 2, gap]].map(([dx, dy]) => ({ x: p.x + dx, y: p.y + dy, w, h: height }));
    const box = at.find((b) => inside(b) && taken.every((t) => apart(b, t)));
    if (!box) continue;
    taken.push(box);
    ctx.globalAlpha = p.g.alpha;
    ctx.strokeText(p.text, box.x, box.y + height / 2);
    ctx.fillText(p.text, box.x, box.y + height / 2);
  }
  ctx.restore();
};

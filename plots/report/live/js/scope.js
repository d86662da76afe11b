// The methods of an experiment or of the board, with those that are on and the one that is
// highlighted. All its figures and its table follow them.
const newScope = (id, data) => {
  const names = data.methods.map((m) => m.name);
  const listeners = [];
  let pointed = -1;
  const list = (key) => parted(chosen(`${id}.${key}`, ""));
  const isOn = (i) => data.methods[i] !== undefined && (data.methods[i].shown ? !list("off").includes(names[i]) : list("on").includes(names[i]));
  const told = () => { for (const f of listeners) f(); };
  const turn = (want) => {
    choose(`${id}.off`, joined(names.filter((_, i) => data.methods[i].shown && !want(i))), "");
    choose(`${id}.on`, joined(names.filter((_, i) => !data.methods[i].shown && want(i))), "");
    told();
  };
  const metrics = new Map(data.metrics.map((m, i) => [m.name, i]));
  const families = new Map(); // by name, the k that there are
  for (const { name } of data.metrics) {
    const m = name.match(/^(.+)@(\d+)$/);
    if (m) families.set(m[1], [...(families.get(m[1]) || []), Number(m[2])].sort((a, b) => a - b));
  }
  const familyTitles = new Map((data.families || []).map((f) => [f.name, f.title]));
  view.listeners.push(told);
  return {
    id, data, listeners, isOn, turn, metrics, families,
    indexOf: (name) => names.indexOf(name),
    highlighted: () => pointed >= 0 ? pointed : names.indexOf(chosen(`${id}.highlight`, "")),
    point: (i) => { if (pointed !== i) { pointed = i; for (const f of listeners) f("highlight"); } },
    highlight: (name) => { choose(`${id}.highlight`, name, ""); told(); },
    others: () => chosen(`${id}.others`, data.methods.some((m) => !m.shown) ? "1" : "0") === "1",
    setOthers: (v) => { choose(`${id}.others`, v ? "1" : "0", data.methods.some((m) => !m.shown) ? "1" : "0"); told(); },
    values: (metric, method) => metrics.has(metric) ? data.values[metrics.get(metric)][method] : null,
    familyTitle: (family) => familyTitles.get(family) || family + "@k",
    title: (metric) => metrics.has(metric) ? data.metrics[metrics.get(metric)].title : metric,
  };
};

// A sample of a method's line with its dashes and its mark.
const sample = (m) => {
  const ns = "http://www.w3.org/2000/svg", svg = document.createElementNS(ns, "svg"), line = document.createElementNS(ns, "path");
  svg.setAttribute("class", "line");
  svg.setAttribute("viewBox", "0 0 34 12");
  svg.setAttribute("width", "34");
  svg.setAttribute("height", "12");
  svg.setAttribute("aria-hidden", "true");
  line.setAttribute("d", "M0 6H34");
  line.setAttribute("stroke", m.color);
  if (m.dashes) line.setAttribute("stroke-dasharray", m.dashes.join(" "));
  svg.append(line);
  if (m.mark >= 0) {
    const mark = document.createElementNS(ns, "path");
    mark.setAttribute("d", "M" + corners(m.mark, 17, 6, 4).map((p) => p.map((x) => x.toFixed(1)).join(" ")).join("L") + "Z");
    mark.setAttribute("fill", m.color);
    svg.append(mark);
  }
  return svg;
};

// The corners of a mark: as draw.Marks, a disc, square, triangle, diamond, triangle downwards,
// pentagon and hexagon.
const corners = (mark, x, y, r) => {
  const [n, turn] = [[24, 0], [4, Math.PI / 4], [3, Math.PI / 2], [4, 0], [3, -Math.PI / 2], [5, Math.PI / 2], [6, 0]][mark] || [24, 0];
  return Array.from({ length: n }, (_, i) => { const a = turn + 2 * Math.PI * i / n; return [x + r * Math.cos(a), y - r * Math.sin(a)]; });
};

// The legend: a button for each method. Pointing at one highlights it everywhere.
const legend = (scope) => {
  const { data } = scope, many = data.methods.length > 16;
  const box = made("div", "legend"), bar = made("div", "controls"), list = made("ul", "methods"), search = make("input");
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", "Methods in the figures");
  const entries = data.methods.map((m, i) => {
    const b = toggle("", () => scope.isOn(i), (v) => scope.turn((j) => j === i ? v : scope.isOn(j)));
    b.append(sample(m), make("span", m.name));
    for (const e of ["pointerenter", "focus"]) b.addEventListener(e, () => scope.point(i));
    for (const e of ["pointerleave", "blur"]) b.addEventListener(e, () => scope.point(-1));
    const li = make("li");
    li.append(b);
    return b;
  });
  for (const first of [true, false]) list.append(...entries.filter((_, i) => data.methods[i].shown === first).map((b) => b.parentElement));
  const find = () => { for (const b of entries) b.parentElement.hidden = !b.textContent.toLowerCase().includes(search.value.toLowerCase()); };
  search.type = "search";
  search.addEventListener("input", find);
  const mark = chooser("Highlight", [["", "none"], ...data.methods.map((m) => [m.name, m.name])], "", (v) => scope.highlight(v));
  const others = toggle("Show the rest in grey", scope.others, scope.setOthers);
  bar.append(...(many ? [made("span", "many", make("span", `${data.methods.length} methods: search, or scroll the list.`)), made("label", "choice", make("span", "Find a method"), search)] : []), button("All", () => scope.turn(() => true)), button("None", () => scope.turn(() => false)), button("Reset", () => scope.turn((i) => data.methods[i].shown)), others, mark);
  box.append(bar, list);
  const apply = () => {
    entries.forEach((b, i) => { b.setAttribute("aria-pressed", String(scope.isOn(i))); b.classList.toggle("marked", scope.highlighted() === i); });
    others.setAttribute("aria-pressed", String(scope.others()));
    mark.lastChild.value = oneOf(chosen(`${scope.id}.highlight`, ""), data.methods.map((m) => m.name), "");
  };
  scope.listeners.push(apply);
  apply();
  // Headings that links lead to stop below the legend, which stays at the top of a window.
  new ResizeObserver(() => root.style.setProperty("--legend", Math.max(...all(document, ".legend").map((l) => l.offsetHeight)) + "px")).observe(box);
  return box;
};

// Problems to play with. The numbers are in the data beside each problem; the pictures have a
// layer for every answer, which is shown where the answer was given. What is chosen stands in the
// address.
{
const part = (tag, set, ...children) => { const e = Object.assign(document.createElement(tag), set); e.append(...children); return e; };

const playing = (panel) => {
  const data = JSON.parse(panel.querySelector("script").textContent);
  const choices = panel.querySelector(".choices"), views = panel.querySelector(".views");
  const slider = choices.querySelector("input"), said = choices.querySelector("output");
  const table = panel.querySelector("table"), figure = views.querySelector("figure");
  const steps = [...new Set(data.variants.flatMap((v) => v.steps))].sort((a, b) => a - b);
  const first = Math.max(0, data.variants.findIndex((v) => v.trains));
  const usual = { methods: String(first), step: String(steps[steps.length - 1]), alone: "" };
  const get = (name) => chosen(`${panel.id}.${name}`, usual[name]);
  const set = (name, value) => choose(`${panel.id}.${name}`, value, usual[name]);
  let alone = -1; // the answer that is marked alone

  const text = (n) => n === 0 ? "–" : !data.mass ? String(n) : n < 0.0005 ? "<0.1%" : (100 * n).toFixed(1) + "%";
  const given = (view) => {
    const out = new Array(data.answers.length).fill(0), pairs = view.of.given[view.at];
    for (let i = 0; i < pairs.length; i += 2) out[pairs[i]] = pairs[i + 1];
    return out;
  };
  const outcome = (view) => {
    const v = view.of, right = v.right[view.at], of = v.drawn[view.at];
    const share = data.mass ? (100 * right).toFixed(1) + "% correct" : right + " of " + of + " correct";
    return share + (data.modes ? ", " + v.found[view.at] + " of " + data.modes + " modes found" : "");
  };
  const name = (view) => {
    const more = view.like.length - 1, also = more === 0 ? "" : more === 1 ? " and " + view.like[1] : " and " + more + " others";
    return view.like[0] + also + ", step " + view.of.steps[view.at];
  };

  // Of every chosen method the first evaluation, and the last one up to the chosen step. Methods
  // that begin with the same policy have the first one in common.
  const shown = () => {
    const step = steps[Number(slider.value)];
    const picked = all(choices, ":checked").map((box) => data.variants[Number(box.value)]);
    const found = new Map();
    for (const of of picked) {
      for (const at of new Set([0, Math.max(0, of.steps.findLastIndex((s) => s <= step))])) {
        const key = JSON.stringify([of.steps[at], of.given[at]]) + (at === 0 ? "" : of.label);
        if (found.has(key)) found.get(key).like.push(of.label);
        else found.set(key, { of, at, like: [of.label] });
      }
    }
    return [...found.values()];
  };

  // A layer is as dark, or as wide from the left, as its answers are frequent, and bears their number.
  const mark = (svg, view, counts) => {
    const sums = new Map();
    data.answers.forEach((a, i) => { if (a.layer >= 0) sums.set(a.layer, (sums.get(a.layer) || 0) + counts[i]); });
    const most = Math.max(...sums.values());
    for (const g of all(svg, ".layer")) {
      const n = sums.get(Number(g.dataset.layer)) || 0, count = g.querySelector(".count");
      const other = alone >= 0 && data.answers[alone].layer !== Number(g.dataset.layer);
      g.classList.toggle("on", n > 0 && !other);
      const drawing = g.firstElementChild, from = Number(g.dataset.from), share = n / view.of.drawn[view.at];
      if (from) drawing.setAttribute("transform", "translate(" + from * (1 - share) + " 0) scale(" + share + " 1)");
      else drawing.style.opacity = 0.4 + 0.6 * Math.sqrt(n / most);
      if (count) count.textContent = n === 1 && !data.mass && count.classList.contains("crowded") ? "" : text(n);
    }
    svg.removeAttribute("aria-labelledby");
    svg.setAttribute("aria-label", name(view) + ": " + outcome(view) + ". The table below has the answers.");
  };
  const draw = (list) => {
    if (!figure) return;
    while (views.children.length < list.length) views.append(figure.cloneNode(true));
    while (views.children.length > Math.max(1, list.length)) views.lastElementChild.remove();
    all(views, "figure").forEach((f, i) => {
      const view = list[i];
      f.hidden = !view;
      if (!view) return;
      const counts = given(view), missing = data.answers.reduce((sum, a, j) => sum + (a.layer < 0 ? counts[j] : 0), 0);
      f.querySelector("figcaption").replaceChildren(part("b", {}, name(view)), " " + outcome(view) + (missing > 0 ? "; not in the picture: " + text(missing) : ""));
      f.querySelector(".drawing").setAttribute("aria-label", name(view));
      mark(f.querySelector("svg"), view, counts);
    });
  };

  const single = (i) => {
    alone = alone === i ? -1 : i;
    set("alone", alone < 0 ? "" : String(alone));
    for (const b of all(table, "button")) b.setAttribute("aria-pressed", String(Number(b.value) === alone));
    draw(shown());
  };
  const row = (a, i, columns) => {
    const press = part("button", { type: "button", value: String(i) }, a.text);
    press.setAttribute("aria-pressed", String(i === alone));
    press.addEventListener("click", () => single(i));
    const cells = columns.map((c) => {
      const td = part("td", {}, text(c.counts[i]));
      td.style.setProperty("--part", 100 * c.counts[i] / c.drawn + "%");
      return td;
    });
    return part("tr", {}, part("th", { scope: "row" }, a.layer < 0 ? a.text : press),
      ...(data.mass ? [] : [part("td", { className: "name" }, a.mode)]), part("td", { className: "name " + (a.correct ? "good" : "bad") }, a.correct ? "correct" : "incorrect"), ...cells);
  };
  // Rows: correct answers first; then the modes that were given most in the last column, and of a
  // mode the answers that were.
  const ordered = (columns) => {
    const key = (a) => a.mode + "|" + a.correct, ofMode = columns.map(() => new Map());
    columns.forEach((c, j) => data.answers.forEach((a, i) => ofMode[j].set(key(a), (ofMode[j].get(key(a)) || 0) + c.counts[i])));
    const compare = (i, k) => {
      const a = data.answers[i], b = data.answers[k];
      let by = Number(b.correct || false) - Number(a.correct || false);
      for (let j = columns.length - 1; j >= 0 && by === 0; j--) by = ofMode[j].get(key(b)) - ofMode[j].get(key(a));
      if (by === 0 && key(a) !== key(b)) return key(a) < key(b) ? -1 : 1;
      for (let j = columns.length - 1; j >= 0 && by === 0; j--) by = columns[j].counts[k] - columns[j].counts[i];
      return by || i - k;
    };
    return data.answers.map((_, i) => i).filter((i) => columns.some((c) => c.counts[i] > 0)).sort(compare);
  };
  const list = (now) => {
    const columns = now.map((view) => ({ view, counts: given(view), drawn: view.of.drawn[view.at] }));
    const head = table.tHead.rows[0];
    head.replaceChildren(...Array.from(head.cells).slice(0, data.mass ? 2 : 3), ...columns.map((c) =>
      part("th", { scope: "col" }, name(c.view) + (data.mass ? "" : ", of " + c.drawn + (c.drawn === 1 ? " answer" : " answers")))));
    table.tBodies[0].replaceChildren(...ordered(columns).map((i) => row(data.answers[i], i, columns)));
  };
  const update = () => {
    const now = shown();
    said.textContent = String(steps[Number(slider.value)]);
    slider.setAttribute("aria-valuetext", "step " + said.textContent + ". " + now.map((view) => name(view) + ": " + outcome(view)).join(". "));
    if (alone >= 0 && !now.some((view) => given(view)[alone] > 0)) { alone = -1; set("alone", ""); } // its row is gone
    draw(now);
    list(now);
  };

  data.variants.forEach((v, i) => {
    const box = part("input", { type: "checkbox", value: String(i) });
    choices.querySelector("fieldset").append(part("label", {}, box, " " + v.label));
  });
  slider.max = String(steps.length - 1);
  slider.parentElement.hidden = steps.length < 2;
  choices.hidden = false;
  for (const few of all(panel, ".few")) few.hidden = true;
  choices.addEventListener("input", () => {
    set("methods", all(choices, ":checked").map((box) => box.value).join("."));
    set("step", String(steps[Number(slider.value)]));
    update();
  });
  views.addEventListener("click", (e) => {
    const layer = e.target.closest(".layer");
    if (!layer) return;
    const there = shown().map(given), of = (i) => data.answers[i].layer === Number(layer.dataset.layer);
    single(data.answers.findIndex((_, i) => of(i) && (i === alone || there.some((counts) => counts[i] > 0))));
  });
  const restore = () => {
    const methods = get("methods").split("."), step = steps.findLastIndex((s) => s <= Number(get("step")));
    for (const box of all(choices, "input[type=checkbox]")) box.checked = methods.includes(box.value);
    slider.value = String(Math.max(0, step));
    alone = data.answers.findIndex((_, i) => String(i) === get("alone"));
    update();
  };
  view.listeners.push(restore);
  restore();
};

for (const section of all(document, "section.play")) {
  const panels = all(section, ".playing"), radios = all(section, ".problems input");
  if (panels.length === 0) continue;
  const begun = new Set(), usual = panels[0].id, key = usual + ".problem";
  const show = () => {
    const id = panels.some((p) => p.id === chosen(key, usual)) ? chosen(key, usual) : usual;
    for (const p of panels) p.hidden = p.id !== id;
    for (const r of radios) r.checked = r.value === id;
    if (begun.has(id)) return;
    begun.add(id);
    playing(document.getElementById(id));
  };
  for (const r of radios) r.addEventListener("change", () => { choose(key, r.value, usual); show(); });
  for (const f of all(section, ".problems")) f.hidden = false;
  view.listeners.push(show);
  show();
}
}

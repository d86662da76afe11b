"use strict";
// Trains two methods, each in a worker of its own, and shows what their evaluations hold.

const ONE = "problems = 1\nbatch = 1\ngroup = 16\n";
const EVAL = "k = [1, 4, 16, 64]\nsamples = 64\nkeep = 1\n";
// A task makes the spec's tables before [[method]]. Its policies are tables.
const TASKS = {
  bandit: {
    name: "A bandit with several right answers", modes: true,
    tables: (o) => `[env]\nname = "bandit"\nmodes = ${2 * o.modes}\nrewarded = ${o.modes}\nstart = "zipf"\ndim = 8\nenv_seed = ${o.seed}\n
[train]\nsteps = 150\n${ONE}lr = ${o.rate}\n\n[eval]\nevery = 5\n${EVAL}`,
  },
  polynomial: {
    name: "Pairs (x, y) on a curve",
    tables: (o) => `[env]\nname = "polynomial"\nenv_seed = ${o.seed}\n
[train]\nsteps = 60\n${ONE}lr = ${o.rate}\n\n[eval]\nevery = 2\n${EVAL}`,
  },
  coins: {
    name: "An amount paid with coins",
    tables: (o) => `[env]\nname = "coins"\nenv_seed = ${o.seed}\n
[train]\nsteps = 120\n${ONE}lr = ${o.rate}\n\n[eval]\nevery = 4\n${EVAL}`,
  },
  shared: {
    name: "Unseen problems of a shared bandit",
    tables: (o) => `[env]\nname = "bandit"\nform = "shared"\narms_per_mode = 4\nlow = 0.2\nhigh = 0.95\ndim = 8\nenv_seed = ${o.seed}\n
[policy]\nsharing = "shared"\n
[train]\nsteps = 90\nproblems = 100\nbatch = 10\ngroup = 16\nlr = ${o.rate}\n\n[eval]\nevery = 3\nsplit = "test"\nproblems = 20\n${EVAL}`,
  },
};
const DEFAULTS = { task: "bandit", one: "grpo", two: "poly-epo", modes: "8", rate: "0.1", seed: "0" };
const PLAY = 2000; // milliseconds from the first evaluation to the last

const byId = (id) => document.getElementById(id);
const form = document.querySelector("form");
const methods = JSON.parse(byId("methods").textContent);
let workers = [];
let engine; // the compiled module, once it is asked for

async function compiled() {
  const packed = Uint8Array.from(atob(byId("engine").textContent.trim()), (c) => c.charCodeAt(0));
  const plain = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compile(await new Response(plain).arrayBuffer());
}

const WORK = `
onmessage = async ({ data }) => {
  const go = new Go();
  go.run(await WebAssembly.instantiate(data.engine, go.importObject));
  const end = modebenchTrain(data.spec, data.variant, (name, line) => postMessage({ name, line: JSON.parse(line) }));
  postMessage({ end });
};`;

function options() {
  const given = Object.fromEntries(new FormData(form));
  for (const [name, usual] of Object.entries(DEFAULTS)) given[name] = given[name] || usual;
  return given;
}

function specOf(o) {
  const two = [...new Set([o.one, o.two])].map((name) => `\n[[method]]\nname = "${name}"\n`);
  return `title = "playground"\nseeds = 1\n\n${TASKS[o.task].tables(o)}${two.join("")}`;
}

function panel(name) {
  const section = document.createElement("section");
  const method = methods[name];
  section.innerHTML = `<h2></h2><p class="quiet"></p><div class="bars" role="img"></div><p class="state">not trained yet</p>
<svg viewBox="0 0 320 120" role="img"></svg><details><summary>Its formula</summary><pre tabindex="0"></pre></details>
<details><summary>Its record</summary><pre tabindex="0"></pre></details>`;
  section.querySelector("h2").textContent = name;
  section.querySelector("p").textContent = method.summary;
  for (const drawing of section.querySelectorAll("[role=img]")) drawing.setAttribute("aria-label", "nothing is trained yet");
  const [formula, record] = section.querySelectorAll("pre");
  formula.textContent = method.formula;
  formula.setAttribute("aria-label", `the formula of ${name}`);
  record.setAttribute("aria-label", `the record of ${name}`);
  return section;
}

const right = (counts) => Object.keys(counts || {}).length;

// draw shows a panel's evaluations up to one of them. most is the largest number of kinds in any panel.
function draw(section, run, at, most) {
  const { metrics, step } = run.evals[at];
  const counts = run.counts[at] || {};
  const bars = section.querySelector(".bars");
  bars.replaceChildren(...run.modes.map((mode) => {
    const bar = document.createElement("i");
    bar.style.height = `${(100 * (counts[mode] || 0)) / 64}%`;
    bar.title = `${mode}: ${counts[mode] || 0} of 64 answers`;
    return bar;
  }));
  bars.setAttribute("aria-label", `of 64 answers, those of each kind of right answer: ${run.modes.map((m) => counts[m] || 0).join(", ")}`);
  const state = `step ${step}: ${right(counts)} kinds of right answers among 64, accuracy ${metrics.accuracy.toFixed(2)}`;
  section.querySelector(".state").textContent = state;
  const last = run.evals.at(-1).step;
  const line = (share) => run.evals.slice(0, at + 1).map((e, i) => `${24 + (286 * e.step) / last},${100 - 90 * share(e, i)}`).join(" ");
  const svg = section.querySelector("svg");
  svg.innerHTML = `<polyline class="axis" points="24,10 24,100 310,100"/><text x="2" y="14">1</text><text x="2" y="104">0</text>
<text x="24" y="116">step 0</text><text x="290" y="116">${last}</text><text x="78" y="116">dashes: accuracy; line: kinds, of ${most}</text>
<polyline class="accuracy" points="${line((e) => e.metrics.accuracy)}"/><polyline class="kept" points="${line((_, i) => right(run.counts[i]) / most)}"/>`;
  svg.setAttribute("aria-label", `accuracy and kinds of right answers during training; ${state}`);
  return state;
}

function train(spec, variant) {
  return new Promise((resolve, reject) => {
    const url = URL.createObjectURL(new Blob([byId("exec").textContent, WORK], { type: "text/javascript" }));
    const worker = new Worker(url);
    workers.push(worker);
    const run = { evals: [], counts: [], modes: [] };
    worker.onmessage = ({ data }) => {
      if (data.name === "eval.jsonl") run.evals.push(data.line);
      if (data.name === "pools.jsonl") {
        const counts = {};
        for (const answer of data.line.answers) if (answer.correct) counts[answer.mode] = (counts[answer.mode] || 0) + 1;
        run.counts[run.evals.length - 1] = counts;
      }
      if (!data.end) return;
      worker.terminate();
      URL.revokeObjectURL(url);
      if (data.end.error) return reject(new Error(data.end.error));
      run.done = data.end.done;
      run.modes = [...new Set(run.counts.flatMap((counts) => Object.keys(counts || {})))].sort();
      resolve(run);
    };
    worker.onerror = (event) => reject(new Error(event.message));
    worker.postMessage({ engine, spec, variant });
  });
}

async function play(sections, runs) {
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const begun = performance.now();
  const most = Math.max(1, ...runs.flatMap((run) => run.counts.map(right)));
  for (;;) {
    const share = still ? 1 : Math.min(1, (performance.now() - begun) / PLAY);
    runs.forEach((run, i) => draw(sections[i], run, Math.round(share * (run.evals.length - 1)), most));
    if (share === 1) return;
    await new Promise(requestAnimationFrame);
  }
}

let pressed = 0;
async function press() {
  const mine = ++pressed;
  workers.forEach((worker) => worker.terminate());
  workers = [];
  const o = options();
  const spec = specOf(o);
  location.hash = new URLSearchParams(o);
  byId("spec").textContent = spec;
  byId("link").textContent = `Share it by the address: ${location.href.slice(0, 200)}`;
  const names = [...new Set([o.one, o.two])];
  const sections = names.map(panel);
  byId("both").replaceChildren(...sections);
  byId("said").textContent = "Training…";
  try {
    engine ||= await compiled();
    const runs = await Promise.all(names.map((_, i) => train(spec, i)));
    if (mine !== pressed) return;
    sections.forEach((section, i) => { section.querySelectorAll("pre")[1].textContent = runs[i].done; });
    await play(sections, runs);
    byId("said").textContent = names.map((name, i) => `${name}: ${sections[i].querySelector(".state").textContent}`).join(". ") + ".";
  } catch (error) {
    if (mine === pressed) byId("said").textContent = `It did not train: ${error.message}`;
  }
}

function begin() {
  const given = { ...DEFAULTS, ...Object.fromEntries(new URLSearchParams(location.hash.slice(1))) };
  for (const [name, { name: title }] of Object.entries(TASKS)) form.task.add(new Option(title, name));
  for (const name of Object.keys(methods)) for (const select of [form.one, form.two]) select.add(new Option(name, name));
  for (const [name, value] of Object.entries(given)) if (form.elements[name]) form.elements[name].value = value;
  const fit = () => { form.modes.disabled = !TASKS[form.task.value].modes; };
  form.task.addEventListener("change", fit);
  fit();
  byId("spec").textContent = specOf(options());
  byId("both").replaceChildren(...[...new Set([form.one.value, form.two.value])].map(panel));
  form.addEventListener("submit", (event) => { event.preventDefault(); press(); });
  if (location.hash.length > 1) press();
}
begin();

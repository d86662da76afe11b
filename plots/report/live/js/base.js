// What the other parts of the script are made of.
const root = document.documentElement;
const all = (from, what) => Array.from(from.querySelectorAll(what));
const make = (tag, text) => { const e = document.createElement(tag); if (text !== undefined) e.textContent = text; return e; };
const made = (tag, className, ...children) => { const e = make(tag); e.className = className; e.append(...children); return e; };
const button = (text, press) => { const b = make("button", text); b.type = "button"; b.addEventListener("click", press); return b; };

// A button that is pressed or not, as a screen reader says too.
const toggle = (text, pressed, change) => {
  const b = button(text, () => { b.setAttribute("aria-pressed", String(!pressed())); change(!pressed()); b.setAttribute("aria-pressed", String(pressed())); });
  b.setAttribute("aria-pressed", String(pressed()));
  return b;
};

// A list to choose from, with its label. Options are pairs of value and text.
const chooser = (label, options, value, change) => {
  const select = make("select"), l = made("label", "choice", make("span", label), select);
  for (const [v, text] of options) { const o = make("option", text); o.value = v; select.append(o); }
  select.value = value;
  select.addEventListener("change", () => change(select.value));
  return l;
};

// A number as the tables of the page have it: number.go says which digits.
const number = (x) => {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  const size = Math.abs(x);
  if (size !== 0 && (size < 0.001 || size >= 1e6)) return x.toExponential(1);
  return size >= 1000 ? x.toFixed(0) : x.toFixed(3);
};
const bracket = (low, high) => low === null || low === undefined || high === null || high === undefined ? "" : `[${number(low)}, ${number(high)}]`;

// Rows of cells as a file of comma-separated values, which the browser saves.
const quoted = (cell) => /[",\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
const save = (name, rows) => {
  const a = make("a"), text = rows.map((r) => r.map((c) => quoted(String(c ?? ""))).join(",") + "\n").join("");
  a.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  a.download = name + ".csv";
  document.body.append(a);
  a.click();
  a.remove();
  setTimeout(() => URL.revokeObjectURL(a.href), 10000);
};

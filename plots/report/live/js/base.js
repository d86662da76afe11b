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

// A number as the tables of the page have it, digit by digit as number.go writes it. Go rounds a tie
// to the even digit, and JavaScript upwards: a tie that came out odd is written anew from a little
// less. At three decimals a tie is an odd number of sixteenths: no other has an exact binary form.
const even = (write, size, half, less) => { const t = write(size); return half && /[13579]$/.test(t.split("e")[0]) ? write(size - less) : t; };
const number = (x) => {
  if (x === null || x === undefined || !Number.isFinite(x)) return "–";
  const size = Math.abs(x), sign = x < 0 ? "-" : "";
  if (size === 0) return "0.000";
  if (size < 0.001 || size >= 1e6) {
    const unit = 10 ** (Math.floor(Math.log10(size)) - 1), t = even((v) => v.toExponential(1), size, size >= 1e6 && 2 * size / unit % 2 === 1, unit / 4);
    const [digits, power] = t.split("e").map(Number);
    return sign + (power < -4 || power > 1 ? `${digits}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}` : Number(t).toString());
  }
  return sign + (size >= 1000 ? even((v) => v.toFixed(0), size, 2 * size % 2 === 1, 0.25) : even((v) => v.toFixed(3), size, 16 * size % 2 === 1, 0.0002));
};
const counted = (n, noun) => n === 1 ? `1 ${noun}` : `${n} ${noun}s`;
// Names as a note has them: six at most.
const listed = (names) => names.length > 6 ? counted(names.length, "method") : names.join(", ");
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

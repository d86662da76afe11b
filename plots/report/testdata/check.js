// Tries the page in a frame of a browser and sends what it saw to the frame's owner, as JSON.
addEventListener("load", () => {
"use strict";
window.focus();
const problems = [], orders = [], readings = [];
const all = (what, from = document) => Array.from(from.querySelectorAll(what));
const check = (ok, what) => { if (!ok) problems.push(what); };
const show = (e) => `<${e.tagName.toLowerCase()}${e.id ? " #" + e.id : ""}> ${(e.textContent || "").trim().slice(0, 40)}`;

// Names and landmarks.
const ids = all("[id]").map((e) => e.id);
check(new Set(ids).size === ids.length, "two elements have one id");
for (const name of ["aria-labelledby", "aria-describedby", "aria-controls"]) {
  for (const e of all(`[${name}]`)) for (const id of e.getAttribute(name).split(" ")) check(document.getElementById(id), `${show(e)}: ${name} ${id} is not there`);
}
for (const e of all("[role=group], [role=slider], nav, svg[role=img]")) check(e.getAttribute("aria-label") || e.getAttribute("aria-labelledby"), `${show(e)} has no name`);
for (const what of ["header", "nav", "main", "footer"]) check(all(what).length === 1, `not one ${what}`);
let level = 0;
for (const h of all("h1, h2, h3, h4, h5, h6")) { const l = Number(h.tagName[1]); check(l <= level + 1, `${show(h)} after level ${level}`); level = l; }

// The skip link comes first and shows itself when it is reached.
const first = all("a[href], button, input, [tabindex]").filter((e) => e.tabIndex >= 0)[0];
check(first.className === "skip", "the first stop is " + show(first));
first.focus();
const skip = first.getBoundingClientRect();
check(skip.left >= 0 && skip.right <= innerWidth && skip.top >= 0, "the skip link cannot be seen");

// Sorting: three clicks on each head of the first table.
const table = document.querySelector("table.sortable"), buttons = all("thead button", table);
for (const b of buttons) {
  b.focus();
  check(document.activeElement === b, show(b) + " cannot be reached");
  check(getComputedStyle(b).outlineStyle !== "none", show(b) + ": the focus cannot be seen");
  for (let i = 0; i < 3; i++) {
    b.click();
    const sorted = all("[aria-sort]:not([aria-sort=none])", table);
    check(sorted.length === (i < 2 ? 1 : 0), `${sorted.length} columns are sorted by`);
    orders.push({ column: b.textContent, sort: b.parentElement.getAttribute("aria-sort"), rows: all("tbody th", table).map((e) => e.textContent) });
  }
}

// Sizes: nothing wider than the page, figures whole and readable.
const sizes = () => {
  const width = document.documentElement.clientWidth;
  check(document.documentElement.scrollWidth <= width, `the page is ${document.documentElement.scrollWidth} wide on a screen of ${width}`);
  for (const e of all("body *")) {
    const box = e.getBoundingClientRect();
    if (box.width && box.right > width + 1 && !e.closest(".wide, .drawing, .skip")) problems.push(`${show(e)} ends at ${Math.round(box.right)} of ${width}`);
  }
  for (const svg of all(".plot > svg")) {
    if (svg.closest(".works")) { check(getComputedStyle(svg.closest(".still")).display === "none", "a drawing is shown beside its interactive form"); continue; }
    const box = svg.getBoundingClientRect(), natural = svg.viewBox.baseVal;
    check(box.width > 200 && Math.abs(box.width / box.height - natural.width / natural.height) < 0.01, show(svg) + ` is ${box.width} by ${box.height}`);
    check(8 * box.width / natural.width > 8.5, `text of 8 pt is ${8 * box.width / natural.width} pixels high`);
  }
  for (const svg of all(".forest")) {
    const box = svg.getBoundingClientRect();
    check(!box.width || box.width >= 190, `a line of effects is ${box.width} pixels wide`);
  }
  for (const e of all("button, nav a, summary")) {
    const box = e.getBoundingClientRect();
    check(!box.width || box.height >= 24, `${show(e)} is ${box.height} high`);
  }
};
sizes();

// Reading the panels with pointer and keys.
const tip = document.getElementById("reading");
const seen = (slider) => {
  const box = tip.getBoundingClientRect();
  check(!tip.hidden && box.left >= 0 && box.top >= 0 && box.right <= innerWidth + 1 && box.bottom <= innerHeight + 1, `the values of ${slider.getAttribute("aria-label")} are not on the screen`);
  const text = Array.from(tip.querySelectorAll("div")).map((d) => Array.from(d.children).slice(1).map((s) => s.textContent).join(" ")).join("; ");
  for (const part of text.split("; ")) check(slider.getAttribute("aria-valuetext").includes(part.trim()), `screen readers get other values than ${part}`);
  readings.push({ panel: slider.getAttribute("aria-label").replace(/ by (training step|k|position h \(tokens\))$/, ""), row: slider.getAttribute("aria-valuenow"), text });
};
for (const slider of all(".reader")) {
  slider.scrollIntoView({ block: "center", behavior: "instant" });
  const box = slider.getBoundingClientRect();
  check(box.width > 60 && box.height > 60, `${show(slider)} is ${box.width} by ${box.height}`);
  const plot = slider.parentElement.getBoundingClientRect();
  check(box.left >= plot.left && box.right <= plot.right + 1 && box.top >= plot.top && box.bottom <= plot.bottom, show(slider) + " lies beside its figure");
  for (const share of [0, 0.5, 1]) {
    slider.dispatchEvent(new PointerEvent("pointermove", { clientX: box.left + share * box.width, clientY: box.top + 5, bubbles: true }));
    seen(slider);
    const off = Math.abs(slider.firstElementChild.getBoundingClientRect().left - box.left - share * box.width);
    check(off <= (share === 0.5 ? box.width / 4 + 2 : 1), `the rule is ${off} pixels from the pointer`);
    if (share !== 0.5) check(slider.getAttribute("aria-valuenow") === slider.getAttribute(share ? "aria-valuemax" : "aria-valuemin"), "the pointer at an end of the axis shows another value");
  }
  slider.dispatchEvent(new PointerEvent("pointerleave"));
  check(tip.hidden, "the values stay when the pointer has gone");
  slider.focus();
  const press = (key) => slider.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  const now = () => slider.getAttribute("aria-valuenow");
  press("Home"); seen(slider);
  check(now() === slider.getAttribute("aria-valuemin"), "Home does not go to the first value");
  press("ArrowRight"); seen(slider);
  const second = now();
  press("End"); seen(slider);
  check(now() === slider.getAttribute("aria-valuemax"), "End does not go to the last value");
  press("ArrowRight");
  check(now() === slider.getAttribute("aria-valuemax"), "the axis has no end");
  press("Home"); press("ArrowRight");
  check(now() === second && second !== slider.getAttribute("aria-valuemin"), "an arrow does not move by one value");
  press("Escape");
  check(tip.hidden, "Escape does not close the values");
  slider.blur();
}
check(all(".reader").length === all("figure:not(.works) table.values[data-left]").length, "a panel cannot be read");
check(all("figure.works").length > 3, "no figure is interactive");

// Contrast of all text, with everything open, in both themes.
const parse = (c) => { const m = c.match(/[\d.]+/g).map(Number); return { r: m[0], g: m[1], b: m[2], a: m.length > 3 ? m[3] : 1 }; };
const light = ({ r, g, b }) => { const f = (v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }; return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b); };
const behind = (e) => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c.a === 1) return c; } return { r: 255, g: 255, b: 255 }; };
let least = 99, texts = 0;
const contrast = (theme) => {
  for (const e of all("body *")) {
    if (e.closest("svg, script") || !Array.from(e.childNodes).some((n) => n.nodeType === 3 && n.data.trim())) continue;
    const style = getComputedStyle(e);
    if (!e.getClientRects().length || style.visibility === "hidden") continue;
    const [a, b] = [light(parse(style.color)), light(behind(e))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    texts++;
    least = Math.min(least, ratio);
    check(ratio >= 4.5, `${theme}: contrast ${ratio.toFixed(2)} of ${show(e)}`);
  }
};
for (const d of all("details")) d.open = true;
sizes();
const button = document.getElementById("theme"), dark = button.getAttribute("aria-pressed") === "true";
const paper = () => getComputedStyle(document.body).backgroundColor;
const before = paper();
contrast("at first");
button.click();
check(button.getAttribute("aria-pressed") === String(!dark) && paper() !== before, "the button does not change the theme");
contrast("after the button");
button.click();
check(paper() === before, "the button does not go back");
check(before === (dark ? "rgb(22, 22, 22)" : "rgb(255, 255, 255)"), "the page is " + before);

// Print opens what is closed, and closes it again.
for (const d of all("details")) d.open = false;
dispatchEvent(new Event("beforeprint"));
check(all("details:not([open])").length === 0, "print leaves parts closed");
dispatchEvent(new Event("afterprint"));
check(all("details[open]").length === 0, "parts stay open after a print");

const timing = performance.getEntriesByType("navigation")[0];
parent.postMessage(JSON.stringify({ width: innerWidth, dark, problems, orders, readings, ready: timing.domContentLoadedEventEnd, contrast: least, texts }), "*");
});

// Plays with the problems of a page as a reader does, with the mouse or with the keyboard alone,
// and prints what there was to see after every action. Arguments: the page, its width in
// pixels, "mouse" or "keyboard", the browser, and a file for a picture.
"use strict";
const fs = require("node:fs"), puppeteer = require("puppeteer-core");
const [url, width, how, browserPath, picture] = process.argv.slice(2);
const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const snapshot = (action) => {
  const section = document.querySelector("section.play"), words = (e) => e.textContent.replace(/\s+/g, " ").trim();
  const panels = Array.from(section.querySelectorAll(".playing")).filter((p) => p.offsetParent);
  const panel = panels[0], every = (what) => Array.from(panel.querySelectorAll(what));
  return {
    action, panels: panels.length, problem: panel.id,
    chosen: every(".methods :checked").map((b) => Number(b.value)),
    step: Number(panel.querySelector("output").textContent),
    captions: every("figcaption").map(words),
    heads: every("thead th").map(words),
    rows: every("tbody tr").map((r) => Array.from(r.cells).map(words)),
    layers: every(".view svg").map((s) => Array.from(s.querySelectorAll(".layer")).filter((g) => g.getBoundingClientRect().width > 0).map((g) => Number(g.dataset.layer))),
    counts: every(".view svg").map((s) => Array.from(s.querySelectorAll(".layer.on .count")).map(words)),
    shares: every(".view svg").map((s) => Array.from(s.querySelectorAll(".layer.on path")).map((bar) =>
      bar.getBoundingClientRect().width / (bar.getBBox().width * s.getBoundingClientRect().width / s.viewBox.baseVal.width))),
    pressed: every("tbody button[aria-pressed=true]").map(words),
    said: panel.querySelector("input[type=range]").getAttribute("aria-valuetext"),
    over: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    focus: document.activeElement.matches(":focus-visible"),
  };
};

(async () => {
  const browser = await puppeteer.launch({ executablePath: browserPath, args: ["--no-sandbox"] });
  const page = await browser.newPage(), console_ = [], loaded = [];
  await page.setViewport({ width: Number(width), height: 900 });
  page.on("console", (m) => console_.push(m.text()));
  page.on("pageerror", (e) => console_.push(String(e)));
  page.on("request", (r) => { if (!r.url().startsWith("data:")) loaded.push(r.url()); });
  await page.goto(url);
  const seen = [], see = async (action) => seen.push(await page.evaluate(snapshot, action));
  const tabTo = async (what) => {
    for (let i = 0; i < 400; i++) {
      await page.keyboard.press("Tab");
      if (await page.evaluate((what) => document.activeElement.matches(what), what)) return;
    }
    throw new Error("Tab never comes to " + what);
  };
  const click = async (what, at = 0) => {
    for (const e of await page.$$(what)) if (await e.isVisible() && at-- === 0) { await e.scrollIntoView(); return e.click(); }
    throw new Error("nothing to click: " + what);
  };
  await see("open");
  if (how === "mouse") {
    await click(".play .problems label", 1);
    await see("second problem");
    await click(".play .methods label", 2);
    await see("another method");
    const slider = (await page.$$(".play input[type=range]"))[1], box = await slider.boundingBox();
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await see("middle step");
    await click(".play tbody button", 1);
    await see("alone");
    await click(".play tbody button", 1);
    await see("all again");
    await click(".play .layer.on path", 1);
    await see("alone by its mark");
  } else {
    await tabTo(".play .problems input");
    await page.keyboard.press("ArrowRight");
    await see("second problem");
    await tabTo(".play .methods label:last-of-type input");
    await page.keyboard.press("Space");
    await see("another method");
    await tabTo(".play input[type=range]");
    await page.keyboard.press("ArrowLeft");
    await see("earlier step");
    await page.keyboard.press("Home");
    await see("first step");
    await tabTo(".play tbody button");
    await page.keyboard.press("Enter");
    await see("alone");
    await page.keyboard.press("Enter");
    await see("all again");
  }
  await new Promise((r) => setTimeout(r, 1000)); // the address follows with a delay (view.js)
  const link = page.url(), other = await browser.newPage();
  await other.setViewport({ width: Number(width), height: 900 });
  await other.goto(link);
  const linked = await other.evaluate(snapshot, seen[seen.length - 1].action);
  await other.close();
  await page.bringToFront();
  await page.evaluate(axe);
  const found = await page.evaluate(() => window.axe.run("section.play"));
  if (picture) await (await page.$("section.play")).screenshot({ path: picture });
  await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
  await page.emulateMediaType("print");
  const printed = await page.evaluate(() => ({
    controls: Array.from(document.querySelectorAll(".play input")).filter((e) => e.offsetParent).length,
    pictures: Array.from(document.querySelectorAll(".play svg")).filter((e) => e.getBoundingClientRect().width > 0).length,
    rows: Array.from(document.querySelectorAll(".play tbody tr")).filter((e) => e.offsetParent).length,
  }));
  await browser.close();
  console.log(JSON.stringify({ seen, linked, printed, console: console_, loaded, violations: found.violations.map((v) => v.id + ": " + v.nodes.map((n) => n.html).join(" ").slice(0, 300)), passes: found.passes.length }));
})().catch((e) => { console.error(e); process.exit(1); });

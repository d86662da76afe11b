// Walks through a page in a browser as readers do, and prints what it saw as JSON: with the mouse at
// a desk and on a phone, with the keyboard alone, by a link to a view, in print, without scripts.
"use strict";
const fs = require("fs"), path = require("path"), crypto = require("crypto");
const [libraries, chromium, file, folder, shots] = process.argv.slice(2);
const puppeteer = require(path.join(libraries, "puppeteer-core"));
const axe = fs.readFileSync(path.join(libraries, "axe-core", "axe.min.js"), "utf8");
const url = "file://" + file;
const problems = [], seen = { requests: 0, checked: [], figures: [] };
const check = (ok, what) => { if (!ok) problems.push(what); };
const pause = (ms) => new Promise((r) => setTimeout(r, ms));
const until = async (what, f, wait = 15000) => {
  for (const end = Date.now() + wait; Date.now() < end; await pause(50)) if (await f()) return true;
  problems.push("waited in vain: " + what);
  return false;
};

const open = async (browser, width, hash = "") => {
  const page = await browser.newPage();
  page.on("request", (r) => { if (!/^(data:|blob:)/.test(r.url()) && r.url().split("#")[0] !== url) { seen.requests++; problems.push("it asks for " + r.url()); } });
  page.on("pageerror", (e) => problems.push("an error of the script: " + e.message));
  page.on("console", (m) => { if (m.type() === "error" || m.type() === "warn") problems.push("the console: " + m.text()); });
  await page.evaluateOnNewDocument(() => { // the names beside points: only they have an edge
    const { strokeText } = CanvasRenderingContext2D.prototype;
    window.written = new Set();
    CanvasRenderingContext2D.prototype.strokeText = function (text, ...at) { window.written.add(text); strokeText.call(this, text, ...at); };
  });
  await page.setViewport({ width, height: 900 });
  await page.goto(url + hash);
  return page;
};
const ours = ".legend-place ~ figure "; // those that the legend is of
const near = async (page) => { // the first interactive figure, drawn
  await page.evaluate(() => { window.scrollTo(0, 0); document.querySelector(".legend").scrollIntoView(); }); // it sticks to where the page is
  await until("a figure", () => page.$(ours + ".canvas canvas"));
  await pause(200);
};
const picture = (page) => page.$eval(ours + ".canvas canvas", (c) => c.toDataURL()).then((d) => crypto.createHash("sha256").update(d).digest("hex"));
const hash = (page) => page.evaluate(() => decodeURIComponent(location.hash));
// The address follows a choice after a while.
const addressed = async (page, what, wanted = true) => {
  for (const end = Date.now() + 2000; Date.now() < end; await pause(50)) if (what.test(await hash(page)) === wanted) return true;
  return false;
};
const press = (page, text, within = ours + ".live") => page.evaluate((text, within) => { const b = Array.from(document.querySelectorAll(within + " button")).find((b) => b.textContent === text); b.scrollIntoView({ block: "center" }); b.click(); }, text, within);

// Everything on the page has a name, contrast and the right roles. This ends a walk: of the rows of
// long tables and the shapes of drawings, which one line of code makes, the first eight are kept,
// because the time that axe takes grows faster than the number of elements.
const accessible = async (page, when) => {
  await page.evaluate(axe);
  await page.evaluate(() => { for (const e of document.querySelectorAll("tbody > tr:nth-child(n+9), .plot > svg *:nth-child(n+9)")) e.remove(); });
  const result = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  for (const v of result.violations) for (const n of v.nodes.slice(0, 3)) problems.push(`axe, ${when}: ${v.id}: ${n.target.join(" ")}: ${n.failureSummary.replace(/\s+/g, " ").slice(0, 200)}`);
  seen.checked.push(`${when}: ${result.passes.length} rules hold`);
};

// The numbers of every figure, as its reader can open them.
const theValues = async (page) => {
  for (const id of await page.$$eval("figure.works", (l) => l.map((f) => f.id))) {
    const figure = await page.$("#" + id);
    await figure.evaluate((f) => f.scrollIntoView({ block: "center" }));
    await until("the figure " + id, () => figure.$(".canvas canvas"));
    await figure.$eval(".live > details > summary", (s) => s.click());
    await until("the values of " + id, () => figure.$(".live > details table"));
    seen.figures.push({ id, tables: await figure.$$eval(".live > details table", (l) => l.map((t) => ({
      heads: Array.from(t.tHead.rows[0].cells).map((c) => c.textContent), rows: Array.from(t.tBodies[0].rows).map((r) => Array.from(r.cells).map((c) => c.textContent)),
    }))) });
    await figure.$eval(".live > details > summary", (s) => s.click());
  }
};

const withTheMouse = async (page, width) => {
  await near(page);
  const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  check(over <= 0, `${width}: the page is ${over} pixels wider than the screen`);
  const first = await picture(page), changed = async (what, act) => { // act, and back again
    for (const [i, want] of [[0, false], [1, true]]) {
      await act(i);
      await pause(150);
      check((await picture(page) === first) === want, `${width}: ${what}: the figure ${want ? "is not as before" : "does not change"}`);
    }
  };
  const pressed = () => page.$$eval(".methods button", (l) => l.map((b) => b.getAttribute("aria-pressed")).join());
  const before = await pressed();
  await changed("a method turned off", async () => { await page.click('.methods li:nth-child(2) button'); await page.mouse.move(0, 0); });
  check(await pressed() === before, `${width}: the legend is not as before`);
  await changed("pointing at a method", async (i) => i ? page.mouse.move(0, 0) : page.hover(".methods li:nth-child(2) button"));
  await changed("a highlight", async (i) => page.select(".legend select", i ? "" : await page.$eval(".methods li:nth-child(2) button", (b) => b.textContent)));
  await changed("zoom in", (i) => press(page, i ? "Reset zoom" : "Zoom in"));
  await changed("pan", (i) => press(page, i ? "Reset zoom" : "Right"));
  if (await page.evaluate(() => Array.from(document.querySelectorAll(".legend-place ~ figure .live button")).some((b) => b.textContent === "Log up"))) await changed("a logarithmic axis", () => press(page, "Log up"));
  if (await page.evaluate(() => Array.from(document.querySelectorAll(".live button")).some((b) => b.textContent === "Seeds"))) await changed("seeds", () => press(page, "Seeds"));
  const box = await page.$eval(ours + ".u-over", (e) => { e.scrollIntoView({ block: "center" }); const b = e.getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; });
  const at = (x, y) => [box[0] + x * box[2], box[1] + y * box[3]];
  await changed("a drag", async (i) => {
    if (i) { await page.mouse.click(...at(0.5, 0.5), { count: 2 }); await page.mouse.move(0, 0); return; }
    await page.mouse.move(...at(0.2, 0.2));
    await page.mouse.down();
    await page.mouse.move(...at(0.6, 0.7), { steps: 5 });
    await page.mouse.up();
    await page.mouse.move(0, 0);
    check(await addressed(page, /\.x=[-\d.e]+:/), `${width}: the address does not follow a drag: ${await hash(page)}`);
  });
  await page.mouse.move(...at(0.5, 0.5));
  const reading = await page.$eval("#reading", (e) => e.hidden ? "" : e.textContent);
  check(reading.length > 5, `${width}: nothing is read below the pointer`);
  await page.mouse.move(0, 0);
};

// The table: sorted, searched, filtered and saved.
const theTable = async (page) => {
  const rows = () => page.$$eval(".sortable tbody tr:not([hidden])", (l) => l.map((r) => r.cells[0].textContent));
  const all = await rows();
  await page.evaluate(() => document.querySelectorAll(".sortable thead button")[1].click());
  const values = await page.$$eval(".sortable tbody tr", (l) => l.map((r) => r.cells[1].dataset.sort).filter((s) => s !== "").map(Number));
  check(values.every((v, i) => i === 0 || values[i - 1] >= v), "the table is not sorted from the largest");
  const name = all[1].slice(0, 4);
  await page.evaluate(() => document.querySelector('.controls input[type="search"]').scrollIntoView({ block: "center" }));
  await page.type('.controls input[type="search"]', name);
  const found = await rows();
  check(found.length > 0, "search finds nothing");
  check(found.length === all.filter((r) => r.toLowerCase().includes(name.toLowerCase())).length, `search for ${name} finds ${found}`);
  await page.$eval('.controls input[type="search"]', (e) => { e.value = ""; e.dispatchEvent(new Event("input")); });
  const [column, cut] = await page.evaluate(() => { const c = Array.from(document.querySelectorAll(".sortable tbody tr")).map((r) => r.cells[2].dataset.sort).filter((s) => s !== "").map(Number).sort((a, b) => a - b); return ["2", c[Math.floor(c.length / 2)]]; });
  await page.select(".controls select", column);
  await page.type('.controls input[type="number"]', String(cut));
  const kept = await page.$$eval(".sortable tbody tr:not([hidden])", (l) => l.map((r) => [r.cells[0].textContent, Number(r.cells[2].dataset.sort)]));
  check(kept.length > 0 && kept.length < all.length && kept.every((r) => r[1] >= cut), `the filter keeps ${kept}`);
  const session = await page.createCDPSession();
  await session.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: folder });
  await press(page, "Download CSV", ".controls");
  let csv = null;
  await until("the download", () => { csv = fs.readdirSync(folder).find((f) => f.endsWith(".csv")); return csv; });
  if (csv) {
    await pause(100);
    const lines = fs.readFileSync(path.join(folder, csv), "utf8").trim().split("\n");
    check(lines.length === kept.length + 1, `the file has ${lines.length} lines for ${kept.length} rows`);
    check(lines[0].includes(" low,") && lines.slice(1).every((l, i) => l.replace(/^"|"$/g, "").startsWith(kept[i][0].slice(0, 3))), "the file's first line is " + lines[0]);
    seen.csv = `${csv}: ${lines.length} lines`;
  }
};

// What is chosen is in the address, and a page opened by it is the same.
const byLink = async (browser, page) => {
  await near(page);
  await page.click('.methods li:nth-child(2) button');
  await page.mouse.move(0, 0);
  await press(page, "Zoom in");
  const select = await page.$(ours + ".live select");
  if (select) await page.evaluate((s) => { s.selectedIndex = (s.selectedIndex + 1) % s.options.length; s.dispatchEvent(new Event("change")); }, select);
  await pause(600);
  const link = await page.evaluate(() => location.hash);
  const read = (p) => p.evaluate(() => JSON.stringify([
    Array.from(document.querySelectorAll("[aria-pressed]")).map((b) => b.getAttribute("aria-pressed")),
    Array.from(document.querySelectorAll("select, input")).map((b) => b.value),
    Array.from(document.querySelectorAll(".sortable tbody tr")).map((r) => r.cells[0].textContent + r.hidden),
    Array.from(document.querySelectorAll("[aria-sort]")).map((h) => h.getAttribute("aria-sort")),
  ]));
  const other = await open(browser, 1280, link);
  await near(other);
  check(link.length > 10 && await read(other) === await read(page), "a link does not lead back to the view: " + link);
  check(await picture(other) === await picture(page), "a figure by a link is another one");
  seen.link = decodeURIComponent(link);
  await other.evaluate(() => { location.hash = ""; location.hash = "#x=1"; });
  await pause(300);
  check(await other.$$eval(".methods button", (l) => l[1].getAttribute("aria-pressed")) !== await page.$$eval(".methods button", (l) => l[1].getAttribute("aria-pressed")), "another address does not change the page");
  await other.close();
};

// With the keyboard alone: every stop shows its focus, and none holds it.
const withKeys = async (page) => {
  let stops = 0, hidden = 0, toggled = false, read = false, zoomed = false, last = "";
  await page.evaluate(() => { window.scrollTo(0, 0); document.activeElement.blur(); });
  for (; stops < 900; stops++) {
    await page.keyboard.press("Tab");
    const now = await page.evaluate(() => {
      const e = document.activeElement;
      if (e === document.body) return null;
      const s = getComputedStyle(e), box = e.getBoundingClientRect();
      return { outline: s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 1, box: box.width > 0, method: !!e.closest(".methods"), over: e.classList.contains("u-over"), text: e.tagName + " " + e.textContent.slice(0, 30), pressed: e.getAttribute("aria-pressed") };
    });
    if (now === null) break;
    if (!now.outline || !now.box) { hidden++; if (hidden < 4) problems.push("the focus cannot be seen at " + now.text); }
    if (now.method && !toggled) {
      await page.keyboard.press("Space");
      toggled = await page.evaluate((was) => document.activeElement.getAttribute("aria-pressed") !== was, now.pressed);
      await page.keyboard.press("Space");
    }
    if (now.over && !read) {
      await pause(200);
      await page.keyboard.press("Home");
      const text = () => page.evaluate(() => document.activeElement.getAttribute("aria-valuetext"));
      const one = await text();
      await page.keyboard.press("ArrowRight");
      read = one !== await text() && one.length > 5;
      await page.keyboard.press("+");
      zoomed = await addressed(page, /\.x=/) && await page.evaluate(() => document.activeElement.classList.contains("u-over"));
      await page.keyboard.press("0");
      zoomed = zoomed && await addressed(page, /\.x=/, false);
      await page.keyboard.press("Escape");
    }
    last = now.text;
  }
  check(stops < 900, "the focus does not come to an end: " + last);
  check(toggled, "no method is turned off by the keyboard");
  check(read, "no value is read by the keyboard");
  check(zoomed, "no figure is zoomed by the keyboard");
  seen.stops = stops;
};

const onPaper = async (page) => {
  await page.evaluate(() => { location.hash = "#x=1"; }); // the view as it is written
  await page.setViewport({ width: 688, height: 900 });
  await page.emulateMediaType("print");
  await pause(300);
  const paper = await page.evaluate(() => {
    const out = { cut: [], drawings: 0, live: 0, high: [] };
    for (const e of document.querySelectorAll("table")) { const b = e.getBoundingClientRect(); if (b.width && b.right > document.documentElement.clientWidth + 1) out.cut.push(e.textContent.trim().slice(0, 30) + " by " + Math.round(b.right - document.documentElement.clientWidth)); }
    for (const e of document.querySelectorAll(".plot > svg")) { const b = e.getBoundingClientRect(); if (b.width) out.drawings++; if (b.height > 960) out.high.push(Math.round(b.height)); }
    for (const e of document.querySelectorAll(".live, .legend, .controls")) if (e.getBoundingClientRect().height) out.live++;
    return out;
  });
  check(paper.cut.length === 0, "on paper columns are cut: " + paper.cut.join("; "));
  check(paper.high.length === 0, "drawings are higher than a page: " + paper.high);
  check(paper.drawings > 2 && paper.live === 0, `on paper there are ${paper.drawings} drawings and ${paper.live} controls`);
  await page.pdf({ path: path.join(folder, "page.pdf"), preferCSSPageSize: true, printBackground: true });
  await page.emulateMediaType(null);
  seen.drawings = paper.drawings;
};

const withoutScripts = async (browser) => {
  const page = await browser.newPage();
  await page.setJavaScriptEnabled(false);
  await page.goto(url);
  const n = await page.$$eval(".plot > svg", (l) => l.filter((e) => e.getBoundingClientRect().height > 50).length);
  check(n > 2, `without scripts there are ${n} drawings`);
  await page.close();
};

(async () => {
  const browser = await puppeteer.launch({ executablePath: chromium, args: ["--no-sandbox", "--disable-gpu"] });
  const shot = async (page, name) => { if (shots) await page.screenshot({ path: path.join(shots, name + ".png") }); };
  let page = await open(browser, 1280);
  await until("a paint", () => page.evaluate(() => performance.getEntriesByType("paint").length > 0));
  seen.paint = await page.evaluate(() => Math.round(performance.getEntriesByType("paint")[0].startTime));
  await near(page);
  seen.named = await page.$$eval(".methods button[aria-pressed=true]", (l) => l.map((b) => b.textContent).filter((name) => window.written.has(name)));
  await theValues(page);
  await near(page);
  await shot(page, "desk");
  await withTheMouse(page, 1280);
  await theTable(page);
  await byLink(browser, page);
  await near(page);
  await accessible(page, "a desk");
  await page.close();
  page = await open(browser, 1280);
  await withKeys(page);
  await onPaper(page);
  await page.close();
  page = await open(browser, 390);
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
  await near(page);
  await shot(page, "phone");
  await withTheMouse(page, 390);
  await accessible(page, "a phone in the dark");
  await page.close();
  await withoutScripts(browser);
  await browser.close();
  console.log(JSON.stringify({ problems, seen }));
})().catch((e) => { console.error(e.stack); process.exit(1); });

// Opens pages of a site as readers do, wide and narrow, light and dark, with JavaScript and without,
// and prints what is wrong, a line each: violations that axe-core finds, requests to anywhere but the
// site's own files, errors, pages that are wider than their window, and what paper would cut off.
//
//   node browse.mjs CHROMIUM MODULES SITE PAGE...
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import path from "node:path";

const [chromium, modules, site, ...pages] = process.argv.slice(2);
const require = createRequire(path.join(modules, "x.js"));
const puppeteer = require("puppeteer-core");
const axe = require.resolve("axe-core/axe.min.js");
const home = pathToFileURL(path.resolve(site)).href + "/";

const browser = await puppeteer.launch({ executablePath: chromium, args: ["--no-sandbox", "--disable-gpu"] });
const say = (...words) => console.log(words.join(" "));
let opened = 0;

const open = async (name, width, scheme, scripts) => {
  const tab = await (await browser.createBrowserContext()).newPage(); // remembers nothing of other pages
  const where = `${name}, ${scheme}${scripts ? "" : ", no JavaScript"}:`;
  tab.on("request", (request) => { if (!request.url().startsWith(home) && !request.url().startsWith("data:")) say(where, "asks for", request.url()); });
  tab.on("requestfailed", (request) => say(where, "does not get", request.url()));
  tab.on("pageerror", (error) => say(where, error.message));
  tab.on("console", (line) => { if (line.type() === "error") say(where, line.text()); });
  tab.setDefaultTimeout(120_000); // of a busy machine
  await tab.setJavaScriptEnabled(scripts);
  await tab.setViewport({ width, height: 900 });
  await tab.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  await tab.goto(home + name);
  opened++;
  return [tab, where];
};

const fits = async (tab, where) => {
  const wide = await tab.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  if (wide > 0) say(where, "at", tab.viewport().width, "is", wide, "points wider than its window");
};

// printed looks for what is cut on a page of A4, within the theme's margins.
const printed = async (tab, where) => {
  await tab.emulateMediaType("print");
  await tab.setViewport({ width: 630, height: 960 });
  const cut = await tab.evaluate(() => [...document.querySelectorAll("article :is(table, pre, code, svg, img)")].filter((each) => {
    const box = each.getBoundingClientRect();
    for (let around = each; around; around = around.parentElement) {
      if (getComputedStyle(around).overflowX !== "visible" && Math.max(box.right, box.left + each.scrollWidth) > around.getBoundingClientRect().right + 1) return true;
    }
    return box.right > innerWidth + 1;
  }).map((each) => each.outerHTML.slice(0, 120).replace(/\s+/g, " ")));
  for (const line of cut) say(where, "paper cuts", line);
};

// axe-core reads the first two pages as a whole, wide and light as well as narrow and dark. Of the others, whose
// header and navigation are the same, it reads the content, in one of the two. All have to fit both widths.
const looks = [[1280, "light"], [390, "dark"]];
for (const [i, name] of pages.entries()) {
  const whole = i < 2;
  for (const [read, scheme] of whole ? looks : [looks[i % 2]]) {
    const [tab, where] = await open(name, 1280, scheme, true);
    await tab.addScriptTag({ path: axe });
    // A page at rest: colours on their way from one window to the next have any contrast.
    await tab.addStyleTag({ content: "*, *::before, *::after { transition: none !important; animation: none !important }" });
    for (const [width] of looks) {
      await tab.setViewport({ width, height: 900 });
      await fits(tab, where);
      if (width !== read) continue;
      const found = await tab.evaluate(async (exclude) => (await window.axe.run({ exclude }, { preload: false })).violations.map((v) => `${v.id} (${v.impact}): ${v.nodes.length} x ${v.nodes[0].html.slice(0, 120)}`),
        whole ? [] : [[".md-header"], [".md-sidebar"]]);
      for (const line of found) say(where, line);
    }
    await printed(tab, where);
    await tab.close();
  }
}

// Without JavaScript the same parts of the theme are shown on all pages.
{
  const [tab, where] = await open(pages[0], 390, "light", false);
  await fits(tab, where);
  if (await tab.$$eval(".md-header label, .md-search", (all) => all.some((each) => each.htmlFor !== "__drawer" && each.offsetParent !== null))) {
    say(where, "shows a button that does nothing");
  }
  await tab.close();
}

// What a search finds first, by hand: typed, listed, opened with the return key.
for (const [words, want] of [
  ["poly-epo", "methods/poly-epo.html"],
  ["add an estimator", "CONTRIBUTING.html"],
  ["exit codes", "docs/commands.html"],
  ["countdown", "environments/countdown.html"],
]) {
  const [tab, where] = await open("methods/index.html", 1280, "light", true);
  await tab.click(".md-search__input");
  await tab.type(".md-search__input", words);
  await tab.waitForSelector(".md-search-result__link");
  const found = await tab.$$eval(".md-search-result__item > .md-search-result__link", (links) => links.slice(0, 5).map((link) => link.href.replace(/\?h=[^#]*/, "")));
  if (!found.includes(home + want)) say(where, "a search for", words, "finds", found.join(" "), "and not", want);
  await Promise.all([tab.waitForNavigation(), tab.keyboard.press("Enter")]);
  if (tab.url().replace(/\?h=[^#]*/, "") !== found[0]) say(where, "the return key leads to", tab.url());
  await tab.close();
}

// The button: dark colours at once, and on the next page too.
const [tab, where] = await open("index.html", 1280, "light", true);
const back = () => tab.evaluate(() => getComputedStyle(document.body).backgroundColor);
const light = await back();
for (const title of ["Light", "Dark"]) await tab.click(`label[title="${title}"]`);
if ((await back()) === light) say(where, "the button changes nothing");
await tab.goto(home + "about.html");
if ((await back()) === light) say(where, "the choice of the button is forgotten");

await browser.close();
say(opened, "pages opened");

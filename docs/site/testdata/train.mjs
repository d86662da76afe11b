// Trains in the playground with the keyboard alone, in a narrow dark window, and prints as JSON the spec and the record
// of each method, and what it asked for beside its own file.
//
//   node train.mjs CHROMIUM MODULES PAGE TASK...
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import path from "node:path";

const [chromium, modules, page, ...tasks] = process.argv.slice(2);
const puppeteer = createRequire(path.join(modules, "x.js"))("puppeteer-core");
const browser = await puppeteer.launch({ executablePath: chromium, args: ["--no-sandbox", "--disable-gpu"] });
const home = pathToFileURL(path.resolve(page)).href;
const tab = await browser.newPage();
tab.setDefaultTimeout(240_000); // of a busy machine
const asked = [], errors = [], runs = [];
tab.on("request", (request) => { if (!/^(data|blob):/.test(request.url()) && request.url().split("#")[0] !== home) asked.push(request.url()); });
tab.on("pageerror", (error) => errors.push(error.message));
await tab.setViewport({ width: 390, height: 900 });
await tab.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }, { name: "prefers-reduced-motion", value: "reduce" }]);
await tab.goto(home);
for (const task of tasks) {
  await tab.select("[name=task]", task);
  await tab.focus("button");
  await tab.keyboard.press("Enter");
  await tab.waitForFunction(() => /accuracy|did not/.test(document.getElementById("said").textContent));
  runs.push(await tab.evaluate(() => ({
    said: document.getElementById("said").textContent,
    spec: document.getElementById("spec").textContent,
    done: [...document.querySelectorAll("section")].map((section) => section.querySelectorAll("pre")[1].textContent),
    wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  })));
}
// The address alone leads to the same run.
const shared = await browser.newPage();
shared.setDefaultTimeout(240_000);
await shared.goto(tab.url());
await shared.waitForFunction(() => /accuracy|did not/.test(document.getElementById("said").textContent));
const again = await shared.$$eval("section", (all) => all.map((section) => section.querySelectorAll("pre")[1].textContent));
await browser.close();
console.log(JSON.stringify({ runs, again, asked, errors }));

// Opens a page in a browser and runs a test's own script on it, which gets what it needs to act and
// to look. Prints what the script returns, and the errors of the page, as JSON.
"use strict";
const fs = require("node:fs"), path = require("node:path"), { pathToFileURL } = require("node:url");
const [libraries, chromium, file, script] = process.argv.slice(2);
const puppeteer = require(path.join(libraries, "puppeteer-core"));
const pause = (ms) => new Promise((r) => setTimeout(r, ms));

(async () => {
  const browser = await puppeteer.launch({ executablePath: chromium, args: ["--no-sandbox", "--disable-gpu"], protocolTimeout: 30000 }), errors = [];
  const open = async (hash = "", width = 1280) => {
    const page = await browser.newPage();
    page.on("pageerror", (e) => errors.push(`${hash}: ${e.message}`));
    await page.setViewport({ width, height: 900 });
    await page.goto(pathToFileURL(file).href + hash);
    return page;
  };
  const show = async (page, id) => { // a figure, drawn
    await page.$eval("#" + id, (e) => e.scrollIntoView({ block: "center" }));
    await page.waitForSelector(`#${id} .canvas canvas`);
    await pause(250);
  };
  const press = (page, within, text) => page.evaluate((within, text) => Array.from(document.querySelectorAll(within + " button")).find((b) => b.textContent === text).click(), within, text);
  const text = (page, what) => page.$eval(what, (e) => e.textContent);
  const address = (page) => page.evaluate(() => decodeURIComponent(location.hash));
  const picture = (page, id) => page.$eval(`#${id} canvas`, (c) => c.toDataURL());
  // How many pixels of a panel have colour: those of lines and marks.
  const coloured = (page, id) => page.$eval(`#${id} canvas`, (c) => {
    const d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
    let n = 0;
    for (let i = 0; i < d.length; i += 4) if (d[i + 3] > 0 && Math.max(d[i], d[i + 1], d[i + 2]) - Math.min(d[i], d[i + 1], d[i + 2]) > 60) n++;
    return n;
  });
  const act = new Function("open", "show", "press", "text", "address", "picture", "coloured", "pause", "errors", `return (async () => {${fs.readFileSync(script, "utf8")}})();`);
  const seen = await act(open, show, press, text, address, picture, coloured, pause, errors);
  await browser.close();
  process.stdout.write(JSON.stringify({ errors, seen }));
})().catch((e) => { console.error(e.stack); process.exit(1); });

"use strict";
// Opens each page in a browser of its own, one after the other, and prints the milliseconds to its
// first paint. Arguments: npm's libraries, the browser, and the pages.
const path = require("node:path"), { pathToFileURL } = require("node:url");
const [libraries, chromium, ...files] = process.argv.slice(2);
const puppeteer = require(path.join(libraries, "puppeteer-core"));

(async () => {
  const times = [];
  for (const file of files) {
    const browser = await puppeteer.launch({ executablePath: chromium, args: ["--no-sandbox", "--disable-gpu"] });
    const page = await browser.newPage();
    await page.goto(pathToFileURL(file).href, { waitUntil: "load" });
    await page.waitForFunction(() => performance.getEntriesByType("paint").length > 0);
    times.push(await page.evaluate(() => performance.getEntriesByType("paint")[0].startTime));
    await browser.close();
  }
  process.stdout.write(JSON.stringify(times));
})().catch((error) => { console.error(error); process.exit(1); });

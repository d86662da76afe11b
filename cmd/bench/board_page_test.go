package main

import (
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"modebench/plots/report/reporttest"
)

// mostBoard is how many bytes the page of the board may have.
const mostBoard = 5_000_000

// TestBoardPage writes the page of the published board, and walks through it as its readers do.
func TestBoardPage(t *testing.T) {
	takesSeconds(t)
	inDir(t)
	_, errs := succeed(t, "board", "--from", "published", "--html", "pages/board.html")
	if !strings.Contains(errs, "page: pages/board.html") {
		t.Errorf("%q", errs)
	}
	page, err := os.ReadFile("pages/board.html")
	if err != nil {
		t.Fatal(err)
	}
	if len(page) > mostBoard {
		t.Errorf("the page has %d bytes, want at most %d", len(page), mostBoard)
	}
	succeed(t, "board", "--from", "published", "--html", "again.html")
	if again, err := os.ReadFile("again.html"); err != nil || string(again) != string(page) {
		t.Errorf("written again the page is another one (%v)", err)
	}
	seen, pdf := reporttest.Walk(t, "pages/board.html")
	reporttest.CheckValues(t, string(page), seen)
	if len(seen.Named) < 6 || !slices.Contains(seen.Named, "grpo") || !slices.Contains(seen.Named, "poly-epo") {
		t.Errorf("of the eight methods that stand out the figures name %v", seen.Named)
	}
	checkBoardReader(t, "pages/board.html")
	text, err := exec.Command("pdftotext", "-layout", pdf, "-").Output()
	if err != nil {
		t.Skipf("no pdftotext to read the print: %v", err)
	}
	for _, want := range []string{"poly-epo", "1.135", "one setting", "How accurate methods get"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the print lacks %q", want)
		}
	}
}

// TestBoardPageWords: every column of the table is explained above it.
func TestBoardPageWords(t *testing.T) {
	takesSeconds(t)
	inDir(t)
	succeed(t, "board", "--from", "published", "--html", "board.html")
	page := read(t, "board.html")
	text, table, _ := strings.Cut(page, `<table class="sortable numbers" data-id="table">`)
	text = html.UnescapeString(text)
	head, _, _ := strings.Cut(table, "</thead>")
	columns := regexp.MustCompile(`<button type="button">(.*?)</button>`).FindAllStringSubmatch(head, -1)
	if len(columns) < 12 {
		t.Fatalf("%d columns", len(columns))
	}
	for _, c := range columns[1:] {
		name := html.UnescapeString(strings.ReplaceAll(c[1], "<wbr/>", ""))
		if of, _, task := strings.Cut(name, " "); task && of == "area" {
			continue // area is defined on a task
		}
		if !strings.Contains(text, "<li><b>"+name+"</b>: ") {
			t.Errorf("%q is not explained", name)
		}
	}
	if strings.Contains(page, "docs/") {
		t.Error("the page names a file that a reader of the page alone does not have")
	}
}

// checkBoardReader checks that all parts of a page of many methods fit, are whole and are explained.
func checkBoardReader(t *testing.T, file string) {
	t.Helper()
	var seen struct {
		Reading    struct{ Top, Bottom, Rows float64 }
		More       string
		CSV, Menu  []string
		Heading    float64 // its top below the legend's bottom
		CutButtons int
		Legend     string
		Names      []string
		Note       string
	}
	reporttest.Try(t, file, `
const page = await open();
await page.evaluate(() => { // the names of rows as they are written
  const { fillText } = CanvasRenderingContext2D.prototype;
  window.texts = [];
  CanvasRenderingContext2D.prototype.fillText = function (text, ...at) { window.texts.push(text); fillText.call(this, text, ...at); };
  const url = URL.createObjectURL;
  URL.createObjectURL = (blob) => { blob.text().then((t) => { window.csv = t; }); return url.call(URL, blob); };
});
await press(page, ".controls", "Download CSV");
await page.waitForFunction(() => window.csv);
const csv = (await page.evaluate(() => window.csv)).split("\n").slice(0, 3).map((l) => l.split(",").slice(0, 3).join());
await show(page, "frontier");
const note = await text(page, "#frontier .note"), menu = await page.$$eval("#frontier .live select:first-of-type option", (l) => l.map((o) => o.textContent));
await page.evaluate(() => document.querySelector('a[href="#entropy-title"]').click());
await pause(700);
const heading = await page.evaluate(() => document.getElementById("entropy-title").getBoundingClientRect().top - document.querySelector(".legend").getBoundingClientRect().bottom);
const cutButtons = await page.$eval(".methods", (list) => { const b = list.getBoundingClientRect(); return Array.from(list.querySelectorAll("button")).filter((e) => { const r = e.getBoundingClientRect(); return r.top < b.bottom - 1 && r.bottom > b.bottom + 1; }).length; });
await press(page, ".legend", "All");
await show(page, "pass-at-k");
const [x, y] = await page.$eval("#pass-at-k .u-over", (e) => { const b = e.getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]; });
await page.mouse.move(x, y);
await pause(200);
const reading = await page.$eval("#reading", (e) => { const b = e.getBoundingClientRect(); return { top: b.top, bottom: innerHeight - b.bottom, rows: e.querySelectorAll("div").length }; });
const more = await page.$eval("#reading", (e) => e.lastChild.textContent);
await page.mouse.move(0, 0);
await page.setViewport({ width: 390, height: 600 });
await page.reload();
await page.evaluate(() => { const { fillText } = CanvasRenderingContext2D.prototype; window.texts = []; CanvasRenderingContext2D.prototype.fillText = function (text, ...at) { window.texts.push(text); fillText.call(this, text, ...at); }; });
await show(page, "ranks");
const names = await page.evaluate(() => window.texts);
return { reading, more, csv, menu, heading, cutButtons, legend: await text(page, ".legend .many"), names, note };`, &seen)
	if seen.Reading.Top < 0 || seen.Reading.Bottom < 0 || seen.Reading.Rows < 5 || !strings.HasPrefix(seen.More, "and ") {
		t.Errorf("a reading of all methods is at %+v and ends with %q", seen.Reading, seen.More)
	}
	if len(seen.CSV) != 3 || seen.CSV[0] != "method,rank low,rank high" || !strings.Contains(seen.CSV[1], ",1,2") {
		t.Errorf("the saved table begins with %q", seen.CSV)
	}
	if seen.Heading < 0 || seen.CutButtons != 0 || !strings.HasPrefix(seen.Legend, "110 methods") {
		t.Errorf("a heading is %v pixels below the legend, which cuts %d buttons and says %q", seen.Heading, seen.CutButtons, seen.Legend)
	}
	if names := strings.Join(seen.Names, " "); strings.Contains(names, "…") || !strings.Contains(names, "differential-smoothing") || !strings.Contains(names, "evol-rl-cliphigh-ent") {
		t.Errorf("rows are named %q", seen.Names)
	}
	if !strings.Contains(seen.Note, "blue line") || !strings.Contains(seen.Note, "95% intervals") {
		t.Errorf("the note below the frontier is %q", seen.Note)
	}
	if slices.Contains(seen.Menu, "tokens90") || len(seen.Menu) < 8 {
		t.Errorf("the menu has %q", seen.Menu)
	}
}

// mostPaint is how many milliseconds the page of the board may take to its first paint, on a machine
// that does nothing else.
const mostPaint = 500

// BenchmarkBoardPaint is the time to the first paint of the page of the published board, and of an
// empty page beside it. It fails above mostPaint.
func BenchmarkBoardPaint(b *testing.B) {
	if testing.Short() {
		b.Skip("a browser takes seconds to start")
	}
	board, empty := filepath.Join(b.TempDir(), "board.html"), filepath.Join(b.TempDir(), "empty.html")
	succeed(b, "board", "--from", "published", "--html", board)
	if err := os.WriteFile(empty, []byte("<!doctype html><title>empty</title><p>empty</p>"), 0o644); err != nil {
		b.Fatal(err)
	}
	var boards, empties []float64
	for b.Loop() {
		times := reporttest.Paint(b, empty, board)
		empties, boards = append(empties, times[0]), append(boards, times[1])
	}
	slices.Sort(empties)
	slices.Sort(boards)
	median := boards[len(boards)/2]
	b.ReportMetric(0, "ns/op") // most of it is the start of the browser
	b.ReportMetric(median, "ms/paint")
	b.ReportMetric(median/empties[len(empties)/2], "x-empty-page")
	if median > mostPaint {
		b.Errorf("the page of the board first paints after %.0f ms (median of %d), want at most %d on an idle machine", median, len(boards), mostPaint)
	}
}

func TestBoardPageMistakes(t *testing.T) {
	inDir(t)
	for _, c := range []struct{ args, want string }{
		{"board --from published --show grpo", "--show is for --draw and --html, and both are missing"},
		{"board --shard 1/2 --html x.html", "--html shows all methods"},
		{"board add x.toml --html x.html", "board add takes no --html"},
		{"board foretell --html x.html", "--html"},
	} {
		code, out, errs := call(t, "", strings.Fields(c.args)...)
		if code != exitUsage || out != "" || !strings.Contains(errs, c.want) {
			t.Errorf("%s: exit code %d, %q %q", c.args, code, out, errs)
		}
	}
}

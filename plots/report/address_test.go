package report

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"modebench/internal/testkit"
	"modebench/plots/report/reporttest"
)

// saved is the page of an experiment as a file.
func saved(t *testing.T, e Experiment) string {
	t.Helper()
	testkit.Long(t, "starts a browser")
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, []byte(written(t, e)), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestForeignAddresses: an address of another page, or written by hand, leaves the page whole.
func TestForeignAddresses(t *testing.T) {
	var seen []struct {
		Hash, About, Chosen string
		Tables, Coloured    int
	}
	reporttest.Try(t, saved(t, demo(t)), `
const out = [];
for (const hash of ["#e1-table.column=9&e1-table.than=1", "#e1-table.column=1&e1-table.than=abc", "#e1-table.sort=-1:ascending", "#e1-table.sort=0.5:ascending", "#e1-table.sort=1:up",
  "#e1-figure8.at=999", "#e1-figure8.at=abc", "#e1-figure8.m0=gone", "#e1.highlight=nobody", "#e1-figure8.x=0:Infinity", "#e1-figure8.x=-1e308:1e308", "#e1-figure8.logy=1&e1-figure8.y0=0:3",
  "#e1-figure8.logy=1&e1-figure8.y0=-3:3", "#e1-figure8.logy=1&e1-figure8.logx=1&e1-figure8.y0=-3:0&e1-figure8.x=NaN:2"]) {
  const page = await open(hash);
  await show(page, "e1-figure8");
  out.push({ hash, about: await text(page, "#e1-figure8-about0"), tables: await page.$$eval("#e1-summary ~ .controls", (l) => l.length), coloured: await coloured(page, "e1-figure8"),
    chosen: await page.$$eval("table.sortable tbody tr:not([hidden])", (l) => l.length + " rows") });
  await page.close();
}
return out;`, &seen)
	if len(seen) != 14 {
		t.Fatalf("%d addresses", len(seen))
	}
	for _, s := range seen {
		if !strings.HasPrefix(s.About, "3 points. The most reward: ") && s.Hash != seen[len(seen)-1].Hash {
			t.Errorf("%s: %s", s.Hash, s.About)
		}
		if s.Tables != 1 || s.Coloured < 20 || s.Chosen != "3 rows" {
			t.Errorf("%s: %d bars of controls, %d coloured pixels, %s", s.Hash, s.Tables, s.Coloured, s.Chosen)
		}
	}
}

// TestLogarithmicZoom: what was zoomed on a linear axis is shown on a logarithmic one from where the
// data begin, and no zoom writes what is no number.
func TestLogarithmicZoom(t *testing.T) {
	var seen struct {
		Coloured  int
		Addresses []string
		Note      string
	}
	reporttest.Try(t, saved(t, demo(t)), `
const page = await open("#e1-figure1.x=0:10"), addresses = [];
await show(page, "e1-figure1");
await press(page, "#e1-figure1", "Log across");
await pause(200);
const pixels = await coloured(page, "e1-figure1");
for (const by of ["Zoom out", "Zoom in"]) {
  for (let i = 0; i < 300; i++) await press(page, "#e1-figure1", by);
  await pause(500);
  addresses.push(await address(page));
}
await show(page, "e1-figure7");
await press(page, "#e1-figure7", "Log up");
await pause(200);
return { coloured: pixels, addresses, note: await text(page, "#e1-figure7 .note") };`, &seen)
	if seen.Coloured < 50 {
		t.Errorf("the panel has %d coloured pixels", seen.Coloured)
	}
	for _, a := range seen.Addresses {
		if strings.Contains(a, "NaN") || strings.Contains(a, "Infinity") || !strings.Contains(a, "e1-figure1.x=") {
			t.Errorf("the address is %s", a)
		}
	}
	if want := "At or below 0, and so not on a logarithmic axis: base, grpo."; !strings.Contains(seen.Note, want) {
		t.Errorf("the note is %q, want %q", seen.Note, want)
	}
}

// TestZoomOutStaysAboveZero: zooming out shows no values below 0 of a metric without such values.
func TestZoomOutStaysAboveZero(t *testing.T) {
	var seen string
	reporttest.Try(t, saved(t, demo(t)), `
const page = await open();
await show(page, "e1-figure8");
for (let i = 0; i < 8; i++) await press(page, "#e1-figure8", "Zoom out");
await pause(500);
return address(page);`, &seen)
	if !strings.Contains(seen, "e1-figure8.x=0:") || !strings.Contains(seen, "e1-figure8.y0=0:") {
		t.Errorf("the address is %s", seen)
	}
}

// TestNameWithABar: a method is turned off alone, whatever its name is, and a link to that works.
func TestNameWithABar(t *testing.T) {
	e := demo(t)
	for i, name := range []string{"a", "a|b", "b"} {
		e.Run.Variants[i].Label, e.Summary[i].Label = name, name
	}
	var seen struct{ Pressed, Again []string }
	reporttest.Try(t, saved(t, e), `
const page = await open();
const pressed = (p) => p.$$eval(".methods button[aria-pressed=true]", (l) => l.map((b) => b.textContent));
await press(page, ".methods", "a|b");
await pause(500);
const again = await open(await page.evaluate(() => location.hash));
return { pressed: await pressed(page), again: await pressed(again) };`, &seen)
	for _, got := range [][]string{seen.Pressed, seen.Again} {
		if !slices.Equal(got, []string{"a", "b"}) {
			t.Errorf("on are %q", got)
		}
	}
}

// TestHighlightOutOfSight: a figure that comes back into sight shows what is highlighted now. Rows
// of tables stay where they are meanwhile, and one method is no methods.
func TestHighlightOutOfSight(t *testing.T) {
	var seen struct {
		Changes, Same bool
		Moved         int
		About         string
	}
	reporttest.Try(t, saved(t, demo(t)), `
const page = await open();
await show(page, "e1-figure1");
await page.evaluate(() => { window.moved = 0; new MutationObserver((l) => { for (const m of l) window.moved += m.addedNodes.length; }).observe(document.querySelector("table.sortable tbody"), { childList: true }); });
const before = await picture(page, "e1-figure1");
const point = (what) => page.$eval(".methods li:nth-child(2) button", (b, what) => b.dispatchEvent(new PointerEvent(what)), what);
await point("pointerenter");
await pause(150);
const during = await picture(page, "e1-figure1");
await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
await pause(400);
await point("pointerleave");
await pause(150);
await show(page, "e1-figure1");
const after = await picture(page, "e1-figure1"), moved = await page.evaluate(() => window.moved);
await press(page, ".legend", "None");
await press(page, ".methods", "grpo");
return { changes: before !== during, same: before === after, moved, about: await text(page, "#e1-figure1-about0") };`, &seen)
	if !seen.Changes || !seen.Same || seen.Moved != 0 {
		t.Errorf("a highlight changes the figure: %v; it is as before afterwards: %v; %d rows moved", seen.Changes, seen.Same, seen.Moved)
	}
	if !strings.Contains(seen.About, " 1 method,") {
		t.Errorf("%q", seen.About)
	}
}

// TestAddressIsWrittenSeldom: browsers refuse an address that changes with every key that is held.
func TestAddressIsWrittenSeldom(t *testing.T) {
	var seen struct {
		Writes  int
		Pressed string
		Address string
	}
	reporttest.Try(t, saved(t, demo(t)), `
const page = await open();
await show(page, "e1-figure1");
await page.evaluate(() => {
  window.writes = 0;
  const write = history.replaceState;
  history.replaceState = function (...of) { if (window.writes++ === 0) throw new DOMException("too often", "SecurityError"); return write.apply(this, of); };
});
await page.focus("#e1-figure1 .u-over");
for (let i = 0; i < 20; i++) await page.keyboard.press("+");
await press(page, ".methods", "grpo");
const pressed = await page.$eval(".methods li:nth-child(2) button", (b) => b.getAttribute("aria-pressed")); // at once
await pause(3000);
return { writes: await page.evaluate(() => window.writes), pressed, address: await address(page) };`, &seen)
	if seen.Writes < 2 || seen.Writes > 6 || seen.Pressed != "false" {
		t.Errorf("the address is written %d times for twenty keys; the button is pressed: %s", seen.Writes, seen.Pressed)
	}
	if !strings.Contains(seen.Address, "e1-figure1.x=") || !strings.Contains(seen.Address, "e1.off=grpo") {
		t.Errorf("the address is %q", seen.Address)
	}
}

// TestDrawnFiguresStay: where the script cannot read the data of a figure, the page has its drawings.
func TestDrawnFiguresStay(t *testing.T) {
	file := saved(t, demo(t))
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	broken := strings.Replace(string(page), `"kind":"pair"`, `"kind":"paths"`, 1) // there are none
	if err := os.WriteFile(file, []byte(broken), 0o644); err != nil || broken == string(page) {
		t.Fatalf("the page is not broken (%v)", err)
	}
	var seen struct{ Errors, Live, Drawings, Readers int }
	reporttest.Try(t, file, `
const page = await open(), count = (what) => page.$$eval(what, (l) => l.filter((e) => e.getBoundingClientRect().height > 20).length);
const out = { errors: errors.length, live: await count(".live, .legend"), drawings: await count(".figures .plot > svg"), readers: await page.$$eval(".reader", (l) => l.length) };
errors.length = 0;
return out;`, &seen)
	if seen.Errors == 0 || seen.Live != 0 || seen.Drawings != 8 || seen.Readers == 0 {
		t.Errorf("%+v, want an error, 8 drawings and no controls", seen)
	}
}

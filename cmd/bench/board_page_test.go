package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"modebench/plots/report/reporttest"
)

// mostBoard is how many bytes the page of the board may have.
const mostBoard = 5_000_000

// TestBoardPage writes the page of the published board, and walks through it as its readers do.
func TestBoardPage(t *testing.T) {
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
	text, err := exec.Command("pdftotext", "-layout", pdf, "-").Output()
	if err != nil {
		t.Skipf("no pdftotext to read the print: %v", err)
	}
	for _, want := range []string{"poly-epo", "1.213", "untuned", "How accurate methods get"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the print lacks %q", want)
		}
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
		{"board --from published --show grpo", "no --figures and no --html"},
		{"board --shard 1/2 --html x.html", "--html shows all methods"},
		{"board add x.toml --html x.html", "leave out --figures, --figure-format, --html and --show"},
		{"board foretell --html x.html", "--html"},
	} {
		code, out, errs := call(t, "", strings.Fields(c.args)...)
		if code != exitUsage || out != "" || !strings.Contains(errs, c.want) {
			t.Errorf("%s: exit code %d, %q %q", c.args, code, out, errs)
		}
	}
}

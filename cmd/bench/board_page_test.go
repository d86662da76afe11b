package main

import (
	"os"
	"os/exec"
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
	// Half a second is for a machine that does nothing else. Others run tests at the same time.
	if seen.Paint > 2000 {
		t.Errorf("the first paint comes after %d ms", seen.Paint)
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

package main

import (
	"encoding/json"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const reportSpec = tinySpec + `
[[claim]]
name = "c"
text = "GRPO < base"
metric = "reward"
a = "grpo"
b = "base"
says = "above"
`

// reportRun runs a small experiment.
func reportRun(t *testing.T) {
	t.Helper()
	inDir(t)
	spec := strings.Replace(reportSpec, "seeds = 2", "seeds = 6", 1)
	if err := os.WriteFile("tiny.toml", []byte(spec), 0o644); err != nil {
		t.Fatal(err)
	}
	succeed(t, "run", "tiny.toml", "--out", "r", "--figure-format", "none")
}

// TestReport holds the numbers of the page against the records, read one by one, and
// against the table that run wrote.
func TestReport(t *testing.T) {
	reportRun(t)
	code, out, errs := call(t, "", "report", filepath.Join("r", "tiny"))
	if path := filepath.Join("r", "tiny", "report.html"); code != exitOK || out != path+"\n" {
		t.Fatalf("exit code %d, %q %s", code, out, errs)
	}
	data, err := os.ReadFile(filepath.Join("r", "tiny", "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	table, _, _ := strings.Cut(page, "</table>")
	summary, err := os.ReadFile(filepath.Join("r", "tiny", "summary.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{"base", "grpo"} {
		row := regexp.MustCompile(`<th scope="row">` + method + `</th>(.*?)</tr>`).FindStringSubmatch(table)
		if row == nil {
			t.Fatalf("no row of %s", method)
		}
		cells := regexp.MustCompile(`<td data-sort="([^"]*)"[^>]*>(.*?)</td>`).FindAllStringSubmatch(row[1], -1)
		if len(cells) != 2 {
			t.Fatalf("%d cells of %s, want one for each of 2 columns", len(cells), method)
		}
		for i, cell := range cells {
			metric := []string{"reward", "pass@2"}[i]
			want := meanOfRecords(t, method, metric)
			text := html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(cell[2], ""))
			if !strings.HasPrefix(text, fmt.Sprintf("%.3f [", want)) || !strings.HasPrefix(cell[1], fmt.Sprintf("%.9g", want)[:8]) {
				t.Errorf("%s of %s: %q by %s, the records say %v", metric, method, text, cell[1], want)
			}
			if !strings.Contains(string(summary), text) {
				t.Errorf("summary.txt lacks %s", text)
			}
		}
	}
	for _, want := range []string{"supported</span>", "GRPO &lt; base", "# tiny is no built-in spec, and the records do not hold its file. With the file, and --set\n# if fields were changed: bench run FILE.toml --seeds 6\n# The page, where records are in results/:\n", "bench report results/tiny", "../cells/"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if code, _, errs = call(t, "", "report", filepath.Join("r", "tiny")); code != exitOK {
		t.Fatal(errs)
	}
	if again, err := os.ReadFile(filepath.Join("r", "tiny", "report.html")); err != nil || string(again) != page {
		t.Errorf("written again the page is another one (%v)", err)
	}
}

// meanOfRecords is a metric at the last evaluation, over the cells of a method.
func meanOfRecords(t *testing.T, method, metric string) float64 {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("r", "cells", method+"-s*", "eval.jsonl"))
	if err != nil || len(files) != 6 {
		t.Fatalf("%d cells of %s, %v", len(files), method, err)
	}
	sum := 0.0
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(data)), "\n")
		var last struct{ Metrics map[string]float64 }
		if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil {
			t.Fatal(err)
		}
		sum += last.Metrics[metric]
	}
	return sum / float64(len(files))
}

// TestReportOfSeveral writes a page of two folders to standard output, with links relative
// to the current folder.
func TestReportOfSeveral(t *testing.T) {
	reportRun(t)
	dir := filepath.Join("r", "tiny")
	code, out, errs := call(t, "", "report", dir, dir, "--out", "-")
	if code != exitOK || !strings.Contains(out, "<h1>2 experiments</h1>") || !strings.Contains(out, `href="./r/cells/`) {
		t.Errorf("exit code %d %s", code, errs)
	}
	if code, _, errs = call(t, "", "report", dir, dir, "--out", filepath.Join("new", "page.html")); code != exitOK {
		t.Fatal(errs)
	}
	data, err := os.ReadFile(filepath.Join("new", "page.html"))
	if err != nil || !strings.Contains(string(data), `href="../r/cells/`) {
		t.Errorf("%v", err)
	}
}

func TestReportMistakes(t *testing.T) {
	reportRun(t)
	dir := filepath.Join("r", "tiny")
	for _, c := range []struct {
		reason string
		code   int
		want   string
		args   []string
	}{
		{"no folder", exitUsage, "takes one folder or more", nil},
		{"several without a file", exitUsage, "name the file by --out", []string{dir, dir}},
		{"no experiment", exitInput, "holds no run.json", []string{"r"}},
	} {
		code, out, errs := call(t, "", append([]string{"report"}, c.args...)...)
		if code != c.code || out != "" || !strings.Contains(errs, c.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: exit code %d, %q %q", c.reason, code, out, errs)
		}
	}
	old := filepath.Join(dir, "report.html")
	if err := os.WriteFile(old, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join("r", "cells", "grpo-s0-*", "eval.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if err := os.WriteFile(files[0], []byte("{\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	code, _, errs := call(t, "", "report", dir)
	if kept, err := os.ReadFile(old); code != exitInput || !strings.Contains(errs, "eval.jsonl:1:") || err != nil || string(kept) != "old" {
		t.Errorf("a broken record: exit code %d, %q; the page there is %q (%v)", code, errs, kept, err)
	}
}

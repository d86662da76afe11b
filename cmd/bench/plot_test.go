package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"modebench/experiments/record"
)

// rewrite changes a file of results.
func rewrite(t *testing.T, path string, change ...string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer(change...).Replace(string(data))
	if text == string(data) {
		t.Fatalf("%s holds none of %q", path, change)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

const pairSpec = `title = "pair"
seeds = 2
columns = ["reward"]
[env]
name = "bandit"
[train]
steps = 20
[eval]
every = 10
k = [1, 2]
samples = 4
modes = true
[[method]]
name = "base"
[[method]]
name = "grpo"
[[method]]
name = "poly-epo"
[[figure]]
name = "curves"
kind = "curve"
title = "all of the pair"
metrics = ["reward", "entropy_mode"]
[[figure]]
name = "k"
kind = "k-curve"
metrics = ["pass"]
[[figure]]
name = "modes"
kind = "modes"
`

// writePair runs an experiment into a, and one with less in it into b.
func writePair(t *testing.T) {
	t.Helper()
	inDir(t)
	fewer := strings.NewReplacer("[[method]]\nname = \"grpo\"\n", "", "all of the pair", "some of the pair", "name = \"k\"\nkind", "name = \"of-k\"\nkind").Replace(pairSpec)
	for _, spec := range [][2]string{{"pair.toml", pairSpec}, {"fewer.toml", fewer}} {
		if err := os.WriteFile(spec[0], []byte(spec[1]), 0o644); err != nil {
			t.Fatal(err)
		}
		succeed(t, "run", spec[0], "--out", "r", "--figure-format", "none")
	}
}

func TestPlotSideBySide(t *testing.T) {
	writePair(t)
	a, b := filepath.Join("r", "pair"), filepath.Join("r", "fewer")
	plot := func(args ...string) string {
		t.Helper()
		code, out, errs := call(t, "", append([]string{"plot", a, b, "--out", "o", "--figure-format", "svg"}, args...)...)
		file := filepath.Join("o", "curves.svg")
		if code != exitOK || out != file+"\n" {
			t.Fatalf("%v: exit code %d, output %q: %s", args, code, out, errs)
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	holds := func(svg string, want ...string) {
		t.Helper()
		_, svg, _ = strings.Cut(svg, "</desc>") // the drawing
		for _, text := range want {
			if strings.Count(svg, ">"+text+"<") != 1 {
				t.Errorf("the figure does not have the text %q once", text)
			}
		}
	}
	first := plot("--figure", "curves")
	holds(first, "pair", "fewer", "all of the pair", "some of the pair", "base", "grpo", "poly-epo")
	if again := plot("--figure", "curves"); again != first {
		t.Error("two drawings differ")
	}
	if strings.Count(first, ">mode entropy (nats)<") != 2 {
		t.Error("not a panel of entropy a folder")
	}
	own := plot("--figure", "curves", "--label", "before, with GRPO", "--label", "after", "--metric", "reward", "--free-y")
	holds(own, "before, with GRPO", "after", "reward")
	for _, text := range []string{"entropy", "all of the pair"} {
		if strings.Contains(own, text) {
			t.Errorf("with headings and a metric of its own the figure still has %q", text)
		}
	}
	// Two policies of one spec go by their policies; the only common figure needs no name.
	rewrite(t, filepath.Join(b, "run.json"), `"fewer"`, `"pair-transformer"`, `"modes",`+"\n", `"rivers",`+"\n")
	cells, err := filepath.Glob(filepath.Join("r", "cells", "poly-epo-*"))
	if err != nil || len(cells) != 2 {
		t.Fatalf("cells %v, error %v", cells, err)
	}
	for _, cell := range cells {
		to := strings.Replace(cell, "poly-epo-", "other-", 1)
		to = to[:strings.LastIndex(to, "-")] // a name without the hash of the resolved spec
		if err := os.CopyFS(to, os.DirFS(cell)); err != nil {
			t.Fatal(err)
		}
		rewrite(t, filepath.Join(to, "cell.json"), `"tabular"`, `"transformer"`)
		done, err := record.HashFiles(to)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(to, "DONE"), string(done))
		rewrite(t, filepath.Join(b, "run.json"), filepath.Base(cell), filepath.Base(to))
	}
	holds(plot(), "tables", "transformer")
}

// With --metric, figures without any of the metrics are not drawn.
func TestPlotMetric(t *testing.T) {
	writePair(t)
	code, out, errs := call(t, "", "plot", filepath.Join("r", "pair"), "--metric", "entropy_mode", "--out", "o", "--figure-format", "svg")
	if code != exitOK || out != filepath.Join("o", "curves.svg")+"\n" {
		t.Fatalf("exit code %d, output %q: %s", code, out, errs)
	}
	svg, err := os.ReadFile(filepath.Join("o", "curves.svg"))
	if err != nil || bytes.Contains(svg, []byte(">reward<")) || !bytes.Contains(svg, []byte(">mode entropy (nats)<")) {
		t.Errorf("not the panel of entropy alone (%v)", err)
	}
}

// TestPlotMetricOfScatter: a figure that draws its metrics together is drawn where --metric
// names all of them.
func TestPlotMetricOfScatter(t *testing.T) {
	inDir(t)
	write(t, "both.toml", pairSpec+"[[figure]]\nname = \"plane\"\nkind = \"scatter\"\nmetrics = [\"reward\", \"entropy_mode\"]\n")
	succeed(t, "run", "both.toml", "--out", "r", "--figure-format", "none")
	for metrics, want := range map[string]int{"reward": 1, "reward,entropy_mode": 2} {
		code, out, errs := call(t, "", "plot", filepath.Join("r", "both"), "--metric", metrics, "--out", "o", "--figure-format", "svg")
		if files := strings.Fields(out); code != exitOK || len(files) != want {
			t.Errorf("--metric %s: exit code %d, files %v, want %d: %s", metrics, code, files, want, errs)
		}
	}
}

// TestPlotFromData: a figure's numbers, without the records, draw the same files, alone,
// with all others of their folder, and beside others.
func TestPlotFromData(t *testing.T) {
	writePair(t)
	plot := func(args ...string) []string {
		t.Helper()
		code, out, errs := call(t, "", append([]string{"plot"}, args...)...)
		if code != exitOK {
			t.Fatalf("%v: exit code %d: %s", args, code, errs)
		}
		return strings.Fields(out)
	}
	same := func(a, b string) {
		t.Helper()
		x, err := os.ReadFile(a)
		if err != nil {
			t.Fatal(err)
		}
		if y, err := os.ReadFile(b); err != nil || !bytes.Equal(x, y) {
			t.Errorf("%s and %s differ (%v)", a, b, err)
		}
	}
	a, b := filepath.Join("r", "pair"), filepath.Join("r", "fewer")
	plot(a, "--figure-format", "svg,png,pdf,pgf", "--out", "want")
	if files := plot(a, "--figure-format", "json", "--out", "kept"); len(files) != 3 {
		t.Errorf("files %v, want one a figure", files)
	}
	plot(b, "--figure-format", "json", "--out", "others")
	plot(a, b, "--figure", "curves", "--figure-format", "svg", "--out", "want-both")
	plot(a, b, "--figure", "curves", "--metric", "entropy_mode", "--label", "x", "--label", "y", "--figure-format", "svg", "--out", "want-less")
	if err := os.RemoveAll("r"); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join("kept", "timings.json"), `{"seconds": 3}`)
	plot("kept", "--figure-format", "svg,png,pdf,pgf", "--out", "got")
	for _, name := range []string{"curves", "k", "modes"} {
		for _, format := range figureFormats {
			same(filepath.Join("want", name+"."+format), filepath.Join("got", name+"."+format))
		}
	}
	if files := plot(filepath.Join("kept", "k.json"), "--figure-format", "svg,json"); len(files) != 2 || files[0] != filepath.Join("kept", "k.svg") {
		t.Errorf("files %v, want them beside the data", files)
	}
	same(filepath.Join("want", "k.svg"), filepath.Join("kept", "k.svg"))
	plot("kept", "others", "--figure", "curves", "--figure-format", "svg", "--out", "got-both")
	same(filepath.Join("want-both", "curves.svg"), filepath.Join("got-both", "curves.svg"))
	plot(filepath.Join("kept", "curves.json"), filepath.Join("others", "curves.json"), "--metric", "entropy_mode", "--label", "x", "--label", "y", "--figure-format", "svg", "--out", "got-less")
	same(filepath.Join("want-less", "curves.svg"), filepath.Join("got-less", "curves.svg"))
	plot("kept", "--metric", "entropy_mode", "--figure-format", "svg", "--out", "less")
	if files, err := filepath.Glob(filepath.Join("less", "*")); err != nil || len(files) != 1 {
		t.Errorf("files %v, want the one figure with that metric (%v)", files, err)
	}
	if err := os.CopyFS(filepath.Join("twice"), os.DirFS("kept")); err != nil {
		t.Fatal(err)
	}
	rewrite(t, filepath.Join("twice", "k.json"), `"name":"k"`, `"name":"curves"`)
	rewrite(t, filepath.Join("kept", "modes.json"), `"seeds":[0,1]`, `"seeds":[0,1`)
	for why, c := range map[string]struct{ path, want string }{
		"a broken file":    {"kept", filepath.Join("kept", "modes.json") + ":"},
		"an unknown file":  {"pair.toml", "pair.toml: 1:2: invalid character"},
		"other JSON":       {filepath.Join("kept", "timings.json"), "not the data of a figure"},
		"one figure twice": {"twice", `k.json: a second figure "curves" in this folder`},
		"nothing there":    {"nowhere", "nowhere: no such folder"},
		"no figure in it":  {"want", "want holds no run.json"},
	} {
		code, out, errs := call(t, "", "plot", c.path)
		if code != exitInput || out != "" || !strings.Contains(errs, c.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: exit code %d, output %q, errors %q; want one line with %q", why, code, out, errs, c.want)
		}
	}
	if code, _, errs := call(t, "", "plot", "others", "others", "--out", "o", "--figure-format", "json"); code != exitUsage || !strings.Contains(errs, `--figure-format "json"`) {
		t.Errorf("the numbers of several: exit code %d: %s", code, errs)
	}
}

// TestRunWritesData: bench run leaves the numbers of its figures on request, a
// figure of claims among them, and bench claims draws the same verdicts.
func TestRunWritesData(t *testing.T) {
	inDir(t)
	write(t, "own.toml", claimedSpec+"[[figure]]\nname = \"verdicts\"\nkind = \"claims\"\n[[figure]]\nname = \"gain\"\nkind = \"gain\"\nmetrics = [\"reward\", \"pass@1\"]\n")
	succeed(t, "run", "own.toml", "--seeds", "6", "--out", "r", "--figure-format", "svg,json")
	svg, err := os.ReadFile(filepath.Join("r", "own", "verdicts.svg"))
	if err != nil || !bytes.Contains(svg, []byte(">training raises the reward (reward)<")) {
		t.Errorf("no figure of the claim (%v)", err)
	}
	for _, name := range []string{"verdicts", "gain"} {
		if _, err := os.Stat(filepath.Join("r", "own", name+".json")); err != nil {
			t.Error(err)
		}
	}
	succeed(t, "claims", "own.toml", "--seeds", "6", "--out", "r", "--draw", "all.svg")
	both := [2][]byte{svg, nil}
	if both[1], err = os.ReadFile("all.svg"); err != nil || !bytes.Contains(both[1], []byte(">What the seeds say of the claims<")) {
		t.Errorf("bench claims drew no figure (%v)", err)
	}
	for i := range both { // the same effect in figures
		if !bytes.Contains(both[i], []byte(" [+0.")) && !bytes.Contains(both[i], []byte(" [-0.")) {
			t.Errorf("figure %d has no effect with an interval", i)
		}
	}
	succeed(t, "claims", "own.toml", "--seeds", "6", "--out", "r", "--draw", "all.json")
	if code, out, errs := call(t, "", "plot", "all.json", "--figure-format", "svg", "--out", "again"); code != exitOK || strings.TrimSpace(out) != filepath.Join("again", "all.svg") {
		t.Errorf("exit code %d, output %q: %s", code, out, errs)
	}
	if again, err := os.ReadFile(filepath.Join("again", "all.svg")); err != nil || !bytes.Equal(again, both[1]) {
		t.Errorf("the figure from its numbers differs (%v)", err)
	}
	for _, name := range []string{"all.gif", "all", ".svg"} {
		if code, _, errs := call(t, "", "claims", "own.toml", "--draw", name); code != exitUsage || !strings.Contains(errs, "want a file that ends in .svg, .png, .pdf, .pgf, .json") {
			t.Errorf("--figure %s: exit code %d: %s", name, code, errs)
		}
	}
}

func TestPlotErrors(t *testing.T) {
	writePair(t)
	a, b := filepath.Join("r", "pair"), filepath.Join("r", "fewer")
	succeed(t, "plot", a, "--figure", "k", "--figure-format", "json", "--out", "kept")
	for _, c := range []struct {
		why  string
		args []string
		code int
		want string
	}{
		{"no folder", nil, exitUsage, "bench plot takes the folder of an experiment, or of several"},
		{"labels of one folder", []string{a, "--label", "x"}, exitUsage, "--label and --free-y are for several folders"},
		{"free axes of one folder", []string{a, "--free-y"}, exitUsage, "--label and --free-y are for several folders"},
		{"less over the whole figure", []string{a, "--metric", "reward"}, exitUsage, "give another folder by --out"},
		{"an unknown figure", []string{a, "--figure", "x"}, exitUsage, `--figure "x": this experiment has the figures curves, k, modes`},
		{"a misspelt figure", []string{a, "--figure", "cuves"}, exitUsage, `--figure "cuves": did you mean curves? this experiment has the figures curves, k, modes`},
		{"an unknown metric", []string{a, "--metric", "pass@1", "--out", "o"}, exitUsage, `--metric "pass@1": did you mean pass? these figures have the metrics reward, entropy_mode, pass`},
		{"a metric that is near to none", []string{a, "--metric", "x", "--out", "o"}, exitUsage, `--metric "x": these figures have the metrics reward, entropy_mode, pass`},
		{"no folder for the figures", []string{a, b}, exitUsage, "give a folder for the figures by --out"},
		{"several common figures", []string{a, b, "--out", "o"}, exitUsage, "choose by --figure among the figures that several folders have in common: curves, modes"},
		{"a figure of one alone", []string{a, b, "--out", "o", "--figure", "k"}, exitUsage, `--figure "k": ` + b + " has no such figure; the folders have in common: curves, modes"},
		{"a figure that is near to one in common", []string{a, b, "--out", "o", "--figure", "curvse"}, exitUsage, `--figure "curvse": ` + a + " has no such figure; did you mean curves? the folders have in common: curves, modes"},
		{"no common figure", []string{b, "kept", "--out", "o"}, exitUsage, "the folders share no figure to draw side by side: " + b + " has curves, of-k, modes; kept has k"},
		{"too few labels", []string{a, b, "--out", "o", "--figure", "curves", "--label", "x"}, exitUsage, "--label is given 1 times for 2 folders"},
		{"a metric of no folder", []string{a, b, "--out", "o", "--figure", "curves", "--metric", "pass"}, exitUsage, `--metric "pass": these figures have the metrics reward, entropy_mode`},
		{"the same spec twice", []string{a, a, "--out", "o", "--figure", "curves"}, exitUsage, "name each folder by --label: their specs are pair, pair"},
		{"a kind that cannot", []string{a, b, "--out", "o", "--figure", "modes"}, exitInput, `figure "modes" is of the kind modes`},
		{"a second folder without results", []string{a, ".", "--out", "o"}, exitInput, ". holds no run.json"},
		{"an unknown format", []string{a, b, "--out", "o", "--figure", "curves", "--figure-format", "gif"}, exitUsage, `--figure-format is "gif"`},
		{"a folder below a file", []string{a, b, "--out", "pair.toml/o", "--figure", "curves"}, exitIO, "mkdir pair.toml"},
	} {
		code, out, errs := call(t, "", append([]string{"plot"}, c.args...)...)
		if code != c.code || out != "" || !strings.Contains(errs, "bench: ") || !strings.Contains(errs, c.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: exit code %d, output %q, errors %q; want code %d and one line with %q", c.why, code, out, errs, c.code, c.want)
		}
	}
	// The files of one figure are of two kinds.
	rewrite(t, filepath.Join(b, "run.json"), `"of-k"`, `"k"`, `"k-curve"`, `"curve"`, `"pass"`, `"reward"`)
	if code, _, errs := call(t, "", "plot", a, b, "--out", "o", "--figure", "k"); code != exitInput || !strings.Contains(errs, `figure "k" is a k-curve in `+a+` and a curve in `+b) {
		t.Errorf("two kinds: exit code %d: %s", code, errs)
	}
}

// TestPlotShow: --show draws the named variants alone, in that order and under their other names, also
// when the figure is drawn from its numbers.
func TestPlotShow(t *testing.T) {
	inDir(t)
	write(t, "tiny.toml", tinySpec)
	succeed(t, "run", "tiny.toml", "--out", "r", "--figure-format", "none")
	shown := []string{"plot", "r/tiny", "--figure", "curves", "--show", "grpo=Ours", "--show", "base"}
	succeed(t, append(shown, "--figure-format", "svg,json", "--out", "a")...)
	succeed(t, "plot", "a", "--figure-format", "svg", "--out", "b")
	drawn, err := os.ReadFile("a/curves.svg")
	if err != nil {
		t.Fatal(err)
	}
	if again, err := os.ReadFile("b/curves.svg"); err != nil || !bytes.Equal(again, drawn) {
		t.Errorf("the figure of the numbers is another one (%v)", err)
	}
	ours, base := bytes.Index(drawn, []byte(">Ours<")), bytes.Index(drawn, []byte(">base<"))
	if ours < 0 || base < ours || bytes.Contains(drawn, []byte(">grpo<")) {
		t.Errorf("the legend has Ours at byte %d and base at %d, or grpo", ours, base)
	}
	for _, c := range []struct{ args, want string }{
		{"--show grop --out a", `no figure has the label "grop"; did you mean grpo? labels: base; grpo`},
		{"--show grpo= --out a", `no figure has the label "grpo="`},
		{"--show grpo --show base=grpo --out a", `"base=grpo" is the second variant of that label or name`},
		{"--show grpo", "give another folder by --out"},
		{"r/tiny --show grpo --out a", "--show is for one folder"},
	} {
		if code, _, errs := call(t, "", append([]string{"plot", "r/tiny", "--figure", "curves"}, strings.Fields(c.args)...)...); code != exitUsage || !strings.Contains(errs, c.want) {
			t.Errorf("%s: exit code %d, %s, want %q", c.args, code, errs, c.want)
		}
	}
}

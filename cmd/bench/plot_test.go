package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
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
	own := plot("--figure", "curves", "--label", "before, with GRPO", "--label", "after", "--set", "figure.metrics=reward", "--set", "figure.free_y=true")
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

// TestPlotSet: --set changes fields of the figures for one drawing.
func TestPlotSet(t *testing.T) {
	writePair(t)
	plot := func(args ...string) string {
		t.Helper()
		args = append([]string{"plot", filepath.Join("r", "pair"), "--figure", "curves", "--figure-format", "svg", "--out", "o"}, args...)
		if code, out, errs := call(t, "", args...); code != exitOK || out != filepath.Join("o", "curves.svg")+"\n" {
			t.Fatalf("%v: exit code %d, output %q: %s", args, code, out, errs)
		}
		svg, err := os.ReadFile(filepath.Join("o", "curves.svg"))
		if err != nil {
			t.Fatal(err)
		}
		_, drawing, _ := strings.Cut(string(svg), "</desc>")
		return fmt.Sprintf("%.0f ", widthOf(t, svg)) + drawing
	}
	for _, c := range []struct {
		set           string
		has, has2, no string
	}{
		{"figure.metrics=entropy_mode", ">mode entropy (nats)<", "242 ", ">reward<"},
		{`figure.metrics=["entropy_mode", "pass@2"]`, ">mode entropy (nats)<", ">pass@2<", ">reward<"},
		{"figure.metrics=reward,entropy_mode", ">mode entropy (nats)<", ">reward<", ">pass@2<"},
		{"figure.width=5.5", "404 ", ">all of the pair<", "494 "},
		{"figure.title=ours", ">ours<", ">reward<", ">all of the pair<"},
		{"figure.without=title", ">reward<", ">Mean over 2 seeds.<", ">all of the pair<"},
		{"figure.without=footer,legend", ">all of the pair<", ">reward<", ">grpo<"},
		{"figure.without=footer", ">all of the pair<", ">grpo<", ">Mean over 2 seeds.<"},
		{"figure.x=0,10", ">10<", ">reward<", ">20<"},
		{"figure.y=[0.25, 0.75]", ">0.7<", ">0.3<", ">1.0<"},
		{"figure.log=y", ">mode entropy (nats)<", ">reward<", ">0.0<"},
		{"figure.log=x", ">training step<", ">15<", ">5<"},
	} {
		got := plot("--set", c.set)
		if !strings.Contains(got, c.has) || !strings.Contains(got, c.has2) || strings.Contains(got, c.no) {
			t.Errorf("--set %s: want %q and %q, not %q: %q", c.set, c.has, c.has2, c.no, regexp.MustCompile(">[^<]+<").FindAllString(got, -1))
		}
	}
	// A spec draws the same.
	write(t, "shaped.toml", strings.Replace(pairSpec, "kind = \"curve\"\n", "kind = \"curve\"\nwidth = 5.5\nx = [0, 10]\nlog = \"y\"\nwithout = [\"footer\"]\n", 1))
	succeed(t, "run", "shaped.toml", "--out", "r", "--figure-format", "svg,json")
	want := plot("--set", "figure.width=5.5", "--set", "figure.x=0,10", "--set", "figure.log=y", "--set", "figure.without=footer")
	for _, file := range []string{"curves.svg", "again/curves.svg"} {
		if file != "curves.svg" {
			succeed(t, "plot", "r/shaped/curves.json", "--figure-format", "svg", "--out", "r/shaped/again")
		}
		svg, err := os.ReadFile(filepath.Join("r", "shaped", file))
		_, drawing, _ := strings.Cut(string(svg), "</desc>")
		if err != nil || !strings.HasSuffix(want, drawing) {
			t.Errorf("%s is another figure than that of --set (%v)", file, err)
		}
	}
	cells, err := filepath.Glob(filepath.Join("r", "cells", "*"))
	if err != nil || len(cells) != 6 {
		t.Errorf("%d cells after the fields of a figure changed, want the 6 of before (%v)", len(cells), err)
	}
}

// widthOf is the width of a drawing in points.
func widthOf(t *testing.T, svg []byte) float64 {
	t.Helper()
	_, rest, _ := strings.Cut(string(svg), ` width="`)
	text, _, _ := strings.Cut(rest, "pt")
	width, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return width
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
	plot(a, b, "--figure", "curves", "--set", "figure.metrics=entropy_mode", "--label", "x", "--label", "y", "--figure-format", "svg", "--out", "want-less")
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
	plot(filepath.Join("kept", "curves.json"), filepath.Join("others", "curves.json"), "--set", "figure.metrics=entropy_mode", "--label", "x", "--label", "y", "--figure-format", "svg", "--out", "got-less")
	same(filepath.Join("want-less", "curves.svg"), filepath.Join("got-less", "curves.svg"))
	plot("kept", "--figure", "curves", "--set", "figure.metrics=entropy_mode", "--figure-format", "svg", "--out", "less")
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
		{"labels of one folder", []string{a, "--label", "x"}, exitUsage, "--label is for several folders"},
		{"less over the whole figure", []string{a, "--set", "figure.metrics=reward"}, exitUsage, "give another folder by --out"},
		{"an unknown figure", []string{a, "--figure", "x"}, exitUsage, `--figure "x": this experiment has the figures curves, k, modes`},
		{"a misspelt figure", []string{a, "--figure", "cuves"}, exitUsage, `--figure "cuves": did you mean curves? this experiment has the figures curves, k, modes`},
		{"an unknown metric", []string{a, "--figure", "curves", "--set", "figure.metrics=entropy_mod", "--out", "o"}, exitInput, `figure "curves": no variant shown has a metric "entropy_mod"`},
		{"a metric of another kind of figure", []string{a, "--set", "figure.metrics=reward", "--out", "o"}, exitInput, `figure "k": no variant shown has a metric of the family "reward"`},
		{"a field that a kind does not read", []string{a, "--set", "figure.log=y", "--out", "o"}, exitUsage, `figure "modes": one of kind modes has no field "log"; curve, k-curve, path, scatter, dose, positions has`},
		{"limits in reverse", []string{a, "--figure", "curves", "--set", "figure.x=10,0", "--out", "o"}, exitUsage, `figure "curves": got x = [10, 0], want the lower limit and then the upper one: [0, 100]`},
		{"limits of a point", []string{a, "--figure", "curves", "--set", "figure.x=[10, 10]", "--out", "o"}, exitUsage, `got x = [10, 10], want`},
		{"one limit", []string{a, "--figure", "curves", "--set", "figure.y=10", "--out", "o"}, exitUsage, `got y = [10], want`},
		{"limits that are no numbers", []string{a, "--figure", "curves", "--set", "figure.y=[0, nan]", "--out", "o"}, exitUsage, `--set figure.y=[0, nan]: field "y": entry 1: got NaN`},
		{"a logarithm of 0", []string{a, "--figure", "curves", "--set", "figure.y=0,1", "--set", "figure.log=y", "--out", "o"}, exitUsage, `got y = [0, 1], and a logarithmic axis begins above 0`},
		{"limits of k", []string{a, "--figure", "k", "--set", "figure.x=0,2", "--out", "o"}, exitUsage, `got x = [0, 2], and a logarithmic axis begins above 0`},
		{"a logarithm of k", []string{a, "--figure", "k", "--set", "figure.log=xy", "--out", "o"}, exitUsage, `figure "k": the axis of k is always logarithmic`},
		{"limits without a step", []string{a, "--figure", "curves", "--set", "figure.x=11,19", "--out", "o"}, exitInput, `figure "curves": nothing is measured within the limits of its horizontal axis`},
		{"a width of a hair", []string{a, "--set", "figure.width=0.1", "--out", "o"}, exitUsage, `--set figure.width=0.1: field "width": got 0.1, want a number from 1 to 20`},
		{"another axis", []string{a, "--set", "figure.log=z", "--out", "o"}, exitUsage, `field "log": got "z", want one of none, x, y, xy`},
		{"an unknown part", []string{a, "--set", "figure.without=head", "--out", "o"}, exitUsage, `field "without": entry 0: got "head", want one of title, legend, footer`},
		{"an unknown field", []string{a, "--set", "figure.widht=3", "--out", "o"}, exitUsage, `--set figure.widht=3: unknown field "widht"; did you mean width?`},
		{"another kind", []string{a, "--set", "figure.kind=bars", "--out", "o"}, exitUsage, `the kind of a figure cannot be set`},
		{"no field of a figure", []string{a, "--set", "train.lr=1", "--out", "o"}, exitUsage, `--set train.lr=1: want figure.FIELD=VALUE`},
		{"no value", []string{a, "--set", "figure.x", "--out", "o"}, exitUsage, `--set figure.x: want figure.FIELD=VALUE`},
		{"the logarithm of two folders", []string{a, b, "--figure", "curves", "--set", "figure.log=y", "--set", "figure.y=-1,1", "--out", "o"}, exitUsage, `begins above 0`},
		{"no folder for the figures", []string{a, b}, exitUsage, "give a folder for the figures by --out"},
		{"several common figures", []string{a, b, "--out", "o"}, exitUsage, "choose by --figure among the figures that several folders have in common: curves, modes"},
		{"a figure of one alone", []string{a, b, "--out", "o", "--figure", "k"}, exitUsage, `--figure "k": ` + b + " has no such figure; the folders have in common: curves, modes"},
		{"a figure that is near to one in common", []string{a, b, "--out", "o", "--figure", "curvse"}, exitUsage, `--figure "curvse": ` + a + " has no such figure; did you mean curves? the folders have in common: curves, modes"},
		{"no common figure", []string{b, "kept", "--out", "o"}, exitUsage, "the folders share no figure to draw side by side: " + b + " has curves, of-k, modes; kept has k"},
		{"too few labels", []string{a, b, "--out", "o", "--figure", "curves", "--label", "x"}, exitUsage, "--label is given 1 times for 2 folders"},
		{"a metric of no folder", []string{a, b, "--out", "o", "--figure", "curves", "--set", "figure.metrics=pass"}, exitInput, `figure "curves": no variant shown has a metric "pass"`},
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

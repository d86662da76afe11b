package plots

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"modebench/experiments/record"
	"modebench/plots/numbers"
)

// fileOf is the file of a figure's data.
func fileOf(t testing.TB, d *Data) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := d.Write(&buf); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// TestDataDrawsTheSame: of every kind, data that were written and read draw the bytes that the
// records do, and have the same table; written again they are the same file.
func TestDataDrawsTheSame(t *testing.T) {
	drawnKinds := map[string]bool{}
	for _, x := range shownGallery(t) {
		file := fileOf(t, x.data)
		again, err := ParseData(file)
		if err != nil {
			t.Errorf("%s: %v", x.fig.Name, err)
			continue
		}
		_, svg, table := drawn(t, again)
		if !bytes.Equal(x.svg, svg) {
			t.Errorf("%s: the figure from the file differs from that from records", x.fig.Name)
		}
		if diff := cmp.Diff(x.values, table, cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("%s: the table from the file differs: %s", x.fig.Name, diff)
		}
		if len(table) == 0 || len(table[0].Rows) == 0 {
			t.Errorf("%s: a table without rows", x.fig.Name)
		}
		for _, p := range table {
			for _, row := range p.Rows {
				if len(row.Cells) != len(p.Columns) {
					t.Errorf("%s: panel %q, row %q has %d cells for %d columns", x.fig.Name, p.Title, row.Name, len(row.Cells), len(p.Columns))
				}
			}
		}
		if !bytes.Equal(file, fileOf(t, again)) {
			t.Errorf("%s: written again the file differs", x.fig.Name)
		}
		drawnKinds[x.fig.Kind] = true
	}
	for _, kind := range kindNames() {
		if !drawnKinds[kind] {
			t.Errorf("the gallery has no figure of kind %s", kind)
		}
	}
}

// TestBesideFromData: sides from files are drawn as sides from records.
func TestBesideFromData(t *testing.T) {
	run := banditRun(t, 2, 40, 20)
	fig := record.Figure{Name: "curve", Kind: "curve", Title: "Reward and modes", Metrics: []string{"reward", "correct_modes_alive"}}
	side := sideOf(t, run, fig, "a")
	again, err := ParseData(fileOf(t, side.Data))
	if err != nil {
		t.Fatal(err)
	}
	want := drawBeside(t, []Side{side, {side.Data, "b", "b"}})
	if got := drawBeside(t, []Side{{again, "a", "a"}, {again, "b", "b"}}); !bytes.Equal(want.Bytes, got.Bytes) {
		t.Error("figures beside each other differ from those of records")
	}
}

const smallData = `{"modebench_figure":1,"spec":"s","policy":"tabular",
"figure":{"name":"f","kind":"curve","metrics":["reward"]},"variants":[
{"label":"grpo","name":"grpo","method":"grpo","trains":true,"seeds":[0,1],"steps":[0,10],"series":[
{"metric":"reward","mean":[0.25,0.5],"low":[0.125,null],"high":[0.5,null]}]}]}
`

// TestParseDataErrors: parts that contradict each other are an error of one line with the place.
func TestParseDataErrors(t *testing.T) {
	if d, err := ParseData([]byte(smallData)); err != nil || d.Variants[0].Series[0].At(0, 2).N != 2 {
		t.Fatalf("the file as it is: %v", err)
	}
	river := `"rivers":{"modes":[{"mode":"a","correct":true,"mass":1}],"ranks":[[1,1]],"seed":0,"masses":[[1,1]]}`
	series := smallData[strings.Index(smallData, `"series"`):strings.LastIndex(smallData, "}]}")]
	pools := `"pools":{"env":{"name":"bandit","params":{}},"split":"train","at":[{"step":0,"id":"train/0","answers":[{"mode":"a","reward":[1,0]}]},{"step":10,"id":"train/0","answers":[{"embedding":[1]}]}]}`
	kinded := func(kind, with string) func(string) string {
		return func(s string) string {
			return strings.NewReplacer(`"kind":"curve"`, `"kind":"`+kind+`"`, series, with).Replace(s)
		}
	}
	change := func(pairs ...string) func(string) string { return strings.NewReplacer(pairs...).Replace }
	both := func(f func(string) string, pairs ...string) func(string) string {
		return func(s string) string { return change(pairs...)(f(s)) }
	}
	for _, c := range []struct {
		reason string
		change func(string) string
		want   string
	}{
		{"no JSON", change("}]}]}", "}]}"), "5:1: unexpected end of JSON input"},
		{"other JSON", change(`"modebench_figure":1,`, ""), `not the data of a figure: it does not begin with {"modebench_figure":`},
		{"another version", change(`figure":1`, `figure":7`), "modebench_figure: got version 7, want 1"},
		{"an unknown field", change(`"spec"`, `"spek"`), `unknown field "spek"`},
		{"a field twice", change(`"spec":"s"`, `"spec":"r","spec":"s"`), `the object has "spec" twice`},
		{"a seed that is none", change("[0,1]", "[0,null]"), "variants[0].seeds[1]: got null, want a value"},
		{"a mass that is none", both(kinded("modes", river), "[[1,1]],\"seed\"", "[[1,null]],\"seed\""), "variants[0].rivers.ranks[0][1]: got null"},
		{"another kind", change(`"curve"`, `"pie"`), `figure.kind: got "pie", want one of agreement, answers, bars,`},
		{"the name of the manifest", change(`"name":"f"`, `"name":"run"`), `figure.name: got "run", want a name for files`},
		{"a name that leaves the folder", change(`"name":"f"`, `"name":"../f"`), `figure.name: got "../f", want a name for files`},
		{"no name", change(`"name":"f"`, `"name":""`), `figure.name: got "", want a name`},
		{"no variants", func(s string) string { return s[:strings.Index(s, `,"variants"`)] + "}" }, "0 variants and 0 claims in a figure of kind curve"},
		{"variants of claims", change(`"curve"`, `"claims"`), "1 variants and 0 claims in a figure of kind claims"},
		{"a step below 0", change(`"metrics":["reward"]`, `"steps":[-1]`), "a step or problem below 0"},
		{"no seeds", change("[0,1]", "[]"), "variants[0]: no seeds or no steps"},
		{"steps in no order", change("[0,10]", "[10,0]"), "variants[0]: steps[1]: got 0, want ascending steps"},
		{"too few means", change("[0.25,0.5]", "[0.25]"), "variants[0]: series[0]: 1 means, 0 n, 2 low and 2 high for 2 steps"},
		{"no upper bounds", change(`,"high":[0.5,null]`, ""), "2 low and 0 high for 2 steps"},
		{"a bound above the mean", change("[0.125,null]", "[0.375,null]"), "series[0]: [0]: mean 0.25, low 0.375, high 0.5, want low <= mean <= high"},
		{"more seeds than there are", change(`"mean"`, `"n":[2,3],"mean"`), "n[1]: got 3, want 1 to 2"},
		{"nothing over two seeds", change(`"mean":[0.25`, `"n":[2,2],"mean":[null`), "mean[0]: got null over 2 seeds"},
		{"a huge number", change("0.5]", "1e200]"), "want low <= mean <= high, within 1e+150 of 0"},
		{"a number beyond floats", change("0.5]", "1e999]"), "got number 1e999, want a finite number"},
		{"a metric twice", change("\"series\":[\n", "\"series\":[\n{\"metric\":\"reward\",\"mean\":[1,1]},"), `series[1]: a second series of "reward"`},
		{"rivers", kinded("modes", river), ""},
		{"rivers of another length", both(kinded("modes", river), "[[1,1]],\"seed\"", "[[1]],\"seed\""), "variants[0]: rivers: a list of 1 masses for 2 steps"},
		{"more ranks than modes", both(kinded("modes", river), "[[1,1]],\"seed\"", "[[1,1],[0,0]],\"seed\""), "2 ranks of 1 rewarded modes"},
		{"masses of fewer modes", both(kinded("modes", river), "\"masses\":[[1,1]]", "\"masses\":[]"), "1 modes, masses of 0 and 1 ranks"},
		{"a mass of more than 1", both(kinded("modes", river), "[[1,1]],\"seed\"", "[[1,1.5]],\"seed\""), "a mass outside 0 to 1"},
		{"scores", kinded("gain", `"scores":[{"metric":"reward","values":[0.5,1]}]`), ""},
		{"scores of fewer seeds", kinded("gain", `"scores":[{"metric":"reward","values":[0.5]}]`), "scores[0]: 1 values for 2 seeds"},
		{"a score that is none", kinded("gain", `"scores":[{"metric":"reward","values":[0.5,null]}]`), "scores[0].values[1]: got null, want a value"},
		{"pools", kinded("map", pools), ""},
		{"pools of a curve", change(series, pools), "pools of answers belong to the kinds that draw them, and this figure is of kind curve"},
		{"a tree without pools", change(`"curve"`, `"tree"`), "pools of answers belong to the kinds that draw them, and this figure is of kind tree"},
		{"a pool of another step", both(kinded("map", pools), `"at":[{"step":0`, `"at":[{"step":1`), "pools: at[0]: 1 answers at step 1, want one or more at step 0"},
		{"rewards of two lengths", both(kinded("map", pools), `{"embedding":[1]}`, `{"reward":[1]}`), "at[1].answers[0].reward: a reward of 1 components, want 2 as before"},
		{"embeddings of two lengths", both(kinded("map", pools), `[1]}]}]}`, `[1]},{"embedding":[1,2]}]}]}`), "at[1].answers[1]: an embedding of 2 numbers, want 1"},
	} {
		_, err := ParseData([]byte(c.change(smallData)))
		if (c.want == "") != (err == nil) || err != nil && (!strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%s:\n got %v\nwant %s", c.reason, err, c.want)
		}
	}
	if _, err := OpenData(filepath.Join(t.TempDir(), "nothing.json")); err == nil || !strings.Contains(err.Error(), "nothing.json") {
		t.Errorf("no file: %v", err)
	}
}

// TestHugeK: a file from elsewhere may name any k, and is drawn all the same. A k
// that no metric has is left out.
func TestHugeK(t *testing.T) {
	for _, c := range []struct{ metric, rows string }{
		{"pass@1073741824", "1 1073741824"},
		{"pass@1073741825", "1"},
		{"pass@9223372036854775807", "1"},
	} {
		data, err := ParseData([]byte(`{"modebench_figure":1,"spec":"k","policy":"tabular",
"figure":{"name":"k","kind":"k-curve","metrics":["pass"]},"variants":[
{"label":"grpo","name":"grpo","method":"grpo","trains":true,"seeds":[0,1],"steps":[20],"series":[
{"metric":"pass@1","mean":[0.8],"low":[0.7],"high":[0.9]},
{"metric":"` + c.metric + `","mean":[0.9],"low":[0.8],"high":[1]}]}]}`))
		if err != nil {
			t.Fatal(err)
		}
		_, _, values := drawn(t, data)
		var rows []string
		for _, row := range values[0].Rows {
			rows = append(rows, row.Name)
		}
		if got := strings.Join(rows, " "); got != c.rows {
			t.Errorf("%s: rows %q, want %q", c.metric, got, c.rows)
		}
	}
}

// TestRiversWithoutRanks: where no mode is rewarded there are none, and the file that says
// so can be read.
func TestRiversWithoutRanks(t *testing.T) {
	series := smallData[strings.Index(smallData, `"series"`):strings.LastIndex(smallData, "}]}")]
	text := strings.NewReplacer(`"kind":"curve"`, `"kind":"modes"`, series, `"rivers":{"modes":[{"mode":"a","mass":1}],"seed":0,"masses":[[1,1]]}`).Replace(smallData)
	d, err := ParseData([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := d.Write(&file); err != nil {
		t.Fatal(err)
	}
	again, err := ParseData(file.Bytes())
	if err != nil {
		t.Fatalf("%v\n%s", err, file.Bytes())
	}
	if d := cmp.Diff(d.Variants[0].Rivers, again.Variants[0].Rivers); d != "" {
		t.Errorf("what was read and what is read again (-want +got):\n%s", d)
	}
}

// FuzzParseData: no text breaks the reader, or the drawing of data that it accepts; these
// are written and read as the same.
func FuzzParseData(f *testing.F) {
	for _, x := range shownGallery(f) {
		if text := fileOf(f, x.data); len(text) < 20000 {
			f.Add(text)
		}
	}
	f.Add([]byte(smallData))
	f.Add(slices.Concat([]byte(smallData), []byte("x")))
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := ParseData(text)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") {
				t.Fatalf("an error of several lines: %q", err)
			}
			return
		}
		again, err := ParseData(fileOf(t, d))
		if err != nil {
			t.Fatalf("what was written is not read: %v", err)
		}
		if diff := cmp.Diff(d, again, cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(numbers.Variant{})); diff != "" {
			t.Fatalf("read again it differs: %s", diff)
		}
		made, _, err := d.DrawValues()
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") {
				t.Fatalf("an error of several lines: %q", err)
			}
			return
		}
		var buf bytes.Buffer
		if width, height := made.Size(); width < 1e5 && height < 1e5 {
			if err := made.WriteSVG(&buf); err != nil {
				t.Fatal(err)
			}
		}
	})
}

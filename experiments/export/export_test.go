package export

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/record"
)

// The fixture is two experiments in one folder. Labels and parameters have all that CSV has
// to quote, axes and metrics are called like other columns, numbers are at the ends of float64,
// parameters are of several types, and not everything is everywhere.
var fixture = map[string]string{
	"one/run.json": `{"version":2,"spec":"one","title":"","source":"","cells":"../cells","columns":["reward"],"variants":[
		{"label":"grpo, \"a\"\nlr=0.1 é","name":"mine","method":"grpo","trains":true,"axes":[{"field":"train.lr","value":"0.1"},{"field":"step","value":"4"},{"field":"env","value":"bandit"}],
		 "cells":[{"seed":0,"id":"a0"},{"seed":1,"id":"a1"}]},
		{"label":"base","name":"base","method":"base","trains":false,"axes":null,"cells":[{"seed":0,"id":"b0"}]}],"figures":null,"claims":null}`,
	"two/run.json": `{"version":2,"spec":"two","title":"","source":"","cells":"../cells","columns":["reward"],"variants":[
		{"label":"=rloo","name":"rloo","method":"rloo","trains":true,"axes":[{"field":"lambda","value":"inf"},{"field":"train.lr","value":"1e-05"}],"cells":[{"seed":7,"id":"c7"}]}],"figures":null,"claims":null}`,
	"cells/a0/eval.jsonl": `{"step":0,"exact":true,"metrics":{"pass@2":0.1,"pass@16":5e-324,"seed":-0,"reward":1.7976931348623157e308}}
{"step":10,"exact":false,"metrics":{"pass@2":0.30000000000000004,"reward":-1e21}}
`,
	"cells/a1/eval.jsonl": `{"step":0,"exact":true,"metrics":{}}` + "\n",
	"cells/b0/eval.jsonl": ``,
	"cells/c7/eval.jsonl": `{"step":3,"exact":true,"metrics":{"train.lr":123456789,"value":0.1,"pass@1":1}}` + "\n",
	"cells/a0/train.jsonl": `{"step":0,"reward":0.1,"correct":1,"solved":0.25,"clusters":3,"entropy":2.4849066497880012,"advantage":1e-300,"loss":-1e-17,"grad_norm":7,"kl":0,"clipped":0.5}
{"step":5,"reward":0.2}
`,
	"cells/a1/train.jsonl": ``,
	"cells/b0/train.jsonl": ``,
	"cells/c7/train.jsonl": `{"step":1,"reward":1}` + "\n",
	"cells/a0/cell.json":   `{"version":2,"env":{"name":"bandit","params":{"modes":12,"form":"","mixed":1,"same":true}},"policy":{"name":"tabular","params":{"sharing":"shared"}},"method":"grpo","estimator":{"k":[1,2],"nested":{"deep":0.1,"none":null}},"objective":null,"train":{"lr":0.1},"eval":{"modes":false},"seed":0}`,
	"cells/a1/cell.json":   `{"version":2,"env":{"name":"bandit","params":{"modes":12,"form":"x,\n\"y\"","mixed":"a"}},"policy":{"name":"tabular","params":null},"method":"grpo","estimator":{},"objective":{"clip":0.2},"rewards":{"noise":0.1},"train":{"lr":1e-5},"eval":{"modes":true},"seed":1}`,
	"cells/b0/cell.json":   `{"version":2,"env":{"name":"maze","params":{"mixed":true}},"policy":{"name":"tabular","params":null},"method":"base","estimator":null,"objective":null,"train":null,"eval":null,"seed":0}`,
	"cells/c7/cell.json":   `{"version":2,"env":{"name":"maze","params":null},"policy":{"name":"transformer","params":null},"method":"rloo","estimator":null,"objective":null,"protocol":{"votes":9},"train":null,"eval":null,"seed":7}`,
}

var headers = map[string]string{
	"evals":      "spec label name method seed cell train.lr axis.step env lambda step exact metric value",
	"evals_wide": "spec label name method seed cell train.lr axis.step env lambda step exact pass@1 pass@2 pass@16 reward metric.seed metric.train.lr value",
	"trains":     "spec label name method seed cell train.lr axis.step env lambda step reward correct solved clusters entropy advantage loss grad_norm kl clipped",
	"cells": "spec label name method seed cell trains env env.form env.mixed env.modes env.same policy policy.sharing estimator.k estimator.nested.deep objective.clip protocol.votes" +
		" rewards.noise train.lr eval.modes evals step exact pass@1 pass@2 reward metric.train.lr value",
}

// ofRecords are the tables of records as they are. The fixture has a cell without an evaluation to sum up.
var ofRecords = []string{"evals", "trains", "cells"}

// renamed are columns whose names differ from those of the records.
var renamed = map[string]string{"axis step": "axis.step", "metric seed": "metric.seed", "metric train.lr": "metric.train.lr"}

// openFixture writes the fixture, with other as replacements of some files, and opens it.
func openFixture(t testing.TB, other map[string]string) (dir string, runs []*record.Run) {
	t.Helper()
	dir = t.TempDir()
	for name, content := range fixture {
		if o, ok := other[name]; ok {
			content = o
		}
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	finish(t, dir)
	for _, name := range []string{"one", "two"} {
		run, err := record.Open(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, run)
	}
	return dir, runs
}

// finish writes the DONE of every cell of a fixture.
func finish(t testing.TB, dir string) {
	t.Helper()
	cells, err := filepath.Glob(filepath.Join(dir, "cells", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, cell := range cells {
		err := os.WriteFile(filepath.Join(cell, record.CheckpointFile), nil, 0o644)
		done, failed := record.HashFiles(cell)
		if err := errors.Join(err, failed, os.WriteFile(filepath.Join(cell, record.DoneFile), done, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

func write(t testing.TB, out string, runs []*record.Run, opt Options) []string {
	t.Helper()
	files, err := Write(context.Background(), out, runs, opt)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// A row by the names of columns: string, float64, int64 or bool; absent: missing.
type row = map[string]any

// document decodes JSON by encoding/json alone.
func document(t testing.TB, data []byte) map[string]any {
	t.Helper()
	var doc map[string]any
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

func documents(t testing.TB, path string) (out []map[string]any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		out = append(out, document(t, line))
	}
	return out
}

// want reads the rows of a table from the files of the fixture, without this package or
// the reader of records.
func want(t testing.TB, dir, table string) (out []row) {
	for _, name := range []string{"one", "two"} {
		data, err := os.ReadFile(filepath.Join(dir, name, "run.json"))
		if err != nil {
			t.Fatal(err)
		}
		manifest := document(t, data)
		for _, entry := range manifest["variants"].([]any) {
			v := entry.(map[string]any)
			for _, entry := range v["cells"].([]any) {
				ref := entry.(map[string]any)
				label := strings.ReplaceAll(v["label"].(string), "\n", `\n`) // a line end in a label is made visible
				head := row{"spec": manifest["spec"], "label": label, "name": v["name"], "method": v["method"], "seed": int64(ref["seed"].(float64)), "cell": ref["id"]}
				out = append(out, wantCell(t, filepath.Join(dir, "cells", ref["id"].(string)), table, head, v)...)
			}
		}
	}
	return out
}

// wantCell is want for one cell; head are the columns that its rows share.
func wantCell(t testing.TB, folder, table string, head row, v map[string]any) (out []row) {
	axes, _ := v["axes"].([]any)
	for _, entry := range axes {
		a := entry.(map[string]any)
		field := a["field"].(string)
		if r := renamed["axis "+field]; r != "" {
			field = r
		}
		switch {
		case table == "cells":
		case field == "train.lr" || field == "axis.step":
			head[field], _ = strconv.ParseFloat(a["value"].(string), 64)
		default:
			head[field] = a["value"]
		}
	}
	var wide []row
	for _, e := range documents(t, filepath.Join(folder, "eval.jsonl")) {
		r := maps.Clone(head)
		r["step"], r["exact"] = int64(e["step"].(float64)), e["exact"]
		metrics := e["metrics"].(map[string]any)
		for _, m := range []string{"pass@1", "pass@2", "pass@16", "reward", "seed", "train.lr", "value"} {
			x, ok := metrics[m]
			if !ok {
				continue
			}
			if table == "evals" {
				long := maps.Clone(r)
				long["metric"], long["value"] = m, x
				out = append(out, long)
			}
		}
		for m, x := range metrics {
			if other := renamed["metric "+m]; other != "" {
				m = other
			}
			r[m] = x
		}
		wide = append(wide, r)
	}
	switch table {
	case "evals_wide":
		return wide
	case "trains":
		for _, rec := range documents(t, filepath.Join(folder, "train.jsonl")) {
			r := maps.Clone(head)
			for _, name := range strings.Fields(headers["trains"])[11:] {
				r[name] = 0.0 // fields that a record leaves out
			}
			maps.Copy(r, rec)
			r["step"] = int64(rec["step"].(float64))
			out = append(out, r)
		}
	case "cells":
		r := head
		if len(wide) > 0 {
			r = wide[len(wide)-1]
		}
		return []row{wantParams(t, folder, r, v["trains"], len(wide))}
	}
	return out
}

func wantParams(t testing.TB, folder string, r row, trains any, evals int) row {
	cell := documents(t, filepath.Join(folder, "cell.json"))[0]
	r["trains"], r["evals"] = trains, int64(evals)
	var add func(path string, v any)
	add = func(path string, v any) {
		switch x := v.(type) {
		case nil:
		case map[string]any:
			for k, v := range x {
				add(path+"."+k, v)
			}
		case []any:
			r[path] = strings.ReplaceAll(fmt.Sprint(x), " ", ",")
		default:
			r[path] = x
			if path == "env.mixed" {
				r[path] = fmt.Sprint(x)
			}
		}
	}
	for _, part := range []string{"env", "policy"} {
		r[part] = cell[part].(map[string]any)["name"]
		add(part, cell[part].(map[string]any)["params"])
	}
	for _, part := range []string{"estimator", "objective", "protocol", "rewards", "train", "eval"} {
		add(part, cell[part])
	}
	return r
}

// same compares the rows that a reader found with those wanted. CSV has texts alone, and an empty
// text for a missing value.
func same(t *testing.T, what string, want []row, header []string, got [][]any, isText bool) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d rows, want %d", what, len(got), len(want))
		return
	}
	for i, values := range got {
		if extra := slices.DeleteFunc(slices.Collect(maps.Keys(want[i])), func(name string) bool { return slices.Contains(header, name) }); len(extra) > 0 {
			t.Errorf("%s, row %d: no columns for %v", what, i, extra)
		}
		for c, name := range header {
			w, g := want[i][name], values[c]
			if isText {
				g = typed(g.(string), w)
				if text, ok := w.(string); ok && strings.HasPrefix(text, "=") {
					w = "'" + text // else it would be a formula
				}
			}
			if x, ok := w.(float64); ok {
				y, isFloat := g.(float64)
				if !isFloat || math.Float64bits(x) != math.Float64bits(y) {
					t.Errorf("%s, row %d, %s: got %#v, want %#v", what, i, name, g, w)
				}
			} else if g != w {
				t.Errorf("%s, row %d, %s: got %#v, want %#v", what, i, name, g, w)
			}
		}
	}
}

// typed reads a field of CSV as a value of the wanted type.
func typed(field string, want any) any {
	switch want.(type) {
	case nil:
		if field == "" {
			return nil
		}
	case float64:
		if x, err := strconv.ParseFloat(field, 64); err == nil {
			return x
		}
	case int64:
		if n, err := strconv.ParseInt(field, 10, 64); err == nil {
			return n
		}
	case bool:
		if b, err := strconv.ParseBool(field); err == nil {
			return b
		}
	}
	return field
}

func readCSV(t testing.TB, path string) (header []string, rows [][]any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records[1:] {
		var values []any
		for _, field := range r {
			values = append(values, field)
		}
		rows = append(rows, values)
	}
	return records[0], rows
}

// TestTables holds every table, read back from both formats, against the records as
// encoding/json reads them.
func TestTables(t *testing.T) {
	dir, runs := openFixture(t, nil)
	out := t.TempDir()
	var files []string
	for _, path := range write(t, out, runs, Options{Wide: true, Tables: ofRecords}) {
		files = append(files, filepath.Base(path))
	}
	all := []string{"evals.csv", "evals.parquet", "evals_wide.csv", "evals_wide.parquet", "trains.csv", "trains.parquet", "cells.csv", "cells.parquet"}
	if d := cmp.Diff(all, files); d != "" {
		t.Errorf("files (-want +got):\n%s", d)
	}
	for table, names := range headers {
		rows := want(t, dir, table)
		header, got := readCSV(t, filepath.Join(out, table+".csv"))
		if d := cmp.Diff(strings.Fields(names), header); d != "" {
			t.Errorf("%s.csv: columns (-want +got):\n%s", table, d)
		}
		same(t, table+".csv", rows, header, got, true)
		header, got = readParquet(t, filepath.Join(out, table+".parquet"))
		if d := cmp.Diff(strings.Fields(names), header); d != "" {
			t.Errorf("%s.parquet: columns (-want +got):\n%s", table, d)
		}
		same(t, table+".parquet", rows, header, got, false)
	}
}

// TestWideAndLongAgree turns the long table into the wide one.
func TestWideAndLongAgree(t *testing.T) {
	_, runs := openFixture(t, nil)
	out := t.TempDir()
	write(t, out, runs, Options{Wide: true, Tables: []string{"evals"}, Formats: []string{"csv"}})
	header, wide := readCSV(t, filepath.Join(out, "evals_wide.csv"))
	long := map[string]string{}
	_, rows := readCSV(t, filepath.Join(out, "evals.csv"))
	metric := len(rows[0]) - 2
	for _, r := range rows {
		key := fmt.Sprint(r[:metric], r[metric])
		if _, twice := long[key]; twice {
			t.Errorf("two rows of %s", key)
		}
		long[key] = r[metric+1].(string)
	}
	for _, r := range wide {
		for c := metric; c < len(header); c++ {
			key := fmt.Sprint(r[:metric], strings.TrimPrefix(header[c], "metric."))
			value := long[key]
			if delete(long, key); value != r[c] {
				t.Errorf("%s: %q in the long table, %q in the wide one", key, value, r[c])
			}
		}
	}
	if len(long) > 0 {
		t.Errorf("in the long table alone: %v", long)
	}
}

func TestSameBytes(t *testing.T) {
	_, runs := openFixture(t, nil)
	_, again := openFixture(t, nil) // of another folder
	out, out2 := t.TempDir(), t.TempDir()
	files := write(t, out, runs, Options{Wide: true, Tables: ofRecords})
	write(t, out2, again, Options{Wide: true, Tables: ofRecords})
	for _, path := range files {
		a, err := os.ReadFile(path)
		b, err2 := os.ReadFile(filepath.Join(out2, filepath.Base(path)))
		if errors.Join(err, err2) != nil || !bytes.Equal(a, b) || len(a) == 0 {
			t.Errorf("%s: %d and %d bytes that differ (%v, %v)", filepath.Base(path), len(a), len(b), err, err2)
		}
	}
}

// TestErrors: one line that names the place, the tables of before untouched, and nothing
// left behind.
func TestErrors(t *testing.T) {
	eval := fixture["cells/c7/eval.jsonl"]
	for _, c := range []struct {
		reason string
		other  map[string]string
		opt    Options
		want   string
	}{
		{"a line cut off", map[string]string{"cells/c7/eval.jsonl": eval[:20]}, Options{}, "eval.jsonl: the last line is cut off: run the experiment again"},
		{"a line that is no JSON", map[string]string{"cells/a0/train.jsonl": "{}\n{\n"}, Options{}, "train.jsonl:2: "},
		{"an evaluation twice", map[string]string{"cells/c7/eval.jsonl": eval + eval}, Options{}, "eval.jsonl:2: step 3 after step 3: run the experiment again"},
		{"steps in disorder", map[string]string{"cells/a0/train.jsonl": "{\"step\":2}\n{\"step\":1}\n"}, Options{}, "train.jsonl:2: step 1 after step 2"},
		{"another cell's file", map[string]string{"cells/c7/cell.json": fixture["cells/a0/cell.json"]}, Options{}, "cell.json: method grpo with seed 0, where run.json of "},
		{"an unknown table", nil, Options{Tables: []string{"evlas"}}, `unknown table "evlas"; tables: [evals trains cells summary]`},
		{"an unknown format", nil, Options{Formats: []string{"xlsx"}}, `unknown format "xlsx"; formats: [csv parquet]`},
		{"wide without evals", nil, Options{Wide: true, Tables: []string{"cells"}}, "the wide table goes with evals, which is not asked for"},
	} {
		_, runs := openFixture(t, c.other)
		out := t.TempDir()
		before := filepath.Join(out, "evals.csv")
		if err := os.WriteFile(before, []byte("of before"), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := Write(context.Background(), out, runs, c.opt)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s:\n got %v\nwant one line with %q", c.reason, err, c.want)
		}
		entries, failed := os.ReadDir(out)
		data, unread := os.ReadFile(before)
		if errors.Join(failed, unread) != nil || len(entries) != 1 || string(data) != "of before" {
			t.Errorf("%s: left behind %v, evals.csv is %q", c.reason, entries, data)
		}
	}
}

func TestOtherErrors(t *testing.T) {
	_, runs := openFixture(t, nil)
	if _, err := Write(context.Background(), t.TempDir(), []*record.Run{runs[0], runs[0]}, Options{}); err == nil || !strings.Contains(err.Error(), "are both of spec one") {
		t.Errorf("a spec twice: %v", err)
	}
	nowhere := filepath.Join(t.TempDir(), "nowhere")
	_, err := Write(context.Background(), nowhere, runs, Options{})
	var at *fs.PathError
	if !errors.As(err, &at) || at.Path != filepath.Join(nowhere, "evals.csv") {
		t.Errorf("no folder: %v, want an error that names the file", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	out := t.TempDir()
	if _, err := Write(ctx, out, runs, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	if entries, err := os.ReadDir(out); err != nil || len(entries) > 0 {
		t.Errorf("interrupted: left behind %v (%v)", entries, err)
	}
	taken := t.TempDir()
	if err := os.Mkdir(filepath.Join(taken, "cells.csv"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(context.Background(), taken, runs, Options{Tables: []string{"cells"}}); !errors.As(err, &at) || at.Path != filepath.Join(taken, "cells.csv") {
		t.Errorf("a folder of the name: %v", err)
	}
	if entries, err := os.ReadDir(taken); err != nil || len(entries) != 1 {
		t.Errorf("a folder of the name: left behind %v (%v)", entries, err)
	}
}

func TestCompareMetrics(t *testing.T) {
	want := []string{"coverage@1", "coverage@2", "coverage@16", "pass", "pass@x", "pass@1", "pass@2", "pass@16", "reward"}
	got := sortedMetrics(map[string]int{"pass@16": 0, "pass@2": 0, "reward": 0, "pass@1": 0, "coverage@16": 0, "pass": 0, "coverage@2": 0, "coverage@1": 0, "pass@x": 0})
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestMissingNumbers: NaN is a missing value.
func TestMissingNumbers(t *testing.T) {
	if v := numberOf(math.NaN()); v != nil {
		t.Error("NaN is a value")
	}
	for _, s := range []string{"0x1p-2", "inf", "NaN", "1_000", "", "adam", "1e999"} {
		if _, ok := parseNumber(s); ok {
			t.Errorf("%q is taken for a number", s)
		}
	}
}

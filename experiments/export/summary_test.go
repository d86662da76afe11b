package export

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/metrics/stats"
)

// summarised are three seeds of a variant, one of the second, and one without the metric.
var summarised = map[string]string{
	"one/run.json": `{"version":2,"spec":"one","title":"","source":"","cells":"../cells","columns":["reward"],"variants":[
		{"label":"grpo, \"a\"\nlr=0.1 é","name":"mine","method":"grpo","trains":true,"axes":[{"field":"train.lr","value":"0.1"},{"field":"step","value":"4"},{"field":"env","value":"bandit"}],
		 "cells":[{"seed":0,"id":"a0"},{"seed":1,"id":"a1"},{"seed":2,"id":"c7"}]},
		{"label":"base","name":"base","method":"base","trains":false,"axes":null,"cells":[{"seed":0,"id":"b0"}]}],"figures":null,"claims":null}`,
	"two/run.json": `{"version":2,"spec":"two","title":"","source":"","cells":"../cells","columns":["pass@1"],"variants":[
		{"label":"=rloo","name":"rloo","method":"rloo","trains":true,"axes":[{"field":"lambda","value":"inf"},{"field":"train.lr","value":"1e-05"}],"cells":[{"seed":7,"id":"c7"}]}],"figures":null,"claims":null}`,
	"cells/a0/eval.jsonl": `{"step":0,"exact":true,"metrics":{"reward":9}}` + "\n" + `{"step":10,"exact":false,"metrics":{"reward":0.25}}` + "\n",
	"cells/a1/eval.jsonl": `{"step":10,"exact":false,"metrics":{"reward":0.5}}` + "\n",
	"cells/c7/eval.jsonl": `{"step":10,"exact":false,"metrics":{"reward":0.75}}` + "\n",
	"cells/b0/eval.jsonl": `{"step":0,"exact":true,"metrics":{"reward":0.125}}` + "\n",
}

// TestSummaryTable: a row for every variant and column, with missing values for undefined ones.
func TestSummaryTable(t *testing.T) {
	_, runs := openFixture(t, summarised)
	out := t.TempDir()
	files := write(t, out, runs, Options{Tables: []string{"summary"}})
	if d := cmp.Diff([]string{filepath.Join(out, "summary.csv"), filepath.Join(out, "summary.parquet")}, files); d != "" {
		t.Errorf("files (-want +got):\n%s", d)
	}
	header, rows := readCSV(t, files[0])
	want := "spec label name method train.lr axis.step env lambda seeds exact step metric n mean low high"
	if d := cmp.Diff(strings.Fields(want), header); d != "" {
		t.Errorf("columns (-want +got):\n%s", d)
	}
	interval := stats.MeanInterval([]float64{0.25, 0.5, 0.75})
	wantRows := [][]any{
		{"one", "grpo, \"a\"\\nlr=0.1 é", "mine", "grpo", "0.1", "4", "bandit", "", "3", "0", "10", "reward", "3", "0.5", fmt.Sprint(interval.Low), fmt.Sprint(interval.High)},
		{"one", "base", "base", "base", "", "", "", "", "1", "1", "0", "reward", "1", "0.125", "", ""},
		{"two", "'=rloo", "rloo", "rloo", "1e-05", "", "", "inf", "1", "0", "10", "pass@1", "1", "", "", ""},
	}
	if d := cmp.Diff(wantRows, rows); d != "" {
		t.Errorf("rows (-want +got):\n%s", d)
	}
}

// TestSummaryErrors: a cell without an evaluation has nothing to sum up.
func TestSummaryErrors(t *testing.T) {
	_, runs := openFixture(t, nil)
	for _, opt := range []Options{{Tables: []string{"summary"}}, {}} {
		_, err := Write(context.Background(), t.TempDir(), runs, opt)
		if err == nil || !strings.Contains(err.Error(), "base: ") || !strings.Contains(err.Error(), "b0 holds no evaluation") {
			t.Errorf("%v: got %v, want an error about the cell b0 of base", opt.Tables, err)
		}
	}
}

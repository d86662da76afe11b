package export

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/record"
	"modebench/metrics/stats"
)

// summarised gives every variant of a run the mean of its place, one seed and no interval
// for the second.
func summarised(run *record.Run) ([]Summary, error) {
	var out []Summary
	for i := range run.Variants {
		at := stats.Interval{N: 2, Mean: 0.5, Low: 0.25, High: 0.75}
		if i == 1 {
			at = stats.Interval{N: 1, Mean: 0.125, Low: math.Inf(-1), High: math.Inf(1)}
		}
		if run.Spec == "two" {
			at = stats.Interval{Mean: math.NaN(), Low: math.NaN(), High: math.NaN()}
		}
		out = append(out, Summary{Seeds: 2 - i, Exact: i, Step: 10, Cells: []stats.Interval{at}})
	}
	return out, nil
}

// TestSummaryTable: a row for every variant and column, with missing values for undefined ones.
func TestSummaryTable(t *testing.T) {
	_, runs := openFixture(t, nil)
	out := t.TempDir()
	files := write(t, out, runs, Options{Tables: []string{"summary"}, Summary: summarised})
	if d := cmp.Diff([]string{filepath.Join(out, "summary.csv"), filepath.Join(out, "summary.parquet")}, files); d != "" {
		t.Errorf("files (-want +got):\n%s", d)
	}
	header, rows := readCSV(t, files[0])
	want := "spec label name method train.lr axis.step env lambda seeds exact step metric n mean low high"
	if d := cmp.Diff(strings.Fields(want), header); d != "" {
		t.Errorf("columns (-want +got):\n%s", d)
	}
	wantRows := [][]any{
		{"one", "grpo, \"a\"\\nlr=0.1 é", "mine", "grpo", "0.1", "4", "bandit", "", "2", "0", "10", "reward", "2", "0.5", "0.25", "0.75"},
		{"one", "base", "base", "base", "", "", "", "", "1", "1", "10", "reward", "1", "0.125", "", ""},
		{"two", "'=rloo", "rloo", "rloo", "1e-05", "", "", "inf", "2", "0", "10", "reward", "0", "", "", ""},
	}
	if d := cmp.Diff(wantRows, rows); d != "" {
		t.Errorf("rows (-want +got):\n%s", d)
	}
}

// TestSummaryErrors: summaries that do not fit, and none where one is asked for.
func TestSummaryErrors(t *testing.T) {
	_, runs := openFixture(t, nil)
	for _, c := range []struct {
		reason  string
		summary func(*record.Run) ([]Summary, error)
		want    string
	}{
		{"nothing works it out", nil, "the table summary takes a function"},
		{"it cannot be worked out", func(*record.Run) ([]Summary, error) { return nil, errors.New("a broken record") }, "a broken record"},
		{"too few variants", func(*record.Run) ([]Summary, error) { return nil, nil }, "a summary of 0 variants for 2"},
		{"too few metrics", func(*record.Run) ([]Summary, error) { return make([]Summary, 2), nil }, "a summary of 0 metrics of grpo"},
	} {
		_, err := Write(context.Background(), t.TempDir(), runs, Options{Tables: []string{"summary"}, Summary: c.summary})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.reason, err, c.want)
		}
	}
	if files := write(t, t.TempDir(), runs, Options{Formats: []string{"csv"}}); len(files) != 3 {
		t.Errorf("all tables without a summary: %v", files)
	}
}

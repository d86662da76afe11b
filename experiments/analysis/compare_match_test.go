package analysis

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/record"
	"modebench/internal/input"
)

// TestCompareLabels: the names of two sides select the variants compared.
func TestCompareLabels(t *testing.T) {
	grid := ran(t, "1", "[0.1, 1]")
	other := ran(t, "1", "0.1", "name = \"vpo\"", "name = \"rloo\"")
	further := ran(t, "1", "[1, 2]")
	for _, c := range []struct {
		reason           string
		old, new         Side
		pairs            []string
		onlyOld, onlyNew []string
	}{
		{"two methods at the settings they share", Side{grid, "grpo"}, Side{grid, "vpo"}, []string{"grpo lr=0.1 -> vpo lr=0.1", "grpo lr=1 -> vpo lr=1"}, nil, nil},
		{"one with one, whatever the settings", Side{grid, "grpo lr=0.1"}, Side{grid, "vpo lr=1"}, []string{"grpo lr=0.1 -> vpo lr=1"}, nil, nil},
		{"a method that does not train meets all settings", Side{grid, "base"}, Side{grid, "vpo"}, []string{"base -> vpo lr=0.1", "base -> vpo lr=1"}, nil, nil},
		{"a variant and a method: the setting of the variant", Side{grid, "grpo lr=1"}, Side{grid, "vpo"}, []string{"grpo lr=1 -> vpo lr=1"}, nil, []string{"vpo lr=0.1"}},
		{"the rate is no setting of one side", Side{other, "grpo"}, Side{grid, "grpo"}, []string{"grpo -> grpo lr=0.1", "grpo -> grpo lr=1"}, nil, nil},
		{"a name on one side: the same variants on the other", Side{grid, "grpo"}, Side{Run: grid}, []string{"grpo lr=0.1", "grpo lr=1"}, nil, nil},
		{"the other way round", Side{Run: grid}, Side{grid, "grpo lr=1"}, []string{"grpo lr=1"}, nil, nil},
		{"no names, and a list on one side alone", Side{Run: grid}, Side{Run: other}, []string{"base", "grpo lr=0.1 -> grpo", "grpo lr=1 -> grpo", "optimum"}, []string{"vpo lr=0.1", "vpo lr=1"}, []string{"rloo"}},
		{"the list on the other side", Side{Run: other}, Side{Run: grid}, []string{"base", "grpo -> grpo lr=0.1", "optimum", "grpo -> grpo lr=1"}, []string{"rloo"}, []string{"vpo lr=0.1", "vpo lr=1"}},
		{"a label that the other side lacks", Side{grid, "grpo lr=1"}, Side{Run: other}, []string{"grpo lr=1 -> grpo"}, nil, nil},
		{"two lists that share a value: no other value is its twin", Side{Run: grid}, Side{Run: further}, []string{"base", "grpo lr=1", "vpo lr=1", "optimum"}, []string{"grpo lr=0.1", "vpo lr=0.1"}, []string{"grpo lr=2", "vpo lr=2"}},
	} {
		got := compareSides(t, c.old, c.new, "reward")
		var pairs []string
		for i := range got.Variants {
			pairs = append(pairs, got.Variants[i].Label())
		}
		if d := cmp.Diff(c.pairs, pairs); d != "" {
			t.Errorf("%s: pairs (-want +got):\n%s", c.reason, d)
		}
		if d := cmp.Diff([][]string{c.onlyOld, c.onlyNew}, [][]string{got.OnlyOld, got.OnlyNew}); d != "" {
			t.Errorf("%s: on one side alone (-want +got):\n%s", c.reason, d)
		}
	}
}

// TestCompareMismatches: names that are not there, and results that do not fit.
func TestCompareMismatches(t *testing.T) {
	run := ran(t, "1", "0.1")
	strange := ran(t, "1", "0.1", "[[method]]\nname = \"base\"\n", "", "[[method]]\nname = \"optimum\"\n", "", "[[method]]\nname = \"vpo\"\n", "", "name = \"grpo\"", "name = \"grpo\"\nlabel = \"mine\"")
	fewer := ran(t, "1", "0.1", "k = [1, 4]", "k = [1, 2]", "pass@4", "pass@2", "reward", "best@2", "entropy_mode", "coverage@2")
	for _, c := range []struct {
		reason   string
		old, new Side
		metrics  []string
		name     bool
		want     string
	}{
		{"unknown label", Side{run, "grop"}, Side{Run: run}, nil, true, ` has no variant "grop"; did you mean grpo? it has base; grpo; vpo; optimum`},
		{"a label that is near to none", Side{run, "x"}, Side{Run: run}, nil, true, ` has no variant "x"; it has base; grpo; vpo; optimum`},
		{"a label that is near to a method", Side{strange, "gpro"}, Side{Run: strange}, nil, true, ` has no variant "gpro"; did you mean grpo? it has mine`},
		{"unknown metric with a family", Side{Run: run}, Side{Run: run}, []string{"pass@3"}, true, `unknown metric "pass@3"; both sides have pass@1|4`},
		{"unknown metric near some", Side{Run: run}, Side{Run: run}, []string{"entropy"}, true, `unknown metric "entropy"; both sides have entropy_mode, entropy_sequence, entropy_token`},
		{"unknown family near one", Side{Run: run}, Side{Run: run}, []string{"bets@4"}, true, `unknown metric "bets@4"; did you mean best@4? both sides have pass@1|4, best@1|4, `},
		{"unknown metric near none", Side{Run: run}, Side{Run: run}, []string{"x"}, true, `unknown metric "x"; both sides have pass@1|4, best@1|4, `},
		{"a metric twice", Side{Run: run}, Side{Run: run}, []string{"reward", "reward"}, true, `metric "reward" is asked for twice`},
		{"a metric of old alone", Side{Run: run}, Side{Run: fewer}, []string{"pass@4"}, true, "alone; " + fewer.Dir + " has pass@1|2"},
		{"a metric of new alone", Side{Run: fewer}, Side{Run: run}, []string{"pass@4"}, true, "alone; " + fewer.Dir + " has pass@1|2"},
		{"no column of new on both sides", Side{Run: run}, Side{Run: fewer}, nil, false, "the records of both sides have no column of " + fewer.Dir + " (best@2, pass@2, coverage@2) in common; "},
		{"no variant in common", Side{Run: run}, Side{Run: strange}, nil, false, "no variant is on both sides: " + run.Dir + " has base; grpo; vpo; optimum; " + strange.Dir + " has mine. Name one of each: OLD:LABEL NEW:LABEL"},
	} {
		_, err := Compare(c.old, c.new, CompareOptions{Metrics: c.metrics})
		var name *input.Usage
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") || errors.As(err, &name) != c.name {
			t.Errorf("%s: got %v\nwant %s (a mistaken name: %v)", c.reason, err, c.want, c.name)
		}
	}
	c := compareSides(t, Side{Run: run}, Side{Run: ran(t, "1", "0.1", "[1, 4]", "[1, 2, 4]", `"entropy_mode"`, `"best@2"`)})
	if !slices.Equal(c.Metrics, []string{"reward", "pass@4"}) || !slices.Equal(c.LeftOut, []string{"best@2"}) {
		t.Errorf("compares %v and leaves out %v, want best@2 left out", c.Metrics, c.LeftOut)
	}
	if text := CompareText(c, true); !strings.Contains(text, "not in the records of both: best@2\n") {
		t.Errorf("the text does not say that best@2 is left out:\n%s", text)
	}
}

// TestCompareDamaged: the error of an unreadable record names it and the place.
func TestCompareDamaged(t *testing.T) {
	whole := ran(t, "1", "0.1")
	cut := func(path string) error { return os.Truncate(path, 10) }
	for _, c := range []struct {
		reason, file string
		damage       func(string) error
		missing      bool
		want         string
	}{
		{"evaluations cut off", record.EvalFile, cut, false, "the last line is cut off: run the experiment again"},
		{"no evaluations", record.EvalFile, func(path string) error { return os.Truncate(path, 0) }, false, "holds no evaluation"},
		{"a number that is none", record.EvalFile, func(path string) error {
			return os.WriteFile(path, []byte("{\"step\": 0}\n{\"step\": 1, \"metrics\": {\"reward\": \"x\"}}\n"), 0o644)
		}, false, "eval.jsonl:2: metrics: got string, want a finite number"},
		{"no file of evaluations", record.EvalFile, os.Remove, true, "no such file"},
		{"the cell cut off", record.CellFile, cut, false, "cell.json:2:9: unexpected end of JSON input"},
		{"a cell with another field", record.CellFile, func(path string) error {
			return os.WriteFile(path, []byte(`{"version": 2, "speed": 1}`), 0o644)
		}, false, `cell.json: unknown field "speed"`},
		{"no cell", record.CellFile, os.Remove, true, "no such file"},
	} {
		run := ran(t, "1", "0.1")
		path := filepath.Join(run.Folder(run.Variants[1].Cells[0]), c.file)
		if err := c.damage(path); err != nil {
			t.Fatal(err)
		}
		_, err := Compare(Side{Run: whole}, Side{Run: run}, CompareOptions{})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "grpo-s0") {
			t.Errorf("%s: got %v, want %s and the cell's name", c.reason, err, c.want)
		}
		if errors.Is(err, fs.ErrNotExist) != c.missing {
			t.Errorf("%s: %v counts as a missing file: %v", c.reason, err, !c.missing)
		}
	}
}

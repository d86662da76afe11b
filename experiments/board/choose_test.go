package board

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/internal/lined"
)

// TestChoose: the largest number wins, the first of several, and an undefined number never.
func TestChoose(t *testing.T) {
	nan := lined.Number(math.NaN())
	all := []Entry{{Setting: "a"}, {Setting: "b"}, {Setting: "c"}}
	for _, c := range []struct {
		areas, accuracies [3]lined.Number
		paper             string
		want              map[string][]string
	}{
		{[3]lined.Number{1, 2, 3}, [3]lined.Number{3, 2, 1}, "p", map[string][]string{"c": {Tuned}, "a": {Accurate}, "p": {Paper}}},
		{[3]lined.Number{1, 2, 2}, [3]lined.Number{0, 0, 0}, "b", map[string][]string{"b": {Tuned, Paper}, "a": {Accurate}}},
		{[3]lined.Number{nan, -2, -3}, [3]lined.Number{nan, nan, 1}, "c", map[string][]string{"b": {Tuned}, "c": {Accurate, Paper}}},
		{[3]lined.Number{nan, nan, nan}, [3]lined.Number{1, nan, 2}, "a", map[string][]string{"a": {Tuned, Paper}, "c": {Accurate}}},
		{[3]lined.Number{5, nan, 1}, [3]lined.Number{5, nan, 1}, "a", map[string][]string{"a": {Tuned, Accurate, Paper}}},
	} {
		var tried []Tried
		for i := range all {
			tried = append(tried, Tried{all[i].Setting, c.areas[i], c.accuracies[i]})
		}
		got := map[string][]string{}
		for _, chosen := range (Entrant{"m", all, &Entry{Setting: c.paper}}).Choose(tried) {
			got[chosen.Setting] = append(got[chosen.Setting], chosen.As...)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("areas %v, accuracies %v (-want +got):\n%s", c.areas, c.accuracies, diff)
		}
	}
	// Where every setting is tuned, the best score is all there is to evaluate.
	tried := []Tried{{"a", 1, 3}, {"b", 2, 2}, {"c", 1, 1}}
	if diff := cmp.Diff([]Chosen{{all[1], []string{Tuned}}}, (Entrant{"m", all, nil}).Choose(tried)); diff != "" {
		t.Errorf("without a setting that is not tuned (-want +got):\n%s", diff)
	}
}

// TestResultOfARun: a result has its methods by name for any order of runs, and reads
// back as it was written.
func TestResultOfARun(t *testing.T) {
	task, entries := tinyTask(t), tinyEntries()
	runs := runTiny(t, task, entries)
	tried, err := task.Tried(runs, entries)
	if err != nil {
		t.Fatal(err)
	}
	if len(tried["grpo"]) != 2 || tried["grpo"][1].Setting != "lr=0.3" || !(tried["grpo"][1].Score > 0) {
		t.Errorf("settings of grpo: %+v", tried["grpo"])
	}
	chosen := []Chosen{
		{entries[0], []string{Tuned, Paper}}, {entries[1], []string{Accurate}},
		{entries[2], Roles}, {entries[3], Roles},
	}
	unfit := []Unfit{{"z", "Why."}, {"a", "Why."}}
	one, err := task.Result(runs, chosen, tried, unfit)
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(chosen)
	slices.Reverse(runs)
	slices.Reverse(unfit)
	other, err := task.Result(runs, chosen, tried, unfit)
	if err != nil {
		t.Fatal(err)
	}
	for i := range other.Standings { // rows are as they were asked for
		slices.Reverse(other.Standings[i].Rows)
	}
	if diff := cmp.Diff(string(one.Text()), string(other.Text())); diff != "" {
		t.Errorf("in another order:\n%s", diff)
	}
	// A seed has two numbers here, and the protocol's seeds are ten.
	one.Seeds = []int{twoSeeds.FirstSeed, twoSeeds.Seeds}
	again, err := ParseResult("tiny.json", one.Text())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(one.Text()), string(again.Text())); diff != "" {
		t.Errorf("read again:\n%s", diff)
	}
}

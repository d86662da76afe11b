package metrics

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
)

// complete is a document with every field.
const complete = `{"k": [2, 1], "weights": [1, 0.5], "problems": [
  {"id": "p0", "modes": 2, "front": [[1, 0], [0, 1]], "chains": [
    [{"reward": [1, 0], "correct": true, "valid": true, "answer": "42", "mode": "A", "embedding": [0.6, 0.8]}],
    [{"reward": [0, 1], "correct": true, "valid": false, "answer": "", "mode": null, "embedding": [1, 0]}]]},
  {"chains": [
    [{"reward": [1, 1], "correct": true, "answer": "7", "mode": "B", "embedding": [0, 1]}, {"reward": [0, 0], "correct": true, "answer": "8", "mode": "C", "embedding": [0.8, 0.6]}],
    [{"reward": [0, 0], "correct": false, "mode": null}, {"reward": [0, 0], "correct": true, "answer": "8", "mode": "B", "embedding": [0, 1]}]], "named": [1, 0]}]}`

func TestReadDocument(t *testing.T) {
	d, err := ReadDocument(strings.NewReader(complete))
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintln(d.K, d.Weights, len(d.Problems), d.Problems[0].ID, d.Problems[0].Modes,
		d.Problems[0].Front, d.Problems[0].Chains[0][0].Answer, d.Problems[1].Modes, d.Problems[1].Chains[0][1].Mode,
		d.Problems[0].Named == nil, d.Problems[1].Named)
	if want := "[2 1] [1 0.5] 2 p0 2 [[1 0] [0 1]] 42 -1 C true [1 0]\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestDocumentMetrics holds the document path against Table.Add: the same
// numbers, averaged over problems.
func TestDocumentMetrics(t *testing.T) {
	d, err := ReadDocument(strings.NewReader(complete))
	if err != nil {
		t.Fatal(err)
	}
	got, err := d.Metrics()
	if err != nil {
		t.Fatal(err)
	}
	table, err := NewTable(Options{Weights: d.Weights, K: d.K, Draws: Scalarisations(2, 128),
		Answers: true, Measure: []string{MeasureVotes, MeasureRollouts, MeasureEmbeddings}, Delta: 0.8})
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range d.Problems {
		pool := Pool{Modes: problem.Modes, Front: problem.Front, Named: problem.Named}
		for _, chain := range problem.Chains {
			var verdicts []*envs.Verdict
			for i := range chain {
				verdicts = append(verdicts, &chain[i].Verdict)
			}
			pool.Chains = append(pool.Chains, verdicts)
		}
		if err := table.Add(pool); err != nil {
			t.Fatal(err)
		}
	}
	want := table.Values()
	if best := table.Means(); best[HeadroomMetric] != best["best@2"]-best["best@1"] || best[HeadroomMetric] <= 0 {
		t.Errorf("headroom %v, best %v and %v", best[HeadroomMetric], best["best@1"], best["best@2"])
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	problems := map[string]int{}
	for _, v := range got {
		problems[v.Name] = v.Problems
	}
	// The second problem's modes and front are not known.
	counts := map[string]int{"accuracy": 2, "reward": 2, "headroom": 2, "distinct_correct": 2, "distinct_incorrect": 2,
		"entropy_mode": 2, "reward_l1": 2, "reward_l1_correct": 2, "rho_bar": 2, "hypervolume": 1,
		"final_accuracy": 2, "strategy_accuracy": 2, "strategies": 2}
	for _, d := range All() { // TestMetricsFollowTheFields tests which problems have one
		if d.Measure == MeasureEmbeddings {
			delete(problems, d.Name)
		}
	}
	for _, k := range d.K {
		for name, n := range map[string]int{"pass": 2, "best": 2, "best_first": 2, "ew_best": 2, "regret": 1, "coverage": 1, "front_coverage": 1, "maj": 2, "majority_share": 2} {
			counts[atK(name, k)] = n
		}
	}
	if diff := cmp.Diff(counts, problems); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestMetricsFollowTheFields(t *testing.T) {
	for _, test := range []struct{ reason, text, want string }{
		{"correct alone", `{"k": [1], "problems": [{"modes": 3, "chains": [[{"correct": true}]]}]}`, "pass@1 accuracy"},
		{"reward alone", `{"k": [1], "weights": [1], "problems": [{"chains": [[{"reward": [1]}]]}]}`, "best@1 best_first@1 reward headroom"},
		{"mode alone", `{"k": [1], "problems": [{"modes": 3, "chains": [[{"mode": null}]]}]}`, "entropy_mode"},
		{"correct and mode, and no k", `{"problems": [{"modes": 3, "chains": [[{"correct": true, "mode": "A"}]]}]}`,
			"accuracy distinct_correct distinct_incorrect entropy_mode"},
		{"correct and variant", `{"problems": [{"chains": [[{"correct": true, "variant": "a"}], [{"correct": true, "variant": "b"}]]}]}`,
			"accuracy distinct_variants diversity_width average_mode"},
		{"variants but of what has no strategy", `{"problems": [{"chains": [[{"correct": true, "mode": "A", "variant": "a"}], [{"correct": false, "mode": null}], [{"correct": false, "mode": null, "variant": null}]]}]}`,
			"accuracy distinct_correct distinct_incorrect entropy_mode distinct_variants diversity_width"},
		{"variant alone", `{"problems": [{"chains": [[{"variant": "a"}]]}]}`, ""},
		{"modes of the second problem alone", `{"k": [1], "problems": [
			{"chains": [[{"correct": true, "mode": "A"}]]}, {"modes": 1, "chains": [[{"correct": true, "mode": "A"}]]}]}`,
			"pass@1 coverage@1 accuracy distinct_correct distinct_incorrect entropy_mode"},
		{"vector rewards, in chains", `{"k": [2], "weights": [1, 1], "problems": [{"front": [[1, 1]], "chains": [[{"reward": [1, 1]}, {"reward": [0, 1]}]]}]}`,
			"best@2 best_first@2 ew_best@2 regret@2 front_coverage@2 reward reward_l1 hypervolume"},
		{"vector rewards and correct", `{"weights": [1, 1], "problems": [{"chains": [[{"reward": [1, 0], "correct": true}, {"reward": [0, 1], "correct": true}]]}]}`,
			"accuracy reward reward_l1 reward_l1_correct rho_bar strategy_accuracy"},
		{"a front of one component", `{"k": [1], "weights": [1], "problems": [{"front": [[1]], "chains": [[{"reward": [1]}], [{"reward": [0]}]]}]}`,
			"best@1 best_first@1 regret@1 reward headroom"},
		{"fields that no metric reads", `{"k": [1], "problems": [{"chains": [[{"answer": "7", "valid": true}]]}]}`, ""},
		{"votes", `{"k": [1, 2], "problems": [{"chains": [[{"correct": true, "answer": "7"}], [{"correct": false, "answer": ""}]]}]}`,
			"pass@1 maj@1 majority_share@1 pass@2 maj@2 majority_share@2 accuracy"},
		{"more candidates than voters", `{"k": [2], "problems": [{"chains": [[{"correct": true, "answer": "7"}, {"correct": false, "answer": ""}]]}]}`,
			"pass@2 accuracy final_accuracy strategy_accuracy"},
		{"chains in one problem of two", `{"problems": [{"chains": [[{"mode": "A"}]]}, {"chains": [[{"mode": "A"}, {"mode": "B"}]]}]}`,
			"entropy_mode strategies"},
		{"a degenerate candidate has no answer", `{"k": [1], "problems": [{"chains": [[{"correct": true, "answer": "7", "mode": "A"}], [{"correct": false, "mode": null}]]}]}`,
			"pass@1 maj@1 majority_share@1 accuracy distinct_correct distinct_incorrect entropy_mode"},
		{"nor has one that is not valid", `{"k": [1], "problems": [{"chains": [[{"correct": true, "answer": "7"}], [{"correct": false, "valid": false}]]}]}`,
			"pass@1 maj@1 majority_share@1 accuracy"},
	} {
		d, err := ReadDocument(strings.NewReader(test.text))
		if err != nil {
			t.Errorf("%s: %v", test.reason, err)
			continue
		}
		values, err := d.Metrics()
		if err != nil {
			t.Errorf("%s: %v", test.reason, err)
		}
		var names []string
		for _, v := range values {
			names = append(names, v.Name)
		}
		if got := strings.Join(names, " "); got != test.want {
			t.Errorf("%s: got %q, want %q", test.reason, got, test.want)
		}
	}
}

func TestBadDocuments(t *testing.T) {
	candidate := func(text string) string {
		return `{"k": [1], "weights": [1, 1], "problems": [{"chains": [[` + text + `]]}]}`
	}
	problem := func(text string) string {
		return `{"k": [1], "weights": [1, 1], "problems": [` + text + `]}`
	}
	for _, test := range []struct{ reason, text, want string }{
		{"empty input", "", "1:1: unexpected end of JSON input"},
		{"cut short", "{\"k\": [1],\n \"weights\"", "2:11: unexpected end of JSON input"},
		{"a stray character, columns counted in characters", "{\"é\": 1,\n  \"é\": x}", "2:8: invalid character 'x' looking for beginning of value"},
		{"two documents", complete + "\n{}", "8:1: invalid character '{' after top-level value"},
		{"no object", `[1]`, "got array, want an object"},
		{"null", `null`, "problems: none, want at least 1"},
		{"unknown field", `{"ks": [1]}`, `unknown field "ks"`},
		{"unknown field of a problem", problem(`{"name": "p"}`), `problems[0]: unknown field "name"`},
		{"unknown field of a candidate", candidate(`{"score": 1}`), `problems[0].chains[0][0]: unknown field "score"`},
		{"k is no list", `{"k": 4}`, "k: got number, want an array"},
		{"k is no integer", `{"k": [1.5]}`, "k: got number 1.5, want an integer"},
		{"k = 0", `{"k": [1, 0], "problems": []}`, "k[1]: 0, want at least 1"},
		{"k twice", `{"k": [4, 4], "problems": []}`, "k[1]: 4 is listed twice"},
		{"k beyond the candidates", strings.Replace(complete, "[2, 1]", "[1, 3]", 1),
			"k[1]: 3, but problems[0] has 2 candidates; no estimator is unbiased for more"},
		{"k beyond the candidates of all chains", `{"k": [4, 5], "problems": [{"chains": [[{}, {}], [{}, {}]]}]}`,
			"k[1]: 5, but problems[0] has 4 candidates; no estimator is unbiased for more"},
		{"weight null", `{"weights": [1, null]}`, "weights[1]: got null, want a number"},
		{"weight not finite", `{"weights": [1e999]}`, "weights: got number 1e999, want a finite number"},
		{"no problems", `{"k": [1]}`, "problems: none, want at least 1"},
		{"problem is no object", problem(`7`), "problems[0]: got number, want an object"},
		{"modes is no count", problem(`{"modes": -1, "chains": [[{}]]}`), "problems[0].modes: -1, want a count, or no field if it is not known"},
		{"front of another dimension", problem(`{"front": [[1]], "chains": [[{}]]}`), "problems[0].front[0]: 1 entries, want 2 (one per weight)"},
		{"front with a hole", problem(`{"front": [[1, null]], "chains": [[{}]]}`), "problems[0].front[0][1]: got null, want a number"},
		{"answers to two problems", problem(`{"chains": [[{"id": "a/0", "correct": true}], [{"correct": true}], [{"id": "a/1", "correct": true}]]}`),
			`problems[0].chains[2][0].id: "a/1", but problems[0].chains[0][0] is an answer to "a/0": each problem wants a list of its own`},
		{"no chains", problem(`{"id": "p"}`), "problems[0].chains: none, want at least 1"},
		{"empty chain", problem(`{"chains": [[{}], []]}`), "problems[0].chains[1]: empty, want at least 1 candidate"},
		{"chains of two lengths", problem(`{"chains": [[{}, {}, {}], [{}, {}, {}], [{}, {}]]}`), "problems[0].chains[2]: 2 candidates, want 3 as in chains[0]"},
		{"front that is none", problem(`{"front": [[1, 0], [1, 1]], "chains": [[{}]]}`), "problems[0].front[0]: equal to front[1] or dominated by it, want the Pareto front"},
		{"named of another length", problem(`{"chains": [[{}], [{}]], "named": [0]}`), "problems[0].named: 1 entries, want 2 (one per chain)"},
		{"named, but empty", problem(`{"chains": [[{}]], "named": []}`), "problems[0].named: 0 entries, want 1 (one per chain)"},
		{"named beyond the candidates", problem(`{"chains": [[{}, {}], [{}, {}]], "named": [2, 3]}`),
			"problems[0].named[1]: 3, want the number of a candidate, 1 to 2, or 0 for none"},
		{"named below none", problem(`{"chains": [[{}]], "named": [-1]}`), "problems[0].named[0]: -1, want the number of a candidate, 1 to 1, or 0 for none"},
		{"named null", problem(`{"chains": [[{}]], "named": [null]}`), "problems[0].named[0]: got null, want a number"},
		{"named is no number", problem(`{"chains": [[{}]], "named": ["1"]}`), "problems[0].named: got string, want an integer"},
		{"candidate null", candidate(`null`), "problems[0].chains[0][0]: got null, want a candidate"},
		{"reward of another length", candidate(`{"reward": [1, 0, 0]}`), "problems[0].chains[0][0].reward: 3 entries, want 2 (one per weight)"},
		{"reward is no list", candidate(`{"reward": 1}`), "problems[0].chains[0][0].reward: got number, want an array"},
		{"reward without weights", `{"problems": [{"chains": [[{"reward": [1]}]]}]}`, "weights: missing, but problems[0].chains[0][0] has a reward"},
		{"correct is no bool", candidate(`{"correct": 1}`), "problems[0].chains[0][0].correct: got number, want true or false"},
		{"mode on two lines stays one line of error", candidate("{\"mode\": [\n1]}"), "problems[0].chains[0][0].mode: got [ 1], want a string or null"},
	} {
		_, err := ReadDocument(strings.NewReader(test.text))
		if err == nil || err.Error() != test.want {
			t.Errorf("%s:\n got %v\nwant %s", test.reason, err, test.want)
		}
	}
	if _, err := ReadDocument(iotest.ErrReader(io.ErrClosedPipe)); err != io.ErrClosedPipe {
		t.Errorf("a reader's error must come back, got %v", err)
	}
}

func TestDocumentsWithoutMetrics(t *testing.T) {
	for _, test := range []struct{ reason, text, want string }{
		{"a field that one candidate lacks", strings.Replace(complete, `"correct": true, "answer": "8", "mode": "C"`, `"answer": "8", "mode": "C"`, 1),
			"problems[1].chains[0][1].correct: missing, but problems[0].chains[0][0] has it"},
		{"a field that only the last has", `{"problems": [{"chains": [[{}], [{"mode": "A"}]]}]}`,
			"problems[0].chains[0][0].mode: missing, but problems[0].chains[1][0] has it"},
		{"an answer that one candidate lacks without being degenerate", `{"problems": [{"chains": [[{"answer": "7", "mode": "A"}], [{"mode": "A"}]]}]}`,
			"problems[0].chains[1][0].answer: missing, but problems[0].chains[0][0] has it"},
		{"a degenerate candidate is judged all the same", `{"problems": [{"chains": [[{"correct": true, "mode": "A"}], [{"mode": null}]]}]}`,
			"problems[0].chains[1][0].correct: missing, but problems[0].chains[0][0] has it"},
		{"truth contradicted", `{"problems": [{"modes": 0, "chains": [[{"correct": true, "mode": "A"}]]}]}`,
			"problems[0]: 1 distinct correct modes, but modes is 0"},
		{"w.r overflows", `{"weights": [1e200], "problems": [{"chains": [[{"reward": [1e200]}]]}]}`,
			"problems[0]: chains[0][0]: w.r: got +Inf, want a number within 1e+300 of 0"},
	} {
		d, err := ReadDocument(strings.NewReader(test.text))
		if err != nil {
			t.Errorf("%s: %v", test.reason, err)
			continue
		}
		if _, err := d.Metrics(); err == nil || err.Error() != test.want {
			t.Errorf("%s: got error %v, want %q", test.reason, err, test.want)
		}
	}
	bad := Document{Problems: []Problem{{Modes: -2, Chains: [][]envs.Candidate{{{}}}}}}
	if _, err := bad.Metrics(); err == nil || err.Error() != "problems[0].modes: -2, want a count" {
		t.Errorf("a document built in Go must be checked as well: %v", err)
	}
}

func FuzzReadDocument(f *testing.F) {
	f.Add([]byte(complete))
	f.Add([]byte(`{"k": [1], "problems": [{"modes": 0, "chains": [[{"correct": false, "mode": null}]]}]}`))
	f.Add([]byte(`{"k": [1], "weights": [-1e155, 1e155], "problems": [{"chains": [[{"reward": [1e150, 1e-150]}]]}]}`))
	f.Add([]byte(`{"k": [1, 3], "weights": [1, 0, 2], "problems": [{"front": [[1, 1, 0.5], [0, 2, 1]], "chains": [[{"reward": [1, 1, 0]}, {"reward": [0, 2, 1]}], [{"reward": [0, 0.5, 1]}, {"reward": [-1, 1, 1]}]]}]}`))
	f.Add([]byte(`{"k": [1, 2, 3], "problems": [{"named": [1, 0, 2], "chains": [[{"correct": true, "answer": "7"}, {"correct": false, "answer": "8"}], [{"correct": false, "answer": ""}, {"correct": true, "answer": "7"}], [{"correct": false, "answer": "7"}, {"correct": false, "answer": ""}]]}]}`))
	f.Add([]byte(`{"k": [2], "problems": [{"chains": [[{"correct": true, "valid": true, "answer": "7", "embedding": [0.6, 0.8]}], [{"correct": false, "valid": false}]]}]}`))
	f.Add([]byte("{\"k\": [1,\n 0]}"))
	f.Add([]byte("\xff{"))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := ReadDocument(bytes.NewReader(data))
		if err != nil {
			if text := err.Error(); strings.ContainsAny(text, "\n\r") || text == "" {
				t.Errorf("an error is one line: %q", text)
			}
			return
		}
		values, err := d.Metrics()
		if err != nil {
			return
		}
		most := 0
		for _, problem := range d.Problems {
			most = max(most, len(problem.Chains)*len(problem.Chains[0]))
		}
		for _, v := range values {
			if why := outOfRange(v, most); why != "" || math.IsNaN(v.Mean) {
				t.Errorf("%s: %+v", why, v)
			}
		}
	})
}

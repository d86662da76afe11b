package batchjson

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"modebench/envs"
	"modebench/estimators"
	_ "modebench/estimators/all"
	"modebench/estimators/internal/batchtest"
	"modebench/internal/testkit"
)

func read(text string) (*estimators.Batch, error) { return Read(strings.NewReader(text)) }

// rollouts wraps candidates in a document of one group.
func document(rollouts string) string {
	return `{"groups": [{"problem": "p0", "rollouts": [` + rollouts + `]}]}`
}

// TestReadErrors: one line each, which names the place and a right value.
func TestReadErrors(t *testing.T) {
	for _, c := range []struct {
		reason, text string
		says         []string
	}{
		{"nothing at all", ``, []string{"1:1", "unexpected end"}},
		{"not JSON", "{\n  \"groups\": nope}", []string{"2:14", "invalid character"}},
		{"cut off", "{\"groups\": [\n", []string{"2:1", "unexpected end"}},
		{"two documents", `{"groups": []} {}`, []string{"1:16", "after top-level value"}},
		{"an array", `[]`, []string{"got array, want an object"}},
		{"no groups", `{}`, []string{"groups: missing or empty"}},
		{"null is no document", `null`, []string{"groups: missing or empty"}},
		{"empty groups", `{"groups": []}`, []string{"groups: missing or empty"}},
		{"groups as an object", `{"groups": {}}`, []string{"groups: got object, want an array"}},
		{"misspelt", `{"group": []}`, []string{`unknown field "group"`}},
		{"misspelt in a group", `{"groups": [{"rollout": []}]}`, []string{"groups[0]", `unknown field "rollout"`}},
		{"misspelt in a rollout", document(`{"candidate": []}`), []string{"groups[0].rollouts[0]", `unknown field "candidate"`}},
		{"answers to two problems in a group", document(`{"candidates": [{"id": "a/0"}]}, {"candidates": [{"id": "a/1"}]}`), []string{`groups[0].rollouts[1].candidates[0].id: "a/1", but groups[0].rollouts[0].candidates[0] is an answer to "a/0"`}},
		{"misspelt in a candidate", document(`{"candidates": [{"rewards": [1]}]}`), []string{"groups[0].rollouts[0].candidates[0]", `unknown field "rewards"`}},
		{"no rollouts", `{"groups": [{"rollouts": []}]}`, []string{"groups[0].rollouts: missing or empty"}},
		{"a null group", `{"groups": [null]}`, []string{"groups[0].rollouts: missing or empty"}},
		{"a null rollout", document(`null`), []string{"groups[0].rollouts[0].candidates: missing or empty"}},
		{"no candidates", document(`{"candidates": []}`), []string{"groups[0].rollouts[0].candidates: missing or empty"}},
		{"a null candidate", document(`{"candidates": [null]}`), []string{"groups[0].rollouts[0].candidates[0]", "got null"}},
		{"reward no list", document(`{"candidates": [{"reward": 1}]}`), []string{"groups[0].rollouts[0].candidates[0].reward", "want an array"}},
		{"null among rewards", document(`{"candidates": [{"reward": [1, null]}]}`), []string{"groups[0].rollouts[0].candidates[0].reward[1]", "got null"}},
		{"an infinite reward", document(`{"candidates": [{"reward": [1e999]}]}`), []string{"groups[0].rollouts[0].candidates[0].reward", "want a finite number"}},
		{"reward as text", document(`{"candidates": [{"reward": ["1"]}]}`), []string{"groups[0].rollouts[0].candidates[0].reward", "got string, want a finite number"}},
		{"mode as a number", document(`{"candidates": [{"reward": [1], "mode": 3}]}`), []string{"groups[0].rollouts[0].candidates[0].mode", "got 3, want a string or null"}},
		{"correct as a number", document(`{"candidates": [{"correct": 1}]}`), []string{"groups[0].rollouts[0].candidates[0].correct", "want true or false"}},
		{"null in an embedding", document(`{"candidates": [{"embedding": [null]}]}`), []string{"groups[0].rollouts[0].candidates[0].embedding[0]", "got null"}},
		{"train as text", document(`{"train": "no", "candidates": [{}]}`), []string{"groups[0].rollouts[0].train", "want true or false"}},
		{"half a token", document(`{"tokens": 1.5, "candidates": [{}]}`), []string{"groups[0].rollouts[0].tokens", "want an integer"}},
		{"a negative seed", `{"seed": -1, "groups": []}`, []string{"seed: got number -1", "integer"}},
		{"null among weights", `{"weights": [null], "groups": [{"rollouts": [{"candidates": [{}]}]}]}`, []string{"weights[0]", "got null"}},
		{"a negative weight", `{"weights": [1, -0.5], "groups": [{"rollouts": [{"candidates": [{"reward": [1, 1]}]}]}]}`, []string{"weights[1]", "got -0.5, want 0 or more"}},
		{"a negative weight of a group", `{"groups": [{"weights": [-0.5], "rollouts": [{"candidates": [{"reward": [1]}]}]}]}`, []string{"groups[0].weights[0]", "got -0.5, want 0 or more"}},
		{"null among a group's weights", `{"groups": [{"weights": [null], "rollouts": [{"candidates": [{}]}]}]}`, []string{"groups[0].weights[0]", "got null"}},
		{"more rewards than weights", `{"weights": [1], "groups": [{"rollouts": [{"candidates": [{"reward": [1, 2]}]}]}]}`, []string{"groups[0].rollouts[0].candidates[0].reward", "2 entries, want 1"}},
		{"rewards of two lengths", document(`{"candidates": [{"reward": [1, 2]}]}, {"candidates": [{"reward": [1]}]}`), []string{"groups[0].rollouts[1].candidates[0].reward", "1 entries, want 2"}},
		{"a group's weights do not fit", `{"groups": [{"weights": [1, 1], "rollouts": [{"candidates": [{"reward": [1]}]}]}]}`, []string{"groups[0].rollouts[0].candidates[0].reward", "1 entries, want 2"}},
		{"null among entropies", document(`{"token_entropies": [1, null], "candidates": [{}]}`), []string{"groups[0].rollouts[0].token_entropies[1]", "got null"}},
		{"log-probabilities as text", document(`{"token_logprobs": ["-1"], "candidates": [{}]}`), []string{"groups[0].rollouts[0].token_logprobs", "got string, want a finite number"}},
		{"another number of tokens", document(`{"tokens": 2, "token_squares": [1, 1, 1], "candidates": [{}]}`), []string{"groups[0].rollouts[0].token_squares: 3 entries, want 2, one per token"}},
		{"lists of two lengths", document(`{"token_logprobs": [-1], "token_ref_logprobs": [-1, -2], "candidates": [{}]}`), []string{"groups[0].rollouts[0].token_ref_logprobs: 2 entries, want 1"}},
		{"a distribution for one of two tokens", document(`{"token_logprobs": [-1, -1], "token_distributions": [[1]], "candidates": [{}]}`), []string{"groups[0].rollouts[0].token_distributions: 1 entries, want 2"}},
		{"an empty distribution", document(`{"token_distributions": [[1], []], "candidates": [{}]}`), []string{"groups[0].rollouts[0].token_distributions[1]: want one probability"}},
		{"a negative probability", document(`{"token_distributions": [[1.5, -0.5]], "candidates": [{}]}`), []string{"groups[0].rollouts[0].token_distributions[0]: want one probability of 0 or more"}},
		{"null in a distribution", document(`{"token_distributions": [[null]], "candidates": [{}]}`), []string{"groups[0].rollouts[0].token_distributions[0][0]", "got null"}},
		{"an empty reward", `{"weights": [1], "groups": [{"rollouts": [{"candidates": [{"reward": []}]}]}]}`, []string{"groups[0].rollouts[0].candidates[0].reward", "0 entries, want 1"}},
	} {
		t.Run(c.reason, func(t *testing.T) {
			_, err := read(c.text)
			testkit.WantError(t, err, c.says...)
		})
	}
}

// TestRead reads every field, and fills what was left out.
func TestRead(t *testing.T) {
	got, err := read(`{"seed": 7, "step": 3, "weights": [0.5, 2], "groups": [
		{"problem": "p0", "greedy": 0.25, "weights": [1, 0], "rollouts": [
			{"tokens": 12, "logprob": -3.5, "entropy": 8.1, "train": false, "final": "42", "candidates": [
				{"reward": [1, 0.5], "correct": true, "valid": true, "answer": "42", "mode": "A", "embedding": [0.5, -2]},
				{"reward": [0, 0], "correct": false, "valid": false, "answer": "", "mode": null, "embedding": []}]}]},
		{"rollouts": [{"candidates": [{"reward": [1, 1]}]}]}]}`)
	if err != nil {
		t.Fatal(err)
	}
	invalid := got.Groups[0].Rollouts[0].Candidates[1].Err
	if invalid == nil || !strings.Contains(invalid.Error(), "invalid") {
		t.Errorf("valid: false gives the error %v", invalid)
	}
	want := &estimators.Batch{Seed: 7, Step: 3, Weights: []float64{.5, 2}, CandidateFields: envs.HasReward, Groups: []estimators.Group{
		{Problem: "p0", Greedy: .25, Weights: []float64{1, 0}, Rollouts: []estimators.Rollout{
			{Tokens: 12, Logprob: -3.5, Entropy: 8.1, Final: "42", Candidates: []*envs.Verdict{
				{Reward: []float64{1, .5}, Correct: true, Answer: "42", Mode: "A", Embedding: []float32{.5, -2}},
				{Reward: []float64{0, 0}, Mode: envs.Degenerate, Embedding: []float32{}, Err: invalid},
			}}}},
		{Rollouts: []estimators.Rollout{{Train: true, Candidates: []*envs.Verdict{{Reward: []float64{1, 1}}}}}},
	}}
	same := cmp.Comparer(func(a, b error) bool { return a == b })
	if d := cmp.Diff(want, got, cmpopts.IgnoreFields(estimators.Batch{}, "Missing"), same); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	if got, err := read(document(`{"candidates": [{"reward": [1, 2, 3, 4]}]}`)); err != nil || !cmp.Equal(got.Weights, []float64{.25, .25, .25, .25}) {
		t.Errorf("no weights: %v, %v, want the uniform ones", got, err)
	}
}

// candidate is the document of a verdict, with some of its fields.
func candidate(v *envs.Verdict, has envs.Fields) map[string]any {
	doc := map[string]any{
		"reward": v.Reward, "correct": v.Correct, "valid": v.Err == nil, "answer": v.Answer, "mode": v.Mode, "embedding": v.Embedding, "variant": v.Variant,
	}
	for _, name := range (envs.HasAll &^ has).Names() {
		delete(doc, name)
	}
	return doc
}

// write is the document of a batch, for round trips.
func write(t testkit.Failer, b *estimators.Batch) string {
	type rollout struct {
		Tokens     int              `json:"tokens"`
		Logprob    float64          `json:"logprob"`
		Entropy    float64          `json:"entropy"`
		Train      bool             `json:"train"`
		Final      string           `json:"final"`
		Candidates []map[string]any `json:"candidates"`

		Logprobs      []float64   `json:"token_logprobs"`
		Entropies     []float64   `json:"token_entropies"`
		Reference     []float64   `json:"token_ref_logprobs"`
		Squares       []float64   `json:"token_squares"`
		Distributions [][]float64 `json:"token_distributions"`
	}
	type group struct {
		Problem  string    `json:"problem"`
		Greedy   float64   `json:"greedy"`
		Weights  []float64 `json:"weights"`
		Rollouts []rollout `json:"rollouts"`
	}
	doc := map[string]any{"seed": b.Seed, "step": b.Step, "weights": b.Weights}
	var groups []group
	for _, g := range b.Groups {
		out := group{Problem: g.Problem, Greedy: g.Greedy, Weights: g.Weights}
		for _, r := range g.Rollouts {
			p := r.PerToken
			o := rollout{r.Tokens, r.Logprob, r.Entropy, r.Train, r.Final, nil, p.Logprob, p.Entropy, p.Reference, p.Squares, p.Legal}
			for _, v := range r.Candidates {
				o.Candidates = append(o.Candidates, candidate(v, b.CandidateFields))
			}
			out.Rollouts = append(out.Rollouts, o)
		}
		groups = append(groups, out)
	}
	doc["groups"] = groups
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return string(text)
}

// TestRoundTrip: a batch that goes out to a plug-in and comes back is the same,
// and so are its advantages, to the last bit.
func TestRoundTrip(t *testing.T) {
	b := batchtest.Sample(3, 8, 5)
	b.Groups[1].Rollouts[2].Train = false
	b.Groups[1].Rollouts[3].Candidates[0].Mode = envs.Degenerate
	b.Groups[2].Weights = []float64{0.3}
	b.Groups[2].Greedy, b.Seed, b.Step = math.Pi, 1<<63+1, 12
	b.Groups[0].Rollouts[0] = estimators.Rollout{Tokens: 9, Logprob: -1. / 3, Entropy: .1, Train: true, Final: "\u2028\n\"", Candidates: b.Groups[0].Rollouts[0].Candidates}
	batchtest.Tokens(b.Groups[0])
	got, err := read(write(t, b))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(b, got, cmpopts.IgnoreFields(estimators.Batch{}, "Missing")); d != "" {
		t.Errorf("-sent +read:\n%s", d)
	}
	for _, m := range estimators.Methods() {
		want, again := batchtest.Advantages(t, m.New().Estimator, b), batchtest.Advantages(t, m.New().Estimator, got)
		for g := range want {
			testkit.Near(t, fmt.Sprintf("%s: group %d", m.Name, g), again[g], want[g], 0)
		}
	}
}

// TestReadmeNamesEveryEntry: the page that explains the batch document describes every
// entry of it.
func TestReadmeNamesEveryEntry(t *testing.T) {
	text, err := os.ReadFile("../testdata/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, page, _ := strings.Cut(string(text), "\n## The batch document\n")
	page, _, _ = strings.Cut(page, "\n## ")
	names := envs.HasAll.Names()
	for _, of := range []any{batchJSON{}, groupJSON{}, rolloutJSON{}} {
		for f := range reflect.TypeOf(of).Fields() {
			names = append(names, f.Tag.Get("json"))
		}
	}
	for _, name := range names {
		if !strings.Contains(page, "`"+name+"`") {
			t.Errorf("testdata/README.md does not say what `%s` is", name)
		}
	}
}

// TestNeedsCheckNamesThePath of the first field that is missing.
func TestNeedsCheckNamesThePath(t *testing.T) {
	full := `{"candidates": [{"reward": [1], "mode": "A", "embedding": [1, 0]}]}`
	for _, c := range []struct {
		reason, method, lacking string
		says                    []string
	}{
		{"poly-epo counts modes", "poly-epo", `{"candidates": [{"reward": [1], "embedding": [1, 0]}]}`, []string{"groups[0].rollouts[1].candidates[0].mode is missing"}},
		{"setpo compares embeddings", "setpo+grpo", `{"candidates": [{"reward": [1], "mode": "A"}]}`, []string{"groups[0].rollouts[1].candidates[0].embedding is missing"}},
		{"everything needs a reward", "grpo", `{"candidates": [{"mode": "A", "embedding": [1]}]}`, []string{"groups[0].rollouts[1].candidates[0].reward is missing"}},
		{"a null reward is none", "rloo", `{"candidates": [{"reward": null}]}`, []string{"groups[0].rollouts[1].candidates[0].reward is missing"}},
		{"a second candidate counts too", "grpo-div", `{"candidates": [{"reward": [1], "mode": "A"}, {"reward": [1]}]}`, []string{"groups[0].rollouts[1].candidates[1].mode is missing"}},
	} {
		t.Run(c.reason, func(t *testing.T) {
			// The weights are given, so that a missing reward is not first
			// noticed as a batch that does not fit them.
			text := `{"weights": [1], "groups": [{"problem": "p0", "rollouts": [` + strings.Join([]string{full, c.lacking, full, full}, ",") + `]}]}`
			b, err := read(text)
			if err != nil {
				t.Fatal(err)
			}
			testkit.WantError(t, batchtest.Method(t, c.method).Estimator.Requirements().Check(b), c.says...)
		})
	}
	b := batchtest.Of(batchtest.Group([]float64{1, 0}, "AB"))
	b.CandidateFields = envs.HasReward
	testkit.WantError(t, batchtest.Method(t, "poly-epo").Estimator.Requirements().Check(b), "carry no mode")
}

// TestChainsOfADocument go to the methods that take them; the others refuse them in one line.
func TestChainsOfADocument(t *testing.T) {
	const wrong = `{"tokens": 3, "logprob": -3, "entropy": 3, "final": "3",
		"token_logprobs": [-1, -1, -1], "token_ref_logprobs": [-1, -1, -1], "token_entropies": [1, 1, 1], "token_squares": [0.5, 0.5, 0.5], "candidates": [
		{"reward": [0, 0], "correct": false, "valid": true, "answer": "3", "mode": "A", "embedding": [1]}]}`
	b, err := read(`{"weights": [0.5, 0.5], "groups": [{"problem": "p0", "greedy": 0, "rollouts": [
		{"tokens": 1, "logprob": -1, "entropy": 1, "final": "1", "token_logprobs": [-1], "token_ref_logprobs": [-1], "token_entropies": [1], "token_squares": [0.5], "candidates": [
			{"reward": [1, 0], "correct": true, "valid": true, "answer": "1", "mode": "A", "embedding": [1]},
			{"reward": [0, 1], "correct": false, "valid": true, "answer": "2", "mode": "B", "embedding": [1]}]},
		` + wrong + "," + wrong + "," + wrong + "," + wrong + `]}]}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range estimators.Methods() {
		e := m.New().Estimator
		if err := e.Requirements().Check(b); err != nil {
			t.Errorf("%s: %v", m.Name, err)
		}
		dst := estimators.NewAdvantages(b)
		err := e.Advantages(dst, b)
		switch {
		case !e.Requirements().Chains:
			testkit.WantError(t, err, "group 0", `"p0"`, "rollout 0 has 2 candidates", "takes exactly one")
		case err != nil:
			t.Errorf("%s: %v", m.Name, err)
		case m.Trains && !(dst[0][0] > 1 && dst[0][1] < 0):
			t.Errorf("%s: advantages %v, want the chain ahead", m.Name, dst[0])
		}
	}
}

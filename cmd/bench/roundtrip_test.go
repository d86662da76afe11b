package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
	"modebench/estimators"
	"modebench/internal/rng"
	"modebench/metrics"
)

// A judgedForm is a form of rollouts to send through bench judge.
type judgedForm struct {
	candidates int
	stops      bool
	embeddings bool
}

// A judgedSample is some answers to a problem: their texts, what bench judge printed of
// each and their verdicts.
type judgedSample struct {
	form     judgedForm
	info     envs.Info
	problem  envs.Problem
	printed  []string
	verdicts [][]*envs.Verdict // by rollout, without embeddings if they are not printed
	named    []int
}

// TestVerdictsAreReadAsPrinted: bench estimate and bench metrics read the output of bench judge as it
// is, of every environment and form, with answers that do not parse among them. Both print the
// numbers of the verdicts themselves, to the last bit. With their embeddings, so do the methods
// that compare these, of every environment with the other fields that they read.
func TestVerdictsAreReadAsPrinted(t *testing.T) {
	estimated := map[judgedForm]int{}
	for _, name := range envs.Names() {
		for _, form := range []judgedForm{
			{candidates: 1}, {candidates: 3}, {candidates: 3, stops: true},
			{candidates: 1, embeddings: true}, {candidates: 3, embeddings: true}, {candidates: 3, stops: true, embeddings: true},
		} {
			t.Run(fmt.Sprintf("%s %+v", name, form), func(t *testing.T) {
				s := judgeSample(t, name, form)
				held := s.estimate(t)
				estimated[form] += len(held)
				for method, fits := range map[string]bool{
					"setpo+grpo": form.candidates == 1, "evol-rl": form.candidates == 1 && s.info.Votes, "sd-e2": form.stops && s.info.Votes,
				} {
					if got := slices.Contains(held, method); got != (form.embeddings && fits) {
						t.Errorf("%s was held against its own advantages: %v", method, got)
					}
				}
				s.measure(t)
			})
		}
	}
	for form, n := range estimated {
		if n < 20 {
			t.Errorf("%+v: %d methods alone could be held against their own advantages", form, n)
		}
	}
}

// judgeSample judges demonstrations, and other texts.
func judgeSample(t *testing.T, name string, form judgedForm) *judgedSample {
	t.Helper()
	d, err := envs.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	env, err := d.Default().Build()
	if err != nil {
		t.Fatal(err)
	}
	s := &judgedSample{form: form, info: env.Info()}
	if s.problem, err = env.Problem(envs.Train, 0); err != nil {
		t.Fatal(err)
	}
	chain, err := envs.NewChain(s.problem, form.candidates, envs.ChainOptions{Word: s.info.Word, Stops: form.stops, Vocabulary: len(s.info.Vocabulary)})
	if err != nil {
		t.Fatal(err)
	}
	r := rng.New(25).Str(name).Rand()
	word, input := s.info.Word, ""
	if word == "" {
		word = "answer"
	}
	for i := range 12 {
		given := form.candidates
		if form.stops {
			given = 1 + i%form.candidates
		}
		text := ""
		for k := range given {
			answer := s.problem.AnswerText(s.problem.Demonstrate(r))
			if (i+k)%5 == 4 {
				answer = "no idea"
			}
			if form.candidates == 1 {
				text = answer
			} else {
				text += fmt.Sprintf("<%s_%d>%s</%s_%d>\n", word, k+1, answer, word, k+1)
			}
		}
		if form.stops && i%4 > 0 {
			text += fmt.Sprintf("<final>%d</final>", i%4)
		}
		verdicts := []*envs.Verdict{s.problem.JudgeText(text)}
		if form.candidates > 1 {
			verdicts = chain.JudgeText(text)
		}
		s.verdicts, s.named = append(s.verdicts, s.asPrinted(verdicts)), append(s.named, chain.NamedText(text))
		line, err := json.Marshal(map[string]any{"answer": text})
		if err != nil {
			t.Fatal(err)
		}
		input += string(line) + "\n"
	}
	args := []string{"judge", name}
	if form.candidates > 1 {
		args = append(args, "--candidates", fmt.Sprint(form.candidates))
	}
	if form.stops {
		args = append(args, "--stops")
	}
	if form.embeddings {
		args = append(args, "--embeddings")
	}
	code, out, errs := call(t, input, args...)
	if code != exitOK {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	s.printed = strings.Split(strings.TrimSpace(out), "\n")
	return s
}

// asPrinted is the verdicts, less their embeddings unless these are printed.
func (s *judgedSample) asPrinted(verdicts []*envs.Verdict) []*envs.Verdict {
	if s.form.embeddings {
		return verdicts
	}
	var out []*envs.Verdict
	for _, v := range verdicts {
		plain := *v
		plain.Embedding = nil
		out = append(out, &plain)
	}
	return out
}

// rollouts puts the output into documents: a verdict, a list of them, or the object
// of a chain that may stop, whose fields keep their names and values.
func (s *judgedSample) rollouts(t *testing.T) (batch, chains []any, named []any) {
	t.Helper()
	for _, line := range s.printed {
		switch {
		case s.form.stops:
			var doc map[string]json.RawMessage
			if err := json.Unmarshal([]byte(line), &doc); err != nil {
				t.Fatal(err)
			}
			rollout := map[string]any{"candidates": doc["answers"]}
			if final, ok := doc["final"]; ok {
				rollout["final"] = final
			}
			batch, chains, named = append(batch, rollout), append(chains, doc["answers"]), append(named, doc["named"])
		case s.form.candidates > 1:
			batch, chains = append(batch, map[string]any{"candidates": json.RawMessage(line)}), append(chains, json.RawMessage(line))
		default:
			one := json.RawMessage("[" + line + "]")
			batch, chains = append(batch, map[string]any{"candidates": one}), append(chains, one)
		}
	}
	return batch, chains, named
}

// estimate holds bench estimate against the advantages of the verdicts, of every method
// that reads no more than is printed, and returns these. Any other is refused.
func (s *judgedSample) estimate(t *testing.T) (held []string) {
	rollouts, _, _ := s.rollouts(t)
	document, err := json.Marshal(map[string]any{"weights": s.info.Weights, "groups": []any{map[string]any{"problem": "p", "rollouts": rollouts}}})
	if err != nil {
		t.Fatal(err)
	}
	batch := &estimators.Batch{Weights: s.info.Weights, CandidateFields: s.info.Provides(), Groups: make([]estimators.Group, 1)}
	if !s.form.embeddings {
		batch.CandidateFields &^= envs.HasEmbedding
	}
	if s.form.stops && s.info.Votes {
		batch.RolloutFields = estimators.RolloutFinal
	}
	batch.Groups[0].Problem = "p"
	for i, verdicts := range s.verdicts {
		rollout := estimators.Rollout{Train: true, Candidates: verdicts}
		if s.form.stops {
			if v := envs.FinalVerdict(verdicts, s.named[i]); v != nil {
				rollout.Final = v.Answer
			}
		}
		batch.Groups[0].Rollouts = append(batch.Groups[0].Rollouts, rollout)
	}
	for _, m := range estimators.Methods() {
		instance := m.New()
		code, out, errs := call(t, string(document), "estimate", m.Name)
		if err := instance.Requirements().Check(batch); err != nil {
			if code != exitInput || !strings.Contains(errs, "is missing") {
				t.Errorf("%s: exit code %d, %s; want a field that is missing (%v)", m.Name, code, errs, err)
			}
			continue
		}
		want := estimators.NewAdvantages(batch)
		if err := instance.Advantages(want, batch); err != nil {
			if code != exitInput {
				t.Errorf("%s: exit code %d, want %v", m.Name, code, err)
			}
			continue
		}
		held = append(held, m.Name)
		var got struct{ Advantages [][]float64 }
		if err := json.Unmarshal([]byte(out), &got); err != nil || !slices.Equal(got.Advantages[0], want[0]) {
			t.Errorf("%s: exit code %d, %s%s, want %v", m.Name, code, out, errs, want)
		}
	}
	return held
}

// measure holds bench metrics against the metrics of the verdicts.
func (s *judgedSample) measure(t *testing.T) {
	_, chains, named := s.rollouts(t)
	truth := s.problem.Truth()
	problem := map[string]any{"id": "p", "modes": len(truth.Modes), "front": truth.Front, "chains": chains}
	pool := metrics.Pool{Modes: len(truth.Modes), Front: truth.Front}
	if s.form.stops {
		problem["named"], pool.Named = named, s.named
	}
	for _, verdicts := range s.verdicts {
		whole := slices.Clone(verdicts)
		for len(whole) < s.form.candidates { // as envs.Chain.JudgeAll
			whole = append(whole, s.asPrinted([]*envs.Verdict{s.problem.Judge(nil)})...)
		}
		pool.Chains = append(pool.Chains, whole)
	}
	opt := metrics.Options{Weights: s.info.Weights, K: []int{1, 2, 8}, Variants: s.info.Variants, Answers: s.info.Votes, Delta: 0.8}
	if s.info.Votes {
		opt.Measure = append(opt.Measure, metrics.MeasureVotes)
	}
	if s.form.candidates > 1 {
		opt.Measure = append(opt.Measure, metrics.MeasureRollouts)
	}
	if s.form.embeddings {
		opt.Measure = append(opt.Measure, metrics.MeasureEmbeddings)
	}
	if d := len(s.info.Weights); d > 1 {
		opt.Draws = metrics.Scalarisations(d, 128)
	}
	table, err := metrics.NewTable(opt)
	if err != nil {
		t.Fatal(err)
	}
	if err := table.Add(pool); err != nil {
		t.Fatal(err)
	}
	want := table.Means()
	document, err := json.Marshal(map[string]any{"k": opt.K, "weights": s.info.Weights, "problems": []any{problem}})
	if err != nil {
		t.Fatal(err)
	}
	code, out, errs := call(t, string(document), "metrics")
	var got map[string]float64
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("metrics (-of the verdicts +of what was printed):\n%s", d)
	}
}

package envtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"sync"
	"unicode/utf8"

	"modebench/envs"
	"modebench/internal/rng"
)

// checkInfo: names without repetition, one weight >= 0 per component, and w* a weighted mean.
func checkInfo(s *suite) {
	i := s.info
	want(len(i.Components) > 0 && len(i.Vocabulary) > 0 && i.MaxAnswer >= 1, "%d components, %d tokens, longest answer %d: each must be at least 1",
		len(i.Components), len(i.Vocabulary), i.MaxAnswer)
	distinct("component", i.Components)
	distinct("token", i.Vocabulary)
	want(len(i.Weights) == len(i.Components), "%d weights for %d components", len(i.Weights), len(i.Components))
	sum := 0.0
	for _, w := range i.Weights {
		want(w >= 0 && !math.IsInf(w, 0), "weights %v: want finite numbers >= 0", i.Weights)
		sum += w
	}
	want(i.Formal == nil || len(i.Formal) == len(i.Components), "formal has %d entries for %d components", len(i.Formal), len(i.Components))
	want(sum != 0 && (s.freeWeights || math.Abs(sum-1) <= 1e-12), "weights %v add up to %v, want 1", i.Weights, sum)
}

func distinct(kind string, names []string) {
	known := map[string]bool{"": true}
	for _, n := range names {
		want(!known[n], "%s %q is empty or appears twice", kind, n)
		known[n] = true
	}
}

// checkRequests: unknown splits and negative indices are errors and give no
// problem; a large index is fine.
func checkRequests(s *suite) {
	refused := func(split envs.Split, index int) {
		p, err := s.env.Problem(split, index)
		want(err != nil && p == nil, "split %q, index %d: got problem %v, error %v; want no problem and an error", split, index, p, err)
	}
	for _, split := range []envs.Split{"", "Train", "validation", "train "} {
		refused(split, 0)
	}
	for _, split := range envs.Splits() {
		refused(split, -1)
		refused(split, math.MinInt)
	}
	_, err := s.env.Problem(envs.Pretrain, 1<<30)
	noError(err, "%s is unlimited, but index 1<<30", envs.Pretrain)
}

// fingerprint is everything a problem shows of itself, demonstrations from a fixed stream included.
func fingerprint(p envs.Problem) string {
	key, c := rng.New(0).Str("fingerprint"), p.Start()
	doc := []any{p.ID(), p.PromptText(), p.Picture(), p.Prompt(), p.Truth(), p.Fields(), c.AppendState(nil), c.Legal()}
	for i := range uint64(3) {
		doc = append(doc, p.Demonstrate(key.Int(i).Rand()))
	}
	return string(must(json.Marshal(doc)))
}

// checkRepeatable: the same (split, index) gives the same problem again, whatever
// was asked for in between, and asking a problem twice gives the same answers.
func checkRepeatable(s *suite) {
	first := map[string]string{}
	visit := func(split envs.Split, index int) {
		name, p := fmt.Sprint(split, "/", index), must(s.env.Problem(split, index))
		for range 2 {
			text := fingerprint(p)
			earlier, known := first[name]
			want(!known || earlier == text, "%s differs when asked for again:\n%s\n%s", name, earlier, text)
			first[name] = text
		}
	}
	for _, split := range envs.Splits() {
		for i := range s.problems {
			visit(split, i)
		}
	}
	for i := s.problems - 1; i >= 0; i-- {
		for _, split := range slices.Backward(envs.Splits()) {
			visit(split, i)
		}
	}
}

// checkSplits: no two problems share an id, so no problem lies in two splits.
func checkSplits(s *suite) {
	owner := map[string]string{}
	for _, split := range envs.Splits() {
		for i := range 10 * s.problems {
			id, name := must(s.env.Problem(split, i)).ID(), fmt.Sprint(split, "/", i)
			earlier, taken := owner[id]
			want(!taken && id != "", "%s has the id %q, which is empty or that of %q", name, id, earlier)
			owner[id] = name
		}
	}
}

// checkConcurrent: Problem, and Truth of one shared problem, from many
// goroutines give what they give alone. Run it with -race.
func checkConcurrent(s *suite) {
	const workers = 8
	var wg sync.WaitGroup
	failures := make([]error, workers)
	problem := func() envs.Problem { return must(s.env.Problem(envs.Train, 0)) }
	alone, shared := fingerprint(problem()), problem() // shared is fresh: its truth is not known yet
	for w := range workers {
		wg.Go(func() {
			failures[w] = catch(func() {
				truth, text := shared.Truth(), fingerprint(problem())
				want(text == alone, "worker %d: a problem made concurrently differs:\n%s\n%s", w, alone, text)
				want(reflect.DeepEqual(truth, problem().Truth()), "worker %d: truth found concurrently differs", w)
			})
		})
	}
	wg.Wait()
	if err := errors.Join(failures...); err != nil {
		panic(breach{err})
	}
}

// reserved are the entries of a problem's document that are not the environment's own.
var reserved = []string{"id", "split", "index", "prompt", "truth"}

// checkDocument: prompt, fields and picture can be printed, whatever answers are drawn in.
func checkDocument(s *suite) {
	s.each(func(p envs.Problem, key rng.Key) {
		words := envs.Token(len(s.info.Vocabulary))
		for _, t := range p.Prompt() {
			want(t >= 0 && t < words, "prompt token %d lies outside the vocabulary of %d", t, words)
		}
		want(p.PromptText() != "" && utf8.ValidString(p.PromptText()), "prompt text %q is empty or no UTF-8", p.PromptText())
		fields := p.Fields()
		_, err := json.Marshal(fields)
		want(err == nil && len(fields) > 0, "fields %v: empty, or not fit for JSON: %v", fields, err)
		for _, name := range reserved {
			_, taken := fields[name]
			want(!taken, "field %q is not the environment's to set", name)
		}
		answers, odd := s.answers(p, key), []envs.Token{-1, words}
		for _, marked := range [][][]envs.Token{nil, answers, {nil}, {odd[:1]}, {odd, answers[0]}} {
			text := p.Picture(marked...)
			want(text != "" && utf8.ValidString(text), "picture %s is empty or no UTF-8", quote(text))
		}
	})
}

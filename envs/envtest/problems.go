package envtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sync"
	"unicode/utf8"

	"modebench/envs"
	"modebench/internal/rng"
)

// checkInfo: names without repetition, one weight >= 0 per component, and w* a
// weighted mean.
func checkInfo(s *suite) error {
	i := s.info
	if len(i.Components) == 0 || len(i.Vocabulary) == 0 || i.MaxAnswer < 1 {
		return fmt.Errorf("%d components, %d tokens, longest answer %d: each must be at least 1",
			len(i.Components), len(i.Vocabulary), i.MaxAnswer)
	}
	if err := distinct("component", i.Components); err != nil {
		return err
	}
	if err := distinct("token", i.Vocabulary); err != nil {
		return err
	}
	if len(i.Weights) != len(i.Components) {
		return fmt.Errorf("%d weights for %d components", len(i.Weights), len(i.Components))
	}
	sum := 0.0
	for _, w := range i.Weights {
		if !(w >= 0) || math.IsInf(w, 0) {
			return fmt.Errorf("weights %v: want finite numbers >= 0", i.Weights)
		}
		sum += w
	}
	if i.Formal != nil && len(i.Formal) != len(i.Components) {
		return fmt.Errorf("formal has %d entries for %d components", len(i.Formal), len(i.Components))
	}
	if sum == 0 || (!s.freeWeights && math.Abs(sum-1) > 1e-12) {
		return fmt.Errorf("weights %v add up to %v, want 1", i.Weights, sum)
	}
	return nil
}

func distinct(kind string, names []string) error {
	known := map[string]bool{}
	for _, n := range names {
		if n == "" || known[n] {
			return fmt.Errorf("%s %q is empty or appears twice", kind, n)
		}
		known[n] = true
	}
	return nil
}

// checkRequests: unknown splits and negative indices are errors and give no
// problem; a large index is fine.
func checkRequests(s *suite) error {
	for _, split := range []envs.Split{"", "Train", "validation", "train "} {
		if p, err := s.env.Problem(split, 0); err == nil || p != nil {
			return fmt.Errorf("split %q: got problem %v, error %v; want no problem and an error", split, p, err)
		}
	}
	for _, split := range envs.Splits() {
		for _, index := range []int{-1, math.MinInt} {
			if p, err := s.env.Problem(split, index); err == nil || p != nil {
				return fmt.Errorf("%s index %d: got problem %v, error %v; want no problem and an error", split, index, p, err)
			}
		}
	}
	if _, err := s.env.Problem(envs.Pretrain, 1<<30); err != nil {
		return fmt.Errorf("%s is unlimited, but index 1<<30: %w", envs.Pretrain, err)
	}
	return nil
}

// fingerprint is everything a problem shows of itself, demonstrations from a
// fixed stream included.
func fingerprint(p envs.Problem) (string, error) {
	key := rng.New(0).Str("fingerprint")
	doc := struct {
		ID, Text, Picture string
		Prompt            []envs.Token
		Truth             envs.Truth
		Fields            map[string]any
		State             []byte
		Legal             []envs.Token
		Demonstrations    [][]envs.Token
	}{ID: p.ID(), Text: p.PromptText(), Picture: p.Picture(), Prompt: p.Prompt(), Truth: p.Truth(), Fields: p.Fields()}
	c := p.Start()
	doc.State, doc.Legal = c.AppendState(nil), c.Legal()
	for i := range 3 {
		doc.Demonstrations = append(doc.Demonstrations, p.Demonstrate(key.Int(uint64(i)).Rand()))
	}
	text, err := json.Marshal(doc)
	return string(text), err
}

func (s *suite) fingerprint(split envs.Split, index int) (string, error) {
	p, err := s.env.Problem(split, index)
	if err != nil {
		return "", err
	}
	return fingerprint(p)
}

// checkRepeatable: the same (split, index) gives the same problem again, whatever
// was asked for in between, and asking a problem twice gives the same answers.
func checkRepeatable(s *suite) error {
	first := map[string]string{}
	visit := func(split envs.Split, index int) error {
		name := fmt.Sprint(split, "/", index)
		p, err := s.env.Problem(split, index)
		if err != nil {
			return err
		}
		for range 2 {
			text, err := fingerprint(p)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if old, known := first[name]; known && old != text {
				return fmt.Errorf("%s differs when asked for again:\n%s\n%s", name, old, text)
			}
			first[name] = text
		}
		return nil
	}
	splits := envs.Splits()
	for _, split := range splits {
		for i := range s.problems {
			if err := visit(split, i); err != nil {
				return err
			}
		}
	}
	for i := s.problems - 1; i >= 0; i-- {
		for j := len(splits) - 1; j >= 0; j-- {
			if err := visit(splits[j], i); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkSplits: no two problems share an id, so no problem lies in two splits.
func checkSplits(s *suite) error {
	owner := map[string]string{}
	for _, split := range envs.Splits() {
		for i := range 10 * s.problems {
			p, err := s.env.Problem(split, i)
			if err != nil {
				return err
			}
			name := fmt.Sprint(split, "/", i)
			if earlier, taken := owner[p.ID()]; taken || p.ID() == "" {
				return fmt.Errorf("%s has the id %q, which is empty or that of %q", name, p.ID(), earlier)
			}
			owner[p.ID()] = name
		}
	}
	return nil
}

// checkConcurrent: Problem, and Truth of one shared problem, from many
// goroutines give what they give alone. Run it with -race.
func checkConcurrent(s *suite) error {
	const workers = 8
	var wg sync.WaitGroup
	failures := make([]error, workers)
	want, err := s.fingerprint(envs.Train, 0)
	if err != nil {
		return err
	}
	shared, err := s.env.Problem(envs.Train, 0) // fresh: its truth is not known yet
	if err != nil {
		return err
	}
	for w := range workers {
		wg.Go(func() {
			failures[w] = s.run(check{find: func(*suite) error {
				truth := shared.Truth()
				got, err := s.fingerprint(envs.Train, 0)
				if err != nil || got != want {
					return fmt.Errorf("worker %d: a problem made concurrently differs (error %v):\n%s\n%s", w, err, want, got)
				}
				if p, _ := s.env.Problem(envs.Train, 0); !sameTruth(truth, p.Truth()) {
					return fmt.Errorf("worker %d: truth found concurrently differs", w)
				}
				return nil
			}})
		})
	}
	wg.Wait()
	return errors.Join(failures...)
}

// reserved are the entries of a problem's document that are not the
// environment's own.
var reserved = []string{"id", "split", "index", "prompt", "truth"}

// checkDocument: prompt, fields and picture can be printed, whatever answers
// are drawn in.
func checkDocument(s *suite) error {
	return s.each(func(p envs.Problem, key rng.Key) error {
		for _, t := range p.Prompt() {
			if int(t) < 0 || int(t) >= len(s.info.Vocabulary) {
				return fmt.Errorf("prompt token %d lies outside the vocabulary of %d", t, len(s.info.Vocabulary))
			}
		}
		if p.PromptText() == "" || !utf8.ValidString(p.PromptText()) {
			return fmt.Errorf("prompt text %q is empty or no UTF-8", p.PromptText())
		}
		fields := p.Fields()
		if _, err := json.Marshal(fields); err != nil || len(fields) == 0 {
			return fmt.Errorf("fields %v: empty, or not fit for JSON: %v", fields, err)
		}
		for _, name := range reserved {
			if _, taken := fields[name]; taken {
				return fmt.Errorf("field %q is not the environment's to set", name)
			}
		}
		answers, err := s.answers(p, key)
		if err != nil {
			return err
		}
		odd := []envs.Token{-1, envs.Token(len(s.info.Vocabulary))}
		for _, marked := range [][][]envs.Token{nil, answers, {nil}, {odd[:1]}, {odd, answers[0]}} {
			if text := p.Picture(marked...); text == "" || !utf8.ValidString(text) {
				return fmt.Errorf("picture %s is empty or no UTF-8", quote(text))
			}
		}
		return nil
	})
}

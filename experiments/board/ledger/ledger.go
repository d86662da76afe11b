// Package ledger holds signs that papers published of language models against a board: would the board
// have foretold them?
//
// A Ledger is read from TOML (ledger.go) and knows nothing of a board but the names of its rows. Score
// asks a board for differences between methods and counts the signs that agree, and KeepsDiversity asks
// how well a column separates methods that are published as keeping diversity from those that are not
// (score.go).
package ledger

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"modebench/experiments/board"
	"modebench/internal/input"
	"modebench/internal/nearest"
)

// A Ledger has signs that papers published, and the methods that are published as keeping or losing
// diversity.
type Ledger struct {
	Signs   []Sign   `toml:"sign"`
	Methods []Method `toml:"method"`
}

// A Sign is a published result. If a board can answer it, its last four fields are a question: is Method
// above Against in Metric? Else they are empty.
type Sign struct {
	Published string `toml:"published"` // a sentence
	Source    string `toml:"source"`    // paper with its table or figure
	Kind      string `toml:"kind"`      // of Kinds
	// Checked: the source was seen. If it was not, Source has what the row rests on.
	Checked bool   `toml:"checked"`
	Method  string `toml:"method"`  // a row of the grid
	Against string `toml:"against"` // another row, or Base
	Metric  string `toml:"metric"`  // of Metrics
	// Signs are the answers that agree with the paper, ascending: 1 is above, -1 below, and 0 level
	// within a margin (Score). 0 and 1 are together "no worse".
	Signs []int `toml:"signs"`
}

// A Method is published as keeping diversity, or as losing it.
type Method struct {
	Name string `toml:"name"`
	// KeepsDiversity: a paper reports more modes, entropy or pass@k at large k than under GRPO or its own
	// baseline. False: it reports a loss, or no more than under GRPO.
	KeepsDiversity *bool  `toml:"keeps_diversity"`
	Source         string `toml:"source"`
}

// Base is the policy before training, against which methods can be held.
const Base = "base"

// The kinds of signs.
const (
	Phenomenon = "phenomenon" // of reinforcement learning, not of one method
	Diversity  = "diversity"  // pass@k at large k, entropy, strategies
	Accuracy   = "accuracy"   // pass@1, speed
)

// Kinds lists the kinds of signs.
var Kinds = []string{Phenomenon, Diversity, Accuracy}

// Metrics are those that questions ask about, after training unless the name has it otherwise. In
// solved@k a pool of k answers counts by its best: pass@k, or best@k where rewards are graded.
var Metrics = []string{"accuracy", "diversity", "diversity at equal accuracy", "solved@4", "solved@16", "solved@64", "entropy", "tokens90"}

// Read reads a ledger from TOML. file is its name in errors. Unknown keys are errors, and so are methods
// without a row in the grid.
func Read(file string, data []byte, grid *board.Grid) (*Ledger, error) {
	var l Ledger
	if err := board.DecodeTOML(file, data, &l); err != nil {
		return nil, err
	}
	if err := l.check(grid); err != nil {
		return nil, input.Errorf("%s: %w", file, err)
	}
	return &l, nil
}

// check returns the first fault of the ledger.
func (l *Ledger) check(grid *board.Grid) error {
	sentences := map[string]bool{}
	for i := range l.Signs {
		s := &l.Signs[i]
		if err := s.check(grid); err != nil {
			return fmt.Errorf("sign[%d] %q: %w", i, s.Published, err)
		}
		key := s.Published + "\n" + s.Source
		if sentences[key] {
			return fmt.Errorf("sign[%d] %q: the sign is there twice", i, s.Published)
		}
		sentences[key] = true
	}
	names := map[string]bool{}
	for i, m := range l.Methods {
		if err := m.check(grid); err != nil {
			return fmt.Errorf("method[%d] %q: %w", i, m.Name, err)
		}
		if names[m.Name] {
			return fmt.Errorf("method[%d] %q: the method is there twice", i, m.Name)
		}
		names[m.Name] = true
	}
	return nil
}

func (s *Sign) check(grid *board.Grid) error {
	if !oneLine(s.Published) || !strings.HasSuffix(s.Published, ".") {
		return errors.New("published: want a sentence on one line, without |, that ends with a full stop")
	}
	if err := checkSource(s.Source); err != nil {
		return err
	}
	if err := oneOf("kind", s.Kind, Kinds); err != nil {
		return err
	}
	if !s.Asked() {
		if s.Against != "" || s.Metric != "" || len(s.Signs) > 0 {
			return errors.New("against, metric and signs belong to a question: want a method too")
		}
		return nil
	}
	if _, err := grid.Row(s.Method); err != nil {
		return err
	}
	if s.Against != Base {
		if _, err := grid.Row(s.Against); err != nil {
			return fmt.Errorf("against: %w", err)
		}
	}
	if s.Against == s.Method {
		return errors.New("against is the method itself")
	}
	if err := oneOf("metric", s.Metric, Metrics); err != nil {
		return err
	}
	if !slices.ContainsFunc(accepted, func(signs []int) bool { return slices.Equal(signs, s.Signs) }) {
		return fmt.Errorf("signs: got %v, want one of %v", s.Signs, accepted)
	}
	return nil
}

// accepted are the signs that a row can have.
var accepted = [][]int{{-1}, {0}, {1}, {-1, 0}, {0, 1}}

func (m *Method) check(grid *board.Grid) error {
	if _, err := grid.Row(m.Name); err != nil {
		return err
	}
	if m.KeepsDiversity == nil {
		return errors.New("want keeps_diversity = true or false: a method without a published statement has no row")
	}
	return checkSource(m.Source)
}

// Asked reports whether the row has a question.
func (s *Sign) Asked() bool { return s.Method != "" }

// oneLine reports whether a text goes into a cell of a table.
func oneLine(text string) bool { return text != "" && !strings.ContainsAny(text, "\r\n|") }

func checkSource(source string) error {
	if !oneLine(source) {
		return fmt.Errorf("source: got %q, want a paper on one line, without |", source)
	}
	return nil
}

func oneOf(key, value string, known []string) error {
	if !slices.Contains(known, value) {
		return fmt.Errorf("%s: got %q; %swant one of %q", key, value, nearest.Hint(value, known), known)
	}
	return nil
}

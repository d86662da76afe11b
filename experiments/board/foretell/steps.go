package foretell

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"modebench/experiments/board"
	"modebench/experiments/record"
	"modebench/internal/input"
	"modebench/internal/lined"
)

// Rollouts is the size of the board's groups, in which steps are held against boards.
const Rollouts = 16

// Steps are an audit's numbers of the steps of methods, as far as boards are compared with them.
type Steps struct {
	Version int           `json:"audit"`
	K       []int         `json:"k"`       // of pass@k
	Groups  []int         `json:"groups"`  // of the signal-to-noise ratios
	Methods []MethodSteps `json:"methods"` // by name
}

// MethodSteps are those of a method with its own fields; null if they are not defined.
type MethodSteps struct {
	Method string         `json:"method"`
	Pass   []lined.Number `json:"pass"` // cosine of the mean step and the gradient of pass@k, in groups of Rollouts
	SNR    []lined.Number `json:"snr"`  // |mean|^2 / variance of a step, by group size
}

// NewSteps takes the numbers from an audit that boards are compared with. An audit without groups of Rollouts is an
// error. Rows that were not audited are left out.
func NewSteps(a *record.Audit) (*Steps, error) {
	if !slices.Contains(a.Groups, Rollouts) {
		return nil, input.Errorf("the audit is of groups of %v, want %d among them, as the board has", a.Groups, Rollouts)
	}
	s := &Steps{Version: a.Version, K: a.Ks, Groups: a.Groups}
	for _, row := range a.Rows {
		if row.How == "" {
			continue
		}
		m := board.First(s.Methods, func(m *MethodSteps) bool { return m.Method == row.Label })
		if m == nil {
			s.Methods = append(s.Methods, MethodSteps{Method: row.Label, Pass: unknown(len(a.Ks)), SNR: unknown(len(a.Groups))})
			m = &s.Methods[len(s.Methods)-1]
		}
		if i := slices.Index(a.Groups, row.Group); i >= 0 {
			m.SNR[i] = valueOf(row.SNR)
		}
		for i := range row.Pass {
			if row.Group == Rollouts && i < len(m.Pass) {
				m.Pass[i] = valueOf(row.Pass[i])
			}
		}
	}
	slices.SortFunc(s.Methods, func(a, b MethodSteps) int { return cmp.Compare(a.Method, b.Method) })
	return s, nil
}

func unknown(n int) []lined.Number { return slices.Repeat([]lined.Number{lined.Number(math.NaN())}, n) }

func valueOf(x *record.AuditNumber) lined.Number {
	if x == nil {
		return lined.Number(math.NaN())
	}
	return board.Four(x.Value)
}

// Text is the document as its file holds it.
func (s *Steps) Text() []byte { return lined.Text(*s) }

// ParseSteps reads the output of Text. Errors name path as its file.
func ParseSteps(path string, data []byte) (*Steps, error) {
	s := &Steps{}
	if err := lined.Read(path, data, s, "pass", "snr"); err != nil {
		return nil, err
	}
	for i, m := range s.Methods {
		if len(m.Pass) != len(s.K) || len(m.SNR) != len(s.Groups) {
			return nil, input.Errorf("%s: %s has %d cosines and %d ratios, want %d and %d", path, m.Method, len(m.Pass), len(m.SNR), len(s.K), len(s.Groups))
		}
		if i > 0 && s.Methods[i-1].Method >= m.Method {
			return nil, input.Errorf("%s: %q comes after %q, want methods by name, each once", path, m.Method, s.Methods[i-1].Method)
		}
	}
	return s, nil
}

// ParseAudit reads the document of bench audit. Errors name path as its file.
func ParseAudit(path string, data []byte) (*Steps, error) {
	var a record.Audit
	if err := json.Unmarshal(data, &a); err != nil || a.Version != record.AuditVersion {
		return nil, input.Errorf("%s is no audit of version %d: want the audit.json of bench audit", path, record.AuditVersion)
	}
	s, err := NewSteps(&a)
	if err != nil {
		return nil, input.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// audited compares the numbers of the audit with the boards.
func (f *Comparison) audited(s *Steps) (out []StepTau) {
	add := func(name string, number func(*MethodSteps) lined.Number) {
		step := StepTau{Column: name}
		for b, t := range []*board.Table{f.Short, f.Long} {
			methods := everywhere(t)
			numbers := make([]float64, len(methods))
			for i, method := range methods {
				numbers[i] = math.NaN()
				if m := board.First(s.Methods, func(m *MethodSteps) bool { return m.Method == method }); m != nil {
					numbers[i] = float64(number(m))
				}
			}
			for c, column := range splitColumns {
				step.Tuned[3*b+c] = tauOf(numbers, tuned(t, methods, column))
				step.Taus[3*b+c] = tauOf(numbers, untuned(t, methods, column))
			}
		}
		out = append(out, step)
	}
	for i, k := range s.K {
		add(fmt.Sprintf("cosine pass@%d", k), func(m *MethodSteps) lined.Number { return m.Pass[i] })
	}
	for i, n := range s.Groups {
		add(fmt.Sprintf("snr in groups of %d", n), func(m *MethodSteps) lined.Number { return m.SNR[i] })
	}
	return out
}

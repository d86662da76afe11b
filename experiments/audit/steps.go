package audit

import (
	"cmp"
	"math"
	"slices"

	"modebench/experiments/record"
	"modebench/internal/input"
	"modebench/internal/lined"
)

// Rollouts is the size of the groups of which Steps have the cosines, the board's.
const Rollouts = 16

// Steps are the numbers of an audit that pages of methods have: results/board/audit.json.
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

// NewSteps takes the numbers from an audit. One without groups of Rollouts is an error. Rows that were not
// audited are left out.
func NewSteps(a *record.Audit) (*Steps, error) {
	if !slices.Contains(a.Groups, Rollouts) {
		return nil, input.Errorf("the audit is of groups of %v, want %d among them, as the board has", a.Groups, Rollouts)
	}
	s := &Steps{Version: a.Version, K: a.Ks, Groups: a.Groups}
	for _, row := range a.Rows {
		if row.How == "" {
			continue
		}
		i := slices.IndexFunc(s.Methods, func(m MethodSteps) bool { return m.Method == row.Label })
		if i < 0 {
			i = len(s.Methods)
			s.Methods = append(s.Methods, MethodSteps{Method: row.Label, Pass: unknown(len(a.Ks)), SNR: unknown(len(a.Groups))})
		}
		m := &s.Methods[i]
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
	return lined.Four(x.Value)
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

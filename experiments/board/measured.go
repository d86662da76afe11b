package board

import (
	"fmt"
	"math"
	"os"
	"slices"

	"modebench/internal/lined"
)

// A Measured is what all methods came to on one capability of the profile, as it is kept in a
// file.
type Measured struct {
	Version    int            `json:"profile"`
	Capability string         `json:"capability"` // name of its task
	Budget     int            `json:"tokens"`
	Tuning     []int          `json:"tuning_seeds"` // the first, and how many
	Seeds      []int          `json:"seeds"`
	Base       []lined.Number `json:"base"`    // scores of the base policy, by seed; none where no method was run
	Methods    []Scored       `json:"methods"` // by name
	Unfit      []Unfit        `json:"unfit"`
}

// A Scored is one method at one capability.
type Scored struct {
	Method  string         `json:"method"`
	Tried   []TriedScore   `json:"tried"`   // its settings, on tuning seeds
	Setting string         `json:"setting"` // the best of them
	Same    string         `json:"evaluations"`
	Cells   string         `json:"cells"`  // as Evaluated's
	Scores  []lined.Number `json:"scores"` // of the setting on evaluation seeds, by seed; not clipped
}

// A TriedScore is the mean score of a setting on tuning seeds.
type TriedScore struct {
	Setting string       `json:"setting"`
	Score   lined.Number `json:"score"`
}

func fours(xs []float64) (out []lined.Number) {
	for _, x := range xs {
		out = append(out, Four(x))
	}
	return out
}

// Text is the document as its file holds it.
func (m *Measured) Text() []byte { return lined.Text(*m) }

// ReadMeasured reads a file that Text wrote.
func ReadMeasured(path string) (*Measured, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return ParseMeasured(path, data)
}

// ParseMeasured reads a document from its text. path is what errors call it.
func ParseMeasured(path string, data []byte) (*Measured, error) {
	m := &Measured{}
	if err := parse(path, data, m, "profile", &m.Version); err != nil {
		return nil, err
	}
	return m, nil
}

// check says what no document has, and where.
func (m *Measured) check() (at string, err error) {
	var names []string
	for _, s := range m.Methods {
		names = append(names, s.Method)
	}
	if at, err := checkMethods(m.Tuning, m.Seeds, names, m.Unfit); err != nil {
		return at, err
	}
	if len(names) > 0 {
		if err := m.checkScores(m.Base); err != nil {
			return "base", err
		}
	}
	for i, s := range m.Methods {
		if err := m.checkScores(s.Scores); err != nil {
			return fmt.Sprintf("methods[%d].scores", i), err
		}
	}
	return "", nil
}

func (m *Measured) checkScores(scores []lined.Number) error {
	if len(scores) != m.Seeds[1] {
		return fmt.Errorf("%d values, want one for each of %d seeds", len(scores), m.Seeds[1])
	}
	for i, x := range scores {
		if math.IsNaN(float64(x)) {
			return fmt.Errorf("no number of seed %d", m.Seeds[0]+i)
		}
	}
	return nil
}

// Add puts the methods of another document of the same capability into this one, in place of
// those of the same names. One of other settings is an error.
func (m *Measured) Add(other *Measured) error {
	if len(m.Methods) == 0 {
		m.Base = other.Base
	}
	base := other.Base
	if len(other.Methods) == 0 {
		base = m.Base
	}
	err := alike([]setOf{
		{"capability", m.Capability, other.Capability}, {"tokens", m.Budget, other.Budget},
		{"tuning_seeds", m.Tuning, other.Tuning}, {"seeds", m.Seeds, other.Seeds}, {"base", m.Base, base},
	})
	if err == nil {
		m.Methods, m.Unfit = merged(m.Methods, other.Methods, m.Unfit, other.Unfit, func(s Scored) string { return s.Method })
	}
	return err
}

// of is a method's; nil: it has none.
func (m *Measured) of(method string) *Scored {
	i := slices.IndexFunc(m.Methods, func(s Scored) bool { return s.Method == method })
	if i < 0 {
		return nil
	}
	return &m.Methods[i]
}

// why is the reason why a method was not run; "": there is none.
func (m *Measured) why(method string) string {
	for _, u := range m.Unfit {
		if u.Method == method {
			return u.Why
		}
	}
	return ""
}

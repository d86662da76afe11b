package profile

import (
	"cmp"
	"fmt"
	"math"

	"modebench/experiments/board"
	"modebench/experiments/record"
	"modebench/internal/each"
	"modebench/internal/lined"
)

// Version is that of the profile's protocol.
const Version = 1

// A Measured holds the results of all methods on one capability of the profile, as kept in a file.
type Measured struct {
	Version    int            `json:"profile"`
	Capability string         `json:"capability"` // name of its task
	Budget     int            `json:"tokens"`
	Tuning     []int          `json:"tuning_seeds"` // the first, and how many
	Seeds      []int          `json:"seeds"`
	Base       []lined.Number `json:"base"`    // scores of the base policy, by seed; none where no method was run
	Methods    []Scored       `json:"methods"` // by name
	Unfit      []board.Unfit  `json:"unfit"`
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

func fours(xs []float64) []lined.Number {
	return each.Map(xs, lined.Four)
}

// Measure collects the results of the chosen entries on evaluation seeds of a capability.
func Measure(t board.Task, runs []*record.Run, chosen []board.Entry, tried map[string][]board.Tried, unfit []board.Unfit) (*Measured, error) {
	scored, err := t.Scored(runs, chosen, nil)
	if err != nil {
		return nil, err
	}
	m := &Measured{Version: Version, Capability: t.Name, Budget: t.Budget, Tuning: t.Protocol().Rounds[0].Numbers(), Seeds: t.Evaluation().Numbers()}
	if len(runs) > 0 {
		base, err := t.BaseScores(runs[0]) // all of them have the same base policy
		if err != nil {
			return nil, err
		}
		m.Base = fours(base)
	}
	var methods []Scored
	for i, c := range chosen {
		s := Scored{Method: c.Method, Setting: c.Setting, Same: scored[i].Same, Cells: scored[i].Cells, Scores: fours(scored[i].Values["score"])}
		for _, setting := range tried[c.Method] {
			s.Tried = append(s.Tried, TriedScore{setting.Setting, setting.Scores[0]})
		}
		methods = append(methods, s)
	}
	m.Methods, m.Unfit = board.Merged(nil, methods, nil, unfit, methodOf)
	return m, nil
}

func methodOf(s Scored) string { return s.Method }

// Text is the document as its file holds it.
func (m *Measured) Text() []byte { return lined.Text(*m) }

// Read reads a file that Text wrote.
func Read(path string) (*Measured, error) { return board.ReadFile(path, Parse) }

// Parse reads a document from its text. Errors name path as its file.
func Parse(path string, data []byte) (*Measured, error) {
	m := &Measured{}
	if err := board.ParseDocument(path, data, m, "profile", &m.Version, Version); err != nil {
		return nil, err
	}
	return m, nil
}

// Check returns the first fault of the document, and its place.
func (m *Measured) Check() (place string, err error) {
	names := each.Map(m.Methods, func(s Scored) string { return s.Method })
	if place, err := board.CheckMethods(m.Tuning, m.Seeds, names, m.Unfit); err != nil {
		return place, err
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
func (m *Measured) Add(more *Measured) error {
	if len(m.Methods) == 0 {
		m.Base = more.Base
	}
	base := more.Base
	if len(more.Methods) == 0 {
		base = m.Base
	}
	err := cmp.Or(
		board.Alike("capability", m.Capability, more.Capability), board.Alike("tokens", m.Budget, more.Budget),
		board.Alike("tuning_seeds", m.Tuning, more.Tuning), board.Alike("seeds", m.Seeds, more.Seeds), board.Alike("base", m.Base, base),
	)
	if err == nil {
		m.Methods, m.Unfit = board.Merged(m.Methods, more.Methods, m.Unfit, more.Unfit, methodOf)
	}
	return err
}

// scored is the entry of a method, or nil.
func (m *Measured) scored(method string) *Scored {
	return board.First(m.Methods, func(s *Scored) bool { return s.Method == method })
}

// why is the reason why a method was not run; "" if it was.
func (m *Measured) why(method string) string {
	if u := board.First(m.Unfit, func(u *board.Unfit) bool { return u.Method == method }); u != nil {
		return u.Why
	}
	return ""
}

// Among checks that a method of the user's can be added to profiles: no document may have a
// method of its name.
func Among(added *board.Submission, documents []*Measured) error {
	for _, m := range documents {
		if m.scored(added.Name) != nil || m.why(added.Name) != "" {
			return added.Taken()
		}
	}
	return nil
}

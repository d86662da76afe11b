package board

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"modebench/internal/input"
	"modebench/internal/nearest"
	"modebench/metrics/stats"
)

// Profiles are what methods are capable of, from 0 to 1 with intervals.
type Profiles struct {
	Capabilities []Axis
	Seeds        int
	Rows         []ProfileRow
}

// An Axis is a capability, with what the base policy has on it.
type Axis struct {
	Name, Title string
	Base        stats.Interval // not clipped; of no seeds where no method was run
}

// A ProfileRow is the profile of a method.
type ProfileRow struct {
	Method string
	Same   []string // other methods that have its evaluations at every capability
	// What follows is by capability. Scores are means over seeds with their 95% intervals, not
	// clipped; NaN where the method was not run. Why says why it was not. Settings were chosen on
	// tuning seeds.
	Scores   []stats.Interval
	Why      []string
	Settings []string
}

// NewProfiles makes the profiles of the named methods, in that order, or of all by name. A method
// that shares its evaluations with another one stands in that one's row, as rows of the board do.
// A name that no document has is an error, and so are documents of other seeds.
func NewProfiles(documents []*Measured, methods []string) (*Profiles, error) {
	if len(documents) == 0 {
		return nil, input.Errorf("there are no results of profiles")
	}
	p := &Profiles{Seeds: documents[0].Seeds[1]}
	tasks, err := Capabilities()
	if err != nil {
		return nil, err
	}
	var all []string
	for i, m := range documents {
		at := slices.IndexFunc(tasks, func(t Task) bool { return t.Name == m.Capability })
		if at < 0 {
			return nil, input.Errorf("there is no capability %q", m.Capability)
		}
		if slices.ContainsFunc(documents[:i], func(o *Measured) bool { return o.Capability == m.Capability }) {
			return nil, input.Errorf("capability %s is there twice", m.Capability)
		}
		if first := documents[0]; !slices.Equal(m.Seeds, first.Seeds) || !slices.Equal(m.Tuning, first.Tuning) {
			return nil, input.Errorf("capabilities %s and %s are of seeds %v and %v: a profile is of the same ones", first.Capability, m.Capability, first.Seeds, m.Seeds)
		}
		p.Capabilities = append(p.Capabilities, Axis{m.Capability, tasks[at].Capability.Title, stats.MeanInterval(toFloats(m.Base))})
		for _, s := range m.Methods {
			all = append(all, s.Method)
		}
		for _, u := range m.Unfit {
			all = append(all, u.Method)
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	names, same := apart(all, func(name string) string {
		var of strings.Builder
		for _, m := range documents {
			if s := m.of(name); s != nil {
				fmt.Fprintf(&of, "%s ", s.Same)
			} else {
				fmt.Fprintf(&of, "- %q ", m.why(name))
			}
		}
		return of.String()
	})
	if len(methods) > 0 {
		if names, err = rowsOf(methods, all, names, same); err != nil {
			return nil, err
		}
	}
	for _, name := range names {
		p.Rows = append(p.Rows, profileRow(documents, name, same[name]))
	}
	return p, nil
}

// rowsOf are the rows that the named methods stand in, each once. The base policy is no row.
func rowsOf(wanted, all, rows []string, same map[string][]string) (out []string, err error) {
	for _, name := range wanted {
		if name == Base {
			continue // every table has it
		}
		if !slices.Contains(all, name) {
			return nil, input.Errorf("there is no profile of %q; %sbench profile without names has all", name, nearest.Hint(name, all))
		}
		i := slices.IndexFunc(rows, func(r string) bool { return r == name || slices.Contains(same[r], name) })
		if !slices.Contains(out, rows[i]) {
			out = append(out, rows[i])
		}
	}
	return out, nil
}

func profileRow(documents []*Measured, method string, same []string) ProfileRow {
	row := ProfileRow{Method: method, Same: same}
	for _, m := range documents {
		score, setting := stats.Interval{Mean: math.NaN(), Low: math.NaN(), High: math.NaN()}, ""
		if s := m.of(method); s != nil {
			score, setting = stats.MeanInterval(toFloats(s.Scores)), s.Setting
		}
		row.Scores, row.Settings = append(row.Scores, score), append(row.Settings, setting)
		why := m.why(method)
		if setting == "" {
			why = cmp.Or(why, "it was not run")
		}
		row.Why = append(row.Why, why)
	}
	return row
}

// Clipped is an interval as profiles show it, from 0 to 1.
func Clipped(i stats.Interval) stats.Interval {
	if math.IsNaN(i.Mean) {
		return i
	}
	return stats.Interval{N: i.N, Mean: share(i.Mean), Low: share(i.Low), High: share(i.High)}
}

// Package profile measures the capabilities of methods, from 0 to 1, by "modebench profile 1".
//
// A capability (capabilities.go) is a task of the board's kind with a score of its own; its
// file explains why it measures that capability. The board's machinery tunes and evaluates
// methods on it. The results of all methods on one capability are a document (measured.go).
// Profiles are made of documents (profiles.go), and nothing is ranked.
package profile

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"modebench/experiments/board"
	"modebench/internal/input"
	"modebench/internal/lined"
	"modebench/internal/nearest"
	"modebench/metrics/stats"
)

// Profiles are the capabilities of methods, from 0 to 1 with intervals.
type Profiles struct {
	Capabilities []Axis
	Seeds        int
	Rows         []Row
}

// An Axis is a capability, with the base policy's score on it.
type Axis struct {
	Name, Title string
	Base        stats.Interval // not clipped; of no seeds where no method was run
}

// A Row is the profile of a method.
type Row struct {
	Method string
	Same   []string // other methods that have its evaluations at every capability
	// The following members are by capability. Scores are means over seeds with their 95%
	// intervals, not clipped; NaN if the method was not run, and Why then gives the reason.
	// Settings were chosen on tuning seeds.
	Scores   []stats.Interval
	Why      []string
	Settings []string
}

// New makes the profiles of the named methods, in that order, or of all by name. Methods with
// the same evaluations share a row, as on the board. A name that no document has is an error,
// and so are documents of other seeds.
func New(documents []*Measured, methods []string) (*Profiles, error) {
	if len(documents) == 0 {
		return nil, input.Errorf("there are no results of profiles")
	}
	p := &Profiles{Seeds: documents[0].Seeds[1]}
	var all []string
	for i, m := range documents {
		known := board.First(capabilities, func(c *capability) bool { return c.Name == m.Capability })
		if known == nil {
			return nil, input.Errorf("there is no capability %q", m.Capability)
		}
		if slices.ContainsFunc(documents[:i], func(o *Measured) bool { return o.Capability == m.Capability }) {
			return nil, input.Errorf("capability %s is there twice", m.Capability)
		}
		if first := documents[0]; !slices.Equal(m.Seeds, first.Seeds) || !slices.Equal(m.Tuning, first.Tuning) {
			return nil, input.Errorf("capabilities %s and %s are of seeds %v and %v: a profile is of the same ones", first.Capability, m.Capability, first.Seeds, m.Seeds)
		}
		p.Capabilities = append(p.Capabilities, Axis{m.Capability, known.title, stats.MeanInterval(lined.Floats(m.Base))})
		for _, s := range m.Methods {
			all = append(all, s.Method)
		}
		for _, u := range m.Unfit {
			all = append(all, u.Method)
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	names, same := board.Distinct(all, func(name string) string {
		var hashes strings.Builder
		for _, m := range documents {
			if s := m.scored(name); s != nil {
				fmt.Fprintf(&hashes, "%s ", s.Same)
			} else {
				fmt.Fprintf(&hashes, "- %q ", m.why(name))
			}
		}
		return hashes.String()
	})
	if len(methods) > 0 {
		var err error
		if names, err = rowsOf(methods, all, names, same); err != nil {
			return nil, err
		}
	}
	for _, name := range names {
		p.Rows = append(p.Rows, rowOf(documents, name, same[name]))
	}
	return p, nil
}

// rowsOf are the rows of the named methods, each once. The base policy has no row.
func rowsOf(wanted, all, rows []string, same map[string][]string) (out []string, err error) {
	for _, name := range wanted {
		if name == board.Base {
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

func rowOf(documents []*Measured, method string, same []string) Row {
	row := Row{Method: method, Same: same}
	for _, m := range documents {
		score, setting := stats.Interval{Mean: math.NaN(), Low: math.NaN(), High: math.NaN()}, ""
		if s := m.scored(method); s != nil {
			score, setting = stats.MeanInterval(lined.Floats(s.Scores)), s.Setting
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
	return stats.Interval{N: i.N, Mean: clip(i.Mean), Low: clip(i.Low), High: clip(i.High)}
}

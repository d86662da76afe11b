package sources

import (
	"fmt"
	"slices"
	"strings"

	"modebench/experiments/record"
	"modebench/internal/each"
	"modebench/internal/input"
	"modebench/internal/nearest"
	"modebench/plots"
	"modebench/plots/draw"
)

// Sides are several sources whose figures are drawn side by side.
type Sides struct {
	Sources []*Source
	Labels  []string                    // headings of the sources' panels; nil: their policies or specs
	Change  func([]record.Figure) error // changes fields of the figures
}

// Names are the named figures, which all sources have, or the only figure that they share.
func (s *Sides) Names(wanted []string) ([]string, error) {
	shared := s.Sources[0].names()
	for _, from := range s.Sources[1:] {
		names := from.names()
		shared = slices.DeleteFunc(shared, func(name string) bool { return !slices.Contains(names, name) })
	}
	if len(shared) == 0 {
		all := each.Map(s.Sources, func(from *Source) string { return fmt.Sprintf("%s has %s", from.name, listed(from.names())) })
		return nil, input.Usagef("the folders share no figure to draw side by side: %s", strings.Join(all, "; "))
	}
	for _, name := range wanted {
		for _, from := range s.Sources {
			if !slices.Contains(from.names(), name) {
				return nil, input.Usagef("--figure %q: %s has no such figure; %sthe folders have in common: %s", name, from.name, nearest.Hint(name, shared), listed(shared))
			}
		}
	}
	if wanted == nil && len(shared) > 1 {
		return nil, input.Usagef("choose by --figure among the figures that several folders have in common: %s", listed(shared))
	}
	if wanted == nil {
		return shared, nil
	}
	return wanted, nil
}

// Draw draws the sources' figures of a name. The user's headings replace titles that differ. If all
// are of one kind, each side has the metrics of all.
func (s *Sides) Draw(name string) (*draw.Figure, error) {
	var figures []record.Figure
	sameTitle, sameKind := true, true
	for i, from := range s.Sources {
		figures = append(figures, from.figures[slices.Index(from.names(), name)])
		sameTitle = sameTitle && figures[i].Title == figures[0].Title
		sameKind = sameKind && figures[i].Kind == figures[0].Kind
	}
	if err := s.Change(figures); err != nil {
		return nil, err
	}
	all := allMetrics(figures)
	sides := make([]plots.Side, len(figures))
	for i, fig := range figures {
		if sameKind {
			fig.Metrics = all
		}
		if s.Labels != nil && !sameTitle {
			fig.Title = ""
		}
		data, err := s.Sources[i].Gather(fig)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Sources[i].name, err)
		}
		sides[i] = plots.Side{Data: data, From: s.Sources[i].name}
	}
	headings, err := s.headings(sides)
	if err != nil {
		return nil, err
	}
	for i, heading := range headings {
		sides[i].Heading = heading
	}
	picture, err := plots.Beside(sides)
	return picture, input.UnlessFile(err)
}

// headings are the headings of the panels of each side: by default its policy, if the sides are of one
// spec under several, else its spec.
func (s *Sides) headings(sides []plots.Side) ([]string, error) {
	if s.Labels != nil {
		return s.Labels, nil
	}
	var specs, stems, policies []string
	for _, side := range sides {
		policy := side.Data.Policy
		specs = append(specs, side.Data.Spec)
		stems = append(stems, strings.TrimSuffix(side.Data.Spec, "-"+policy))
		if policy == "tabular" {
			policy = "tables"
		}
		policies = append(policies, policy)
	}
	if distinct(stems) == 1 && distinct(policies) == len(sides) {
		return policies, nil
	}
	if distinct(specs) < len(sides) {
		return nil, input.Usagef("name each folder by --label: their specs are %s", strings.Join(specs, ", "))
	}
	return specs, nil
}

// distinct is the number of different names.
func distinct(names []string) int {
	return len(slices.Compact(slices.Sorted(slices.Values(names))))
}

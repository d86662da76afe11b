package plots

import (
	"slices"

	"modebench/experiments/record"
	"modebench/metrics/stats"
)

// measure works out a metric at the steps.
func (s *seeded) measure(metric string) {
	list := make([]stats.Interval, len(s.steps))
	found := false
	for i, step := range s.steps {
		list[i] = s.measured(metric, step)
		found = found || list[i].N > 0
	}
	if !found {
		return
	}
	if s.metrics == nil {
		s.metrics = map[string][]stats.Interval{}
	}
	s.metrics[metric] = list
}

// gatherCurve keeps the metrics at the steps that a curve has room for.
func gatherCurve(fig record.Figure, s *seeded) {
	s.thin()
	for _, metric := range fig.Metrics {
		s.measure(metric)
	}
}

// thin leaves the steps that a panel has room for.
func (s *seeded) thin() {
	var steps []int
	for _, i := range thinned(len(s.steps)) {
		steps = append(steps, s.steps[i])
	}
	s.steps = steps
}

// gatherLast keeps the metrics at the last step.
func gatherLast(fig record.Figure, s *seeded) {
	s.steps = []int{s.last()}
	for _, metric := range fig.Metrics {
		s.measure(metric)
	}
}

// gatherFamilies keeps the metrics of the families at the last step.
func gatherFamilies(fig record.Figure, s *seeded) {
	s.steps = []int{s.last()}
	for _, metric := range s.known {
		if family, _, ok := splitK(metric); ok && slices.Contains(fig.Metrics, family) {
			s.measure(metric)
		}
	}
}

// gatherPositions keeps the branches at the last step.
func gatherPositions(_ record.Figure, s *seeded) {
	gatherFamilies(record.Figure{Metrics: []string{branchesFamily}}, s)
}

// pickModes leaves the variants that the figure draws: those with masses of modes that
// panel names. Where nothing has masses, or panel names what is not there, all stay, and
// the drawing says what is wrong.
func pickModes(fig record.Figure, shown []seeded) []seeded {
	named := func(s seeded) bool { return slices.Contains(fig.Panel, s.variant.Label) }
	massive := func(s seeded) bool { return s.riversOf(nil) != nil }
	for _, label := range fig.Panel {
		if !slices.ContainsFunc(shown, func(s seeded) bool { return s.variant.Label == label }) {
			return shown
		}
	}
	var out []seeded
	for _, s := range shown {
		if massive(s) && (len(fig.Panel) == 0 || named(s)) {
			out = append(out, s)
		}
	}
	if len(out) == 0 {
		return shown
	}
	return out
}

// gatherModes keeps the masses of modes.
func gatherModes(_ record.Figure, s *seeded) {
	all := *s
	s.thin()
	s.rivers = all.riversOf(s.steps)
}

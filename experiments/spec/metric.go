package spec

import (
	"fmt"
	"slices"
	"strings"

	"modebench/experiments/record"
	"modebench/internal/nearest"
	"modebench/metrics"
)

// metricNames lists the metrics that do not depend on k, and the families of
// those that do.
func metricNames() (plain, families []string) {
	for _, m := range metrics.All() {
		if family, ok := strings.CutSuffix(m.Name, "@k"); ok {
			families = append(families, family)
		} else if !strings.Contains(m.Name, "@") {
			plain = append(plain, m.Name)
		}
	}
	return plain, families
}

// checkMetric reports why runs with evaluations as given have no metric of a name.
func checkMetric(name string, eval measured) error {
	m, err := listedAs(name, eval)
	if err != nil {
		return err
	}
	switch {
	case m.Measure != "" && !slices.Contains(eval.Measure, m.Measure):
		return fmt.Errorf("metric %q is not measured unless asked for; add %q to measure in [eval]", name, m.Measure)
	case m.Measure == metrics.MeasureVotes && !eval.votes:
		return fmt.Errorf("metric %q is of votes, and answers of this environment do not vote", name)
	case m.Vectors && eval.components < 2:
		return fmt.Errorf("metric %q is of reward vectors, and this environment's reward is one number", name)
	case m.Variants && !eval.variants:
		return fmt.Errorf("metric %q is of variants, and a strategy of this environment has one alone", name)
	case m.Pools && eval.Enumerate > 0:
		return fmt.Errorf("metric %q is of sampled pools alone, and answers that can be listed are not sampled; set enumerate = 0 in [eval]", name)
	case m.Name == "ew_best@k" && eval.Draws == 0:
		return fmt.Errorf("metric %q averages over scalarisations, and draws = 0 in [eval]", name)
	case m.Name == metrics.HeadroomMetric && !slices.Contains(eval.K, 1):
		return fmt.Errorf("metric %q is the gain over one answer, and k of [eval] does not list 1", name)
	}
	return nil
}

// listedAs returns the metric of a name: best@4 is of the family best@k.
func listedAs(name string, eval measured) (metrics.Metric, error) {
	m, known := metrics.Lookup(name)
	_, _, numbered := strings.Cut(name, "@")
	family := m.Family()
	key, sizes := "k", eval.K
	switch {
	case known && name == family && m.Name == family:
		return m, nil
	case known && numbered && family == metrics.BranchFamily:
		key, sizes = "positions", eval.Positions
	case !known || !numbered || m.Name == family:
		plain, families := metricNames()
		return m, fmt.Errorf("unknown metric %q; %sknown metrics: %s, %s@k, %s@h", name, metricHint(name), strings.Join(plain, ", "), strings.Join(families, "@k, "), metrics.BranchFamily)
	}
	if stem, n, ok := record.SplitK(name); !ok || stem != family || !slices.Contains(sizes, n) {
		if len(sizes) == 0 {
			return m, fmt.Errorf("metric %q: the spec evaluates no %s; list them in [eval]", name, key)
		}
		return m, fmt.Errorf("metric %q: the spec evaluates %s = %s", name, key, strings.Trim(fmt.Sprint(sizes), "[]"))
	}
	return m, nil
}

// metricHint suggests the nearest metric, at the k of the unknown name.
func metricHint(name string) string {
	_, size, numbered := strings.Cut(name, "@")
	var names []string
	for _, m := range metrics.All() {
		family, _, ofFamily := strings.Cut(m.Name, "@")
		if name == family && ofFamily {
			return "did you mean " + m.Name + "? "
		}
		if ofFamily && numbered {
			names = append(names, family+"@"+size)
		} else {
			names = append(names, m.Name)
		}
	}
	return nearest.Hint(name, names)
}

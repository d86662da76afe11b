// Package metrics turns judged answers into the numbers an RL run is compared
// by: pass@k, best@k, coverage against the ground truth, distinct modes,
// entropy.
//
// The same numbers come by two ways. A Pool holds sampled answers, and its
// metrics are estimators. A Distribution holds every answer with its exact
// probability (tabular policies can enumerate them), and its metrics are what
// those estimators estimate. Document is the JSON form of pools, for answers
// from anywhere.
//
// The metrics, with unit and range ("mode" never includes envs.Degenerate
// unless that is said; w is the scalarisation of the reward vector r):
//
//	pass@k               probability that k answers hold a correct one; [0, 1]
//	best@k               expected highest w.r among k answers; reward units
//	coverage@k           expected distinct correct modes among k answers, over
//	                     min(k, existing correct modes); [0, 1]
//	accuracy             probability of a correct answer; [0, 1]
//	reward               expected w.r; reward units
//	distinct_correct     distinct modes among the correct answers of a sample;
//	                     count, [0, sample size]
//	distinct_incorrect   distinct modes among the incorrect ones; same range
//	entropy_mode         entropy of the mode of an answer, all degenerate
//	                     answers being one class; nats, [0, log(classes)]
//	entropy_sequence     entropy of the answer itself; nats, [0, log(answers)];
//	                     exact only
//	modes_alive          modes with more than AliveMass of probability; count;
//	                     exact only
//	correct_modes_alive  modes whose correct answers have more than AliveMass;
//	                     count; exact only
//
// pass@k and best@k are closed forms. A bootstrap with replacement, which some
// trainers print under these names, estimates other quantities and is biased
// low: with 1 correct answer of 4 it gives 0.68 for pass@4, which is 1.
//
// All results are the same bits on every machine: reductions have a fixed
// order and logarithms come from internal/exact.
package metrics

import "strconv"

// A Value is one metric.
type Value struct {
	Name     string  // as listed in the package comment: "pass@4", "accuracy"
	Mean     float64 // average over Problems; always finite
	Problems int     // how many problems the metric is defined for; at least 1
}

// atK returns the name of a metric at k: "pass@4".
func atK(name string, k int) string { return name + "@" + strconv.Itoa(k) }

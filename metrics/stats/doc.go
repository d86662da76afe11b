// Package stats has statistics over seeds. The seed is the unit of
// replication: xs holds one number per seed, never one per episode.
//
// Estimates come as an Interval: MeanInterval, IQMInterval, Improvement. A difference between two
// sides is tested by PairedTest where both ran the same seeds, else by UnpairedTest; Holm corrects
// for the number of tests made together. Fewer seeds than SeedsForVerdict give no verdict;
// PlanPaired and PlanUnpaired return the number of seeds that show a difference of a given size.
//
// Methods are compared over tasks by a Table each: CompareWithReference answers for
// all methods at once whether they are better, worse or equal beside a reference, Decide does so
// at a few numbers of seeds in turn, and RankByLooks ranks them by the same statistic. KendallTau
// compares two lists of scores of the same methods.
//
// A claim is asked of a contrast, one value per unit of replication: Test returns what
// p values the units give to its answers (supported, opposed, no difference), Holm,
// PartialConjunction and BenjaminiHochberg reckon with the number of tests, and PlanAnswer
// returns the number of units that an answer takes.
//
// # Measured errors
//
// docs/statistics.md has the measured coverage of the intervals, the levels and powers of the tests,
// and the errors of answers, decisions and ranks, for textbook distributions and for metrics of this suite.
// Tests measure its rows again.
//
//   - MeanInterval holds the mean of ten seeds in 93% or more, but for long tails and for metrics that
//     are the same in about four seeds of five. Where values tie it is Student's interval.
//   - PairedTest holds its level for symmetric differences, and rejects up to 9.3% for skewed ones.
//   - Test shows an effect that is not there in at most 4.6% of the samples in place of 2.5, but for
//     one population. "No difference" from fewer than 40 units is weak evidence for a metric that is
//     the same in most seeds.
//   - Decide has a wrong answer on any of 100 methods in at most 5.3% of the simulated boards, and
//     CompareWithReference in at most 7% where differences are strongly skewed.
package stats

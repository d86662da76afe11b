// Package stats has statistics over seeds. The seed is the unit of
// replication: xs holds one number per seed, never one per episode.
//
// Estimates come as an Interval: MeanInterval, IQMInterval, Improvement. A
// difference between two sides is tested by PairedTest where both ran the same
// seeds, else by UnpairedTest; Holm corrects for the number of tests made
// together. Nobody gets a verdict from fewer seeds than SeedsForVerdict;
// PlanPaired and PlanUnpaired say how many show a difference of a given size.
//
// A claim is asked of a contrast, one value per unit of replication: Test returns what
// p values the units give to its answers (supported, opposed, no difference), Holm,
// PartialConjunction and BenjaminiHochberg reckon with how many are tested, and
// PlanAnswer says how many units an answer takes.
//
// # Measured coverage of the intervals of a mean
//
// How often, in percent of 8000 simulated experiments (2000 for the IQM),
// MeanInterval, Student's interval on the same data, and IQMInterval hold what
// they are for (TestCoverage measures it again; standard errors 0.25 and 0.5 at
// 95). Below the line are values of the bandit's metrics over 400 seeds, in
// testdata/populations.json with the spec they come from: metric, method,
// training steps, and whether the metric was sampled from 16 answers or exact.
//
//	                                                MeanInterval            Student        IQMInterval
//	one value per seed                         n = 6    10    20       6    10    20       6    10    20
//	normal                                      94.6  94.7  94.8    95.2  95.0  95.0    97.2  96.7  94.0
//	exponential                                 92.4  94.5  94.4    88.8  90.0  92.2    95.8  94.7  96.6
//	lognormal                                   88.2  90.9  92.1    82.2  83.9  87.2    95.6  96.0  94.5
//	share of 64, p = 0.3                        94.8  95.4  95.0    94.9  95.0  94.6    97.8  96.8  95.0
//	0 or 1, p = 0.5                             96.9  98.0  95.7    96.9  98.0  95.7    79.3  88.8  95.1
//	0 or 1, p = 0.2                             73.9  90.1  91.9    73.9  89.5  91.9    99.8  99.8 100.0
//	----
//	pass@4 poly-epo 0 sampled                   93.3  93.5  94.4    92.0  92.2  93.0    98.4  97.6  96.6
//	reward poly-epo 250 sampled                 93.5  94.9  95.7    93.5  95.2  93.5    95.5  96.7  94.5
//	reward grpo 250 sampled                     73.7  88.3  91.6    73.7  88.2  92.8    99.9 100.0  99.9
//	reward grpo 1000 sampled                    12.6  20.2  36.0    12.6  20.2  36.0   100.0 100.0 100.0
//	reward poly-epo 1000 exact                  91.5  92.7  91.8    89.4  89.2  89.2    96.8  95.5  96.7
//	correct_modes_alive setpo+grpo 500 sampled  81.3  93.5  91.1    81.3  93.6  91.6    99.5  99.8  99.8
//	correct_modes_alive grpo 1000 sampled       88.7  94.7  95.4    88.7  94.7  94.5    88.5  92.8  96.7
//	correct_modes_alive setpo+grpo 1000 exact   74.6  88.9  92.4    74.6  88.7  93.5    99.9 100.0  99.9
//	correct_modes_alive grpo 1000 exact         96.1  95.1  96.9    96.1  94.3  95.0    97.3  97.0  96.7
//	coverage@4 grpo 1000 sampled                94.7  95.4  95.4    94.0  93.9  94.5    96.6  94.7  96.3
//	coverage@4 setpo+grpo 1000 sampled          93.5  95.0  95.6    91.5  92.3  93.7    97.1  95.0  96.3
//	coverage@4 grpo 1000 exact                  95.7  97.5  96.4    93.7  94.7  94.6    95.8  95.8  97.2
//	entropy_mode grpo 1000 sampled              94.4  95.1  95.1    93.6  93.5  94.2    96.9  95.0  96.3
//	entropy_mode grpo 1000 exact                95.6  97.0  96.5    94.0  94.7  94.8    96.5  96.0  97.2
//	entropy_mode poly-epo 1000 exact            94.3  95.0  95.2    91.3  91.9  93.2    96.1  95.2  96.9
//	entropy_mode setpo+grpo 1000 exact          91.7  96.2  96.1    88.4  89.5  90.8    87.4  92.0  96.7
//
// So MeanInterval is right for means of many answers and for metrics that vary
// from seed to seed, and better than Student's where those are skewed; where
// values tie it is Student's, or about two points off it to either side. At
// n = 10 it holds the mean in 93% or more but for: long tails (lognormal; a reward
// with skewness -8), and metrics that have one value in about four seeds of five
// or more. There, the seeds drawn may all agree (0.8^10 = 11% of ten zero-one
// seeds), the interval then has no width, and none of the values alone does better:
// six seeds that all failed say nothing of a success in every fifth. If a metric
// is the same in all seeds but one or two, or in all of them, take more seeds.
//
// IQMInterval is cautious at n = 6, at the price of width, and within two points
// of 95% or above it from n = 10 on, also for long tails, but for few seeds that
// take two or three values, or lie close to as many (a coin: 79% at n = 6, 89% at
// n = 10; the last row: 87% and 92%): the IQM jumps between them.
//
// Measured too, and not taken: the hull of Student's and the bootstrap's bounds
// (at n = 10, up to 1.3 points more, half a point in the median, for up to 7% more
// width; no row below 92% moves by more than half a point), bounds with 2% in each
// tail (as much, for 8% more width), and Student's t corrected for skewness (Hall
// 1992: 95.2 for the exponential and 91.3 for the lognormal, in wider intervals).
//
// # Measured coverage of Improvement
//
// In percent of 4000 experiments with n values on each side (standard error
// 0.35). Brunner and Munzel's interval on the logit scale, the alternative, held
// 99% at n = 6, at 1.3 times the width, and 94% in the ninth row at n = 20.
//
//	                                           n = 6    10    20
//	normal, no shift                            96.0  94.2  94.8
//	normal, shift 1                             96.1  95.5  95.1
//	normal, shift 2                             94.9  95.5  96.6
//	normal, shift 3                             95.5  95.5  97.4
//	normal, shift 3, deviation 1 and 3          94.8  94.2  93.8
//	exponential, 3 times as large               96.1  94.7  95.5
//	exponential, 9 times as large               95.1  95.7  96.2
//	counts 1-4, the same                        97.1  96.5  95.4
//	counts 1-4, mostly higher                   96.3  97.0  96.4
//	0 or 1, p = 0.2 and 0.6                     99.2  98.0  97.8
//
// # Measured level and power of the tests
//
// How often PairedTest rejects at Alpha where the mean is 0, in percent of 4000.
// It holds its level for differences with a symmetric distribution, which those
// of two sides without any difference have; where they differ in shape but not
// in the mean (last row: exponential less 1), it rejects more often.
//
//	                                           n = 6    10    20
//	differences of normal values                 2.9   4.9   5.1
//	differences of exponential values            3.5   4.9   5.0
//	differences of counts                        0.4   2.7   3.5
//	differences with a skewed distribution       5.5   9.3   8.9
//
// With the seeds that PlanPaired and PlanUnpaired name for normal values, the
// measured power is (4000 runs; in parentheses with one seed less)
//
//	difference/deviation     0.5        0.75       1          1.25       1.5        2
//	paired, 1 test      n    34         16         11         8          7          6
//	                    %    81.2 (80)  80.1 (77)  84.5 (80)  84.8 (77)  89.5 (67)  88.2
//	paired, 5 tests     n    51         25         16         11         10         8
//	                    %               81.2 (80)  83.1 (79)  78.4 (69)  86.5 (73)  83.7
//	unpaired, 1 test    n    67         31         18         12         9          6
//	                    %                          79.9 (78)  80.5 (76)  80.4 (79)  83.7
//	unpaired, 5 tests   n    100        46         27         18         14         9
//	                    %                                     81.2 (77)  84.6 (79)  84.5 (76)
//
// where the deviation is that of the differences, or of the values on a side.
package stats

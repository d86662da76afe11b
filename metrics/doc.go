// Package metrics turns judged answers into the numbers an RL run is compared by: pass@k, best@k,
// maj@k, coverage against the ground truth, distinct modes, entropy, the spread of reward vectors and
// of embeddings.
//
// The same numbers come by two ways. A Pool holds sampled chains of candidates, and its metrics are
// estimators. A Distribution holds every rollout with its exact probability (tabular policies can
// enumerate them), and its metrics are the quantities that those estimators estimate. A Table
// averages either over problems. Document is the JSON form of pools, for answers from anywhere.
//
// # Metrics
//
// The file that computes a metric registers it, with its unit, its range and its source; All lists
// them, and docs/metrics.md is a table of them. There w is the scalarisation w* of the reward
// vector r, "mode" never includes envs.Degenerate unless that is said, and m is the number of
// candidates of a chain (1 if a rollout holds one answer). A candidate is an answer, and k counts
// candidates but for votes.
//
// Of votes the voter is the rollout, k counts rollouts, and a rollout votes for the answer of its
// envs.FinalVerdict: that of its one candidate, of the candidate that a chain names, or of the last
// that has an answer. A rollout without an answer abstains, but is one of the k.
//
// Of embeddings a degenerate candidate, if modes are known, and a candidate whose embedding is
// missing or all 0 are in no set that is compared; copies of others are.
//
// # Estimators
//
// The exchangeable unit is the chain. The estimate of a pool of n chains for k candidates is the
// average over all ordered choices of q = floor(k/m) whole chains and the first r = k mod m
// candidates of another chain; with m = 1 that is the average over all k-subsets. So it is unbiased
// for q+1 independent chains, and k goes up to n*m: no function of n chains is unbiased for more.
// With F(v) the probability that all k candidates score at most v,
//
//	best@k = sum over v of v [F(v) - F(v-)]
//
// and pass@k, coverage@k and front_coverage@k are sums over events (a correct candidate, a
// candidate of mode c, a candidate that reaches the vector u) of the probability that the event
// happens among the k. All are closed forms. A bootstrap with replacement, which some trainers
// print under these names, estimates other quantities and is biased low: with 1 correct answer of 4
// it gives 0.68 for pass@4, which is 1. best_first@k has the same expectation as best@k and a
// higher variance; it is there because VPO reports it.
//
// A bootstrap is as biased for maj@k: with 2 of 3 votes correct it gives 20/27, or 0.74,
// for maj@3, which is 1.
//
// distinct_correct, distinct_incorrect and distinct_variants are counts in a pool, and their exact form
// is the expectation for Options.Samples candidates: they grow with the pool, so pools of different
// sizes do not compare. A mode with correct and incorrect answers counts in both. entropy_mode of a
// pool is the plug-in estimate, biased low by about (classes-1)/(2n) nats (Miller 1955).
//
// reward_l1 of a pool is the mean over all unordered pairs of its candidates. With m = 1 it is
// unbiased for E|r-r'|_1 of two independent answers, which is its exact form. Pairs within a chain
// depend on each other, so for m > 1 the exact form is the expectation for a pool of
// Options.Samples candidates (q whole chains and the beginning of another), whose pairs within and
// across chains have the weights they have there:
//
//	[C(q,2) m^2 D(F,F) + q m r D(F,F_r) + q W_m + W_r] / C(Samples, 2)
//
// with F the distribution of a candidate, F_r that of one of the first r, D the expected distance of
// two independent draws, and W_l the expected sum of distances within the first l candidates of a
// chain. reward_l1_correct has the same form with pairs of correct candidates above and below the
// line: a ratio of expectations, which pools estimate without bias for m = 1, and the limit of large
// pools for m > 1.
//
// rho_bar flattens the candidates of all problems of the table to one matrix, each problem with a
// total weight of 1 (spread evenly over the candidates of a pool, by probability over those of a
// distribution), drops the components of zero variance, and averages the correlations of all pairs
// of the others. A component whose standard deviation is at most 1e-12 times its largest magnitude
// counts as constant: that much is rounding.
//
// # Votes
//
// maj@k of a pool is the mean over all k-subsets of its n rollouts, and of a distribution the
// expectation over k independent rollouts, whose probabilities are divided by their total. The
// relative error is below n*2^-50 for a pool and 1e-12 for a distribution, but for cases with a
// total probability of less than 1e-20. If votes for one answer are judged differently (the
// environments here never do that), the answer counts as correct in proportion to its correct votes.
//
// The work grows with the number of answers that can reach the winning number of votes and with k^2
// or so: 100 pools of 64 rollouts take about a millisecond at seven k, a distribution over 1000
// answers some 20 at k = 64. Both metrics are left out at a k that takes more than a fixed number of
// operations (majorityWork), as 10000 answers at k = 64 or 12 equally frequent ones at k = 1024 do.
//
// # When a metric is left out
//
// A metric is left out of a problem that lacks what it needs: a field of the verdicts, two reward
// components, the front, a positive number of modes, a pool of k rollouts.
//
// The exact algorithm for the hypervolume takes exponential time in the worst case. The metric is left
// out if it takes more than a fixed number of operations (hypervolumeWork); pools with a handful of
// nondominated vectors never do.
//
// All results have the same bits on every machine: reductions have a fixed order, and logarithms come
// from internal/exact. The order of the chains of a pool changes no bit, except of best_first@k and
// uniq, which are about the order. The order of problems or outcomes changes the last bits at most.
//
// # Beyond tables
//
// Branches counts active branches per token position (Poly-EPO fig. 3), and CollapseStep finds the
// step at which the entropy has collapsed. Solving, Lost, Gained and Crossing describe the problems
// that a policy solved before training and after. FitLaw fits accuracy to entropy.
package metrics

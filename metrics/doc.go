// Package metrics turns judged answers into the numbers an RL run is compared
// by: pass@k, best@k, maj@k, coverage against the ground truth, distinct modes,
// entropy, the spread of reward vectors and of embeddings.
//
// The same numbers come by two ways. A Pool holds sampled chains of candidates,
// and its metrics are estimators. A Distribution holds every rollout with its
// exact probability (tabular policies can enumerate them), and its metrics are
// what those estimators estimate. A Table averages either over problems.
// Document is the JSON form of pools, for answers from anywhere.
//
// # Metrics
//
// w is the scalarisation w* of the reward vector r, "mode" never includes
// envs.Degenerate unless that is said, and m is the number of candidates of a
// chain (1 where a rollout holds one answer).
//
//	pass@k               probability that k candidates hold a correct one;
//	                     [0, 1]; Chen et al. 2021, eq. 1
//	best@k               expected highest w.r among k candidates; reward units;
//	                     VPO sec. 4.3, by PKPO (arXiv 2505.15201) eq. 14
//	best_first@k         highest w.r among the first k candidates in draw order;
//	                     reward units; S_k of VPO sec. 4.3
//	ew_best@k            best@k averaged over the weights of Options.Draws;
//	                     reward units; VPO eq. 1
//	regret@k             highest w.r on the exact front, less best@k; reward
//	                     units, >= 0
//	coverage@k           expected distinct correct modes among k candidates, over
//	                     min(k, existing correct modes); [0, 1]
//	front_coverage@k     expected distinct vectors of the exact front among those
//	                     of k candidates, over min(k, vectors of the front);
//	                     [0, 1]
//	accuracy             probability of a correct candidate; [0, 1]
//	reward               expected w.r; reward units
//	distinct_correct     distinct modes among the correct candidates of a pool;
//	                     count, [0, candidates]
//	distinct_incorrect   distinct modes among the incorrect ones; same range
//	entropy_mode         entropy of the mode of a candidate, all degenerate ones
//	                     being one class; nats, [0, log(classes)]
//	entropy_sequence     entropy of the rollout itself; nats, [0, log(rollouts)];
//	                     exact only
//	modes_alive          modes with more than AliveMass of probability; count;
//	                     exact only
//	correct_modes_alive  modes whose correct answers have more than AliveMass;
//	                     count; exact only, as the one above (of a pool, package
//	                     experiments counts the modes with that share of it)
//	reward_l1            mean L1 distance between the reward vectors of two
//	                     candidates of a pool; reward units, >= 0; VPO sec. 4.3
//	reward_l1_correct    the same between two correct candidates
//	rho_bar              mean Pearson correlation between two reward components;
//	                     [-1, 1]; VPO app. F
//	hypervolume          volume that the reward vectors of a pool dominate, over
//	                     that of the exact front, both above (-0.1, -0.1, ...);
//	                     [0, 1]; pools only
//	distinct_variants    distinct variants (answers as written; strings, in
//	                     Countdown) among the correct candidates of a pool; count
//	diversity_width      share of problems with two of them or more; [0, 1];
//	                     SetPO sec. 5.2 and table 3 (there a count of problems);
//	                     pools only
//	average_mode         distinct_variants over those problems; count, >= 2; the
//	                     same table (its average over all problems is
//	                     distinct_variants); pools only
//
// Of votes, which Options.Groups has to ask for (Votes). The voter is the rollout, k
// counts rollouts, and a rollout votes for the answer of its envs.FinalVerdict: that
// of its one candidate, of the candidate that a chain names, or of the last that has
// an answer. One without any abstains, but is one of the k.
//
//	maj@k                probability that the answer with most of k votes is correct,
//	                     0 where all abstain; ties are split equally; [0, 1];
//	                     Poly-EPO fig. 4, unbiased
//	majority_share@k     expected highest number of votes over k, those of
//	                     abstainers included; [0, 1]; Poly-EPO fig. 4
//
// Of whole rollouts (Rollouts):
//
//	final_accuracy       probability that the rollout's final answer, as above, is
//	                     correct; one without is not; [0, 1]; ACC of SD-E2 eq. 25
//	strategy_accuracy    probability that some candidate of the rollout is correct;
//	                     [0, 1]; S-ACC of SD-E2 eq. 26
//	strategies           expected candidates of a rollout that have a mode and, in
//	                     environments with answers, one of those, copies counted
//	                     once; count, [0, m]; #STR of SD-E2 sec. 4.1 (eqs. 8-9)
//
// Of embeddings (Embeddings); delta is Options.Delta, and cos the cosine of two
// candidates. A degenerate candidate, where modes are known, and one whose embedding
// is missing or all 0 are in no set that is compared; copies of others are.
//
//	div                  1 less the mean cos of two candidates of a pool; [0, 1];
//	                     SD-E2 eqs. 13-14
//	uniq                 candidates of a pool, taken in draw order if their cos with
//	                     all taken before is at most delta; count, [0, candidates];
//	                     SD-E2 eq. 15; pools only
//	redundancy           share of the pairs of candidates of a pool with a cos above
//	                     delta; [0, 1]; RR@delta of SD-E2 app. D
//	setpo_diversity      mean of -log(1 + mean cos with the others, from 0 up); nats,
//	                     [-log 2, 0]; D of SetPO eq. 3, F(P) of its eqs. 6-7
//	vendi                Vendi score, the effective number of different embeddings;
//	                     [1, distinct embeddings]; Friedman and Dieng 2023
//	chain_div            div, uniq and redundancy of the candidates of one rollout,
//	chain_uniq           averaged over rollouts, as SD-E2 has them; [0, 1], [0, m]
//	chain_redundancy     and [0, 1]; chains of two candidates or more only
//
// # Estimators
//
// The exchangeable unit is the chain. What a pool of n chains says about k
// candidates is the average over all ordered choices of q = floor(k/m) whole
// chains and the first r = k mod m candidates of another chain; with m = 1 that
// is the average over all k-subsets. So it is unbiased for what q+1 independent
// chains show, and k goes up to n*m: no function of n chains is unbiased for
// more. With F(v) the probability that all k candidates score at most v,
//
//	best@k = sum over v of v [F(v) - F(v-)]
//
// and pass@k, coverage@k and front_coverage@k are sums over events (a correct
// candidate, one of mode c, one that reaches the vector u) of the probability
// that the event happens among the k. All are closed forms. A bootstrap with
// replacement, which some trainers print under these names, estimates other
// quantities and is biased low: with 1 correct answer of 4 it gives 0.68 for
// pass@4, which is 1. best_first@k has the same expectation as best@k and a
// higher variance; it is there because VPO reports it.
//
// A bootstrap is as biased for maj@k: with 2 of 3 votes correct it gives 20/27, or 0.74,
// for maj@3, which is 1.
//
// distinct_correct, distinct_incorrect and distinct_variants are counts in a pool,
// and their exact form is the expectation for Options.Samples candidates: they
// grow with the pool, so pools of different sizes do not compare. A mode with
// correct and incorrect answers counts in both. entropy_mode of a pool is the
// plug-in estimate, biased low by about (classes-1)/(2n) nats (Miller 1955).
//
// reward_l1 of a pool is the mean over all unordered pairs of its candidates.
// With m = 1 it is unbiased for E|r-r'|_1 of two independent answers, which is
// its exact form. Pairs within a chain depend on each other, so for m > 1 the
// exact form is the expectation for a pool of Options.Samples candidates (q
// whole chains and the beginning of another), whose pairs within and across
// chains have the weights they have there:
//
//	[C(q,2) m^2 D(F,F) + q m r D(F,F_r) + q W_m + W_r] / C(Samples, 2)
//
// with F the distribution of a candidate, F_r that of one of the first r, D the
// expected distance of two independent draws, and W_l the expected sum of
// distances within the first l candidates of a chain. reward_l1_correct has the
// same form, counting pairs of correct candidates above and below the line: a
// ratio of expectations, which for m = 1 is the expected distance of two
// independent correct answers and what pools estimate without bias, and for
// m > 1 what large pools tend to.
//
// rho_bar flattens the candidates of all problems of the table to one matrix,
// each problem with a total weight of 1 (spread evenly over the candidates of a
// pool, by probability over those of a distribution), drops the components of
// zero variance, and averages the correlations of all pairs of the others. A
// component whose standard deviation is at most 1e-12 times its largest
// magnitude counts as constant: that much is rounding.
//
// # Votes
//
// maj@k of a pool is the mean over all k-subsets of its n rollouts, and of a
// distribution the expectation over k independent rollouts, whose probabilities are
// divided by their total. Both are sums over the winning number of votes m, and use
// products of truncated polynomials in place of subsets. All terms are positive, so
// nothing cancels. Cases with a total probability of less than 1e-20 are left out;
// otherwise the relative error is below n*2^-50 for a pool and 1e-12 for a distribution.
//
// Where votes for the same answer are judged differently (the environments here never
// do that), the answer counts as correct in proportion to its correct votes, so that
// maj@1 is the share of correct votes.
//
// The work grows with the number of answers that can reach m and with k^2 or so:
// 100 pools of 64 rollouts take about a millisecond at seven k, a distribution over
// 1000 answers some 20 at k = 64. Both metrics are left out at a k where they take more
// than a fixed number of operations (majorityWork), as 10000 answers at k = 64 or 12
// equally frequent ones at k = 1024 do.
//
// # When a metric is left out
//
// A metric is left out of a problem that lacks what it needs:
//
//	maj@k, majority_share@k    a pool of k rollouts. A pool of chains has fewer of
//	                           these than of candidates.
//	final_accuracy             an environment with answers
//	redundancy, setpo_diversity
//	                           two embeddings in a pool, one in a distribution
//	vendi                      one embedding, and at most 1024 distinct embeddings or
//	                           at most 1024 entries of each
//	chain_redundancy           a rollout with two embeddings
//	ew_best@k                  two reward components
//	coverage@k                 a positive number of modes
//	regret@k                   the front, and w >= 0: else no front bounds w.r
//	front_coverage@k           the front, and two reward components
//	reward_l1                  two reward components, and two candidates in a pool (or
//	                           Samples)
//	reward_l1_correct          the same, with two correct candidates
//	rho_bar                    two reward components that vary, and at most 256
//	hypervolume                a front of two reward components or more, all above
//	                           -0.1. Candidates with a component at or below that add
//	                           no volume.
//	average_mode               a problem with two variants. A policy that has collapsed
//	                           on all problems has none; distinct_variants and
//	                           diversity_width are defined for it.
//
// The exact algorithm for the hypervolume takes exponential time in the worst case. The
// metric is left out where it takes more than a fixed number of operations
// (hypervolumeWork); pools with a handful of nondominated vectors never do.
//
// All results have the same bits on every machine: reductions have a fixed order, and
// logarithms come from internal/exact. The order of the chains of a pool changes no bit,
// except of best_first@k and uniq, which are about the order. The order of problems or
// outcomes changes the last bits at most.
//
// # Beyond tables
//
// Branches counts active branches per token position (Poly-EPO fig. 3), and CollapseStep
// finds the step at which the entropy has collapsed. Lost, Gained, Crossing, PassArea and
// Cover say what training made of the problems that a policy solved before, or did not.
package metrics

import "strconv"

// atK returns the name of a metric at k: "pass@4".
func atK(name string, k int) string { return name + "@" + strconv.Itoa(k) }

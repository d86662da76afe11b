// Package claims judges the claims of papers by the seeds of a run. It reads records (package
// record) and runs nothing.
//
// A claim (record.Claim) is a question about the mean of a contrast: one number a seed, a less
// b after training, or the other comparison of the claim. Both sides share seeds, and with them
// problems and random numbers, so the evidence is the difference within a seed. The question
// has one of six answers:
//
//   - supported: the contrast is on the claimed side of 0 (stats.Test),
//   - opposed: it is on the other side,
//   - no difference: neither sign is shown, and it is within delta of 0, the smallest effect
//     that matters (two one-sided tests; metrics.Delta),
//   - mixed, of a claim over several settings: some are supported, and others are opposed or no
//     difference,
//   - undecided: the seeds show no answer yet; the verdict gives the number that would,
//   - untestable here: nothing that the seeds do could decide it. Both sides are within .01 of
//     the metric's exact optimum, or the same to 1e-9 in every seed, or the metric is defined
//     for neither, or the claim's null comparison (record.Null) is supported too.
//
// A claim has a setting for each metric and each pair of variants that it compares. The answers at
// settings are corrected for their number by Holm's rule. A claim names whether it must be
// supported at all of its settings, at most of them, at any, or in their mean. The p value of the
// whole claim tests "supported in at least u settings" (Benjamini and Heller 2008). The claims of a
// paper are corrected together by Benjamini and Hochberg's rule, each kind of answer by itself.
//
// The seeds that decide are fixed before they run: Plan finds their number from a pilot,
// Register writes down the seeds and the rule, with a hash over all of it, and a Document holds
// the answers, with that hash.
//
// Judge answers; Text, Table, Markdown and LaTeX write.
package claims

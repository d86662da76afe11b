// Package claims judges what papers say against what the seeds of a run have. It reads
// records (package record) and runs nothing.
//
// A claim (record.Claim) is a question of the mean of a contrast: one number a seed, a less b
// after training, or what else the claim compares. Both sides share seeds, and with them
// problems and random numbers, so the difference within a seed is what tells. The question has
// one of six answers:
//
//   - supported: the contrast is on the claimed side of 0 (stats.Test),
//   - opposed: it is on the other side,
//   - no difference: neither sign is shown, and it is within delta of 0, the smallest effect
//     that matters (two one-sided tests; metrics.Delta),
//   - mixed, of a claim over several settings: some are supported, and others are opposed or no
//     difference,
//   - undecided: none of these is shown; so many seeds would show one of them,
//   - untestable here: nothing that the seeds do could decide it. Both sides are within .01 of
//     the metric's exact optimum, or the same to 1e-9 in every seed, or the metric is defined
//     for neither, or the claim's null comparison (record.Null) is supported too.
//
// A claim has a setting for each metric and each pair of variants that it compares. The answers
// at settings are corrected for their number by Holm's rule. The claim as a whole holds where it
// is supported at all of its settings, at most of them, at any, or in their mean: it says which.
// Its p value is that of "at so many settings at least" (Benjamini and Heller 2008). The claims of
// a paper are corrected together by Benjamini and Hochberg's rule, those of each answer by
// themselves.
//
// Which seeds decide is said before they are run: Plan says how many to take, by a pilot,
// Register says what they are and how they are judged, with a hash over all of it, and a
// Document holds what they came to, with that hash.
//
// Judge answers; Text, Table, Markdown and LaTeX write.
package claims

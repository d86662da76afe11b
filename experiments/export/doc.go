// Package export writes the records of experiments as tables that pandas and polars read at once:
// CSV and Parquet. It reads records, and has the summary of a run from package analysis.
//
// Every table begins with the columns that identify its rows:
//
//	spec    text     the experiment
//	label   text     the variant: the method and the fields in which it differs from others
//	name    text     the method's name in the spec
//	method  text     the method
//	seed    integer  the seed; spec, label and seed name one cell
//	cell    text     the folder of its records below cells/
//
// In evals, evals_wide, trains and summary the fields that some variant takes from a list of the
// spec follow, one column each and in the order of the manifests: "env", "train.lr",
// "lambda" and so on. A field with only numbers is a column of numbers, any other a column of text;
// a value is missing if a variant has no such field. A field that is called like another column
// gets the prefix "axis.".
//
// evals, a row for every metric of every evaluation:
//
//	step    integer  updates before the evaluation
//	exact   truth    the metric is exact, and not estimated from sampled answers
//	metric  text     as package metrics names it
//	value   number
//
// evals_wide, a row for every evaluation: step, exact, and a column of numbers for every metric
// that some evaluation has. A metric that is called like another column has the prefix "metric.".
//
// trains, a row for every training record: step and the fields of record.Train, in its
// order, under the names they have in train.jsonl.
//
// cells, a row for every cell: "trains" (truth: steps change it), "env", "policy" (names)
// and, each after the part that has them, the resolved parameters by their paths:
// "env.modes", "policy.sharing", "estimator.lambda", "objective.clip_low", "protocol.votes",
// "rewards.judge_noise", "train.lr", "eval.samples". A parameter of numbers alone is a
// column of numbers, one of truths alone a column of truths; any other is text, lists
// being written in JSON. Then "evals" (integer: how many evaluations there are) and, of
// the last one, "step", "exact" and the metrics as in evals_wide.
//
// summary, a row for every variant and every column of its experiment's table, without
// seed and cell; after the fields of lists:
//
//	seeds   integer  how many the variant has
//	exact   integer  how many of them were evaluated exactly at last
//	step    integer  of the last evaluation of any seed
//	metric  text
//	n       integer  seeds where the metric is defined, over which the others are
//	mean, low, high  numbers: the mean after training with its 95% interval; of fewer than three seeds
//	                 there is no interval
//
// Rows are in the order of the experiments given, of their variants, of seeds, of steps and, in
// evals, of metrics: by name, with numbers after an @ as numbers, so that pass@2 comes before
// pass@16.
//
// In CSV a text that begins with = + - @, a tab or a line end, and is no number, has an apostrophe
// before it, so that a spreadsheet shows it and takes it for no formula. Parquet has it as it is.
//
// A missing value (or NaN) is empty in CSV and null in Parquet. An empty text is a text in Parquet
// and can't be distinguished from a missing one in CSV. Numbers are float64 in both and give the
// same bits when read again; integers are int64. The same records give the same bytes; no time,
// host, path or library version is in them.
package export

// Package board ranks all methods by one protocol, "modebench board 2".
//
// A task (task.go) is an environment with the training on it. Every method is tried at equally
// many settings (grid.go) on tuning seeds, in rounds (choose.go). Its best setting runs on
// evaluation seeds, which tuning never saw (stage.go). All methods draw the same number of tokens.
// The score of a seed is the area under its frontier of accuracy and diversity (frontier.go,
// score.go). Results of a task are a document (result.go). Ranks, intervals and the answers beside
// the reference are over tasks and seeds (table.go). Rows that others submit are held against the same
// results made anew (claim.go), and have a table of their own (community.go).
//
// Package profile makes tasks of its own for the same machinery, which have a score in place of
// the area. Package foretell compares two boards.
//
// The package makes specs and reads records. It runs nothing.
package board

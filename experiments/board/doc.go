// Package board ranks all methods by one protocol, "modebench board 1".
//
// A task (task.go) is an environment with the training on it. Every method is tried at equally
// many settings (grid.go) on tuning seeds, and at the one that did best on evaluation seeds, which
// tuning never saw (stage.go). All of them draw the same number of tokens. The score of a seed
// is the area under its frontier of accuracy and diversity (frontier.go, score.go). Results of
// a task are a document (result.go). Ranks are over tasks and seeds, with intervals (table.go).
//
// A profile (profile.go) is made by the same machinery of short tasks, one for each capability of a
// method (capability.go), which has a score of its own in place of the area. Its documents are of
// another form (measured.go), and nothing is ranked.
//
// The package makes specs and reads records. It runs nothing.
package board

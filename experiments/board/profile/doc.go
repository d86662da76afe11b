// Package profile says what methods are capable of, from 0 to 1, by "modebench profile 1".
//
// A capability (capabilities.go) is a task of the board's kind with a score of its own, whose file says
// why it measures that. The board's machinery tunes and evaluates methods on it. What all of them came to on
// one capability is a document (measured.go). Profiles are made of documents (profiles.go), and nothing
// is ranked.
package profile

// Package profile measures the capabilities of methods, from 0 to 1, by "modebench profile 1".
//
// A capability (capabilities.go) is a task of the board's kind with a score of its own; its
// file explains why it measures that capability. The board's machinery tunes and evaluates
// methods on it. The results of all methods on one capability are a document (measured.go).
// Profiles are made of documents (profiles.go), and nothing is ranked.
package profile

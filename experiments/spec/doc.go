// Package spec reads specs: TOML texts that each describe an experiment.
//
// The data goes one way. Load parses the text and notes on which line every key stands.
// An overlay and values set from outside change the parsed document. What is read becomes
// the variants of a grid: environments, settings and methods in every combination. A
// Variant is a list of assignments; Setup makes of it all that one run needs but its seed.
// Columns, figures and claims are read last and checked against the variants, so that a
// mistake is found before anything is trained and is reported with its line.
//
// Nothing here trains: package train takes a Setup.
package spec

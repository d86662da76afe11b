// Package spec reads specs: TOML texts that each describe an experiment.
//
// The data goes one way. Load parses the text into nodes that know their lines. Overlays,
// quick forms and values set from outside are merged into the nodes. The result becomes the
// variants of a grid: environments, settings and methods in every combination. A Variant is a
// list of assignments; Setup makes of it all that one run needs but its seed.
// Columns, figures and claims are read last and checked against the variants, so that a
// mistake is found before anything is trained and is reported with its line.
//
// Nothing here trains: package train takes a Setup.
package spec

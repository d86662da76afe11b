// Package results holds what comes with the program: the baseline with which bench
// check compares the built-in methods, and the results of the board. The other folders are results to read.
package results

import "embed"

// Baseline is the snapshot of the suite of bench check
// (experiments.ReadSnapshot).
//
//go:embed check/baseline.json
var Baseline []byte

// BaselineFile is the path of Baseline in the source tree.
const BaselineFile = "results/check/baseline.json"

// Board holds the published results of the board: board/POLICY/TASK.json (board.ParseResult).
//
//go:embed board/*/*.json
var Board embed.FS

// Community holds the rows that others submitted to the board: community/POLICY/ROW (board.ReadCommunity).
//
//go:embed all:community
var Community embed.FS

// Ledger has the signs that papers published of language models, which a board is held against
// (ledger.Read). It was written before the results of board 2.
//
//go:embed foretell/ledger.toml
var Ledger []byte

// LedgerFile is the path of Ledger in the source tree.
const LedgerFile = "results/foretell/ledger.toml"

// Package python holds the adapter that serves a function in Python as a plug-in.
package python

import _ "embed"

// File is a source file of the adapter.
type File struct {
	Name string
	Text []byte
}

// Names of the adapter's files: the program that `python3 -m modebench` runs, and its import in
// place of verl if verl is not installed.
const (
	AdapterName = "modebench.py"
	StandInName = "modebench_verl.py"
)

//go:embed modebench.py
var adapter []byte

//go:embed modebench_verl.py
var standIn []byte

// Adapter is the files of the adapter, which lie in one folder.
var Adapter = []File{{AdapterName, adapter}, {StandInName, standIn}}

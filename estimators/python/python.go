// Package python holds the adapter that serves a function in Python as a plug-in.
package python

import _ "embed"

// AdapterName is the file name of the adapter, which `python3 -m modebench` runs.
const AdapterName = "modebench.py"

// Adapter is the source text of the adapter.
//
//go:embed modebench.py
var Adapter []byte

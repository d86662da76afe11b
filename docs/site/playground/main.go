//go:build js && wasm

// Command playground trains table policies in a browser, with the bytes that bench run writes.
// docs/site compiles it to WebAssembly, for a page that calls its function modebenchTrain.
package main

import (
	"context"
	"fmt"
	"syscall/js"

	_ "modebench/envs/bandit"
	_ "modebench/envs/coins"
	_ "modebench/envs/polynomial"
	_ "modebench/estimators/all"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/experiments/train"
)

func main() {
	js.Global().Set("modebenchTrain", js.FuncOf(func(_ js.Value, args []js.Value) any {
		done, err := trained(args[0].String(), args[1].Int(), args[2].Invoke)
		if err != nil {
			return map[string]any{"error": err.Error()}
		}
		return map[string]any{"done": done}
	}))
	select {} // the page calls
}

// trained runs the first seed of a spec's variant by that number. It returns the cell's DONE. tell gets each line
// of records, with the name of its file.
func trained(text string, variant int, tell func(args ...any) js.Value) (done string, err error) {
	s, err := spec.Parse("playground.toml", []byte(text), spec.LoadOptions{})
	if err != nil {
		return "", err
	}
	if variant >= len(s.Variants) {
		return "", fmt.Errorf("the spec has %d variants", len(s.Variants))
	}
	files, err := train.Files(context.Background(), s.Variants[variant], s.FirstSeed, func(name string, line []byte) {
		if name == record.EvalFile || name == record.PoolsFile {
			tell(name, string(line))
		}
	})
	return string(files[record.DoneFile]), err
}

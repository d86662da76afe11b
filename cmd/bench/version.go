package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"github.com/spf13/pflag"

	"modebench/experiments/record"
	"modebench/experiments/train"
	"modebench/internal/program"
)

var versionCommand = command{
	name: "version", summary: "the program's version and what it was built with",
	detail: "Prints the module's version, the results version (part of every cell's identity),\nthe build settings, and what a transformer can compute on (run --device).",
	setup: func(*pflag.FlagSet) func(context.Context, streams, []string) error {
		return func(_ context.Context, s streams, args []string) error {
			if len(args) > 0 {
				return usagef("bench version takes no arguments")
			}
			build := program.Build()
			fmt.Fprintf(s.out, "modebench %s\nresults version %d\n%s %s/%s, %d threads\n",
				build["version"], record.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0))
			delete(build, "version")
			keys := make([]string, 0, len(build))
			for key := range build {
				keys = append(keys, key)
			}
			slices.Sort(keys)
			for _, key := range keys {
				fmt.Fprintf(s.out, "%s %s\n", key, build[key])
			}
			for _, d := range train.Devices() {
				fmt.Fprintln(s.out, d)
			}
			return nil
		}
	},
}

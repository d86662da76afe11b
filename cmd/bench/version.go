package main

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"modebench/experiments/record"
	"modebench/experiments/train"
	"modebench/internal/program"
)

func newVersionCommand(s streams) *cobra.Command {
	return newCommand(s, &cobra.Command{
		Use: "version", Short: "the program's version and what it was built with", Args: noArguments,
		Long: "Prints the module's version, the results version (part of every cell's identity),\nthe build settings, and what a transformer can compute on (run --device).",
	}, &versionOptions{})
}

type versionOptions struct{ noFlags }

func (*versionOptions) run(_ context.Context, s streams, _ []string) error {
	build := program.Build()
	fmt.Fprintf(s.out, "modebench %s\nresults version %d\n%s %s/%s, %d threads\n",
		build["version"], record.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0))
	delete(build, "version")
	for _, key := range slices.Sorted(maps.Keys(build)) {
		fmt.Fprintf(s.out, "%s %s\n", key, build[key])
	}
	for _, d := range train.Devices() {
		fmt.Fprintln(s.out, d)
	}
	return nil
}

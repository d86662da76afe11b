package experiments_test

import (
	"context"
	"testing"

	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/experiments/sweep"
)

// runSpec runs a spec whole, with base policies of its own.
func runSpec(t testing.TB, spec *spec.Spec, out string, jobs int) *record.Run {
	t.Helper()
	run, err := sweep.Run(context.Background(), spec, sweep.Options{Out: out, Jobs: jobs, Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

package analysis

import (
	"context"
	"testing"

	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/experiments/sweep"
)

// runIn runs a spec whole.
func runIn(t testing.TB, spec *spec.Spec, out string, jobs int) *record.Run {
	t.Helper()
	run, err := sweep.Run(context.Background(), spec, sweep.Options{Out: out, Jobs: jobs})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

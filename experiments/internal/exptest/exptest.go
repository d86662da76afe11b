// Package exptest holds what tests of several packages of experiments share: a spec that
// runs in a moment, and a run of one.
package exptest

import (
	"context"
	"testing"

	"modebench/experiments"
	"modebench/experiments/record"
)

// Minimal is the text of a small spec, which tests change: two seeds of GRPO on the bandit.
const Minimal = `seeds = 2
[env]
name = "bandit"
[train]
steps = 20
[eval]
every = 10
k = [1, 4]
samples = 8
modes = true
[[method]]
name = "grpo"
`

// Small reads Minimal.
func Small(t testing.TB) *experiments.Spec {
	t.Helper()
	spec, err := experiments.Parse("small.toml", []byte(Minimal))
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

// Run runs a spec whole, with base policies of its own.
func Run(t testing.TB, spec *experiments.Spec, out string, jobs int) *record.Run {
	t.Helper()
	run, err := spec.Run(context.Background(), experiments.Options{Out: out, Jobs: jobs, Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

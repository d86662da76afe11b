package countdown

import (
	"testing"

	"modebench/envs"
	"modebench/envs/envtest"
)

// build makes an environment from the defaults, changed.
func build(t testing.TB, change func(*Config)) *Env {
	t.Helper()
	return envtest.Build[*Env](t, Default(), change)
}

func problem(t testing.TB, e *Env, split envs.Split, index int) *Problem {
	t.Helper()
	return envtest.Problem[*Problem](t, e, split, index)
}

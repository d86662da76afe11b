package policies_test

import (
	"fmt"
	"testing"

	"modebench/internal/params"
	"modebench/policies"
	"modebench/policies/tabular"
)

// TestDefaultsAreAllowed: every default passes the bounds and choices that a
// spec's values must pass.
func TestDefaultsAreAllowed(t *testing.T) {
	optimizer := policies.DefaultOptimizer()
	for _, c := range []struct {
		reason string
		ptr    any
	}{
		{"the optimiser", &optimizer},
		{"the tabular policy", tabular.Default()},
	} {
		values := params.Values(c.ptr)
		if len(values) == 0 {
			t.Errorf("%s has no parameters", c.reason)
		}
		for name, value := range values {
			if err := params.SetText(c.ptr, name, fmt.Sprint(value)); err != nil {
				t.Errorf("%s: %v", c.reason, err)
			}
		}
	}
}

// TestBounds: values that would make a policy divide by zero, or run uphill,
// are refused when they are set.
func TestBounds(t *testing.T) {
	optimizer := policies.DefaultOptimizer()
	for _, c := range []struct {
		reason string
		ptr    any
		pair   string
	}{
		{"a rate below zero climbs", &optimizer, "lr=-0.1"},
		{"a decay of one never forgets, and its bias correction divides by zero", &optimizer, "beta1=1"},
		{"the same of the second moment", &optimizer, "beta2=1"},
		{"a negative decay", &optimizer, "beta1=-0.5"},
		{"an optimiser that is not there", &optimizer, "optimizer=lion"},
		{"smoothing zero makes tokens that no demonstration took impossible", tabular.Default(), "smoothing=0"},
		{"fewer than no demonstrations", tabular.Default(), "demonstrations=-1"},
		{"a sharing that is not there", tabular.Default(), "sharing=some"},
		{"a context that is not there", tabular.Default(), "context=some"},
	} {
		if err := params.SetPair(c.ptr, c.pair); err == nil {
			t.Errorf("%s: %s was accepted", c.reason, c.pair)
		}
	}
}

package spec

import (
	"fmt"
	"strings"
	"testing"
)

// TestProtocolErrors: contradictory fields are refused when they are built, and the error names
// the field.
func TestProtocolErrors(t *testing.T) {
	for _, c := range []struct {
		method, field string
		set           []assignment
		says          string
	}{
		{"grpo", "method.votes", []assignment{{part: "method", field: "votes", value: int64(7), node: &node{path: "method.votes"}}}, "train.group = 8"},
		{"grpo", "train.warmup", []assignment{{part: "train", field: "warmup", value: int64(5000), node: &node{path: "train.warmup"}}}, "3000"},
		{"ttrl", "method.generations", []assignment{{part: "method", field: "generations", value: int64(3), node: &node{path: "method.generations"}}}, "reads no rewards"},
		{"grpo", "train.lag_spread", []assignment{{part: "train", field: "lag_spread", value: int64(1), node: &node{path: "train.lag_spread"}}}, "at most the lag, 0"},
		{"grpo", "train.max_lag", []assignment{{part: "train", field: "lag", value: int64(8), node: &node{path: "train.lag"}}, {part: "train", field: "lag_spread", value: int64(3), node: &node{path: "train.lag_spread"}}, {part: "train", field: "max_lag", value: int64(4), node: &node{path: "train.max_lag"}}}, "at least the smallest lag, 5"},
		{"grpo", "train.minibatches", []assignment{{part: "train", field: "minibatches", value: int64(9), node: &node{path: "train.minibatches"}}}, "rollouts of a step, 8"},
	} {
		v := Variant{Env: "bandit", policy: "tabular", Method: c.method, set: c.set}
		_, mistake := v.build()
		if mistake == nil {
			t.Errorf("%s: %+v is taken", c.method, c.set)
			continue
		}
		if mistake.field == nil || mistake.field.path != c.field || !strings.Contains(mistake.err.Error(), c.says) {
			t.Errorf("%s: at %+v: %v; want at %s, with %q", c.method, mistake.field, mistake.err, c.field, c.says)
		}
	}
	// gdpo has no one reward to take a divergence from.
	v := Variant{Env: "bandit", policy: "tabular", Method: "gdpo", set: []assignment{{part: "method", field: "kl_in_reward", value: true}}}
	if _, err := v.Setup(); err == nil || !strings.Contains(err.Error(), "kl_in_reward") {
		t.Errorf("gdpo takes kl_in_reward: %v", err)
	}
}

// Squares and distributions are asked of the policy that learns, which under another sampler
// did not draw the tokens.
func TestTokensOfAnotherSampler(t *testing.T) {
	const text = `
title = "t"
[env]
name = "multiplication"
[[method]]
name = "%s"
[train]
lag = %d
sampler_bits = %d
sampler_temperature = %v
top_p = %v
`
	for _, c := range []struct {
		method      string
		lag, bits   int
		temperature float64
		topP        float64
		want        string
	}{
		{"token-baseline", 0, 0, 1, 1, ""},
		{"token-baseline", 1, 0, 1, 1, "train.lag = 0"},
		{"token-baseline", 0, 8, 1, 1, "train.lag = 0"},
		{"token-baseline", 0, 0, 2, 1, "train.lag = 0"},
		{"token-baseline", 0, 0, 1, 0.9, "top_p = 1"},
		{"entropy-shaped", 1, 8, 2, 0.9, ""}, // entropies are kept with the rollouts
	} {
		_, err := parseText("t.toml", fmt.Appendf(nil, text, c.method, c.lag, c.bits, c.temperature, c.topP))
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%+v: %v", c, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "token_squares")):
			t.Errorf("%+v: got %v, want an error with %q", c, err, c.want)
		}
	}
}

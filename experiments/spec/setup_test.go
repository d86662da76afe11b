package spec

import (
	"strings"
	"testing"
)

// TestProtocolErrors: what contradicts itself is refused when it is built, and the
// error names the field.
func TestProtocolErrors(t *testing.T) {
	for _, c := range []struct {
		method, field string
		set           []assignment
		says          string
	}{
		{"grpo", "method.votes", []assignment{{part: "method", field: "votes", value: int64(7), key: "method.votes"}}, "train.group = 8"},
		{"grpo", "train.warmup", []assignment{{part: "train", field: "warmup", value: int64(5000), key: "train.warmup"}}, "3000"},
		{"ttrl", "method.generations", []assignment{{part: "method", field: "generations", value: int64(3), key: "method.generations"}}, "reads no rewards"},
		{"grpo", "train.minibatches", []assignment{{part: "train", field: "minibatches", value: int64(9), key: "train.minibatches"}}, "rollouts of a step, 8"},
	} {
		v := Variant{Env: "bandit", policy: "tabular", Method: c.method, set: c.set}
		_, at := v.build()
		if at == nil {
			t.Errorf("%s: %+v is taken", c.method, c.set)
			continue
		}
		if at.key != c.field || !strings.Contains(at.err.Error(), c.says) {
			t.Errorf("%s: at %s: %v; want at %s, with %q", c.method, at.key, at.err, c.field, c.says)
		}
	}
	// gdpo has no one reward to take a divergence from.
	v := Variant{Env: "bandit", policy: "tabular", Method: "gdpo", set: []assignment{{part: "method", field: "kl_in_reward", value: true}}}
	if _, err := v.Setup(); err == nil || !strings.Contains(err.Error(), "kl_in_reward") {
		t.Errorf("gdpo takes kl_in_reward: %v", err)
	}
}

package spec

import (
	"errors"
	"strings"
	"testing"

	"modebench/internal/input"
)

// TestExpressionsInSpecs: a mistake in an expression is one line with the line of the
// spec and the character, before anything is trained.
func TestExpressionsInSpecs(t *testing.T) {
	for _, c := range []struct{ reason, method, field, want string }{
		{"a name that is none", "set-rl", `objective = "mean(reward) * distinct(mod) / n"`, "my.toml:5: method set-rl: field \"objective\": column 25: unknown name mod in \"mean(reward) * distinct(mod) / n\" (did you mean mode? "},
		{"the second of a grid", "set-rl", `objective = ["mean", "mean(reward"]`, "my.toml:5: "},
		{"half an expression", "grpo", `shaping = "reward - "`, "my.toml:5: method grpo: field \"shaping\": column 9: "},
		{"of another type", "grpo", `shaping = "mode"`, "my.toml:5: method grpo: field \"shaping\": "},
		{"a component that the bandit's reward does not have", "grpo", `scalarisation = "vector[0] + vector[1]"`, "my.toml:5: method grpo: field \"scalarisation\": "},
		{"ReMax holds rewards against one that is not shaped", "remax", `shaping = "2 * reward"`, "my.toml:5: method remax: field \"shaping\": "},
		{"a method that looks at votes alone", "ttrl", `shaping = "2 * reward"`, "my.toml:5: method ttrl: field \"shaping\": "},
	} {
		_, err := parseText("my.toml", []byte("[env]\nname = \"bandit\"\n[[method]]\nname = \""+c.method+"\"\n"+c.field+"\n"))
		var wrong *input.Error
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want one line with %q", c.reason, err, c.want)
		}
	}
}

// TestExpressionsInCells: an expression is part of the cell, and no expression leaves
// no trace in it.
func TestExpressionsInCells(t *testing.T) {
	spec, err := parseText("my.toml", []byte(`
[env]
name = "bandit"
[[method]]
name = "grpo"
shaping = ["", "reward + 1 / same(group.mode, mode)"]
`))
	if err != nil {
		t.Fatal(err)
	}
	var rewards []map[string]any
	for _, v := range spec.Variants {
		p, err := v.Setup()
		if err != nil {
			t.Fatal(err)
		}
		rewards = append(rewards, p.Cell(0).Rewards)
	}
	if len(rewards) != 2 || len(rewards[0]) != 0 || rewards[1]["shaping"] != "reward + 1 / same(group.mode, mode)" {
		t.Errorf("the cells' rewards are %v", rewards)
	}
}

package main

import (
	"modebench/envs"
	"modebench/experiments/board"
	"modebench/experiments/board/profile"
	"modebench/experiments/catalog"
	"modebench/experiments/train"
	"modebench/internal/cli"
	"modebench/internal/each"
)

// flagValues complete the values of flags by name, for all commands that have such a flag.
var flagValues = map[string]cli.Names{
	"split":        func() []string { return each.Map(envs.Splits(), func(s envs.Split) string { return string(s) }) },
	"policy":       catalog.Policies,
	"device":       fixed("auto", train.DefaultDevice, "cuda"),
	"methods":      catalog.Methods,
	"capabilities": capabilityNames,
	"progress":     fixed("auto", "json", "none"),
	"stat":         fixed("mean", "iqm"),
}

// fixed are names that do not change.
func fixed(names ...string) cli.Names { return func() []string { return names } }

func capabilityNames() []string {
	tasks, _ := profile.Capabilities() // a shell is no place to report an error
	return each.Map(tasks, func(t board.Task) string { return t.Name })
}

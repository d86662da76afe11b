// Package catalog lists environments, methods, specs, metrics and the fields of a spec, with their
// defaults, as text.
package catalog

import (
	"slices"
	"strings"

	"modebench/internal/input"
	"modebench/internal/nearest"
)

// List lists the main kinds, or the kind or the part of a kind that the arguments name. Unknown names
// are *input.Usage errors.
func List(args ...string) (string, error) {
	var b strings.Builder
	if len(args) == 0 {
		for i, k := range kinds[:3] {
			if i > 0 {
				b.WriteString("\n")
			}
			if err := k.all(&b); err != nil {
				return "", err
			}
		}
		b.WriteString("\nFields of one of them: bench list methods grpo, bench list envs bandit; of a\nspec: bench list spec, policy, train, eval, figure, claim, metrics; what an\nexpression may have: bench list expressions.\n")
		return b.String(), nil
	}
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == args[0] })
	switch {
	case i < 0 && len(args) == 1:
		names := Names(nil)
		return "", input.Usagef("unknown kind %q; %skinds: %s", args[0], nearest.Hint(args[0], names), strings.Join(names, ", "))
	case i < 0 || len(args) == 2 && kinds[i].part == nil:
		return "", input.Usagef("%q has no parts of its own to list; envs, methods, specs, policy, train and eval have", args[0])
	case len(args) == 2:
		err := kinds[i].part(&b, args[1])
		return b.String(), err
	}
	err := kinds[i].all(&b)
	return b.String(), err
}

// Names are the kinds, or the names of the parts of the kind in args.
func Names(args []string) (names []string) {
	for _, k := range kinds {
		switch {
		case len(args) == 0:
			names = append(names, k.name)
		case len(args) == 1 && k.name == args[0] && k.names != nil:
			return k.names()
		}
	}
	return names
}

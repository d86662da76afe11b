package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"modebench/internal/nearest"
	"modebench/internal/plural"
)

func newListCommand(s streams) *cobra.Command {
	return newCommand(s, &cobra.Command{
		Use: "list [envs|methods|specs|spec|policy|train|eval|figure|claim|metrics] [NAME] [flags]", Short: "list environments, methods and built-in specs",
		Args: takes(0, 2, "a kind and a name at most"), ValidArgsFunction: completed(listNames),
		Long: `
With a kind, lists that kind alone; with a name too, everything that can be set
of it, with defaults:

  bench list methods poly-epo
  bench list envs bandit
  bench list train transformer
  bench list specs quick
  bench list specs mine.toml
  bench list specs quick --set train.lr=0.03

Of a built-in spec that is its text. Of a file, and of a spec with flags, it is what bench
run with the same words would run, and in which folder it would leave the results: that of
the spec's name with the changed fields behind it (and -seeds-N behind those where a result
of more seeds is there).

spec, policy, train, eval, figure and claim list what can be set in a spec and in
those tables of it, metrics what columns, figures and claims can name. policy, train
and eval stand with the defaults of tabular policies, or of the kind that is named.`,
	}, &listOptions{})
}

type listOptions struct{ specFlags }

func (o *listOptions) run(ctx context.Context, s streams, args []string) error {
	var b strings.Builder
	err := error(nil)
	if o.flags.NFlag() > 0 || isSpecFile(args) {
		err = listRun(ctx, &b, &o.specFlags, args)
	} else {
		err = list(&b, args)
	}
	if err != nil {
		return err
	}
	_, err = io.WriteString(s.out, b.String())
	return err
}

// isSpecFile reports whether the arguments name a spec of the user's, whose text is known.
func isSpecFile(args []string) bool {
	return len(args) == 2 && args[0] == "specs" && strings.HasSuffix(args[1], ".toml")
}

// listRun lists the cells of a spec under the flags, and the folder of its results.
func listRun(ctx context.Context, b *strings.Builder, flags *specFlags, args []string) error {
	if len(args) != 2 || args[0] != "specs" {
		return usagef("flags of bench list change a spec: bench list specs NAME --set FIELD=VALUE")
	}
	if err := flags.check(); err != nil {
		return err
	}
	spec, err := flags.load(ctx, args[1])
	if err != nil {
		return err
	}
	title := spec.Name
	if spec.Title != "" {
		title += ": " + spec.Title
	}
	fmt.Fprintf(b, "%s\nfolder: results/%s (--name NAME: another one)\n", title, spec.Name)
	seeds := plural.Of(spec.Seeds, "seed")
	if spec.FirstSeed > 0 {
		seeds += fmt.Sprintf(", from %d on,", spec.FirstSeed)
	}
	if n := spec.Nested; n != nil {
		fmt.Fprintf(b, "nested: %s in turn share a draw of problems, and %d a base policy if there is one\n", plural.Of(n[0], "seed"), n[1])
	}
	fmt.Fprintf(b, "%d cells: %s of each of\n", len(spec.Variants)*spec.Seeds, seeds)
	for _, v := range spec.Variants {
		fmt.Fprintf(b, "  %s\n", v.Label)
	}
	for _, note := range spec.Notes {
		fmt.Fprintf(b, "note: %s\n", note)
	}
	return nil
}

// list writes the main kinds, the kind or the part of it that the arguments name.
func list(b *strings.Builder, args []string) error {
	if len(args) == 0 {
		for i, kind := range listKinds[:3] {
			if i > 0 {
				b.WriteString("\n")
			}
			if err := kind.all(b); err != nil {
				return err
			}
		}
		b.WriteString("\nFields of one of them: bench list methods grpo, bench list envs bandit; of a\nspec: bench list spec, policy, train, eval, figure, claim, metrics; what may\nstand in an expression: bench list expressions.\n")
		return nil
	}
	i := slices.IndexFunc(listKinds, func(k listKind) bool { return k.name == args[0] })
	switch {
	case i < 0 && len(args) == 1:
		kinds := kindNames()
		return usagef("unknown kind %q; %skinds: %s", args[0], nearest.Hint(args[0], kinds), strings.Join(kinds, ", "))
	case i < 0 || len(args) == 2 && listKinds[i].one == nil:
		return usagef("%q has no parts of its own to list; envs, methods, specs, policy, train and eval have", args[0])
	case len(args) == 2:
		return listKinds[i].one(b, args[1])
	}
	return listKinds[i].all(b)
}

// kindNames are the kinds that bench list takes.
func kindNames() (names []string) {
	for _, k := range listKinds {
		names = append(names, k.name)
	}
	return names
}

// listNames complete the arguments of bench list.
func listNames(before []string) []string {
	if len(before) == 0 {
		return kindNames()
	}
	for _, k := range listKinds {
		if k.name == before[0] && len(before) == 1 && k.names != nil {
			return k.names()
		}
	}
	return nil
}

package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"modebench/experiments/catalog"
	"modebench/experiments/spec"
	"modebench/internal/cli"
	"modebench/internal/plural"
)

func newListCommand(s streams) *cobra.Command {
	return newCommand(s, &cobra.Command{
		Use: "list [envs|methods|specs|spec|policy|train|eval|figure|claim|metrics] [NAME] [flags]", Short: "list environments, methods and built-in specs",
		Args: cli.Takes(0, 2, "a kind and a name at most"), ValidArgsFunction: cli.Completed(catalog.Names),
		Long: `
With a kind, lists that kind alone; with a name too, everything that can be set
of it, with defaults:

  bench list methods poly-epo
  bench list envs bandit
  bench list train transformer
  bench list specs quick
  bench list specs mine.toml
  bench list specs quick --set train.lr=0.03
  bench list spec --format json

Of a built-in spec that is its text. Of a file, and of a spec with flags, it is the cells that bench
run with the same words would run, and the folder of the results: that of
the spec's name with the changed fields behind it (and -seeds-N behind those if a result
of more seeds is there).

spec, policy, train, eval, figure and claim list what can be set in a spec and in
those tables of it, metrics what columns, figures and claims can name. policy, train
and eval are listed with the defaults of tabular policies, or of the kind that is named.
With --format json the fields of a spec and of all of its tables are a JSON Schema, for editors.`,
	}, &listOptions{})
}

type listOptions struct {
	specFlags
	form string
}

func (o *listOptions) AddFlags(flags *pflag.FlagSet) {
	o.specFlags.AddFlags(flags)
	addForm(flags, &o.form, formJSON)
}

func (o *listOptions) run(ctx context.Context, s streams, args []string) error {
	if o.form == formJSON {
		if len(args) != 1 || args[0] != "spec" || o.flags.NFlag() > 1 {
			return usagef("--format json is of the fields of a spec alone: bench list spec --format json")
		}
		schema, err := spec.Schema()
		if err != nil {
			return err
		}
		return printJSON(s.out, schema)
	}
	// The user has the text of a file.
	if changed := o.flags.NFlag(); changed > 1 || changed == 1 && !o.flags.Changed("format") || len(args) == 2 && args[0] == "specs" && strings.HasSuffix(args[1], ".toml") {
		return o.listRun(ctx, s.out, args)
	}
	text, err := catalog.List(args...)
	if err != nil {
		return err
	}
	if len(args) < 2 || args[0] != "specs" { // whose text is a file
		text = cli.Renamed(text, s.program)
	}
	_, err = io.WriteString(s.out, text)
	return err
}

// listRun lists the cells of a spec under the flags, and the folder of its results.
func (o *listOptions) listRun(ctx context.Context, b io.Writer, args []string) error {
	if len(args) != 2 || args[0] != "specs" {
		return usagef("flags of bench list change a spec: bench list specs NAME --set FIELD=VALUE")
	}
	spec, err := o.load(ctx, args[1])
	if err != nil {
		return err
	}
	title := spec.Name
	if spec.Title != "" {
		title += ": " + spec.Title
	}
	fmt.Fprintf(b, "%s\nfolder: results/%s (--name NAME: another name)\n", title, spec.Name)
	seeds := plural.Count(spec.Seeds, "seed")
	if spec.FirstSeed > 0 {
		seeds += fmt.Sprintf(", from %d on,", spec.FirstSeed)
	}
	if n := spec.Nested; n != nil {
		fmt.Fprintf(b, "nested: %s in turn share a draw of problems, and %d a base policy if there is one\n", plural.Count(n[0], "seed"), n[1])
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

package main

import (
	_ "embed"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"modebench/envs"
	"modebench/estimators"
	"modebench/experiments/board/profile"
	"modebench/experiments/spec"
	"modebench/experiments/train"
)

// bashScript completes in bash without the package bash-completion, which cobra's script needs,
// and completes names of methods that hold an @.
//
//go:embed completion.bash
var bashScript string

// addCompletion adds cobra's command for scripts of shells.
func addCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	c, _, _ := root.Find([]string{"completion"})
	c.Use, c.DisableFlagsInUseLine = "completion bash|zsh|fish|powershell", true
	c.Short = "a script that lets a shell complete commands, flags and names"
	c.Long = completionText
	c.Args = nil
	var shells []string
	for _, shell := range c.Commands() {
		shell.Args = noArguments
		shells = append(shells, shell.Name())
		if shell.Name() == "bash" {
			shell.Long = completionText
			shell.ResetFlags()
			shell.RunE = func(c *cobra.Command, _ []string) error {
				_, err := io.WriteString(c.OutOrStdout(), strings.ReplaceAll(bashScript, "PROGRAM", root.Name()))
				return err
			}
		}
	}
	c.RunE = func(*cobra.Command, []string) error {
		return usagef("bench completion takes one shell: %s", strings.Join(shells, ", "))
	}
}

const completionText = `
Prints the script. It completes commands, flags, and the names of specs, methods, environments
and others, which it asks the program for. For this session:

  source <(bench completion bash)
  source <(bench completion zsh)
  bench completion fish | source
  bench completion powershell | Out-String | Invoke-Expression

and for all sessions the same line in ~/.bashrc, ~/.zshrc, ~/.config/fish/config.fish or $PROFILE.`

// completed completes arguments by the names that may follow those before. Where no name fits, the
// shell completes files.
func completed(candidates func(before []string) []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, before []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		names := slices.DeleteFunc(slices.Clone(candidates(before)), func(name string) bool { return !strings.HasPrefix(name, word) })
		return names, cobra.ShellCompDirectiveDefault
	}
}

// first completes the first argument alone.
func first(names func() []string) func([]string) []string {
	return func(before []string) []string {
		if len(before) > 0 {
			return nil
		}
		return names()
	}
}

// every completes each argument by the same names.
func every(names func() []string) func([]string) []string {
	return func([]string) []string { return names() }
}

// fixed are names that do not change.
func fixed(names ...string) func() []string { return func() []string { return names } }

// flagValues list the values of flags by name, for all commands that have such a flag.
var flagValues = map[string]func() []string{
	"split": func() (names []string) {
		for _, split := range envs.Splits() {
			names = append(names, string(split))
		}
		return names
	},
	"policy":       policies,
	"device":       fixed("auto", train.DefaultDevice, "cuda"),
	"methods":      methodNames,
	"capabilities": capabilityNames,
	"progress":     fixed("auto", "json"),
	"stat":         fixed("mean", "iqm"),
}

// completeFlags completes the values of flags in all commands below root.
func completeFlags(root *cobra.Command) {
	for _, c := range root.Commands() {
		for name, values := range flagValues {
			if c.Flags().Lookup(name) != nil {
				if err := c.RegisterFlagCompletionFunc(name, completed(every(values))); err != nil {
					panic(err) // the flag is there, and was not registered before
				}
			}
		}
	}
}

// policies are the kinds of policies.
func policies() []string {
	names, _ := spec.Policies()
	return names
}

// methodNames are the names of methods with a tab and a summary behind each.
func methodNames() []string {
	var out []string
	for _, m := range estimators.Methods() {
		out = append(out, cobra.CompletionWithDesc(m.Name, m.Summary))
	}
	return out
}

func capabilityNames() []string {
	tasks, err := profile.Capabilities()
	if err != nil {
		return nil // a shell is no place to report it
	}
	var out []string
	for _, t := range tasks {
		out = append(out, t.Name)
	}
	return out
}

package cli

import (
	_ "embed"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"modebench/internal/input"
)

// bashScript completes in bash without the package bash-completion, which cobra's script needs,
// and completes names of methods that hold an @.
//
//go:embed completion.bash
var bashScript string

// AddCompletion adds cobra's command for scripts of shells.
func AddCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	c, _, _ := root.Find([]string{"completion"})
	c.Use, c.DisableFlagsInUseLine = "completion bash|zsh|fish|powershell", true
	c.Short = "a script that lets a shell complete commands, flags and names"
	c.Long = completionText
	c.Args = nil
	var shells []string
	for _, shell := range c.Commands() {
		shell.Args = NoArguments
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
		return input.Usagef("bench completion takes one shell: %s", strings.Join(shells, ", "))
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

// Names list the names that complete an argument or a flag.
type Names = func() []string

// Completed completes arguments by the names that may follow those before. If no name fits, the
// shell completes files.
func Completed(candidates func(before []string) []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, before []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		names := slices.DeleteFunc(slices.Clone(candidates(before)), func(name string) bool { return !strings.HasPrefix(name, word) })
		return names, cobra.ShellCompDirectiveDefault
	}
}

// First completes the first argument alone.
func First(names Names) cobra.CompletionFunc {
	return Completed(func(before []string) []string {
		if len(before) > 0 {
			return nil
		}
		return names()
	})
}

// Every completes each argument by the same names.
func Every(names Names) cobra.CompletionFunc {
	return Completed(func([]string) []string { return names() })
}

// CompleteFlags completes the values of flags by name, in all commands below root.
func CompleteFlags(root *cobra.Command, values map[string]Names) {
	for _, c := range root.Commands() {
		for name, names := range values {
			if c.Flags().Lookup(name) != nil {
				if err := c.RegisterFlagCompletionFunc(name, Every(names)); err != nil {
					panic(err) // the flag is there, and was not registered before
				}
			}
		}
	}
}

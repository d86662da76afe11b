package main

import (
	"context"
	"embed"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"modebench/envs"
	"modebench/estimators"
	"modebench/experiments/board/profile"
	"modebench/experiments/spec"
	"modebench/experiments/train"
)

//go:embed completions
var completions embed.FS

// completionFiles are the scripts by the name of their shell.
var completionFiles = map[string]string{"bash": "bench.bash", "zsh": "bench.zsh", "fish": "bench.fish", "powershell": "bench.ps1"}

var shells = []string{"bash", "zsh", "fish", "powershell"}

var completionCommand = command{
	name: "completion", args: "bash|zsh|fish|powershell",
	summary: "a script that lets a shell complete commands, flags and names",
	detail: `
Prints the script. It completes commands, flags, and the names of specs, methods, environments
and others, which it asks the program for. For this session:

  source <(bench completion bash)
  source <(bench completion zsh)
  bench completion fish | source
  bench completion powershell | Out-String | Invoke-Expression

and for all sessions the same line in ~/.bashrc, ~/.zshrc, ~/.config/fish/config.fish or $PROFILE.`,
	setup: func(*pflag.FlagSet) func(context.Context, streams, []string) error {
		return func(_ context.Context, s streams, args []string) error {
			if len(args) != 1 || completionFiles[args[0]] == "" {
				return usagef("bench completion takes one shell: %s", strings.Join(shells, ", "))
			}
			script, err := completionScript(args[0], os.Args[0])
			if err != nil {
				return err
			}
			_, err = io.WriteString(s.out, script)
			return err
		}
	},
}

// completionScript is the script of a shell for the program as it was called.
func completionScript(shell, called string) (string, error) {
	script, err := completions.ReadFile("completions/" + completionFiles[shell])
	return strings.ReplaceAll(string(script), "PROGRAM", commandName(called)), err
}

// commandName is the name of the program as it was called: the Python package installs it by
// another one than bench.
func commandName(called string) string {
	name := strings.TrimSuffix(filepath.Base(called), ".exe")
	if !plainName.MatchString(name) {
		return "bench"
	}
	return name
}

var plainName = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9_-]*$`)

// completeWord is the word before what stands on the command line that a shell asks about. It is
// for the scripts alone, and in no help.
const completeWord = "__complete"

// complete prints what the last of the words may become, one a line, with a tab and what it is
// behind it where that is known. Nothing means a file, or that nothing is known.
func complete(w io.Writer, words []string) error {
	current := ""
	if len(words) > 0 {
		words, current = words[:len(words)-1], words[len(words)-1]
	}
	var b strings.Builder
	for _, line := range candidates(words, current) {
		if strings.HasPrefix(line, current) {
			b.WriteString(line + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// candidates are the lines for what may stand behind the words.
func candidates(words []string, current string) []string {
	if len(words) == 0 {
		return append(commandNames(), "help\texplain a command")
	}
	if words[0] == "help" {
		return commandNames()
	}
	c, err := find(words[0])
	if err != nil {
		return nil
	}
	flags := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
	c.setup(flags)
	if name, _, ok := strings.Cut(current, "="); ok && strings.HasPrefix(name, "--") {
		return prefixed(name+"=", flagValues(strings.TrimPrefix(name, "--")))
	}
	if strings.HasPrefix(current, "-") {
		return flagNames(flags)
	}
	if f := waiting(flags, words[len(words)-1]); f != nil {
		return flagValues(f.Name)
	}
	return argumentNames(c.name, positional(flags, words[1:]))
}

// waiting is the flag that the word names, if a value of it is to follow.
func waiting(flags *pflag.FlagSet, word string) *pflag.Flag {
	var f *pflag.Flag
	if name, ok := strings.CutPrefix(word, "--"); ok {
		f = flags.Lookup(name)
	} else if name, ok := strings.CutPrefix(word, "-"); ok && len(name) == 1 {
		f = flags.ShorthandLookup(name)
	}
	if f == nil || f.NoOptDefVal != "" {
		return nil
	}
	return f
}

// positional are the words that are no flags and no values of these.
func positional(flags *pflag.FlagSet, words []string) []string {
	var out []string
	for i, word := range words {
		if !strings.HasPrefix(word, "-") && (i == 0 || waiting(flags, words[i-1]) == nil) {
			out = append(out, word)
		}
	}
	return out
}

// argumentNames are the names that may follow the arguments of a command.
func argumentNames(command string, before []string) []string {
	first := len(before) == 0
	switch command {
	case "run", "status":
		if first {
			return spec.BuiltinNames()
		}
	case "check", "claims":
		return spec.BuiltinNames()
	case "env", "judge":
		if first {
			return envs.Names()
		}
	case "estimate":
		if first {
			return methodNames()
		}
	case "audit":
		return methodNames()
	case "profile":
		return append([]string{"add"}, methodNames()...)
	case "board":
		if first {
			return []string{"add", "foretell"}
		}
	case "completion":
		if first {
			return shells
		}
	case "list":
		return listNames(before)
	}
	return nil
}

func listNames(before []string) []string {
	switch {
	case len(before) == 0:
		return []string{"envs", "methods", "specs", "spec", "policy", "train", "eval", "figure", "claim", "metrics"}
	case len(before) > 1:
		return nil
	case before[0] == "envs":
		return envs.Names()
	case before[0] == "methods":
		return methodNames()
	case before[0] == "specs":
		return spec.BuiltinNames()
	case before[0] == "policy", before[0] == "train", before[0] == "eval":
		names, _ := spec.Policies()
		return names
	}
	return nil
}

// flagValues are the values that a flag of this name may have, in all commands that have one.
func flagValues(name string) []string {
	switch name {
	case "split":
		var out []string
		for _, split := range envs.Splits() {
			out = append(out, string(split))
		}
		return out
	case "policy":
		names, _ := spec.Policies()
		return names
	case "device":
		return []string{"auto", train.DefaultDevice, "cuda"}
	case "methods":
		return methodNames()
	case "capabilities":
		return capabilityNames()
	case "progress":
		return []string{"auto", "json"}
	case "stat":
		return []string{"mean", "iqm"}
	}
	return nil
}

func commandNames() []string {
	var out []string
	for _, c := range commands() {
		out = append(out, c.name+"\t"+c.summary)
	}
	return out
}

func flagNames(flags *pflag.FlagSet) []string {
	var out []string
	flags.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			out = append(out, fmt.Sprintf("--%s\t%s", f.Name, f.Usage))
		}
	})
	slices.Sort(out)
	return append(out, "--help\tthis command's text")
}

func methodNames() []string {
	var out []string
	for _, m := range estimators.Methods() {
		out = append(out, m.Name+"\t"+m.Summary)
	}
	return out
}

func capabilityNames() []string {
	tasks, err := profile.Capabilities()
	if err != nil {
		return nil // a shell is no place to say so
	}
	var out []string
	for _, t := range tasks {
		out = append(out, t.Name)
	}
	return out
}

func prefixed(prefix string, names []string) []string {
	var out []string
	for _, name := range names {
		out = append(out, prefix+name)
	}
	return out
}

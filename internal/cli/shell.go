package cli

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// Given lists the flags that were given, as words of a command line, but for those of the given
// names.
func Given(flags *pflag.FlagSet, without ...string) (words []string) {
	flags.Visit(func(f *pflag.Flag) {
		if slices.Contains(without, f.Name) {
			return
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
			if f.Value.Type() == "stringSlice" { // one flag holds all
				values = []string{strings.Join(values, ",")}
			}
		}
		for _, value := range values {
			words = append(words, "--"+f.Name+"="+value)
		}
	})
	return words
}

// ShellLine is a command as a shell reads it.
func ShellLine(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = word
		if word == "" || strings.ContainsFunc(word, special) {
			quoted[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

// special reports whether a shell may take a character for more than itself.
func special(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("_./=:@%+,-", r)
}

package cli

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"modebench/internal/input"
)

// valuesCommand is a program with a flag of each kind, and the values that they set.
func valuesCommand() (*cobra.Command, *struct {
	n       int
	every   time.Duration
	mode    string
	formats []string
	pair    [2]string
}) {
	v := &struct {
		n       int
		every   time.Duration
		mode    string
		formats []string
		pair    [2]string
	}{n: 7, mode: "auto", formats: []string{"svg"}}
	c := &cobra.Command{Use: "bench", RunE: func(*cobra.Command, []string) error { return nil }}
	Int(c.Flags(), &v.n, "jobs,j", "jobs", 1, 9)
	Duration(c.Flags(), &v.every, "every", "every", 0)
	Choice(c.Flags(), &v.mode, "mode", "mode", "auto", "json")
	Choices(c.Flags(), &v.formats, "format", "formats", []string{"svg", "png"}, "none")
	Parsed(c.Flags(), &v.pair, "pair", "pair", func(text string) (pair [2]string, err error) {
		var found bool
		if pair[0], pair[1], found = strings.Cut(text, "/"); !found {
			err = errors.New("want A/B")
		}
		return pair, err
	})
	Finish(c, "")
	c.SetOut(new(strings.Builder))
	c.SetErr(new(strings.Builder))
	return c, v
}

// TestValuesAreCheckedAsTheyAreParsed: a value out of bounds is one line that names the values to give.
func TestValuesAreCheckedAsTheyAreParsed(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"-j 0", "--jobs is 0, want 1 to 9"},
		{"--jobs 10", "--jobs is 10, want 1 to 9"},
		{"--jobs x", `--jobs is "x", want a whole number`},
		{"--jobs 99999999999999999999", `--jobs is "99999999999999999999", want a number of 64 bits`},
		{"--every -1s", "--every is -1s, want 0 or more, as in 30s"},
		{"--every x", `--every is "x", want a time such as 90s or 2m`},
		{"--mode jsno", `--mode is "jsno", did you mean json? want one of auto, json`},
		{"--format png,gif", `--format is "png,gif", want some of svg, png, each once, or none alone`},
		{"--format png --format png", `--format is "png", want some of svg, png, each once, or none alone`},
		{"--format none,svg", `--format is "none,svg", want some of`},
		{"--pair ab", "--pair ab: want A/B"},
		{"--mod auto", "did you mean --mode?"},
	} {
		command, _ := valuesCommand()
		command.SetArgs(strings.Fields(c.args))
		err := command.Execute()
		if usage := (*input.Usage)(nil); !errors.As(err, &usage) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.args, err, c.want)
		}
	}
}

// TestValuesAndTheirDefaults: flags set their variables, whose values before are the defaults of the
// help, and Given lists the flags again for a shell.
func TestValuesAndTheirDefaults(t *testing.T) {
	command, v := valuesCommand()
	if help := Help(command); help == "" || command.Flags().Lookup("jobs").DefValue != "7" || v.n != 7 || v.formats[0] != "svg" {
		t.Errorf("defaults %+v", v)
	}
	words := []string{"--jobs=3", "--every=1m30s", "--mode=json", "--format=png,svg", "--pair=a b/c"}
	command.SetArgs(words)
	if err := command.Execute(); err != nil {
		t.Fatal(err)
	}
	if v.n != 3 || v.every != 90*time.Second || v.mode != "json" || len(v.formats) != 2 || v.pair != [2]string{"a b", "c"} {
		t.Errorf("%+v", v)
	}
	want := "bench --every=1m30s --format=png,svg --mode=json '--pair=a b/c'"
	if line := ShellLine(append([]string{"bench"}, Given(command.Flags(), "jobs")...)); line != want {
		t.Errorf("%s, want %s", line, want)
	}
}

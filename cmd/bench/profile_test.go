package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"modebench/experiments/board/profile"
	"modebench/results"
)

// profileOf runs two methods at one capability, and returns the table and the kept results.
func profileOf(t *testing.T, out string, more ...string) (table, kept string) {
	t.Helper()
	keep := "kept-" + out
	table, _ = succeed(t, append([]string{"profile", "grpo", "rloo", "--run", "--capabilities", "keep", "--out", out, "--keep", keep}, more...)...)
	data, err := os.ReadFile(filepath.Join(keep, "keep.json"))
	if err != nil {
		t.Fatal(err)
	}
	return table, string(data)
}

// TestProfileIsTheSameHoweverItIsRun: neither jobs nor the order of methods change a byte of the
// kept results, which are published.
func TestProfileIsTheSameHoweverItIsRun(t *testing.T) {
	if testing.Short() {
		t.Skip("trains some 100 bandits")
	}
	inDir(t)
	table, kept := profileOf(t, "one", "--jobs", "1")
	if !strings.Contains(table, "2 methods at 1 capability, 10 seeds each") || !strings.Contains(table, "\ngrpo ") {
		t.Errorf("the table:\n%s", table)
	}
	if _, other := profileOf(t, "two", "--jobs", "2"); other != kept {
		t.Errorf("with two jobs:\n%s\nand not\n%s", other, kept)
	}
	succeed(t, "profile", "rloo", "grpo", "--run", "--capabilities", "keep", "--out", "two", "--keep", "turned")
	if data, _ := os.ReadFile("turned/keep.json"); string(data) != kept {
		t.Errorf("in another order:\n%s\nand not\n%s", data, kept)
	}
	if read, _ := succeed(t, "profile", "grpo", "rloo", "--capabilities", "keep", "--from", "kept-one"); read != table {
		t.Errorf("read from what is kept:\n%s\nand not\n%s", read, table)
	}
	if again, _ := succeed(t, "profile", "grpo", "rloo", "--capabilities", "keep"); !strings.HasPrefix(again, table) {
		t.Errorf("what is published is\n%s\nand not\n%s", again, table)
	}
	// One method alone takes its place among those that are kept.
	succeed(t, "profile", "rloo", "--run", "--capabilities", "keep", "--out", "one", "--keep", "kept-one")
	if data, _ := os.ReadFile("kept-one/keep.json"); string(data) != kept {
		t.Errorf("one method alone:\n%s\nand not\n%s", data, kept)
	}

	// A copy of a method has its scores.
	write(t, "copy.toml", "[[method]]\nname = \"grpo\"\nlabel = \"copy\"\n")
	out, _ := succeed(t, "profile", "add", "copy.toml", "--capabilities", "keep,without-labels", "--keep", "mine", "--format", "json")
	var page struct {
		Methods []struct {
			Method string
			Same   []string
			Why    map[string]string `json:"why_not"`
		}
	}
	if err := json.Unmarshal([]byte(out), &page); err != nil {
		t.Fatal(err)
	}
	if m := page.Methods; len(m) != 1 || m[0].Method != "grpo" || !slices.Contains(m[0].Same, "copy") || !strings.HasPrefix(m[0].Why["without-labels"], "it needs labels") {
		t.Errorf("a copy of grpo: %+v", m)
	}
	mine, err := profile.Read("mine/keep.json")
	if err != nil || len(mine.Methods) != 1 || mine.Methods[0].Method != "copy" {
		t.Errorf("kept %+v, %v; want the copy alone", mine, err)
	}
	if _, err := os.Stat("mine/without-labels.json"); err == nil {
		t.Error("a capability that the method cannot enter was kept")
	}
}

func TestProfileErrors(t *testing.T) {
	inDir(t)
	for _, dir := range []string{"damaged", "wrong"} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, "damaged/keep.json", "{}\n")
	published, err := results.Board.ReadFile("board/profile/keep.json")
	if err != nil {
		t.Fatal(err)
	}
	write(t, "wrong/find.json", string(published))
	write(t, "taken.toml", "[[method]]\nname = \"grpo\"\n")
	write(t, "mine.toml", "[[method]]\nname = \"grpo\"\nlabel = \"mine\"\n")
	if out, errs := succeed(t, "profile", "base"); !strings.Contains(out, "\nbase ") || strings.Contains(out, "\ngrpo ") || errs != "" {
		t.Errorf("the profile of the base policy:\n%s%s", out, errs)
	}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"grppo", exitInput, `there is no profile of "grppo"; did you mean grpo?`},
		{"base --draw f", exitInput, `there is no profile of "base" to draw`},
		{"grop --run", exitInput, `method "grop" has no row on the board; did you mean grpo?`},
		{"--format html", exitUsage, "--format html: want one of text, markdown"},
		{"--jobs 2", exitUsage, "--jobs is of a run, and without --run nothing is run"},
		{"--keep k", exitUsage, "--keep is of a run"},
		{"--run --from damaged", exitUsage, "want one of the two"},
		{"--run --jobs 0", exitUsage, "--jobs is 0, want 1 or more"},
		{"--capabilities kepe", exitInput, `unknown capability "kepe"; did you mean keep? the capabilities are reach, keep`},
		{"--from nowhere", exitInput, "nowhere holds no profiles"},
		{"--from damaged", exitInput, "keep.json:"},
		{"--from wrong", exitInput, "find.json holds the results of capability keep"},
		{"grpo rloo vpo poly-epo nsr psr pkpo gpg opo remax --draw f", exitUsage, "--draw draws at most 8 methods, got 10"},
		{"add", exitUsage, "bench profile add takes one file, or a command behind --; see bench help profile"},
		{"add nothing.toml", exitInput, "nothing.toml does not exist"},
		{"add taken.toml", exitInput, `taken.toml:1: "grpo" is the name of a method on the board`},
		{"add mine.toml --run", exitUsage, "takes no --run"},
		{"add mine.toml --capabilities without-labels", exitInput, "mine.toml:1: it needs labels: training reads correctness or rewards"},
		{"add mine.toml --from wrong --keep wrong", exitUsage, "--keep wrong: it holds the results to place"},
	} {
		code, out, errs := call(t, "", append([]string{"profile"}, strings.Fields(c.args)...)...)
		lines := strings.Split(strings.TrimSpace(errs), "\n")
		if code != c.code || out != "" || !strings.Contains(filepath.ToSlash(lines[len(lines)-1]), c.want) {
			t.Errorf("%s: exit code %d, want %d and %q\n%s%s", c.args, code, c.code, c.want, out, errs)
		}
	}
}

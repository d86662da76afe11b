package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"modebench/experiments/board"
	"modebench/internal/testkit"
)

// blindProgram is a plug-in whose advantages know nothing of rewards: every other rollout of 16 is
// pushed up and the others down, and which answers those are is chance.
const blindProgram = `n=0
a=[1,-1,1,-1,1,-1,1,-1,1,-1,1,-1,1,-1,1,-1]
a=$a,$a,$a,$a,$a,$a,$a,$a,$a,$a # and thirty groups
while read -r line; do
  n=$((n + 1))
  case $line in
  *'"hello"'*) echo '{"jsonrpc":"2.0","id":1,"result":{"protocol":1,"name":"blind"}}' ;;
  *'"bye"'*) exit ;;
  *) echo '{"jsonrpc":"2.0","id":'$n',"result":{"advantages":['$a,$a,$a']}}' ;;
  esac
done
`

// placed are the fields of bench board add --format json that the test reads.
type placed struct {
	Rank       [2]int
	Of         int
	Same       []string
	Neighbours []struct {
		Method   string
		Distance float64
	}
	On    []struct{ Rows []struct{ Method string } }
	Cost  struct{ Seconds_per_step float64 }
	Audit struct {
		Rows []struct{ Label, How string }
	}
}

// addPage runs bench board add on a task among the results in pub.
func addPage(t *testing.T, task string, args ...string) (p placed) {
	t.Helper()
	out, _ := succeed(t, append([]string{"board", "add", "--tasks=" + task, "--from=pub", "--format=json"}, args...)...)
	if err := json.Unmarshal([]byte(out), &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// takesSeconds skips a test of seconds under -short.
func takesSeconds(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("it takes seconds")
	}
}

// TestBoardAdd: a copy of GRPO under another name is in GRPO's row, Poly-EPO as an expression has
// Poly-EPO's ranks and behaviour, and advantages without rewards come last. The
// published results stay as they are.
func TestBoardAdd(t *testing.T) {
	testkit.Long(t, "trains some 200 bandits")
	inDir(t)
	succeed(t, "board", "--tasks=bandit-held-out", "--methods=grpo,rloo,poly-epo", "--keep=pub")
	published, err := os.ReadFile("pub/bandit-held-out.json")
	if err != nil {
		t.Fatal(err)
	}

	write(t, "copy.toml", "[[method]]\nname = \"grpo\"\nlabel = \"copy\"\n")
	p := addPage(t, "bandit-held-out", "copy.toml", "--keep=mine")
	grpo := ranksOf(t, "board", "--tasks=bandit-held-out", "--from=pub")["grpo"]
	if got := ranksOf(t, "board", "add", "copy.toml", "--tasks=bandit-held-out", "--from=pub")["copy"]; got != grpo || p.Of != 3 {
		t.Errorf("the copy has rank %s of %d, and grpo %s of 3", got, p.Of, grpo)
	}
	if !slices.Equal(p.Same, []string{"grpo"}) || p.Neighbours[0].Method != "grpo" || p.Neighbours[0].Distance != 0 {
		t.Errorf("the copy has the records of %v and the neighbours %v, want grpo", p.Same, p.Neighbours)
	}
	// The cells are there, so placing it among all published rows trains nothing.
	grpo = ranksOf(t, "board", "--tasks=bandit-held-out", "--from=published")["grpo"]
	if got := ranksOf(t, "board", "add", "copy.toml", "--tasks=bandit-held-out")["copy"]; got != grpo {
		t.Errorf("among the published rows the copy has rank %s, and grpo %s", got, grpo)
	}
	if p.Cost.Seconds_per_step <= 0 || len(p.Audit.Rows) != 2 || p.Audit.Rows[0].Label != "copy" || p.Audit.Rows[0].How != "exact" {
		t.Errorf("cost %v, audit %v", p.Cost, p.Audit)
	}
	kept, err := board.ReadFile("mine/bandit-held-out.json", board.ParseResult)
	if err != nil || len(kept.Standings) != 1 || kept.Standings[0].Method != "copy" {
		t.Errorf("kept %+v, %v; want the copy alone", kept, err)
	}

	write(t, "set.toml", `[[method]]
name = "set-rl"
label = "mine"
objective = "mean(reward) * distinct(mode) / n"
[tune]
knob = "n"
values = [2, 4, 8]
`)
	if p = addPage(t, "bandit-held-out", "set.toml"); p.Neighbours[0].Method != "poly-epo" || p.Neighbours[0].Distance > 1e-3 || p.Neighbours[1].Distance < 0.01 {
		t.Errorf("Poly-EPO as an expression has the neighbours %v, want poly-epo, as near as rounding", p.Neighbours)
	}
	if ranks := ranksOf(t, "board", "add", "set.toml", "--tasks=bandit-held-out", "--from=pub"); ranks["mine"] == "" || ranks["mine"] != ranks["poly-epo"] {
		t.Errorf("Poly-EPO as an expression has other ranks than poly-epo: %v", ranks)
	}

	write(t, "blind.sh", blindProgram)
	command := []string{"--", "sh", "blind.sh"}
	if code, _, errs := call(t, "", append([]string{"board", "add", "--tasks=bandit-held-out", "--from=pub", "--no-plugins"}, command...)...); code != exitInput || !strings.Contains(errs, "--no-plugins: it would start sh blind.sh") {
		t.Errorf("with --no-plugins: exit code %d, %s", code, errs)
	}
	// On the bandit, chance alone finds a right arm in some seeds. On ten problems it does not.
	succeed(t, "board", "--tasks=countdown", "--methods=grpo,poly-epo", "--keep=pub")
	if code, _, errs := call(t, "", "board", "--policy=transformer", "--tasks=countdown", "--from=pub"); code != exitInput || !strings.Contains(errs, "countdown.json is of policy tabular, want transformer") {
		t.Errorf("results of another policy: exit code %d: %s", code, errs)
	}
	if p = addPage(t, "countdown", command...); p.Rank != [2]int{3, 3} || p.On[0].Rows[0].Method != "blind" {
		t.Errorf("what knows nothing of rewards has the ranks %v of %d, want the last", p.Rank, p.Of)
	}

	if now, _ := os.ReadFile("pub/bandit-held-out.json"); string(now) != string(published) {
		t.Error("the published results have changed")
	}
	for _, c := range []struct{ args, want string }{
		{"copy.toml --from pub --keep pub", "--keep pub: it holds the results to place"},
		{"copy.toml --from pub --methods grpo", "takes no --methods"},
		{"copy.toml --from pub --format csv", "--format csv"},
		{"", "takes one file"},
		{"nothing.toml --from pub --tasks bandit-held-out", "nothing.toml does not exist"},
	} {
		code, _, errs := call(t, "", append([]string{"board", "add"}, strings.Fields(c.args)...)...)
		if code != exitUsage && code != exitInput || !strings.Contains(filepath.ToSlash(errs), c.want) {
			t.Errorf("%s: exit code %d, %s", c.args, code, errs)
		}
	}
}

// TestBoardAddPython: centred rewards as a function in Python are in the row of the built-in method
// of the same formula.
func TestBoardAddPython(t *testing.T) {
	testkit.Long(t, "trains some 90 bandits, a third of them in Python")
	interpreter := python(t)
	example, err := os.ReadFile(filepath.Join("..", "..", "estimators", "python", "examples", "centred.py"))
	if err != nil {
		t.Fatal(err)
	}
	inDir(t)
	write(t, "mine.py", string(example))
	succeed(t, "board", "--tasks=bandit-held-out", "--methods=grpo,dr-grpo", "--keep=pub")
	p := addPage(t, "bandit-held-out", "--", interpreter, "-m", "modebench", "mine.py")
	if !slices.Equal(p.Same, []string{"dr-grpo"}) || p.Neighbours[0].Method != "dr-grpo" || p.Neighbours[0].Distance != 0 {
		t.Errorf("centred rewards in Python have the records of %v and the neighbours %v, want dr-grpo", p.Same, p.Neighbours)
	}
}

// ranksOf are the ranks that a board's table prints, by method.
func ranksOf(t *testing.T, args ...string) map[string]string {
	t.Helper()
	out, _ := succeed(t, args...)
	_, table, _ := strings.Cut(out, "\nrank  method")
	ranks := map[string]string{}
	for i, line := range strings.Split(table, "\n") {
		words := strings.Fields(line)
		switch {
		case i == 0:
		case len(words) < 3:
			return ranks
		default:
			ranks[words[1]] = words[0]
		}
	}
	return ranks
}

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const twoPapersSpec = tinySpec + `[[claim]]
name = "better"
text = "training raises the reward"
source = "SetPO fig. 1"
metric = "reward"
a = "grpo"
b = "base"
says = "above"

[[claim]]
name = "worse"
text = "training lowers the reward"
source = "VPO table 2"
metric = "reward"
a = "grpo"
b = "base"
says = "below"
`

// TestClaimsPaper: --paper draws the claims of one paper, by its name in any case, with their
// answers as in the table.
func TestClaimsPaper(t *testing.T) {
	inDir(t)
	write(t, "two.toml", twoPapersSpec)
	run := []string{"claims", "two.toml", "--seeds", "6", "--out", "r"}
	figure := func(args ...string) string {
		succeed(t, append(run, args...)...)
		text, err := os.ReadFile("f.svg")
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	both := figure("--draw", "f.svg")
	for _, want := range []string{">SetPO<", ">VPO<", ">2 claims: 1 supported, 1 opposed.<"} {
		if !strings.Contains(both, want) {
			t.Errorf("the figure of all claims lacks %s", want)
		}
	}
	vpo := figure("--draw", "f.svg", "--paper", "vpo")
	if !strings.Contains(vpo, ">Claims of VPO<") || !strings.Contains(vpo, ">training lowers the reward (reward)<") || strings.Contains(vpo, "raises") {
		t.Error("the figure of VPO's claims has not its one claim alone")
	}
}

// TestClaimsForms: --format matrix and --format latex print the same answers as the table, and mistakes in flags
// are found before anything is run.
func TestClaimsForms(t *testing.T) {
	inDir(t)
	write(t, "two.toml", twoPapersSpec)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--draw", "f.svg", "--paper", "GRPO"}, `--paper "GRPO", want one of: SetPO, VPO`},
		{[]string{"--paper", "VPO"}, "--paper is for --draw, which is missing"},
	} {
		code, out, errs := call(t, "", append([]string{"claims", "two.toml", "--out", "r"}, c.args...)...)
		if code != exitUsage || out != "" || !strings.Contains(errs, c.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: exit code %d, %q, want one line with %q", c.args, code, errs, c.want)
		}
		if _, err := os.Stat("r"); err == nil {
			t.Errorf("%v: something is run", c.args)
		}
	}
	for form, want := range map[string]string{
		"matrix": "✓S; VPO: ✕O",
		"latex":  "VPO table 2 & training lowers the reward & opposed & ",
	} {
		code, out, errs := call(t, "", "claims", "two.toml", "--seeds", "6", "--out", "r", "--format", form)
		if code != exitOK || !strings.Contains(out, want) {
			t.Errorf("%s: exit code %d, %s, want %q in %s", form, code, errs, want, out)
		}
	}
}

// TestKeptClaims: --kept draws published answers without a run, the committed figures byte for byte;
// and mistakes in flags are one line.
func TestKeptClaims(t *testing.T) {
	results, err := filepath.Abs(filepath.Join(root, "results"))
	if err != nil {
		t.Fatal(err)
	}
	inDir(t)
	kept := filepath.Join(results, "verdicts")
	for _, paper := range []string{"sd-e2", "poly-epo", "evol-rl"} {
		succeed(t, "claims", "--kept", kept, "--policy", "tabular", "--paper", paper, "--draw", paper+".svg")
		drawn, err := os.ReadFile(paper + ".svg")
		committed, err2 := os.ReadFile(filepath.Join(results, "reference", "claims", paper+".svg"))
		if err != nil || err2 != nil || !bytes.Equal(drawn, committed) {
			t.Errorf("%s: the figure drawn from kept answers differs from the committed one (%v, %v)", paper, err, err2)
		}
	}
	succeed(t, "claims", "boundary", "dose", "--kept", kept, "--draw", "two.svg")
	if text, err := os.ReadFile("two.svg"); err != nil || !bytes.Contains(text, []byte(">boundary<")) || bytes.Contains(text, []byte(">length<")) {
		t.Errorf("the figure of two specs has others, or not these (%v)", err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--kept", kept}, "--kept is for --draw, which is missing"},
		{[]string{"--kept", "nowhere", "--draw", "f.svg"}, `--kept "nowhere", want a folder that bench claims --verdicts has written`},
		{[]string{"quick", "--kept", kept, "--draw", "f.svg"}, "has no answers to the claims of quick"},
		{[]string{"--kept", kept, "--draw", "f.svg", "--paper", "GRPO+"}, `--paper "GRPO+", want one of: `},
		{[]string{"--registered", "x"}, "--registered is for --register, --until-decided and --kept"},
	} {
		code, out, errs := call(t, "", append([]string{"claims"}, c.args...)...)
		if code != exitUsage || out != "" || !strings.Contains(errs, c.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: exit code %d, %q, want one line with %q", c.args, code, errs, c.want)
		}
	}
}

package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"modebench/experiments/record"
)

const claimedSpec = tinySpec + `[[claim]]
name = "better"
text = "training raises the reward"
source = "fig. 1"
paper = "1 against 0.3"
metric = "reward"
a = "grpo"
b = "base"
says = "above"
`

// TestClaims: the table has a claim's answer in three forms, and finished cells are not run again.
func TestClaims(t *testing.T) {
	inDir(t)
	write(t, "own.toml", claimedSpec)
	code, out, errs := call(t, "", "claims", "own.toml", "--seeds", "6")
	if code != exitOK {
		t.Fatal(errs)
	}
	for _, want := range []string{"\nown\n", "training raises the reward (fig. 1)\n", "  paper: 1 against 0.3\n", "1 claim: 1 "} {
		if !strings.Contains(out, want) {
			t.Errorf("the table lacks %q:\n%s", want, out)
		}
	}
	code, out, errs = call(t, "", "claims", "own.toml", "--seeds", "6", "--format", "json")
	var list []struct {
		Spec, Claim, Paper, Answer string
		P                          map[string]*float64
		Settings                   []struct {
			A, B, Answer string
			Effect       struct{ Mean, Low, High float64 }
			InDeltas     struct{ Mean float64 } `json:"in_deltas"`
		}
	}
	if err := json.Unmarshal([]byte(out), &list); err != nil || code != exitOK {
		t.Fatalf("exit code %d: %v\n%s%s", code, err, out, errs)
	}
	if !strings.Contains(errs, "12 of 12 cells are finished already") {
		t.Errorf("run again: %s", errs)
	}
	if len(list) != 1 || list[0].Claim != "better" || list[0].P["supported"] == nil || list[0].Paper != "1 against 0.3" || list[0].Settings[0].Effect.Low > list[0].Settings[0].Effect.Mean {
		t.Errorf("%+v", list)
	}
	if c := list[0]; c.Answer != c.Settings[0].Answer || c.Answer == "" {
		t.Errorf("the one setting is %s, the claim %s", c.Settings[0].Answer, c.Answer)
	}
	if s := list[0].Settings[0]; math.Abs(s.InDeltas.Mean*0.02-s.Effect.Mean) > 1e-12 {
		t.Errorf("an effect of %v is %v of a delta of .02", s.Effect.Mean, s.InDeltas.Mean)
	}
	if code, out, _ = call(t, "", "claims", "own.toml", "--seeds", "6", "--format", "markdown"); code != exitOK || !strings.HasPrefix(out, "| spec | claim |") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	manifest := filepath.Join("results", "own", record.ManifestFile)
	before, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	if code, out, _ = call(t, "", "claims", "own.toml"); code != exitOK || !strings.Contains(out, "undecided: 2 seeds, need 6 at least") {
		t.Errorf("two seeds: exit code %d\n%s", code, out)
	}
	if after, err := os.ReadFile(manifest); err != nil || !bytes.Equal(before, after) {
		t.Errorf("a look at two seeds replaces the result of six (%v)", err)
	}
}

// TestClaimsErrors: one line and a code each.
func TestClaimsErrors(t *testing.T) {
	inDir(t)
	write(t, "tiny.toml", tinySpec)
	write(t, "own.toml", claimedSpec)
	for _, c := range []struct {
		reason string
		args   []string
		code   int
		want   string
	}{
		{"a spec without claims", []string{"tiny.toml"}, exitInput, "tiny.toml makes no claims"},
		{"a spec twice", []string{"own.toml", "own.toml"}, exitUsage, "two specs are named own"},
		{"no such spec", []string{"none"}, exitInput, `unknown spec "none"`},
		{"no form", []string{"--format", "html"}, exitUsage, `--format is "html", want one of text, json, markdown, matrix, latex`},
		{"first verdicts in a table of another form", []string{"--first", "f.json"}, exitUsage, "--first is for --format markdown"},
		{"no first verdicts", []string{"--format", "markdown", "--first", "f.json"}, exitInput, "f.json"},
		{"no seeds", []string{"--seeds", "0"}, exitUsage, "--seeds is 0"},
		{"a policy that is none", []string{"--policy", "mlp"}, exitUsage, `--policy is "mlp"`},
	} {
		code, _, errs := call(t, "", append([]string{"claims"}, c.args...)...)
		if code != c.code || !strings.Contains(errs, c.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: exit code %d, %q, want %d and one line with %q", c.reason, code, errs, c.code, c.want)
		}
	}
}

package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/claims"
)

// studySpec makes two claims: seeds can decide the first, and both sides of the second are at the optimum.
const studySpec = `[env]
name = "bandit"
[train]
steps = 100
[eval]
every = 100
[[method]]
name = "grpo"
[[method]]
name = "setpo+grpo"
[[claim]]
name = "entropy"
text = "more modes"
source = "a paper fig. 1"
metric = "entropy_mode"
a = "setpo+grpo"
b = "grpo"
says = "above"
[[claim]]
name = "solved"
text = "both solve it"
source = "a paper fig. 2"
metric = "pass@64"
a = "setpo+grpo"
b = "grpo"
says = "above"
`

// TestClaimsStudy: claims are registered, and then decided by the seeds that are registered,
// in parts, by an interrupted run and by one in a single process alike.
func TestClaimsStudy(t *testing.T) {
	inDir(t)
	write(t, "own.toml", studySpec)
	code, _, errs := call(t, "", "claims", "own.toml", "--until-decided", "--cache=c")
	want := "bench: own is not registered: there is no registered/own.json; make it first: bench claims own.toml --register --cache=c\n"
	if code != exitInput || filepath.ToSlash(errs) != want {
		t.Errorf("not registered: exit code %d\n%s%s", code, errs, want)
	}
	out, _ := succeed(t, "claims", "own.toml", "--register")
	r, err := claims.ReadRegistration(filepath.Join("registered", "own.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\nown: ", " seeds from 1000 on, planned from a pilot of 10 (20 at least, 40 at most)\n",
		"  entropy  1 of 1 settings testable  wants ", "  solved   0 of 1 settings testable  untestable at every setting: it needs another setting, or goes\n", "\nhash: " + r.Hash + "\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the plan lacks %q:\n%s", want, out)
		}
	}
	n := r.Seeds.Number
	if n < 12 || n > 40 || r.Seeds.First != 1000 || len(r.Variants) != 3 || r.Pilot.Claims[0].Wanted > n && n < 40 {
		t.Errorf("%+v", r)
	}
	if out, _ = succeed(t, "claims", "own.toml", "--register"); !strings.Contains(out, "\nregistered already: ") {
		t.Errorf("again:\n%s", out)
	}

	succeed(t, "claims", "own.toml", "--until-decided", "--shard", "1/2", "--out", "parts", "--verdicts", "no")
	if _, err := os.Stat("no"); err == nil {
		t.Error("a part of the cells has verdicts")
	}
	interrupted(t, "claims", "own.toml", "--until-decided", "--out", "parts", "--jobs", "1")
	inParts, _ := succeed(t, "claims", "own.toml", "--until-decided", "--out", "parts", "--format", "json")
	whole, _ := succeed(t, "claims", "own.toml", "--until-decided", "--out", "whole", "--format", "json", "--verdicts", "kept")
	kept, err := os.ReadFile(filepath.Join("kept", "own.json"))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(whole, inParts) + cmp.Diff(whole, string(kept)); d != "" {
		t.Error(d)
	}
	doc, err := claims.ReadDocument(filepath.Join("kept", "own.json"))
	if err != nil {
		t.Fatal(err)
	}
	if doc.Registration != r.Hash || len(doc.Claims) != 2 || doc.Settings[0].N != n || doc.Claims[1].Answer != "untestable here" || doc.Claims[0].Family != 1 {
		t.Errorf("%+v", doc)
	}
	if table, _ := succeed(t, "claims", "own.toml", "--until-decided", "--out", "whole"); !strings.HasPrefix(table, "own: ") || !strings.Contains(table, "registration "+r.Hash+"\n") || !strings.Contains(table, "\nown\n") {
		t.Errorf("the table:\n%s", table)
	}
}

// interrupted runs a command line that is interrupted as soon as a part of its steps is made.
func interrupted(t *testing.T, args ...string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	errs := &trigger{when: regexp.MustCompile(`\d% of \d+ steps`), do: cancel}
	if code := bench(ctx, streams{in: strings.NewReader(""), out: &bytes.Buffer{}, err: errs}, args); code != exitInterrupted {
		t.Errorf("interrupted: exit code %d\n%s", code, errs.String())
	}
}

// A trigger does something once the text that it gets has a match.
type trigger struct {
	bytes.Buffer
	when *regexp.Regexp
	do   func()
}

func (w *trigger) Write(p []byte) (int, error) {
	n, err := w.Buffer.Write(p)
	if w.when.Match(w.Bytes()) {
		w.do()
	}
	return n, err
}

// TestClaimsStudyBoth: a pilot that is interrupted goes on, and both flags together register specs
// that are not registered and decide.
func TestClaimsStudyBoth(t *testing.T) {
	inDir(t)
	write(t, "own.toml", studySpec)
	both := []string{"claims", "own.toml", "--register", "--until-decided", "--registered", "r"}
	interrupted(t, append(both, "--jobs", "1")...)
	if _, err := os.Stat("r"); err == nil {
		t.Fatal("registered by a pilot that is not whole")
	}
	out, _ := succeed(t, append(both, "--format", "json")...)
	if !strings.HasPrefix(out, "{\n\"version\": 2,\n\"registration\": ") {
		t.Errorf("more than a document:\n%s", out)
	}
	again, _ := succeed(t, append(both, "--format", "json")...)
	if d := cmp.Diff(out, again); d != "" {
		t.Error(d)
	}
}

// TestClaimsStudyRefuses: a registration that comes too late, or that is not of the spec as it
// is, is refused in one line.
func TestClaimsStudyRefuses(t *testing.T) {
	inDir(t)
	write(t, "own.toml", studySpec)
	succeed(t, "claims", "own.toml", "--register", "--until-decided")
	registered, err := os.ReadFile(filepath.Join("registered", "own.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		reason, was, is string
		args            []string
		want            string
	}{
		{"too late", "", "", []string{"--register", "--registered", "other"}, "cells of the seeds that decide are finished in results already"},
		{"another delta", `says = "above"`, "says = \"above\"\ndelta = 0.5\ndelta_why = \"larger\"", []string{"--until-decided"}, `the claim "entropy" differs`},
		{"another claim", `name = "solved"`, `name = "solves"`, []string{"--until-decided"}, `the claim "solved" is there no longer`},
		{"another variant", "steps = 100", "steps = 200", []string{"--until-decided"}, `own differs from its registration registered/own.json: the variant "grpo" differs`},
		{"another variant, to register it", "steps = 100", "steps = 200", []string{"--register", "--out", "new"}, `the variant "grpo" differs`},
		{"another cap", "", "", []string{"--register", "--cap", "23", "--out", "new"}, "registers something else, and is not replaced: the"},
		{"another text alone", "[env]", "# a comment\n[env]", []string{"--register", "--out", "new"}, "is not replaced: the spec's text or the pilot differs"},
	} {
		write(t, "own.toml", strings.Replace(studySpec, c.was, c.is, 1))
		code, _, errs := call(t, "", append([]string{"claims", "own.toml"}, c.args...)...)
		last := filepath.ToSlash(errs[strings.LastIndex(strings.TrimRight(errs, "\n"), "\n")+1:])
		if code != exitInput || !strings.HasPrefix(last, "bench: ") || !strings.Contains(last, c.want) {
			t.Errorf("%s: exit code %d, %q, want %q", c.reason, code, last, c.want)
		}
	}
	if now, err := os.ReadFile(filepath.Join("registered", "own.json")); err != nil || !bytes.Equal(now, registered) {
		t.Errorf("the registration is another one now (%v)", err)
	}
	write(t, "own.toml", strings.Replace(studySpec, "[env]", "# a comment\n[env]", 1))
	if _, errs := succeed(t, "claims", "own.toml", "--until-decided"); !strings.Contains(errs, "own: the spec's text has changed since it was registered") {
		t.Errorf("another text: %s", errs)
	}
	write(t, filepath.Join("registered", "own.json"), strings.Replace(string(registered), `"number":`, `"number":1`, 1))
	if code, _, errs := call(t, "", "claims", "own.toml", "--until-decided"); code != exitInput || !strings.Contains(errs, "own.json:") || strings.Count(errs, "\n") != 1 {
		t.Errorf("edited: exit code %d: %s", code, errs)
	}
}

// TestClaimsStudyFlags: flags that contradict each other are refused before anything is run.
func TestClaimsStudyFlags(t *testing.T) {
	inDir(t)
	write(t, "own.toml", studySpec)
	for _, c := range []struct {
		args string
		want string
	}{
		{"own.toml --register --seeds 20", "--seeds"},
		{"own.toml --until-decided --seeds 20", "--seeds"},
		{"own.toml --register --cap 11", "--cap is 11, want 20 or more"},
		{"own.toml --until-decided --cap 20", "--cap is for --register"},
		{"own.toml --registered r", "--registered is for"},
		{"own.toml --register --format json", "--format is for"},
		{"own.toml --verdicts v", "--verdicts is for"},
		{"own.toml --shard 0/2", "--shard is for --until-decided of one spec"},
		{"own.toml --register --shard 0/2", "--shard is for"},
		{"own.toml --until-decided --shard 2/2", "--shard 2/2: want I/N"},
		{"--until-decided --cells 3", "--cells is for --until-decided of one spec"},
	} {
		code, _, errs := call(t, "", append([]string{"claims"}, strings.Fields(c.args)...)...)
		if code != exitUsage || !strings.Contains(errs, c.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: exit code %d, %q, want %q", c.args, code, errs, c.want)
		}
	}
	if entries, _ := os.ReadDir("."); len(entries) != 1 {
		t.Errorf("something was written: %v", entries)
	}
}

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRunUnderTransformer: --policy lays the spec's overlay over it, progress names the
// base policies, and what they were pre-trained to is found again in --cache.
func TestRunUnderTransformer(t *testing.T) {
	inDir(t)
	overlay := `[transformer]
title = "small"
seeds = 1
[transformer.policy]
layers = 1
width = 32
heads = 2
pretrain_steps = 10
pretrain_batch = 4
[transformer.train]
steps = 2
batch = 2
problems = 4
[transformer.eval]
every = 1
problems = 2
`
	if err := os.WriteFile("tiny.toml", []byte(tinySpec+overlay), 0o644); err != nil {
		t.Fatal(err)
	}
	run := func(out string) string {
		t.Helper()
		code, stdout, stderr := call(t, "", "run", "tiny.toml", "--policy", "transformer", "--cache", "bases", "--out", out, "--format", "none")
		if code != exitOK {
			t.Fatal(stderr)
		}
		if want := "tiny-transformer: small\n"; !strings.HasPrefix(stdout, want) {
			t.Errorf("the table begins %.60q, want %q", stdout, want)
		}
		if _, err := os.Stat(filepath.Join(out, "tiny-transformer", "run.json")); err != nil {
			t.Error(err)
		}
		return stderr
	}
	first, second := run("a"), run("b")
	for _, want := range []string{"base policy (bandit, one answer):  10% of 10 steps, loss ", "base policy (bandit, one answer): 100% of 10 steps, loss "} {
		if strings.Count(first, want) != 1 || strings.Contains(second, want) {
			t.Errorf("want %q once, in the first run alone:\n%s\n%s", want, first, second)
		}
	}
	if bases, _ := filepath.Glob("bases/bandit-m1-*.base"); len(bases) != 1 {
		t.Errorf("the cache holds %v", bases)
	}
}

// TestRunUnderAnotherPolicySaysSo: of a spec without an overlay one line says which
// fields fall back to defaults.
func TestRunUnderAnotherPolicySaysSo(t *testing.T) {
	inDir(t)
	text := strings.Replace(tinySpec, "[train]\n", "[policy]\nname = \"transformer\"\npretrain_steps = 1\n[train]\n", 1)
	if err := os.WriteFile("net.toml", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := call(t, "", "run", "net.toml", "--policy", "tabular", "--seeds", "1", "--format", "none")
	want := "written for policy transformer: policy.pretrain_steps, train.steps, eval.every are left to the defaults under policy tabular"
	if code != exitOK || strings.Count(stderr, want) != 1 {
		t.Errorf("exit code %d, want %q:\n%s", code, want, stderr)
	}
}

// TestListPolicies: the kinds of policies, the fields of each, and which specs are for
// several.
func TestListPolicies(t *testing.T) {
	for _, c := range []struct {
		args, want string
	}{
		{"list policy", "  transformer a small transformer, pre-trained"},
		{"list policy", "  sharing = problem  (problem|shared)"},
		{"list policy transformer", "  pretrain_steps = "},
		{"list policy transformer", "  maze: width = 32, heads = 2, pretrain_steps = 3500, "},
		{"list train transformer", "  lr = 0.0002  (float)"},
		{"list train", "  lr = 0.1  (float)"},
		{"list eval transformer", "  split = test  (train|test|ood)"},
		{"list specs", "by what the policy was trained for [--policy transformer]"},
	} {
		code, out, errs := call(t, "", strings.Fields(c.args)...)
		if code != exitOK || !strings.Contains(out, c.want) {
			t.Errorf("bench %s lacks %q:\n%s%s", c.args, c.want, out, errs)
		}
	}
}

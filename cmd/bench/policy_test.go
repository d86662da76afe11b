package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tinyOverlay are the changes of tinySpec under a transformer of next to no size.
const tinyOverlay = `[transformer]
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

// TestRunUnderTransformer: --policy applies the spec's overlay and names the
// fields that do not hold then, progress names the base policies, and they are found again in
// --cache.
func TestRunUnderTransformer(t *testing.T) {
	inDir(t)
	if err := os.WriteFile("tiny.toml", []byte(tinySpec+tinyOverlay), 0o644); err != nil {
		t.Fatal(err)
	}
	run := func(out string) string {
		t.Helper()
		stdout, stderr := succeed(t, "run", "tiny.toml", "--policy", "transformer", "--cache", "bases", "--out", out, "--figure-format", "none")
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
	if want := "[transformer] replaces title, seeds, train.steps, eval.every\n"; !strings.HasSuffix(first, want) || strings.Count(first, "replaces") != 1 {
		t.Errorf("the run ends %q, want %q once, below the table", first, want)
	}
	if bases, _ := filepath.Glob("bases/bandit-m1-*.base"); len(bases) != 1 {
		t.Errorf("the cache holds %v", bases)
	}
}

// TestRunFromADamagedBase: where the file in the cache is wrong, one line names it, for
// all cells that need it, and the exit code is that of input that is wrong.
func TestRunFromADamagedBase(t *testing.T) {
	inDir(t)
	if err := os.WriteFile("tiny.toml", []byte(tinySpec+tinyOverlay), 0o644); err != nil {
		t.Fatal(err)
	}
	run := func(out string) (int, string) {
		code, _, stderr := call(t, "", "run", "tiny.toml", "--policy", "transformer", "--cache", "bases", "--out", out, "--figure-format", "none")
		return code, stderr
	}
	if code, stderr := run("whole"); code != exitOK {
		t.Fatal(stderr)
	}
	files, err := filepath.Glob("bases/*.base")
	if err != nil || len(files) != 1 {
		t.Fatalf("the cache holds %v (%v), want one base policy", files, err)
	}
	for _, c := range []struct {
		reason string
		damage func() error
		code   int
		want   string
	}{
		{"cut off", func() error { return os.Truncate(files[0], 100) }, exitInput, "base policy " + files[0] + ": "},
		{"a folder by its name", func() error { return errors.Join(os.Remove(files[0]), os.Mkdir(files[0], 0o755)) }, exitIO, "a base policy cannot be read: read " + files[0] + ": "},
	} {
		if err := c.damage(); err != nil {
			t.Fatal(err)
		}
		code, stderr := run(c.reason)
		if code != c.code || !strings.Contains(stderr, "seed 0 and 1 other cell: "+c.want) || strings.Count(stderr, c.want) != 1 {
			t.Errorf("%s: exit code %d, want %d and %q:\n%s", c.reason, code, c.code, c.want, stderr)
		}
	}
}

// TestDevices: a device that is not there, or that nothing of the spec computes on, is one
// line and the exit code of a wrong command line, before anything is written.
func TestDevices(t *testing.T) {
	inDir(t)
	for file, text := range map[string]string{"tables.toml": tinySpec, "tiny.toml": tinySpec + tinyOverlay} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ reason, args, want string }{
		{"no such kind", "tiny.toml --policy transformer --device gpu", `device "gpu", want auto, cpu, cuda, or cuda: and the number of a card`},
		{"no machine has so many cards", "tiny.toml --policy transformer --device cuda:4096", "device cuda:4096: "},
		{"tables alone", "tables.toml --device cuda", "device cuda: no policy of tables computes on a GPU; tables are on the processor"},
	} {
		code, _, stderr := call(t, "", append([]string{"run", "--out", "out", "--figure-format", "none"}, strings.Fields(c.args)...)...)
		if code != exitUsage || strings.Count(stderr, "bench:") != 1 || !strings.Contains(stderr, "bench: "+c.want) {
			t.Errorf("%s: exit code %d, want %d and one line of an error, %q:\n%s", c.reason, code, exitUsage, c.want, stderr)
		}
	}
	if _, err := os.Stat("out"); err == nil {
		t.Error("something was written")
	}
	code, _, stderr := call(t, "", "run", "tables.toml", "--device", "auto", "--out", "out", "--figure-format", "none")
	if code != exitOK {
		t.Errorf("auto, and nothing that a GPU is for: exit code %d\n%s", code, stderr)
	}
	if code, stdout, _ := call(t, "", "version"); code != exitOK || !strings.Contains(stdout, "\ndevice cpu: ") || !strings.Contains(stdout, "CUDA") {
		t.Errorf("bench version says nothing of devices: %s", stdout)
	}
}

// TestRunUnderAnotherPolicyNamesDefaults: of a spec without an overlay one line names the fields that
// fall back to defaults.
func TestRunUnderAnotherPolicyNamesDefaults(t *testing.T) {
	inDir(t)
	text := strings.Replace(tinySpec, "[train]\n", "[policy]\nname = \"transformer\"\npretrain_steps = 1\n[train]\n", 1)
	if err := os.WriteFile("net.toml", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := call(t, "", "run", "net.toml", "--policy", "tabular", "--seeds", "1", "--figure-format", "none")
	want := "written for policy transformer: left to the defaults under policy tabular (bench list train tabular, bench list eval tabular): policy.pretrain_steps, train.steps, eval.every"
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
		{"list policy baseline", "[policy] of a spec under policy baseline:\n  nothing to set: a fixed policy of the environment's own that sees less than it could (maze: blind to walls)"},
		{"list train transformer", "  lr = 0.0002  (float)"},
		{"list train", "  lr = 0.1  (float)"},
		{"list eval transformer", "  split = test  (train|test|ood)"},
		{"list specs", "by what the policy was trained for (VPO table 2, fig. 5) [--policy transformer]"},
	} {
		code, out, errs := call(t, "", strings.Fields(c.args)...)
		if code != exitOK || !strings.Contains(out, c.want) {
			t.Errorf("bench %s lacks %q:\n%s%s", c.args, c.want, out, errs)
		}
	}
}

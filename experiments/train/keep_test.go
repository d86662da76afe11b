package train

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"modebench/experiments/internal/exptest"
	"modebench/experiments/record"
)

// TestPolicyIsNotKept: without keep_policy the SHA-256 of the policy replaces it, and all other
// records are the same.
func TestPolicyIsNotKept(t *testing.T) {
	run := trained(t, exptest.Load(t, "t.toml", `
title = "kept or not"
seeds = 1
[env]
name = "bandit"
[train]
steps = 12
keep_policy = [true, false]
[eval]
every = 6
[[method]]
name = "grpo"
`), t.TempDir())
	file := func(variant int, name string) []byte {
		data, err := os.ReadFile(filepath.Join(run.Folder(run.Variants[variant].Cells[0]), name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	whole, sum := file(0, record.CheckpointFile), string(file(1, record.CheckpointFile))
	if want := fmt.Sprintf("%x\n", sha256.Sum256(whole)); sum != want {
		t.Errorf("not kept: %q, want %q", sum, want)
	}
	for _, name := range []string{record.TrainFile, record.EvalFile} {
		if a, b := file(0, name), file(1, name); string(a) != string(b) {
			t.Errorf("%s differs", name)
		}
	}
}

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRegistrationsAreOfTheSpecs: the registrations in results/registered can still be decided:
// every file has its hash, and its rule, claims, variants and cells are those that its spec has
// now.
func TestRegistrationsAreOfTheSpecs(t *testing.T) {
	if testing.Short() {
		t.Skip("resolves every cell of every registered spec")
	}
	dir := filepath.Join("..", "..", "results", "registered")
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no registrations in %s (%v)", dir, err)
	}
	found := map[string]bool{}
	for _, policy := range []string{"", "transformer"} {
		o := claimsOptions{policy: policy, study: studyFlags{folder: dir}}
		list, err := o.studies(t.Context(), streams{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, y := range list {
			if _, err := os.Stat(y.Path); err != nil || found[y.Path] {
				continue
			}
			found[y.Path] = true
			if _, err := y.Decision(t.Context()); err != nil {
				t.Error(err)
			}
		}
	}
	for _, file := range files {
		if !found[file] {
			t.Errorf("%s is of no built-in spec: the registered specs are %s", filepath.Base(file), strings.Join(files, ", "))
		}
	}
}

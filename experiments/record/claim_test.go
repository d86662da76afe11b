package record

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestClaimsAreChecked: a value outside the choices in a foreign manifest is an error that names
// the claim; a claim of an earlier program, with a gate alone, is read.
func TestClaimsAreChecked(t *testing.T) {
	for _, c := range []struct{ reason, claim, want string }{
		{"with a gate alone", `{"name": "c", "text": "t", "source": "", "metrics": ["reward"], "a": "m", "b": null, "gate": "a.low > b.high"}`, ""},
		{"with a question", `{"name": "c", "text": "t", "source": "", "metrics": ["reward"], "a": "m", "b": null, "says": "above", "of": "deviation", "combine": "pooled"}`, ""},
		{"a question of another kind", `{"name": "c", "says": "beside"}`, `claim "c": says: got "beside", want one of`},
		{"of nothing known", `{"name": "c", "of": "median"}`, `claim "c": of: got "median"`},
		{"combined in some way", `{"name": "c", "combine": "few"}`, `claim "c": combine: got "few"`},
		{"a negative multiple", `{"name": "c", "times": -1}`, `claim "c": times and delta: got -1 and 0`},
		{"a negative delta", `{"name": "c", "delta": -1}`, `claim "c": times and delta: got 0 and -1`},
		{"with a null comparison", `{"name": "c", "says": "above", "b": ["x"], "null": {"a": "m", "b": ["y"], "metrics": ["reward"]}}`, ""},
		{"a null comparison of another form", `{"name": "c", "says": "above", "null": {"b": ["y"]}}`, `claim "c": null: got b = ["y"]`},
		{"the same within nothing", `{"name": "c", "says": "same"}`, `claim "c": by: got 0`},
	} {
		dir := filepath.Join(t.TempDir(), "r", "my")
		for _, folder := range []string{dir, filepath.Join(dir, "..", CellsDir)} {
			if err := os.MkdirAll(folder, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		text := `{"version": 2, "spec": "my", "cells": "../cells", "variants": [{"label": "m", "name": "m", "method": "grpo", "trains": true}], "claims": [` + c.claim + `]}`
		if err := os.WriteFile(filepath.Join(dir, ManifestFile), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := Open(dir)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.reason, err, c.want)
		}
	}
}

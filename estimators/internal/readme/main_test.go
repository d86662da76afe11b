package main

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReadmeIsCurrent: the committed page is the page that go generate writes.
func TestReadmeIsCurrent(t *testing.T) {
	got, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	want, err := document()
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, string(got)); d != "" {
		t.Errorf("estimators/README.md is out of date; run go generate ./estimators\n%s", d)
	}
}

package all

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestListIsComplete: the list has every package below estimators that registers methods,
// and no other, in alphabetical order.
func TestListIsComplete(t *testing.T) {
	files, err := filepath.Glob("../*/*.go")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d files of other packages, %v", len(files), err)
	}
	var want []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		folder := "modebench/estimators/" + filepath.Base(filepath.Dir(file))
		registers := strings.Contains(string(text), "\testimators.Register(")
		if registers && !strings.HasSuffix(file, "_test.go") && !slices.Contains(want, folder) {
			want = append(want, folder)
		}
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), "all.go", nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, i := range parsed.Imports {
		path, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, path)
	}
	if !slices.Equal(got, want) {
		t.Errorf("all.go imports %q, want %q", got, want)
	}
}

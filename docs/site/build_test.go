package main

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"modebench/internal/testkit"
)

// built is the folder of the pages of this repository, made once for all tests.
var built = sync.OnceValues(func() (string, error) {
	out := filepath.Join(scratch, "site")
	whole, err := made()
	var s site
	if err == nil {
		s = *whole
		s.files = maps.Clone(s.files) // those of others have no playground
		err = s.playgroundPage(s.bench.ctx, root)
	}
	if err == nil {
		err = s.write(out)
	}
	if err == nil {
		err = buildPages(s.bench.ctx, root, out)
	}
	return out, err
})

// pagesOfRepository is the folder of the built pages.
func pagesOfRepository(t *testing.T) string {
	t.Helper()
	testkit.Long(t, "makes all pages with mkdocs")
	if _, err := exec.LookPath("mkdocs"); err != nil {
		t.Skip("no mkdocs in PATH: pip install -r docs/site/requirements.txt")
	}
	out, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(out, "html")
}

var loads = regexp.MustCompile(`<(?:img|link|script|iframe|source|object|embed)\b[^>]*\s(?:href|src|data|srcset)="((?:https?:)?//[^"]*)"`)

// TestBuiltPages: mkdocs finds a page and an anchor for every link, and no page or style loads anything from
// another host.
func TestBuiltPages(t *testing.T) {
	pages := 0
	err := filepath.WalkDir(pagesOfRepository(t), func(file string, _ os.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".html" && filepath.Ext(file) != ".css" {
			return err
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		pages++
		for _, m := range loads.FindAllStringSubmatch(string(data), -1) {
			t.Errorf("%s loads %s", file, m[1])
		}
		if filepath.Ext(file) == ".css" && regexp.MustCompile(`url\(["']?(https?:)?//|@import`).Match(data) {
			t.Errorf("%s loads something from another host", file)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if pages < 400 {
		t.Errorf("%d pages, want 400 or more", pages)
	}
}

// TestBuildRefusesBrokenLinks: links to a page or an anchor that is not there, and pages of the manual that
// the navigation does not have, are errors.
func TestBuildRefusesBrokenLinks(t *testing.T) {
	if _, err := exec.LookPath("mkdocs"); err != nil {
		t.Skip("no mkdocs in PATH: pip install -r docs/site/requirements.txt")
	}
	s := &site{files: map[string][]byte{
		"about.md":      nil,
		"index.md":      []byte("# Start\n\n[a](/gone.md) [b](/about.md#gone) [c](other/)\n"),
		"docs/extra.md": []byte("# Extra\n"),
	}}
	out := t.TempDir()
	if err := s.write(out); err != nil {
		t.Fatal(err)
	}
	err := buildPages(t.Context(), root, out)
	if err == nil {
		t.Fatal("the links are no errors")
	}
	for _, want := range []string{"'/gone.md'", "'#gone'", "'other/'", "- docs/extra.md"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no error about %s:\n%v", want, err)
		}
	}
}

// TestWriteKeepsOtherFolders: a folder with anything other than a site is left alone, and the Markdown of an
// earlier site is replaced.
func TestWriteKeepsOtherFolders(t *testing.T) {
	out := t.TempDir()
	mine := filepath.Join(out, "mine.txt")
	if err := os.WriteFile(mine, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &site{files: map[string][]byte{"about.md": nil, "docs/old.md": nil}}
	if err := s.write(out); err == nil {
		t.Error("the site was written into a folder with other files")
	}
	if entries, err := os.ReadDir(out); err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
	if err := os.Remove(mine); err != nil {
		t.Fatal(err)
	}
	for _, files := range []map[string][]byte{s.files, {"about.md": nil}} {
		if err := (&site{files: files}).write(out); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(filepath.Join(out, "markdown", "docs")); !os.IsNotExist(err) {
		t.Errorf("a page of the earlier site is left: %v", err)
	}
}

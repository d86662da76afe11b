package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"modebench/internal/testkit"
)

// built is the folder that the command made of this repository, once for all tests.
var built = sync.OnceValues(func() (string, error) {
	out := filepath.Join(scratch, "site")
	command := exec.Command("go", "run", "./docs/site", out)
	command.Dir = root
	if text, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go run ./docs/site: %w\n%s", err, text)
	}
	return out, nil
})

// pagesOfRepository is the folder of the built pages.
func pagesOfRepository(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("mkdocs"); err != nil {
		t.Skip("no mkdocs in PATH: pip install -r docs/site/requirements.txt")
	}
	return filepath.Join(folderOfRepository(t), "html")
}

func folderOfRepository(t *testing.T) string {
	t.Helper()
	testkit.Long(t, "makes all pages with mkdocs")
	ofRepository(t) // reads the files, so that the go command knows these tests to depend on them
	out, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestSameMarkdownAgain: the command writes the Markdown that was made here, and the playground.
func TestSameMarkdownAgain(t *testing.T) {
	folder := os.DirFS(filepath.Join(folderOfRepository(t), "markdown"))
	files, found := ofRepository(t).files, 0
	err := fs.WalkDir(folder, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || name == "playground.html" {
			return err
		}
		found++
		if again, err := fs.ReadFile(folder, name); err != nil || !bytes.Equal(files[name], again) {
			t.Errorf("%s differs the second time (%v)", name, err)
		}
		return nil
	})
	if page, err := fs.Stat(folder, "playground.html"); err != nil || page.Size() < 1<<20 {
		t.Errorf("the playground with its engine: %v, %v", page, err)
	}
	if err != nil || found != len(files) {
		t.Errorf("%d files, and then %d, %v", len(files), found, err)
	}
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

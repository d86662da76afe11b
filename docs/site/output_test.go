package main

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSame: the site is the same whenever it is made.
func TestSame(t *testing.T) {
	if testing.Short() {
		t.Skip("makes the site again")
	}
	again, err := newSite(t.Context(), filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range differing(ofRepository(t).written(), again.written()) {
		t.Errorf("%s is another one the second time", name)
	}
}

// differing are the files that two sites do not both have, with the same bytes.
func differing(one, other map[string][]byte) (out []string) {
	all := maps.Clone(one)
	maps.Copy(all, other)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		a, inOne := one[name]
		b, inOther := other[name]
		if !inOne || !inOther || !bytes.Equal(a, b) {
			out = append(out, name)
		}
	}
	return out
}

// TestDiffering: a page too many in either site is found, and so is one that reads otherwise.
func TestDiffering(t *testing.T) {
	one := map[string][]byte{"a": nil, "b": []byte("x"), "c": []byte("y")}
	other := map[string][]byte{"b": []byte("x"), "c": []byte("z"), "d": nil}
	if got := strings.Join(differing(one, other), " "); got != "a c d" {
		t.Errorf("found %q, want a, c and d", got)
	}
}

// tree has the files below a folder by path.
func tree(t *testing.T, folder string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(folder, func(at string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(folder, at)
		if e.IsDir() {
			out[filepath.ToSlash(name)] = "folder"
			return nil
		}
		data, err := os.ReadFile(at)
		out[filepath.ToSlash(name)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// small is a site of a page and a few files.
func small(files ...string) *site {
	s := &site{pages: map[string]*page{}, files: map[string][]byte{"search-index.js": []byte("x")}}
	s.add(&page{path: "index.html", title: "Start"})
	for _, name := range files {
		s.files[name] = []byte(name)
	}
	return s
}

// TestWriteRefuses: a folder that holds something else is left alone.
func TestWriteRefuses(t *testing.T) {
	out := t.TempDir()
	if err := os.WriteFile(filepath.Join(out, "mine.txt"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	before := tree(t, out)
	if err := small().write(out); err == nil {
		t.Error("the site was written over something else")
	}
	if after := tree(t, out); !maps.Equal(before, after) {
		t.Errorf("the folder held %v, and now %v", before, after)
	}
}

// TestWriteAgain: what an earlier site wrote and this one does not have goes, with folders that are
// left empty. What no site wrote stays.
func TestWriteAgain(t *testing.T) {
	out := t.TempDir()
	if err := small("old/deep/gone.html", "kept/gone.html", "kept/page.html").write(out); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"mine.txt", "kept/mine.html"} {
		if err := os.WriteFile(filepath.Join(out, filepath.FromSlash(name)), []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := small("kept/page.html", "new/page.html").write(out); err != nil {
		t.Fatal(err)
	}
	want := []string{".", "index.html", "kept", "kept/mine.html", "kept/page.html", "mine.txt", "new", "new/page.html", "search-index.js", listName}
	if got := slices.Sorted(maps.Keys(tree(t, out))); !slices.Equal(got, want) {
		t.Errorf("the folder holds %q, want %q", got, want)
	}
}

// TestWriteStaysInside: a list that names files elsewhere is refused, and they stay.
func TestWriteStaysInside(t *testing.T) {
	folder := t.TempDir()
	out := filepath.Join(folder, "site")
	if err := small().write(out); err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{filepath.Join(folder, "mine.txt"), filepath.Join(out, listName)} {
		if err := os.WriteFile(at, []byte("../mine.txt\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	before := tree(t, folder)
	if err := small().write(out); err == nil || !strings.Contains(err.Error(), "../mine.txt") {
		t.Errorf("got the error %v, want one that names ../mine.txt", err)
	}
	if after := tree(t, folder); !maps.Equal(before, after) {
		t.Errorf("the folder held %v, and now %v", before, after)
	}
}

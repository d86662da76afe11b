package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A site is the Markdown and the pictures that mkdocs makes pages of.
type site struct {
	repo  fs.FS // the repository
	bench *program
	docs  *packages
	facts *facts
	// The groups for which pages show advantages: one answer a rollout, and several.
	one, several *example

	files map[string][]byte // by path in the site, with slashes
}

// newSite makes the Markdown of a repository.
func newSite(root string, bench *program) (*site, error) {
	s := &site{repo: os.DirFS(root), bench: bench, files: map[string][]byte{}}
	var err error
	if s.docs, err = loadPackages(root); err != nil {
		return nil, err
	}
	if s.facts, err = loadFacts(root, bench); err != nil {
		return nil, err
	}
	if s.one, err = readExample(s.repo, exampleFile, exampleIntro); err != nil {
		return nil, err
	}
	if s.several, err = readExample(s.repo, severalFile, severalIntro); err != nil {
		return nil, err
	}
	for _, pages := range []func() error{
		s.startPage, s.commandPages, s.methodPages, s.examplePage, s.environmentPages, s.specPages, s.packagePages, s.documents,
	} {
		if err := pages(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// page makes a page from the template pages/VIEW.tmpl.
func (s *site) page(path, view string, data any) error {
	if s.files[path] != nil {
		return fmt.Errorf("two pages are called %s", path)
	}
	var b bytes.Buffer
	if err := views.ExecuteTemplate(&b, view+".tmpl", data); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	s.files[path] = b.Bytes()
	return nil
}

// write leaves the site's Markdown in out/markdown. out has to be new, empty, or the folder of an
// earlier site, whose Markdown it replaces.
func (s *site) write(out string) error {
	entries, err := os.ReadDir(out)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	markdown := filepath.Join(out, "markdown")
	if len(entries) > 0 {
		if _, err := os.Stat(filepath.Join(markdown, "about.md")); err != nil {
			return fmt.Errorf("%s holds something other than a site: name a new or an empty folder", out)
		}
	}
	if err := os.RemoveAll(markdown); err != nil {
		return err
	}
	for name, data := range s.files {
		path := filepath.Join(markdown, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

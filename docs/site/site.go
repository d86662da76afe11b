package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A page is one file of the site.
type page struct {
	path  string // in the site, with slashes
	title string
	body  string // HTML
	// source is the file of the repository that it shows; "": it is generated.
	source string
	// terse keeps its text out of the search index, but for its title: files that are shown as they
	// are, and long listings.
	terse bool
}

// A site is all pages and pictures, before they are written.
type site struct {
	root  string // the repository's folder
	bench *program
	docs  *packages
	facts *facts
	// The groups that methods' pages have advantages of.
	one, several *example

	pages map[string]*page // by path
	files map[string][]byte
	// shown has the path in the site of each file of the repository that has one.
	shown map[string]string
	menu  []entry
	queue []string // Markdown files that are linked to and not rendered yet
}

// newSite makes the site of a repository.
func newSite(ctx context.Context, root string) (*site, error) {
	if _, err := os.Stat(filepath.Join(root, "docs", "README.md")); err != nil {
		return nil, fmt.Errorf("this is not the repository's folder: %w", err)
	}
	bench, err := newProgram(ctx, root)
	if err != nil {
		return nil, err
	}
	defer bench.close()
	s := &site{root: root, bench: bench, pages: map[string]*page{}, files: map[string][]byte{}, shown: map[string]string{}}
	if s.docs, err = loadPackages(root); err != nil {
		return nil, err
	}
	if s.facts, err = loadFacts(root, bench); err != nil {
		return nil, err
	}
	if s.one, err = readExample(root, exampleFile, exampleIntro); err != nil {
		return nil, err
	}
	if s.several, err = readExample(root, severalFile, severalIntro); err != nil {
		return nil, err
	}
	for _, make := range []func() error{s.commandPages, s.methodPages, s.examplePage, s.settingsPage, s.environmentPages, s.specPages, s.apiPages, s.documents, s.startPage, s.allPages, s.assets} {
		if err := make(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// add takes a page in.
func (s *site) add(p *page) {
	if s.pages[p.path] != nil {
		panic("site: two pages are called " + p.path)
	}
	s.pages[p.path] = p
}

// sorted lists the pages by path.
func (s *site) sorted() []*page {
	var out []*page
	for _, name := range slices.Sorted(maps.Keys(s.pages)) {
		out = append(out, s.pages[name])
	}
	return out
}

// relative is the link from one page to another place in the site.
func relative(from, to string) string {
	to, anchor, hasAnchor := strings.Cut(to, "#")
	up := path.Dir(from)
	var out string
	switch {
	case to == "" || to == from:
		out = path.Base(from)
	default:
		rel, err := filepath.Rel(filepath.FromSlash(up), filepath.FromSlash(to))
		if err != nil {
			panic(err)
		}
		out = filepath.ToSlash(rel)
	}
	if hasAnchor {
		out += "#" + anchor
	}
	return out
}

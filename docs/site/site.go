package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"modebench/estimators"
	"modebench/internal/params"
)

// A site is the Markdown and the pictures that mkdocs makes pages of.
type site struct {
	repo  fs.FS // the repository
	bench *program
	docs  *packages
	facts *facts
	// The groups for which pages show advantages: one answer a rollout, and several.
	single, several *example
	grpo            estimators.Method
	// shared are the fields that all methods have, of the loss, the protocol and the rewards, with
	// the values of PPO's clip.
	shared []params.Field

	files map[string][]byte // by path in the site, with slashes
	err   error             // the first of all that made pages
}

// fail keeps an error, if it is the first one, and reports whether it is an error.
func (s *site) fail(err error) bool {
	s.err = cmp.Or(s.err, err)
	return err != nil
}

func newSite(root string, bench *program) (*site, error) {
	s := &site{repo: os.DirFS(root), bench: bench, files: map[string][]byte{}}
	var err error
	if s.grpo, err = estimators.Lookup("grpo"); err != nil {
		return nil, err
	}
	plain := s.grpo.New()
	plain.Loss = estimators.PlainLoss
	s.shared = plain.Fields()[len(params.Fields(plain.Estimator)):]
	if s.docs, err = loadPackages(root); err != nil {
		return nil, err
	}
	if s.facts, err = loadFacts(root, bench); err != nil {
		return nil, err
	}
	if s.single, err = readExample(s.repo, exampleFile, exampleIntro); err != nil {
		return nil, err
	}
	if s.several, err = readExample(s.repo, severalFile, severalIntro); err != nil {
		return nil, err
	}
	for _, pages := range []func(){
		s.startPage, s.commandPages, s.methodPages, s.examplePage, s.environmentPages, s.specPages, s.packagePages, s.documents, s.forAgents,
	} {
		if pages(); s.err != nil {
			return nil, s.err
		}
	}
	return s, nil
}

// page makes a page from the template pages/VIEW.tmpl.
func (s *site) page(path, view string, data any) {
	if s.files[path] != nil {
		s.fail(fmt.Errorf("two pages are called %s", path))
		return
	}
	var b bytes.Buffer
	if err := views.ExecuteTemplate(&b, view+".tmpl", data); err != nil {
		s.fail(fmt.Errorf("%s: %w", path, err))
	}
	s.files[path] = b.Bytes()
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

func commandPath(name string) string { return "commands/" + name + ".md" }

func (s *site) commandPages() {
	type command struct{ Name, Summary, Help string }
	var all []command
	for _, name := range s.facts.commands {
		help, err := s.bench.prints("help", name)
		if s.fail(err) {
			return
		}
		summary, _, _ := strings.Cut(help, "\n")
		c := command{name, summary, help}
		s.page(commandPath(name), "command", c)
		all = append(all, c)
	}
	s.page("commands/index.md", "commands", map[string]any{"Commands": all, "Help": s.facts.help})
}

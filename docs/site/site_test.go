package main

import (
	"context"
	"fmt"
	"html"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"modebench/envs"
	"modebench/estimators"
	"modebench/experiments/spec"
)

// made is the site of this repository, made once for all tests.
var made = sync.OnceValues(func() (*site, error) {
	return newSite(context.Background(), filepath.Join("..", ".."))
})

func ofRepository(t *testing.T) *site {
	t.Helper()
	s, err := made()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestBoxes: the box at the top of each paper's page says what the verdicts say that are kept.
func TestBoxes(t *testing.T) {
	s := ofRepository(t)
	for _, b := range boxes {
		want, err := b.markdown(s.facts)
		if err != nil {
			t.Errorf("%s: %v", b.page, err)
			continue
		}
		page, err := os.ReadFile(filepath.Join("..", "..", "results", b.page+".md"))
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(page), "\n\n")
		if !strings.HasPrefix(rest, want) {
			t.Errorf("below its title results/%s.md has to begin with\n%s", b.page, want)
		}
	}
}

// TestLambdas: where a box names a weight, its settings were run with that weight.
func TestLambdas(t *testing.T) {
	s := ofRepository(t)
	named := regexp.MustCompile(`lambda ([\d.]+\d|\d)`)
	found := 0
	for _, b := range boxes {
		for _, x := range slices.Concat(b.heldOut, b.tables) {
			m := named.FindStringSubmatch(x.words)
			if m == nil {
				continue
			}
			found++
			loaded, err := spec.Load(x.spec)
			if err != nil {
				t.Fatal(err)
			}
			_, _, settings, err := s.facts.claim(x.spec, x.claim)
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range settings {
				if at := slices.IndexFunc(loaded.Variants, func(v *spec.Variant) bool { return v.Label == a.A }); at < 0 {
					t.Errorf("%s has no variant %q", x.spec, a.A)
				} else if setup, err := loaded.Variants[at].Setup(); err != nil {
					t.Error(err)
				} else if f, ok := setup.Method.Field("lambda"); !ok || fmt.Sprint(f.Value) != m[1] {
					t.Errorf("%s %s: the box says lambda %s, and %q was run with %v", x.spec, x.claim, m[1], a.A, f.Value)
				}
			}
		}
	}
	if found != 5 {
		t.Errorf("%d findings name a lambda, want 5", found)
	}
}

// missing are the pages that lists of the program call for and the site does not have, and those
// that its lists of pages do not link to.
func missing(s *site, pages map[string]*page) (out []string) {
	want := func(list, at string) {
		if pages[at] == nil {
			out = append(out, "no page "+at)
		}
		if pages[list] == nil || !strings.Contains(pages[list].body, `href="`+relative(list, at)+`"`) {
			out = append(out, list+" does not link to "+at)
		}
	}
	for _, m := range estimators.Methods() {
		want("methods/index.html", methodPath(m.Name))
	}
	for _, name := range envs.Names() {
		want("environments/index.html", environmentPath(name))
	}
	for _, name := range spec.BuiltinNames() {
		want("specs/index.html", specPath(name))
	}
	for _, name := range s.facts.commands {
		want("commands/index.html", commandPath(name))
	}
	for folder := range s.docs.of {
		want("api/index.html", apiPath(folder))
	}
	return out
}

// TestEverythingHasAPage: every method, environment, spec, command and package has its page.
func TestEverythingHasAPage(t *testing.T) {
	s := ofRepository(t)
	for _, m := range missing(s, s.pages) {
		t.Error(m)
	}
	for _, planted := range []string{methodPath("vpo"), environmentPath("maze"), specPath("dose"), commandPath("run")} {
		pages := maps.Clone(s.pages)
		delete(pages, planted)
		if len(missing(s, pages)) == 0 {
			t.Errorf("nobody misses %s", planted)
		}
	}
	if len(s.facts.commands) < 20 || len(s.docs.of) < 20 {
		t.Errorf("%d commands and %d packages", len(s.facts.commands), len(s.docs.of))
	}
}

// TestMethodPages: the page of a method has all that readers look for there.
func TestMethodPages(t *testing.T) {
	s := ofRepository(t)
	for _, m := range estimators.Methods() {
		body := s.pages[methodPath(m.Name)].body
		want := []string{`id="formula"`, `id="board"`, `id="run"`, `id="specs"`, "bench list methods " + escape(m.Name)}
		if m.Trains {
			want = append(want, `id="audit"`, `id="objective"`, `id="settings"`, `id="example"`)
		}
		for _, f := range m.New().Fields() {
			if !strings.Contains(s.pages[settingsAt].body, "<tr><td>"+code(f.Name)) {
				want = append(want, "<tr><td>"+code(f.Name))
			}
		}
		if s.facts.rows["tabular "+m.Name] != nil {
			want = append(want, "<polyline")
		}
		for _, part := range want {
			if !strings.Contains(body, part) {
				t.Errorf("the page of %s lacks %s", m.Name, part)
			}
		}
	}
}

// TestCommandPages: the pages of commands say what bench help says.
func TestCommandPages(t *testing.T) {
	s := ofRepository(t)
	bench, err := newProgram(t.Context(), filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	defer bench.close()
	all, err := bench.prints("help")
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string]string{"commands/index.html": all}
	for _, name := range s.facts.commands {
		if pages[commandPath(name)], err = bench.prints("help", name); err != nil {
			t.Fatal(err)
		}
	}
	for at, want := range pages {
		_, text, _ := strings.Cut(s.pages[at].body, "<pre tabindex=\"0\"><code>")
		text, _, _ = strings.Cut(text, "</code>")
		if html.UnescapeString(text) != strings.TrimRight(want, "\n") {
			t.Errorf("%s says something else than bench help", at)
		}
	}
}

// TestNavigation: the manual stands in the navigation in the order of docs/README.md, whose table
// has every page of docs.
func TestNavigation(t *testing.T) {
	s := ofRepository(t)
	readme, err := os.ReadFile(filepath.Join("..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	before, manual := -1, false
	for _, e := range s.menu {
		listed[e.path] = true
		if e.path == "" {
			manual = e.name == "The manual"
			continue
		}
		if !manual {
			continue
		}
		file, err := filepath.Rel("docs", strings.TrimSuffix(e.path, ".html")+".md")
		if err != nil {
			t.Fatal(err)
		}
		at := strings.Index(string(readme), "]("+filepath.ToSlash(file)+") |")
		if at <= before {
			t.Errorf("%s stands at %d of docs/README.md, and the page before it in the navigation at %d", file, at, before)
		}
		before = at
	}
	files, err := filepath.Glob(filepath.Join("..", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if at := "docs/" + strings.TrimSuffix(filepath.Base(file), ".md") + ".html"; at != "docs/README.html" && !listed[at] {
			t.Errorf("docs/README.md does not list %s", file)
		}
	}
}

// TestStart: what readers come for is on the start page, and not only behind links.
func TestStart(t *testing.T) {
	start := words(ofRepository(t).pages["index.html"].body)
	for _, part := range []string{
		"A_i = mean over the sets that contain i of f(S) - mean over all sets of f(S)",
		"Add my own estimator In Python it is a function of the rewards of a batch",
		"optimum, 64 sampled answers still hold",
		"A run is one seed on one of 8 tasks.",
		"At lambda 0.5, the paper's weight for Countdown, it does not",
	} {
		if !strings.Contains(start, part) {
			t.Errorf("the start page does not say %q", part)
		}
	}
	if at := strings.Index(start, "I want to … see how Poly-EPO's advantage is defined know which estimator keeps most modes at 90% accuracy add my own estimator know whether SetPO's main claim holds"); at < 0 || at > 500 {
		t.Errorf("the four questions do not stand at the top of the start page: %d", at)
	}
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"modebench/envs"
	"modebench/estimators"
	"modebench/experiments/board"
	"modebench/experiments/spec"
	"modebench/internal/plural"
	version "modebench/internal/program"
)

// root is the repository's folder, and scratch a folder for all tests.
var root, scratch = filepath.Join("..", ".."), ""

func TestMain(m *testing.M) {
	var err error
	if scratch, err = os.MkdirTemp("", "modebench-site-"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(scratch)
	os.Exit(code)
}

// made is the Markdown of this repository, made once for all tests.
var made = sync.OnceValues(func() (*site, error) {
	bench, err := newProgram(context.Background(), root, scratch)
	if err != nil {
		return nil, err
	}
	return newSite(root, bench)
})

func ofRepository(t *testing.T) *site {
	t.Helper()
	s, err := made()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// contains fails where a page lacks one of the parts.
func contains(t *testing.T, page string, parts ...string) {
	t.Helper()
	text := string(ofRepository(t).files[page])
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s does not have %q", page, part)
		}
	}
}

// TestBoxesHaveTheKeptVerdicts: the box at the top of each paper's page has the numbers of the kept verdicts.
func TestBoxesHaveTheKeptVerdicts(t *testing.T) {
	s := ofRepository(t)
	for _, b := range boxes {
		want, err := b.markdown(s.facts)
		if err != nil {
			t.Errorf("%s: %v", b.page, err)
			continue
		}
		page, err := os.ReadFile(filepath.Join(root, "results", b.page+".md"))
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(page), "\n\n")
		if !strings.HasPrefix(rest, want) {
			t.Errorf("below its title results/%s.md has to begin with\n%s", b.page, want)
		}
	}
}

// TestBoxesNameTheWeightOfTheirRuns: if a box names a weight, its settings were run with that weight.
func TestBoxesNameTheWeightOfTheirRuns(t *testing.T) {
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

// TestEverythingHasAPage: every method, environment, spec, command and package has its page, and the list of
// its kind links to it.
func TestEverythingHasAPage(t *testing.T) {
	s := ofRepository(t)
	lists := map[string][]string{}
	for _, m := range estimators.Methods() {
		lists["methods/index.md"] = append(lists["methods/index.md"], methodPath(m.Name))
	}
	for _, name := range envs.Names() {
		lists["environments/index.md"] = append(lists["environments/index.md"], environmentPath(name))
	}
	for _, name := range spec.BuiltinNames() {
		lists["specs/index.md"] = append(lists["specs/index.md"], specPath(name))
	}
	for _, name := range s.facts.commands {
		lists["commands/index.md"] = append(lists["commands/index.md"], commandPath(name))
	}
	for folder := range s.docs.packages {
		lists["api/index.md"] = append(lists["api/index.md"], packagePath(folder))
	}
	for list, pages := range lists {
		for _, page := range pages {
			contains(t, list, "](/"+page+")")
			if s.files[page] == nil {
				t.Errorf("there is no page %s", page)
			}
		}
	}
	if len(s.facts.commands) < 20 || len(s.docs.packages) < 20 {
		t.Errorf("%d commands and %d packages", len(s.facts.commands), len(s.docs.packages))
	}
}

// TestMethodPagesAreComplete: the page of a method has all parts that readers look for there.
func TestMethodPagesAreComplete(t *testing.T) {
	s := ofRepository(t)
	for _, m := range estimators.Methods() {
		want := []string{"{#formula}", "{#board}", "{#run}", "{#specs}", "`bench list methods " + m.Name + "`"}
		if m.Trains {
			want = append(want, "{#audit}", "{#objective}", "{#settings}", "{#example}")
		}
		for _, f := range m.New().Fields() {
			if row := "| " + code(f.Name) + " | "; !bytes.Contains(s.files["methods/settings.md"], []byte(row)) {
				want = append(want, row)
			}
		}
		if s.facts.line("tabular", m.Name) != nil {
			want = append(want, "<polyline")
		}
		contains(t, methodPath(m.Name), want...)
	}
}

// TestCommandPagesShowHelp: the page of a command has the output of bench help.
func TestCommandPagesShowHelp(t *testing.T) {
	help, err := ofRepository(t).bench.prints("help", "run")
	if err != nil {
		t.Fatal(err)
	}
	contains(t, "commands/run.md", fence("text", help))
}

// TestNavigationHasTheOrderOfTheManual: mkdocs.yml lists the pages of the manual in the order of docs/README.md.
func TestNavigationHasTheOrderOfTheManual(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	config, err := os.ReadFile("mkdocs.yml")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"docs/README.md"}
	for _, m := range regexp.MustCompile(`(?m)^\| \[[^\]]+\]\(([^)]+)\) \|`).FindAllStringSubmatch(string(readme), -1) {
		want = append(want, path.Join("docs", m[1]))
	}
	_, manual, _ := strings.Cut(string(config), "- The manual:")
	manual, _, _ = strings.Cut(manual, "- Papers:")
	if got := regexp.MustCompile(`\S+\.md`).FindAllString(manual, -1)[1:]; !slices.Equal(got, want) { // the first is in a comment
		t.Errorf("mkdocs.yml lists\n%q, docs/README.md\n%q", got, want)
	}
}

// TestStartPageAnswers: the start page has the answers to its questions, and not only links to them.
func TestStartPageAnswers(t *testing.T) {
	contains(t, "index.md",
		"A_i = mean over the sets that contain i of f(S) - mean over all sets of f(S)",
		"In Python it is a function of the rewards of a batch",
		"With tables, over 8 tasks, it is `",
		fmt.Sprintf("held-out problems, over %s, it is `", plural.Count(len(ofRepository(t).facts.boards["transformer"].Tasks), "task")),
		"| [`grpo`](/methods/grpo.md) | 0.000 |",
		"At lambda 0.5, the paper's weight for Countdown, it does not")
	tasks, err := board.Tasks("tabular")
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		if !strings.HasSuffix(task.Diversity, "@64") {
			t.Errorf("the start page has 64 answers, and diversity on %s is %s", task.Name, task.Diversity)
		}
	}
}

// TestRelink: links of a file lead to places in the site, names of methods, specs and commands become links,
// and blocks of code stay as they are, but for the names of their files.
func TestRelink(t *testing.T) {
	s := ofRepository(t)
	got := s.relink("docs", "# `vpo`\n<!-- hidden -->\n[`vpo`](claims.md#x) `vpo` ![a](play.png) `a\\|b` [up](../README.md)\n[code](../envs/registry.go) [list](../results/verdicts/) [package](../metrics)\n```toml my.toml\n`vpo` [a](b.md)\n```\n`bench run x`\n")
	if s.err != nil {
		t.Fatal(s.err)
	}
	want := "# `vpo`\n[`vpo`](/docs/claims.md#x) [`vpo`](/methods/vpo.md) ![a](/docs/play.png) `a|b` [up](/about.md)\n[code](/envs/registry.go.md) [list](/results/verdicts/index.md) [package](/api/metrics.md)\n```toml title=\"my.toml\"\n`vpo` [a](b.md)\n```\n[`bench run x`](/commands/run.md)\n"
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	broken := *s
	if broken.relink("docs", "[a](gone.md)"); broken.err == nil {
		t.Error("a link to a file that is not there is no error")
	}
}

// TestMarkdownMeansTheSameToMkdocs: no line of the repository's pages but those of code begins with one to three
// spaces and the mark of a list or a table. GitHub nests such a line, and mkdocs does not.
func TestMarkdownMeansTheSameToMkdocs(t *testing.T) {
	nested := regexp.MustCompile(`(?m)^ {1,3}([-*|] |\d+\. ).*$`)
	for name, data := range ofRepository(t).files {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(name))); err != nil || path.Ext(name) != ".md" {
			continue // it is generated
		}
		for _, line := range nested.FindAllString(fenced.ReplaceAllString(string(data), ""), -1) {
			t.Errorf("%s: %s", name, line)
		}
	}
}

// TestSchemaOfSpecs: the schema lies at the root, and has every method with a page.
func TestSchemaOfSpecs(t *testing.T) {
	s := ofRepository(t)
	var schema struct {
		Definitions struct {
			Method struct {
				Properties struct {
					Name struct{ Enum []string }
				}
			}
		}
	}
	if err := json.Unmarshal(s.files["spec.schema.json"], &schema); err != nil {
		t.Fatal(err)
	}
	for _, m := range estimators.Methods() {
		if !slices.Contains(schema.Definitions.Method.Properties.Name.Enum, m.Name) {
			t.Errorf("the schema has no method %s", m.Name)
		}
	}
}

// TestForAgents: llms.txt names every page of the manual, and the skill has the program's version.
func TestForAgents(t *testing.T) {
	s := ofRepository(t)
	text := string(s.files["llms.txt"])
	for _, m := range regexp.MustCompile(`\]\(([^)]*)\.html\)`).FindAllStringSubmatch(text, -1) {
		if s.files[m[1]+".md"] == nil {
			t.Errorf("llms.txt leads to %s.html, and there is no such page", m[1])
		}
	}
	pages := 0
	for name := range s.files {
		if strings.HasPrefix(name, "docs/") && strings.Count(name, "/") == 1 && strings.HasSuffix(name, ".md") && !strings.HasSuffix(name, "README.md") && len(strings.Split(name, ".")) == 2 {
			if pages++; !strings.Contains(text, "("+strings.TrimSuffix(name, ".md")+".html)") {
				t.Errorf("llms.txt lacks %s", name)
			}
		}
	}
	if pages < 15 {
		t.Errorf("%d pages of the manual", pages)
	}
	skill, err := os.ReadFile(filepath.Join(root, "python", "modebench_rl", "SKILL.md"))
	if err != nil || !strings.Contains(string(skill), "\nversion: "+version.Version+"\n") {
		t.Errorf("SKILL.md has not the version %s (%v)", version.Version, err)
	}
}

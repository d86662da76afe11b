package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"modebench/experiments/claims"
	"modebench/experiments/record"
	"modebench/internal/lined"
)

// TestVerdictsAreRegistered: all verdicts of results/verdicts are of registrations in
// results/registered, and were committed after them.
func TestVerdictsAreRegistered(t *testing.T) {
	takesSeconds(t)
	files := verdictFiles(t, root)
	for _, name := range files {
		if err := checkVerdicts(root, name); err != nil {
			t.Error(err)
		}
	}
	if len(files) == 0 {
		t.Skip("there are no verdicts yet")
	}
	if why := noHistory(root); why != "" {
		t.Skip("which came first is not known: " + why)
	}
	for _, name := range files {
		if err := checkOrder(root, name); err != nil {
			t.Error(err)
		}
	}
}

// verdictFiles lists the files of results/verdicts in a repository.
func verdictFiles(t *testing.T, dir string) (names []string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "results", "verdicts", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		names = append(names, filepath.Base(path))
	}
	return names
}

// checkVerdicts checks that verdicts are of the claims of their registration, and its hash.
func checkVerdicts(dir, name string) error {
	doc, err := claims.ReadDocument(filepath.Join(dir, "results", "verdicts", name))
	if err != nil {
		return err
	}
	r, err := claims.ReadRegistration(filepath.Join(dir, "results", "registered", name))
	if err != nil {
		return err
	}
	if doc.Registration != r.Hash || doc.Spec != r.Spec || r.Spec+".json" != name {
		return fmt.Errorf("%s: the verdicts are of %s, registration %s, and registered is %s, %s", name, doc.Spec, doc.Registration, r.Spec, r.Hash)
	}
	return nil
}

// noHistory is the reason why a folder has no usable history; "" if it has.
func noHistory(dir string) string {
	top, err := git(dir, "rev-parse", "--show-toplevel")
	if err != nil {
		return "no git, or no repository"
	}
	a, errA := os.Stat(top)
	b, errB := os.Stat(dir)
	if errors.Join(errA, errB) != nil || !os.SameFile(a, b) {
		return "the folder is not that of the repository"
	}
	if shallow, err := git(dir, "rev-parse", "--is-shallow-repository"); err != nil || shallow != "false" {
		return "the clone is shallow"
	}
	return ""
}

// checkOrder checks that the registration of these verdicts was committed before them: the
// commit that put its hash into the registration's file has to be a strict ancestor of the one
// that put it into the verdicts' file. (The hash is of all of the registration, so that a later
// change counts as a later registration.) Verdicts that are not committed come after all commits.
func checkOrder(dir, name string) error {
	doc, err := claims.ReadDocument(filepath.Join(dir, "results", "verdicts", name))
	if err != nil {
		return err
	}
	added := func(folder string) (string, error) {
		list, err := git(dir, "log", "--reverse", "--format=%H", "-S"+doc.Registration, "--", "results/"+folder+"/"+name)
		first, _, _ := strings.Cut(list, "\n")
		return first, err
	}
	registered, err := added("registered")
	if err != nil {
		return err
	}
	judged, err := added("verdicts")
	if err != nil {
		return err
	}
	if registered == "" {
		return fmt.Errorf("results/registered/%s is not committed, and its verdicts are there", name)
	}
	if judged == "" {
		return nil
	}
	if _, err := git(dir, "merge-base", "--is-ancestor", registered, judged); err != nil || registered == judged {
		return fmt.Errorf("results/verdicts/%s was committed in %.9s, and what it is of was registered in %.9s, which is not before that", name, judged, registered)
	}
	return nil
}

// git runs git in a folder, not in the repository of a hook that runs this test, and returns
// its output.
func git(dir string, args ...string) (string, error) {
	command := exec.Command("git", append([]string{"-C", dir}, args...)...)
	command.Env = slices.DeleteFunc(os.Environ(), func(pair string) bool {
		return strings.HasPrefix(pair, "GIT_DIR=") || strings.HasPrefix(pair, "GIT_INDEX_FILE=") || strings.HasPrefix(pair, "GIT_WORK_TREE=")
	})
	out, err := command.Output()
	return strings.TrimSpace(string(out)), err
}

// TestVerdictsOrder holds the check of the order against repositories with a right and a
// wrong order.
func TestVerdictsOrder(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	registration := func(seeds int) []byte {
		planned := record.Manifest{
			Nested:   record.Nested{1, 1},
			Claims:   []record.Claim{{Name: "c", Text: "a fact", Metrics: []string{"reward"}, A: "grpo", Says: "above"}},
			Variants: []record.Variant{{Label: "grpo", Cells: make([]record.Ref, seeds)}},
		}
		for i := range seeds {
			planned.Variants[0].Cells[i] = record.Ref{Seed: 1000 + i, ID: fmt.Sprintf("grpo-s%d-000000000000", 1000+i)}
		}
		pilot := claims.Pilot{Seeds: claims.Seeds{Number: 10, Nested: record.Nested{2, 2}}, Limit: 40, Claims: []claims.ClaimPlan{{Claim: "c", Settings: 1}}}
		return lined.Text(claims.Register("own", "tabular", strings.Repeat("0", 64), planned, pilot))
	}
	const registered, verdicts = "results/registered/own.json", "results/verdicts/own.json"
	for _, c := range []struct {
		reason string
		steps  string // r, s: a registration, or another; v: its verdicts; d: no verdicts; +: commit
		want   string // in the error; "": none
		hashes string // likewise of checkVerdicts
	}{
		{"registered, then judged", "r+v+", "", ""},
		{"judged, and not committed yet", "r+v", "", ""},
		{"both in one commit", "rv+", "which is not before that", ""},
		{"judged, then registered", "rv-+w+", "which is not before that", ""},
		{"registered, and not committed", "rv", "is not committed", ""},
		{"another registration, and verdicts of it at once", "r+v+sv+", "which is not before that", ""},
		{"another registration, then its verdicts", "r+v+d+s+v+", "", ""},
		{"another registration after the verdicts", "r+v+s+", "", "registration "},
		{"what is unrelated in between", "r+o+v+", "", ""},
	} {
		dir := t.TempDir()
		run := func(args ...string) {
			t.Helper()
			if out, err := git(dir, args...); err != nil {
				t.Fatalf("git %v: %v %s", args, err, out)
			}
		}
		run("init", "-q")
		run("config", "user.name", "somebody")
		run("config", "user.email", "somebody@example.org")
		run("config", "commit.gpgsign", "false")
		file := func(path string, text []byte) {
			t.Helper()
			path = filepath.Join(dir, filepath.FromSlash(path))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		var aside []byte
		for _, step := range c.steps {
			switch step {
			case 'r', 's':
				file(registered, registration(map[rune]int{'r': 12, 's': 13}[step]))
			case 'v':
				r, err := claims.ReadRegistration(filepath.Join(dir, registered))
				if err != nil {
					t.Fatal(err)
				}
				file(verdicts, lined.Text(claims.NewDocument(r, []claims.Verdict{{}}, nil)))
			case 'd':
				run("rm", "-q", verdicts)
			case '-': // put the registration aside
				aside = registration(12)
				if err := os.Remove(filepath.Join(dir, registered)); err != nil {
					t.Fatal(err)
				}
			case 'w':
				file(registered, aside)
			case 'o':
				file("other.txt", []byte("x"))
			case '+':
				run("add", "-A")
				run("commit", "-q", "-m", "a step")
			}
		}
		if c.steps == "rv" { // a repository without a commit has no history
			run("commit", "-q", "--allow-empty", "-m", "nothing")
		}
		if why := noHistory(dir); why != "" {
			t.Errorf("%s: %s", c.reason, why)
		}
		if names := verdictFiles(t, dir); len(names) != 1 {
			t.Fatalf("%s: verdicts of %v", c.reason, names)
		}
		for _, check := range []struct {
			err  error
			want string
		}{{checkOrder(dir, "own.json"), c.want}, {checkVerdicts(dir, "own.json"), c.hashes}} {
			if got := fmt.Sprint(check.err); (check.err == nil) != (check.want == "") || !strings.Contains(got, check.want) {
				t.Errorf("%s: got %v, want %q", c.reason, got, check.want)
			}
		}
	}
}

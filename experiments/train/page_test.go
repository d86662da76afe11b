package train

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"modebench/estimators/loss"
	"modebench/experiments/internal/exptest"
	"modebench/experiments/record"
	"modebench/policies"
)

const stepPage = "../../docs/one-step.md"

func readStepPage(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(stepPage)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestPageNumbersAreThoseOfAStep makes the step of the page's example and compares every number.
func TestPageNumbersAreThoseOfAStep(t *testing.T) {
	page := readStepPage(t)
	_, file, _ := strings.Cut(page, "```toml step.toml\n")
	file, _, found := strings.Cut(file, "```\n")
	if !found {
		t.Fatal("the page has no spec step.toml")
	}
	p, err := exptest.Load(t, "step.toml", file).Variants[0].Setup()
	if err != nil {
		t.Fatal(err)
	}
	tr, err := newTrainer(t.Context(), p, policyOf(t, p), 0)
	if err != nil {
		t.Fatal(err)
	}
	problem := tr.prompts[0].problem
	chances := func() (out []float64) {
		answers, ok, err := tr.policy.(policies.Enumerator).Enumerate(problem, policies.SampleOptions{Temperature: 1, TopP: 1}, 100)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		for _, a := range answers {
			out = append(out, a.P)
		}
		return out
	}
	var slopes []float64
	tr.update.Loss = func(l *loss.Tokens) error {
		err := p.Method.Loss.Learn(l)
		slopes = slices.Clone(l.DLogp)
		return err
	}
	before := chances()
	var rec record.Train
	if err := tr.step(0, &rec); err != nil {
		t.Fatal(err)
	}
	var rows []string
	for i, r := range tr.groups[0].Rollouts {
		rows = append(rows, fmt.Sprintf("| %d | `%s` | %.3f | %g | %.3f | %.3f |", i,
			problem.AnswerText(r.Tokens), r.Logp[0], tr.batch.Groups[0].Rollouts[i].Candidates[0].Reward[0], tr.advantages[0][i], slopes[i]))
	}
	for a, after := range chances() {
		rows = append(rows, fmt.Sprintf("| `m%d` | %.3f | %.3f |", a, before[a], after))
	}
	rows = append(rows, fmt.Sprintf("| %.3f | %.3f | %.3f | %.3f |", rec.Reward, rec.Advantage, rec.Loss, rec.GradNorm))
	for _, row := range rows {
		if !strings.Contains(page, row+"\n") {
			t.Errorf("the page lacks the row\n%s", row)
		}
	}
}

// linkedFunction is a function that a page links: its name in code, and the file that has it.
var linkedFunction = regexp.MustCompile("\\[`(?:(\\w+)\\.)?(\\w+)`\\]\\(([\\w./-]+\\.go)\\)")

// TestPageNamesFunctionsOfAStep: each function that the page links is declared in the linked
// file, and the eight headings link one function each, in the order of the calls.
func TestPageNamesFunctionsOfAStep(t *testing.T) {
	page := readStepPage(t)
	for _, link := range linkedFunction.FindAllStringSubmatch(page, -1) {
		if receiver, name, file := link[1], link[2], link[3]; !declares(t, filepath.Join(filepath.Dir(stepPage), file), receiver, name) {
			t.Errorf("%s does not declare %s.%s", file, receiver, name)
		}
	}
	var order []string
	for _, heading := range regexp.MustCompile(`(?m)^## \d\. .*\n\n(.*)`).FindAllStringSubmatch(page, -1) {
		first := linkedFunction.FindStringSubmatch(heading[1])
		if first == nil {
			t.Fatalf("no function is linked in %q", heading[1])
		}
		order = append(order, first[1]+"."+first[2])
	}
	want := []string{"trainer.collect", "trainer.judge", "trainer.estimate", "Batch.Flatten", "Function.Learn", "Policy.backward", "Policy.step", "lineFile.write"}
	if !slices.Equal(order, want) {
		t.Errorf("the page passes %v, want %v", order, want)
	}
}

// declares reports whether a Go file has a method of a receiver, or without a receiver a function.
func declares(t *testing.T, path, receiver, name string) bool {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(file.Decls, func(d ast.Decl) bool {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Name.Name != name {
			return false
		}
		if f.Recv == nil {
			return receiver == ""
		}
		typ := f.Recv.List[0].Type
		if pointer, ok := typ.(*ast.StarExpr); ok {
			typ = pointer.X
		}
		of, ok := typ.(*ast.Ident)
		return ok && of.Name == receiver
	})
}

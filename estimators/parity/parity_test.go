package parity

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"modebench/estimators"
	_ "modebench/estimators/all"
	"modebench/estimators/internal/batchtest"
	"modebench/estimators/loss"
)

// casesPerRow is how many batches a function is run on.
const casesPerRow = 40

// output is the output of frameworks.py.
type output struct {
	Skip       string
	Torch      string
	Frameworks map[string]struct{ Version, Skip string }
	Answers    []*struct {
		Error      string
		Advantages []float64
		Loss       float64
		Gradient   [][]float64
	}
}

// comparison is one case on this side: the input, and the error of an answer.
type comparison struct {
	sent map[string]any
	off  func(t *testing.T, i int, out *output) float64
}

// found is the result of a row.
type found struct {
	row
	version string
	cases   int
	largest float64
}

// TestParity runs every function on its batches, and holds how far each method is off.
func TestParity(t *testing.T) {
	all := append(rows(), planted()...)
	var cases []comparison
	for _, one := range all {
		r := rand.New(rand.NewPCG(27, one.seed()))
		for range casesPerRow {
			cases = append(cases, one.compare(t, r))
		}
	}
	out := run(t, cases)
	var results []found
	for i, one := range all {
		framework := out.Frameworks[one.framework]
		if framework.Version == "" {
			continue
		}
		f := found{row: one, version: framework.Version}
		for c := i * casesPerRow; c < (i+1)*casesPerRow; c++ {
			if answer := out.Answers[c]; answer == nil || answer.Error != "" {
				t.Fatalf("%s %s %v: %+v", one.framework, one.function, one.settings, answer)
			}
			f.cases++
			f.largest = max(f.largest, cases[c].off(t, c, out))
		}
		if i < len(rows()) {
			results = append(results, f)
		}
		switch at := fmt.Sprintf("%s %s %v and %s %v", f.framework, f.function, f.settings, f.method, f.fields); {
		case f.deviates && f.largest <= f.tolerance:
			t.Errorf("%s: %.2g off in %d cases, want above %.0e, as of a known deviation or a planted bug: %s", at, f.largest, f.cases, f.tolerance, f.why)
		case !f.deviates && !(f.largest <= f.tolerance):
			t.Errorf("%s: %.2g off in %d cases, want at most %.0e", at, f.largest, f.cases, f.tolerance)
		}
	}
	counts(t, out, results)
	checkPage(t, out, results)
}

// seed depends on the row, so that others do not move its batches.
func (one row) seed() uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, one.framework, one.function, told(one.settings), one.method, one.fields, one.shape, one.float32)
	return h.Sum64()
}

// counts logs how many cases ran, and by name what did not.
func counts(t *testing.T, out *output, results []found) {
	for _, name := range frameworks(out) {
		if skip := out.Frameworks[name].Skip; skip != "" {
			t.Logf("%s: skipped: %s", name, skip)
			continue
		}
		ran := 0
		for _, f := range results {
			if f.framework == name {
				ran += f.cases
			}
		}
		t.Logf("%s %s: %d cases", name, out.Frameworks[name].Version, ran)
	}
	if len(results) == 0 {
		t.Skip("none of the frameworks is installed: see docs/parity.md")
	}
}

// frameworks are the names in a fixed order.
func frameworks(out *output) []string {
	var names []string
	for name := range out.Frameworks {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// compare draws a case of a row.
func (one row) compare(t *testing.T, r *rand.Rand) comparison {
	if strings.HasPrefix(one.function, "loss_") {
		return one.compareLoss(t, r)
	}
	batch, sent := draw(r, one.shape)
	var fields []string
	for _, field := range one.fields {
		fields = append(fields, strings.ReplaceAll(field, "SIZE", fmt.Sprint(len(batch.Groups[0].Rollouts))))
	}
	method := batchtest.Method(t, one.method, fields...)
	if method.PerToken() {
		sent["logprobs"], sent["squares"] = drawPerToken(r, batch)
	}
	want := one.advantages(t, method, batch)
	return comparison{one.addressed(sent), func(t *testing.T, i int, out *output) float64 {
		got := out.Answers[i].Advantages
		if len(got) != len(want) {
			t.Fatalf("%s %s: %d advantages, want %d", one.framework, one.function, len(got), len(want))
		}
		return farthest(got, want)
	}}
}

// advantages are those of the batch's rollouts, or of their tokens where the method gives
// each its own.
func (one row) advantages(t *testing.T, method *estimators.Instance, batch *estimators.Batch) []float64 {
	t.Helper()
	if !method.PerToken() {
		out := estimators.NewAdvantages(batch)
		if err := method.Advantages(out, batch); err != nil {
			t.Fatalf("%s: %v", one.method, err)
		}
		return slices.Concat(out...)
	}
	out := estimators.NewTokenAdvantages(batch)
	if err := method.TokenAdvantages(out, batch); err != nil {
		t.Fatalf("%s: %v", one.method, err)
	}
	return slices.Concat(slices.Concat(out...)...)
}

// compareLoss draws a case of a loss.
func (one row) compareLoss(t *testing.T, r *rand.Rand) comparison {
	tokens, sent := drawTokens(r, one.shape)
	if one.corrects() {
		drawSampler(r, tokens, sent)
	}
	objective := batchtest.Method(t, one.method, one.fields...).Loss
	if n, ok := one.settings["max_tokens"].(int); ok {
		objective.MaxTokens = n
	}
	if err := objective.Evaluate(tokens); err != nil {
		t.Fatalf("%s: %v", one.method, err)
	}
	return comparison{one.addressed(sent), func(_ *testing.T, i int, out *output) float64 {
		answer := out.Answers[i]
		return max(farthest([]float64{answer.Loss}, []float64{tokens.Loss}), farthest(gradients(tokens, answer.Gradient), slope(tokens)))
	}}
}

// corrects reports whether the method corrects for a sampler that is not the old policy.
func (one row) corrects() bool {
	return slices.ContainsFunc(one.fields, func(field string) bool {
		name, _, _ := strings.Cut(field, "=")
		return loss.Corrects(name)
	})
}

// gradients are those of the tokens among those of padded rows, to which nothing may come
// from places without a token, over the largest.
func gradients(tokens *loss.Tokens, rows [][]float64) []float64 {
	var out []float64
	for s, row := range rows {
		length := tokens.Start[s+1] - tokens.Start[s]
		out = append(out, row[:length]...)
		for _, x := range row[length:] {
			if x != 0 {
				return []float64{math.Inf(1)}
			}
		}
	}
	return scaled(out, tokens.DLogp)
}

func slope(tokens *loss.Tokens) []float64 { return scaled(tokens.DLogp, tokens.DLogp) }

// scaled is xs over the largest of another.
func scaled(xs, of []float64) []float64 {
	largest := 0.0
	for _, x := range of {
		largest = max(largest, math.Abs(x))
	}
	out := make([]float64, len(xs))
	for i, x := range xs {
		out[i] = x
		if largest > 0 {
			out[i] = x / largest
		}
	}
	return out
}

// farthest is the largest difference of two lists, over the largest number in them where
// that is above 1. Lists of different lengths are infinitely far apart, and so is a NaN.
func farthest(got, want []float64) float64 {
	if len(got) != len(want) {
		return math.Inf(1)
	}
	largest, scale := 0.0, 1.0
	for i := range want {
		d := math.Abs(got[i] - want[i])
		if math.IsNaN(d) {
			return math.Inf(1)
		}
		largest, scale = max(largest, d), max(scale, math.Abs(want[i]), math.Abs(got[i]))
	}
	return largest / scale
}

// addressed is a case with the function that it is for.
func (one row) addressed(sent map[string]any) map[string]any {
	sent["framework"], sent["function"], sent["settings"], sent["float32"] = one.framework, one.function, one.settings, one.float32
	return sent
}

// run has frameworks.py answer the cases, in a Python that has torch, numpy and packaging.
func run(t *testing.T, cases []comparison) *output {
	t.Helper()
	var sent []map[string]any
	for _, c := range cases {
		sent = append(sent, c.sent)
	}
	input, err := json.Marshal(map[string]any{"cases": sent})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python(t), "frameworks.py")
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	cmd.Stdin = bytes.NewReader(input)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	printed, err := cmd.Output()
	if err != nil {
		t.Fatalf("frameworks.py: %v\n%s", err, stderr.String())
	}
	out := new(output)
	if err := json.Unmarshal(printed, out); err != nil {
		t.Fatalf("frameworks.py: %v\n%s", err, stderr.String())
	}
	if len(out.Answers) != len(cases) {
		t.Fatalf("%d answers to %d cases", len(out.Answers), len(cases))
	}
	return out
}

// python is an interpreter that has PyTorch; else the test is skipped. The first one may be
// without, where the system has another that was installed with it.
func python(t *testing.T) string {
	t.Helper()
	var reasons []string
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		out, err := exec.Command(name, "-c", "import sys, torch, numpy; assert sys.version_info >= (3, 11), sys.version; print(sys.executable)").CombinedOutput()
		if err == nil {
			return name
		}
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		reasons = append(reasons, fmt.Sprintf("%s: %s", name, lines[len(lines)-1]))
	}
	t.Skip("no Python 3.11 or later with PyTorch and numpy: ", strings.Join(reasons, "; "))
	return ""
}

// Package python_test holds the Python adapter against the estimators of this module:
// its examples have to give the numbers of the built-in methods that they are.
package python_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"modebench/estimators"
	_ "modebench/estimators/all"
	"modebench/estimators/batchjson"
)

// python returns an interpreter that has the modules, or skips the test. The first python3 may be
// one without them, where the system has another that was installed with them.
func python(t *testing.T, modules ...string) string {
	t.Helper()
	var reasons []string
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		script := "import sys; assert sys.version_info >= (3, 9); print(sys.executable)"
		for _, m := range modules {
			script += "; import " + m
		}
		out, err := exec.Command(name, "-c", script).CombinedOutput()
		if err == nil {
			return strings.TrimSpace(string(out))
		}
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		reasons = append(reasons, fmt.Sprintf("%s: %v: %s", name, err, lines[len(lines)-1]))
	}
	t.Skipf("no Python 3.9 or later with %v to run the adapter with: %s", modules, strings.Join(reasons, "; "))
	return ""
}

// run starts the adapter's folder's Python and returns what it prints.
func run(t *testing.T, input []byte, name string, args ...string) (stdout, stderr string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	cmd.Stdin = bytes.NewReader(input)
	var out, errors strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errors
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %q: %v\n%s%s", name, args, err, out.String(), errors.String())
	}
	return out.String(), errors.String()
}

// TestConversations runs the adapter's own tests: without numpy if it is missing.
func TestConversations(t *testing.T) {
	name := ""
	for _, modules := range [][]string{{"numpy"}, {}} {
		t.Run("", func(t *testing.T) { name = python(t, modules...) })
		if name != "" {
			break
		}
	}
	if name == "" {
		t.Skip("no Python 3.9 or later")
	}
	tests := "test_modebench"
	if testing.Short() {
		tests += ".Plain" // without numpy
	}
	_, said := run(t, nil, name, "-m", "unittest", tests)
	t.Log(said)
}

type candidate struct {
	Reward []float64 `json:"reward"`
	Mode   *string   `json:"mode"`
}

type rollout struct {
	Tokens     int         `json:"tokens"`
	Train      bool        `json:"train"`
	Candidates []candidate `json:"candidates"`
}

type group struct {
	Problem  string    `json:"problem"`
	Weights  []float64 `json:"weights,omitempty"`
	Rollouts []rollout `json:"rollouts"`
}

type document struct {
	Seed    uint64    `json:"seed"`
	Step    int       `json:"step"`
	Weights []float64 `json:"weights"`
	Groups  []group   `json:"groups"`
}

// draw is a batch of n trained rollouts a group: voters between them, groups with weights of their
// own, degenerate modes, groups of equal rewards, and rewards whose sums round.
func draw(r *rand.Rand, n int) document {
	d := 1 + r.IntN(4)
	reals := func(scale float64) []float64 {
		out := make([]float64, d)
		for i := range out {
			out[i] = scale * r.Float64()
		}
		return out
	}
	doc := document{Seed: r.Uint64(), Step: r.IntN(100), Weights: reals(1)}
	for g := range 1 + r.IntN(4) {
		own := group{Problem: fmt.Sprint("p", g)}
		if r.IntN(3) == 0 {
			own.Weights = reals(1)
		}
		scale := []float64{0.1, 1, 1000}[r.IntN(3)]
		kinds := [][]float64{reals(scale), reals(scale), reals(-scale)}[:1+r.IntN(3)]
		for trained := 0; trained < n; {
			one := rollout{Tokens: r.IntN(6), Train: r.IntN(5) > 0}
			reward := kinds[r.IntN(len(kinds))]
			var mode *string
			if k := r.IntN(5); k > 0 {
				mode = &[]string{"", "A", "B", "C", "D"}[k]
			}
			one.Candidates = []candidate{{reward, mode}}
			own.Rollouts = append(own.Rollouts, one)
			if one.Train {
				trained++
			}
		}
		doc.Groups = append(doc.Groups, own)
	}
	return doc
}

// ask has the adapter estimate the batches.
func ask(t *testing.T, name string, args []string, docs []document) [][][]float64 {
	t.Helper()
	var input bytes.Buffer
	send := json.NewEncoder(&input)
	send.Encode(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "hello", "params": map[string]any{"protocol": 1}})
	for i, doc := range docs {
		send.Encode(map[string]any{"jsonrpc": "2.0", "id": i + 2, "method": "advantage", "params": doc})
	}
	out, _ := run(t, input.Bytes(), name, append([]string{"-m", "modebench"}, args...)...)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != len(docs)+1 {
		t.Fatalf("%d replies to hello and %d batches:\n%s", len(lines), len(docs), out)
	}
	var answers [][][]float64
	for _, line := range lines[1:] {
		var reply struct {
			Result struct{ Advantages [][]float64 }
			Error  *struct{ Message string }
		}
		if err := json.Unmarshal([]byte(line), &reply); err != nil || reply.Error != nil {
			t.Fatalf("%v: %s", err, line)
		}
		answers = append(answers, reply.Result.Advantages)
	}
	return answers
}

// builtIn returns the advantages of a method of this module.
func builtIn(t *testing.T, method, set string, doc document) [][]float64 {
	t.Helper()
	m, err := estimators.Lookup(method)
	if err != nil {
		t.Fatal(err)
	}
	instance := m.New()
	if set != "" {
		if err := instance.SetText(set); err != nil {
			t.Fatal(err)
		}
	}
	data, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	b, err := batchjson.Read(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	advantages := estimators.NewAdvantages(b)
	if err := instance.Advantages(advantages, b); err != nil {
		t.Fatal(err)
	}
	return advantages
}

// tokenDocument adds lists per token to a batch that draw made: rollouts of 1 to 6 tokens.
func tokenDocument(r *rand.Rand, doc document) map[string]any {
	text, err := json.Marshal(doc)
	if err != nil {
		panic(err) // the draws are numbers and texts
	}
	var out map[string]any
	if err := json.Unmarshal(text, &out); err != nil {
		panic(err)
	}
	out["seed"], out["step"] = 0, 0
	for _, g := range out["groups"].([]any) {
		for _, one := range g.(map[string]any)["rollouts"].([]any) {
			rollout, n := one.(map[string]any), 1+r.IntN(6)
			rollout["tokens"] = n
			var entropies []float64
			for range n {
				entropies = append(entropies, 4*r.Float64())
			}
			rollout["token_entropies"] = entropies
		}
	}
	return out
}

// TestTokenExample holds the entropy-shaped advantage in Python against the built-in one, to the
// bit.
func TestTokenExample(t *testing.T) {
	name := python(t, "numpy")
	r := rand.New(rand.NewPCG(9, 42))
	var docs []map[string]any
	var input bytes.Buffer
	send := json.NewEncoder(&input)
	send.Encode(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "hello", "params": map[string]any{"protocol": 1}})
	for i := range 200 {
		docs = append(docs, tokenDocument(r, draw(r, 1+r.IntN(9))))
		send.Encode(map[string]any{"jsonrpc": "2.0", "id": i + 2, "method": "advantage", "params": docs[i]})
	}
	out, _ := run(t, input.Bytes(), name, "-m", "modebench", "examples/entropy_shaped.py")
	lines := strings.Split(strings.TrimSpace(out), "\n")[1:]
	nonzero := 0
	for i, doc := range docs {
		var reply struct {
			Result struct{ Advantages [][][]float64 }
		}
		if err := json.Unmarshal([]byte(lines[i]), &reply); err != nil || reply.Result.Advantages == nil {
			t.Fatalf("%v: %s", err, lines[i])
		}
		data, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		b, err := batchjson.Read(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		m, err := estimators.Lookup("entropy-shaped")
		if err != nil {
			t.Fatal(err)
		}
		want := estimators.NewTokenAdvantages(b)
		if err := m.New().TokenAdvantages(want, b); err != nil {
			t.Fatal(err)
		}
		for g := range want {
			for k := range want[g] {
				for at, a := range want[g][k] {
					if got := reply.Result.Advantages[g][k][at]; got != a {
						t.Fatalf("batch %d, group %d, rollout %d, token %d: %v, and the built-in gives %v", i, g, k, at, got, a)
					}
					if a != 0 {
						nonzero++
					}
				}
			}
		}
	}
	t.Logf("%d advantages that are not 0, all equal to the bit", nonzero)
}

// TestExamples holds every example against the built-in method that it is.
func TestExamples(t *testing.T) {
	for _, c := range []struct {
		file, method, set string
		args, modules     []string
		least             int     // rollouts in a group
		off               float64 // allowed, in proportion above 1
	}{
		{"centred.py", "grpo", "scale=none", nil, []string{"numpy"}, 1, 0},
		{"poly_epo.py", "poly-epo", "", nil, []string{"numpy"}, 4, 1e-12},
		{"verl_grpo.py", "grpo@verl", "", []string{"--verl"}, []string{"numpy", "torch"}, 1, 1e-12},
		{"verl_rloo.py", "rloo", "singleton=raw", []string{"--verl"}, []string{"numpy", "torch"}, 1, 1e-12},
	} {
		t.Run(c.file, func(t *testing.T) {
			if testing.Short() && slices.Contains(c.modules, "torch") {
				t.Skip("PyTorch takes seconds to import")
			}
			name := python(t, c.modules...)
			r := rand.New(rand.NewPCG(9, 41))
			var docs []document
			for range 200 {
				docs = append(docs, draw(r, c.least+r.IntN(9)))
			}
			answers := ask(t, name, append(c.args, "examples/"+c.file), docs)
			worst, nonzero := 0.0, 0
			for i, doc := range docs {
				want := builtIn(t, c.method, c.set, doc)
				for g := range want {
					largest := 1.0 // the size of the rewards: errors grow with it
					for _, one := range doc.Groups[g].Rollouts {
						for _, x := range one.Candidates[0].Reward {
							largest = max(largest, math.Abs(x))
						}
					}
					for k, a := range want[g] {
						got := answers[i][g][k]
						if math.Abs(got) < 1e-12 {
							got = 0 // as for every estimator (docs/plug-ins.md)
						}
						if a != 0 {
							nonzero++
						}
						worst = max(worst, math.Abs(got-a)/largest)
						if !(math.Abs(got-a) <= c.off*largest) {
							t.Fatalf("batch %d, group %d, rollout %d: %v, and %s gives %v\n%+v", i, g, k, got, c.method, a, doc.Groups[g])
						}
					}
				}
			}
			t.Logf("%d advantages that are not 0; the largest difference is %.2g", nonzero, worst)
		})
	}
}

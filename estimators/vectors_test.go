package estimators_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sort"
	"strings"
	"testing"

	"modebench/estimators"
	_ "modebench/estimators/all" // for the tests of package estimators too: one program runs both
	"modebench/estimators/batchjson"
	"modebench/internal/testkit"
)

// A vector is one conformance case; testdata/README.md explains the entries.
type vector struct {
	Name       string              `json:"name"`
	Source     string              `json:"source"`
	Reason     string              `json:"reason"`
	Method     string              `json:"method"`
	Set        map[string]any      `json:"set"`
	Batch      json.RawMessage     `json:"batch"`
	Advantages [][]json.RawMessage `json:"advantages"` // of a method of tokens each is a list
	Error      string              `json:"error"`
	Tolerance  *float64            `json:"tolerance"`
	Defaults   map[string]any      `json:"defaults"`
}

func readVectors(t *testing.T, file string) []vector {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	decoder.UseNumber()
	var vectors []vector
	if err := decoder.Decode(&vectors); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return vectors
}

func vectorFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no conformance vectors: %v", err)
	}
	return files
}

// TestReadmeNamesEveryEntry: testdata/README.md explains every entry of a case, and
// names what else lies beside the vectors.
func TestReadmeNamesEveryEntry(t *testing.T) {
	text, err := os.ReadFile("testdata/README.md")
	if err != nil {
		t.Fatal(err)
	}
	cases, _, _ := strings.Cut(string(text), "\n## ")
	for f := range reflect.TypeFor[vector]().Fields() {
		if name := f.Tag.Get("json"); !strings.Contains(cases, "`"+name+"`") {
			t.Errorf("testdata/README.md does not say what `%s` of a case is", name)
		}
	}
	for _, name := range []string{"check.py", "example.py", "objectives/"} {
		if !strings.Contains(string(text), "`"+name+"`") {
			t.Errorf("testdata/README.md does not name %s", name)
		}
	}
}

func TestConformance(t *testing.T) {
	covered := map[string]bool{}
	for _, file := range vectorFiles(t) {
		seen := map[string]bool{}
		for _, v := range readVectors(t, file) {
			if v.Name == "" || v.Source == "" || v.Reason == "" || seen[v.Name] {
				t.Errorf("%s: %q: wants a name of its own, a source and a reason", file, v.Name)
			}
			seen[v.Name] = true
			covered[v.Method] = covered[v.Method] || v.Error == ""
			t.Run(filepath.Base(file)+"/"+v.Name, func(t *testing.T) { v.check(t) })
		}
	}
	for _, m := range estimators.Methods() {
		if !covered[m.Name] {
			t.Errorf("method %s has no conformance vector", m.Name)
		}
	}
}

// check computes the case's advantages and compares.
func (v vector) check(t *testing.T) {
	found, err := v.compute()
	if v.Error != "" {
		if v.Advantages != nil || v.Tolerance != nil {
			t.Fatal("a case has an error or advantages, not both")
		}
		testkit.WantError(t, err, v.Error)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	got := found.flat()
	if v.Tolerance == nil || len(got) != len(v.Advantages) {
		t.Fatalf("tolerance %v; %d groups of advantages for %d of the batch", v.Tolerance, len(v.Advantages), len(got))
	}
	for g := range got {
		var want []float64
		for i, text := range v.Advantages[g] {
			numbers, err := exactNumbers(text)
			if err != nil {
				t.Fatal(err)
			}
			if found.tokens != nil && len(numbers) != len(found.tokens[g][i]) {
				t.Fatalf("group %d: %s for the %d tokens of rollout %d", g, text, len(found.tokens[g][i]), i)
			}
			want = append(want, numbers...)
		}
		testkit.Near(t, fmt.Sprintf("%s: group %d", v.Reason, g), got[g], want, *v.Tolerance)
	}
}

// computed are the advantages of a case: of rollouts, or of tokens.
type computed struct {
	rollouts [][]float64
	tokens   [][][]float64
}

// flat has one list per group, that of tokens rollout after rollout.
func (c computed) flat() [][]float64 {
	if c.tokens == nil {
		return c.rollouts
	}
	var out [][]float64
	for _, group := range c.tokens {
		out = append(out, slices.Concat(group...))
	}
	return out
}

// compute goes the way of `bench estimate`: read, check the requirements, estimate.
func (v vector) compute() (computed, error) {
	m, err := estimators.Lookup(v.Method)
	if err != nil {
		return computed{}, err
	}
	instance := m.New()
	names := make([]string, 0, len(v.Set))
	for name := range v.Set {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		if err := instance.Set(name, fromJSON(v.Set[name])); err != nil {
			return computed{}, err
		}
	}
	b, err := batchjson.Read(bytes.NewReader(v.Batch))
	if err != nil {
		return computed{}, err
	}
	if err := instance.Estimator.Requirements().Check(b); err != nil {
		return computed{}, err
	}
	if instance.PerToken() {
		dst := estimators.NewTokenAdvantages(b)
		return computed{tokens: dst}, instance.TokenAdvantages(dst, b)
	}
	dst := estimators.NewAdvantages(b)
	return computed{rollouts: dst}, instance.Estimator.Advantages(dst, b)
}

// fromJSON turns a decoded number into the types of package params.
func fromJSON(value any) any {
	n, ok := value.(json.Number)
	if !ok {
		return value
	}
	if i, err := n.Int64(); err == nil {
		return i
	}
	x, err := n.Float64()
	if err != nil {
		return value
	}
	return x
}

// exactNumbers reads a number, or a list of them.
func exactNumbers(text json.RawMessage) ([]float64, error) {
	entries := []json.RawMessage{text}
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		entries = nil
		if err := json.Unmarshal(text, &entries); err != nil {
			return nil, err
		}
	}
	var out []float64
	for _, entry := range entries {
		x, err := exactNumber(entry)
		if err != nil {
			return nil, err
		}
		out = append(out, x)
	}
	return out, nil
}

// exactNumber reads a number, or a string that holds a fraction, and rounds it once.
func exactNumber(text json.RawMessage) (float64, error) {
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return 0, err
	}
	switch x := value.(type) {
	case float64:
		return x, nil
	case string:
		if q, ok := new(big.Rat).SetString(x); ok {
			f, _ := q.Float64()
			return f, nil
		}
	}
	return 0, fmt.Errorf("%s is neither a number nor a fraction", text)
}

// TestTolerancesAreTight: a tolerance near the size of the advantages would let
// a wrong formula pass.
func TestTolerancesAreTight(t *testing.T) {
	for _, file := range vectorFiles(t) {
		for _, v := range readVectors(t, file) {
			if v.Error != "" {
				continue
			}
			got, err := v.compute()
			if err != nil {
				t.Errorf("%s: %s: %v", file, v.Name, err)
				continue
			}
			largest := 0.0
			for _, group := range got.flat() {
				for _, a := range group {
					largest = max(largest, math.Abs(a))
				}
			}
			if *v.Tolerance > 1e-3 || largest > 0 && largest < 100**v.Tolerance {
				t.Errorf("%s: %s: tolerance %g for advantages up to %g hides mistakes", file, v.Name, *v.Tolerance, largest)
			}
		}
	}
}

// TestPublishedFractionsAreExact: the vectors of Poly-EPO are fractions, so that
// no rounding of ours went into them.
func TestPublishedFractionsAreExact(t *testing.T) {
	for _, v := range readVectors(t, "testdata/poly-epo.json") {
		for _, group := range v.Advantages {
			for _, text := range group {
				if strings.Contains(string(text), ".") {
					t.Errorf("%s: %s is not a fraction", v.Name, text)
				}
			}
		}
	}
}

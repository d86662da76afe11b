package batchjson

import (
	"errors"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"modebench/envs"
	"modebench/estimators"
	"modebench/estimators/internal/batchtest"
	"modebench/internal/testkit"
)

// rewrite writes a batch and reads it again.
func rewrite(t testkit.Failer, b *estimators.Batch, fields envs.Fields, facts estimators.RolloutFields) (*estimators.Batch, string) {
	t.Helper()
	text, err := Append([]byte("> "), b, fields, facts)
	if err != nil {
		t.Fatalf("%v", err)
	}
	line := strings.TrimPrefix(string(text), "> ")
	if strings.ContainsAny(line, "\n\r\u2028\u2029") || !strings.HasPrefix(string(text), "> ") {
		t.Fatalf("not one line at the end of what was there: %q", text)
	}
	out, err := read(line)
	if err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	return out, line
}

// sameErrors takes two verdicts that do not parse for the same.
var sameErrors = cmp.Comparer(func(a, b error) bool { return (a == nil) == (b == nil) })

// TestAppend: all of a batch comes back, to the last bit.
func TestAppend(t *testing.T) {
	b := silent(batchtest.Sample(3, 6, 5))
	b.Seed, b.Step = math.MaxUint64, math.MinInt
	b.Weights = []float64{0.1}
	b.Groups[2].Weights, b.Groups[2].Greedy = []float64{5e-324}, -math.MaxFloat64
	r := b.Groups[1].Rollouts
	r[2].Train = false
	r[3].Candidates[0].Mode = envs.Degenerate
	r[3].Candidates[0].Err = errors.New("no answer")
	r[3].Candidates[0].Variant = "a\tb"
	r[3].Candidates[0].Answer = ""
	r[4] = estimators.Rollout{Tokens: math.MaxInt, Logprob: math.Copysign(0, -1), Entropy: 1e15, Train: true, Final: "<\u2028\"\\\x00ä\u2029>", Candidates: append(r[4].Candidates, r[5].Candidates...)}
	for _, x := range []float64{1e15 - 1, -1e15 + 1, 1e15, 1e21, 1 << 53, 1<<53 + 2, .1 + .2, 1. / 3, 5e-324, 1e-7, -123456789.5} {
		b.Groups[0].Rollouts[0].Candidates = append(b.Groups[0].Rollouts[0].Candidates, &envs.Verdict{Reward: []float64{x}, Embedding: []float32{float32(x), math.SmallestNonzeroFloat32, math.MaxFloat32}})
	}
	got, _ := rewrite(t, b, envs.HasAll, estimators.AllRolloutFields)
	if d := cmp.Diff(b, got, cmpopts.IgnoreFields(estimators.Batch{}, "Missing"), sameErrors); d != "" {
		t.Errorf("-sent +read:\n%s", d)
	}
	if !math.Signbit(got.Groups[1].Rollouts[4].Logprob) {
		t.Error("-0 is read as 0")
	}
	if got.CandidateFields != envs.HasAll || got.RolloutFields != estimators.AllRolloutFields {
		t.Errorf("%v, %v", got.CandidateFields.Names(), got.RolloutFields.Names())
	}
}

// silent removes the facts per token of a batch.
func silent(b *estimators.Batch) *estimators.Batch {
	b.RolloutFields &= estimators.AllRolloutFields
	for _, g := range b.Groups {
		for i := range g.Rollouts {
			g.Rollouts[i].PerToken = nil
		}
	}
	return b
}

// TestAppendTokens: the facts per token of a batch come back, to the last bit, and the number
// of tokens with them.
func TestAppendTokens(t *testing.T) {
	g := batchtest.Group([]float64{1, 0, 1}, "")
	for i := range g.Rollouts {
		g.Rollouts[i].Tokens = 1 + 2*i
	}
	b := batchtest.Of(g)
	b.Groups[0].Rollouts[1].PerToken.Reference[1] = -1. / 3
	got, _ := rewrite(t, b, envs.HasAll, estimators.AllTokenFields)
	want := *b
	want.RolloutFields = estimators.AllTokenFields | estimators.RolloutTokens
	if d := cmp.Diff(&want, got, cmpopts.IgnoreFields(estimators.Batch{}, "Missing"), cmpopts.EquateEmpty()); d != "" {
		t.Errorf("-sent +read:\n%s", d)
	}
}

// TestAppendAgreesWithTheOtherWriter, that of encoding/json, which the tests of the reader use.
func TestAppendAgreesWithTheOtherWriter(t *testing.T) {
	b := batchtest.Sample(2, 5, 3)
	b.Groups[1].Weights = []float64{2}
	want, err := read(write(t, b))
	if err != nil {
		t.Fatal(err)
	}
	got, _ := rewrite(t, b, envs.HasAll, estimators.AllRolloutFields|estimators.AllTokenFields)
	if d := cmp.Diff(want, got, cmpopts.IgnoreFields(estimators.Batch{}, "Missing"), sameErrors); d != "" {
		t.Errorf("-encoding/json +this:\n%s", d)
	}
}

// TestAppendOfSomeFields: each is written if it is asked for, and not otherwise.
func TestAppendOfSomeFields(t *testing.T) {
	b := batchtest.Sample(1, 2, 2)
	b.Weights = nil
	for bit, name := range envs.HasAll.Names() {
		got, line := rewrite(t, b, 1<<bit, 0)
		if got.CandidateFields != 1<<bit || got.RolloutFields != 0 || strings.Count(line, `"`+name+`":`) != 2 {
			t.Errorf("%s: %v and %v in %s", name, got.CandidateFields.Names(), got.RolloutFields.Names(), line)
		}
	}
	for bit, name := range (estimators.AllRolloutFields | estimators.AllTokenFields).Names() {
		want := estimators.RolloutFields(1 << bit)
		if want&estimators.AllTokenFields != 0 {
			want |= estimators.RolloutTokens // which the list gives
		}
		got, line := rewrite(t, b, 0, 1<<bit)
		if got.CandidateFields != 0 || got.RolloutFields != want {
			t.Errorf("%s: %v and %v in %s", name, got.CandidateFields.Names(), got.RolloutFields.Names(), line)
		}
	}
	if _, line := rewrite(t, b, 0, 0); line != `{"seed":0,"step":0,"groups":[{"problem":"p","rollouts":[{"candidates":[{}]},{"candidates":[{}]}]}]}` {
		t.Error(line)
	}
}

// TestAppendErrors name the path of a value that JSON does not have.
func TestAppendErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(-1)
	for _, c := range []struct {
		spoil func(b *estimators.Batch)
		want  string
	}{
		{func(b *estimators.Batch) { b.Weights[0] = nan }, "weights[0]: got NaN, want a finite number"},
		{func(b *estimators.Batch) { b.Groups[1].Weights = []float64{1, inf} }, "groups[1].weights[1]: got -Inf, want a finite number"},
		{func(b *estimators.Batch) { b.Groups[1].Greedy = nan }, "groups[1].greedy: got NaN, want a finite number"},
		{func(b *estimators.Batch) { b.Groups[0].Problem = "p\xff" }, `groups[0].problem: got "p\xff", want UTF-8`},
		{func(b *estimators.Batch) { b.Groups[1].Rollouts[1].Logprob = inf }, "groups[1].rollouts[1].logprob: got -Inf, want a finite number"},
		{func(b *estimators.Batch) { b.Groups[1].Rollouts[0].Entropy = nan }, "groups[1].rollouts[0].entropy: got NaN, want a finite number"},
		{func(b *estimators.Batch) { b.Groups[1].Rollouts[0].Final = "\xc3" }, `groups[1].rollouts[0].final: got "\xc3", want UTF-8`},
		{func(b *estimators.Batch) { b.Groups[0].Rollouts[1].Candidates[0].Reward[0] = nan }, "groups[0].rollouts[1].candidates[0].reward[0]: got NaN, want a finite number"},
		{func(b *estimators.Batch) { b.Groups[0].Rollouts[1].Candidates[0].Embedding[1] = float32(nan) }, "groups[0].rollouts[1].candidates[0].embedding[1]: got NaN, want a finite number"},
	} {
		b := batchtest.Sample(2, 2, 2)
		c.spoil(b)
		if _, err := Append(nil, b, envs.HasAll, estimators.AllRolloutFields); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// FuzzAppend: a batch of any numbers and texts comes back.
func FuzzAppend(f *testing.F) {
	f.Add(uint64(1), 2, 0.1, 1e300, float32(0.3), "p0", "A", "42", true)
	f.Add(uint64(0), -1, math.Copysign(0, -1), 5e-324, float32(math.MaxFloat32), "\u2028\"\\", "", "\x00\x7f\U0001f600", false)
	f.Fuzz(func(t *testing.T, seed uint64, step int, x, y float64, z float32, problem, mode, answer string, on bool) {
		b := &estimators.Batch{Seed: seed, Step: step, Weights: []float64{1, 0.5}, CandidateFields: envs.HasAll, RolloutFields: estimators.AllRolloutFields, Groups: []estimators.Group{{
			Problem: problem, Greedy: x, Rollouts: []estimators.Rollout{
				{Tokens: step, Logprob: y, Entropy: -x, Train: on, Final: answer, Candidates: []*envs.Verdict{
					{Reward: []float64{x, y}, Correct: on, Answer: answer, Mode: envs.Mode(mode), Embedding: []float32{z, -z}, Variant: problem},
					{Reward: []float64{y, x}, Correct: !on, Mode: envs.Mode(answer), Embedding: []float32{}},
				}}}}}}
		finite := x-x == 0 && y-y == 0 && z-z == 0
		if !finite || !utf8.ValidString(problem+" "+mode+" "+answer) {
			if _, err := Append(nil, b, envs.HasAll, estimators.AllRolloutFields); err == nil {
				t.Fatal("written, though JSON does not hold it")
			} else {
				testkit.OneLine(t, err)
			}
			return
		}
		got, line := rewrite(t, b, envs.HasAll, estimators.AllRolloutFields)
		if d := cmp.Diff(b, got, cmpopts.IgnoreFields(estimators.Batch{}, "Missing"), sameErrors); d != "" {
			t.Fatalf("-sent +read:\n%s\n%s", d, line)
		}
	})
}

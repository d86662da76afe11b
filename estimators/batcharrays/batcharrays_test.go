package batcharrays

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
	"modebench/estimators"
	"modebench/estimators/batchjson"
	"modebench/internal/testkit"
)

// encode writes a batch as a message, with the arrays of its facts. ok is false for a batch
// that arrays cannot hold: of rows of different lengths, or with distributions.
func encode(b *estimators.Batch) (message []byte, ok bool) {
	h := header{Seed: b.Seed, Step: b.Step}
	var body bytes.Buffer
	add := func(name string, shape []int, numbers any) {
		h.Arrays = append(h.Arrays, array{Name: name, Shape: shape})
		if err := binary.Write(&body, binary.LittleEndian, numbers); err != nil {
			panic(err)
		}
	}
	texts := func(name string, all []string) {
		a := array{Name: name}
		for _, text := range all {
			if a.Texts = append(a.Texts, &text); text == "" {
				a.Texts[len(a.Texts)-1] = nil
			}
		}
		h.Arrays = append(h.Arrays, a)
	}
	var candidates []*envs.Verdict
	var rollouts []estimators.Rollout
	var problems []string
	var greedy, weights []float64
	for _, g := range b.Groups {
		h.Sizes = append(h.Sizes, len(g.Rollouts))
		problems, greedy, weights = append(problems, g.Problem), append(greedy, g.Greedy), append(weights, g.Weights...)
		for _, r := range g.Rollouts {
			rollouts, candidates = append(rollouts, r), append(candidates, r.Candidates...)
			h.Candidates = len(r.Candidates)
			if r.Tokens < 0 {
				return nil, false // a mistake that is found by whoever reads them
			}
		}
	}
	if len(candidates) != h.Candidates*len(rollouts) || b.RolloutFields&estimators.TokenLegal != 0 {
		return nil, false
	}
	texts("problem", problems)
	switch {
	case len(weights) == 0 && len(b.Weights) == 0: // no rewards
	case len(weights) == 0:
		add("weights", []int{len(b.Weights)}, b.Weights)
	case len(weights) == len(problems)*len(b.Weights) && slices.Equal(weights[:len(b.Weights)], b.Weights):
		add("weights", []int{len(problems), len(b.Weights)}, weights)
	default:
		return nil, false
	}
	each := func(get func(*envs.Verdict) string) (all []string) {
		for _, c := range candidates {
			all = append(all, get(c))
		}
		return all
	}
	bits := func(n int, get func(int) bool) []uint8 {
		all := make([]uint8, n)
		for i := range all {
			if get(i) {
				all[i] = 1
			}
		}
		return all
	}
	if b.CandidateFields&envs.HasReward != 0 {
		var all []float64
		for _, c := range candidates {
			all = append(all, c.Reward...)
		}
		add("reward", []int{len(candidates), len(candidates[0].Reward)}, all)
	}
	if b.CandidateFields&envs.HasCorrect != 0 {
		add("correct", []int{len(candidates)}, bits(len(candidates), func(i int) bool { return candidates[i].Correct }))
	}
	if b.CandidateFields&envs.HasValid != 0 {
		add("valid", []int{len(candidates)}, bits(len(candidates), func(i int) bool { return candidates[i].Err == nil }))
	}
	if b.CandidateFields&envs.HasAnswer != 0 {
		texts("answer", each(func(c *envs.Verdict) string { return c.Answer }))
	}
	if b.CandidateFields&envs.HasMode != 0 {
		texts("mode", each(func(c *envs.Verdict) string { return string(c.Mode) }))
	}
	if b.CandidateFields&envs.HasVariant != 0 {
		texts("variant", each(func(c *envs.Verdict) string { return c.Variant }))
	}
	if b.CandidateFields&envs.HasEmbedding != 0 {
		var all []float32
		width := 0
		for _, c := range candidates {
			width = max(width, len(c.Embedding))
		}
		for _, c := range candidates {
			row := make([]float32, width)
			if all = append(all, row[:copy(row, c.Embedding)]...); len(c.Embedding) == 0 {
				all = append(all, row...)
			}
		}
		if len(all) != width*len(candidates) {
			return nil, false
		}
		add("embedding", []int{len(candidates), width}, all)
	}
	rolloutNumbers := func(name string, get func(*estimators.Rollout) float64) {
		var all []float64
		for i := range rollouts {
			all = append(all, get(&rollouts[i]))
		}
		add(name, []int{len(rollouts)}, all)
	}
	if b.RolloutFields&estimators.RolloutTokens != 0 {
		var all []int32
		for _, r := range rollouts {
			all = append(all, int32(r.Tokens))
		}
		add("tokens", []int{len(rollouts)}, all)
	}
	if b.RolloutFields&estimators.RolloutLogprob != 0 {
		rolloutNumbers("logprob", func(r *estimators.Rollout) float64 { return r.Logprob })
	}
	if b.RolloutFields&estimators.RolloutEntropy != 0 {
		rolloutNumbers("entropy", func(r *estimators.Rollout) float64 { return r.Entropy })
	}
	if b.RolloutFields&estimators.RolloutFinal != 0 {
		var all []string
		for _, r := range rollouts {
			all = append(all, r.Final)
		}
		texts("final", all)
	}
	add("train", []int{len(rollouts)}, bits(len(rollouts), func(i int) bool { return rollouts[i].Train }))
	if b.RolloutFields&estimators.GroupGreedy != 0 {
		add("greedy", []int{len(greedy)}, greedy)
	}
	for name, list := range map[string]struct {
		known estimators.RolloutFields
		of    func(*estimators.PerToken) []float64
	}{
		"token_logprobs":     {estimators.TokenLogprob, func(p *estimators.PerToken) []float64 { return p.Logprob }},
		"token_entropies":    {estimators.TokenEntropy, func(p *estimators.PerToken) []float64 { return p.Entropy }},
		"token_ref_logprobs": {estimators.TokenReference, func(p *estimators.PerToken) []float64 { return p.Reference }},
		"token_squares":      {estimators.TokenSquares, func(p *estimators.PerToken) []float64 { return p.Squares }},
	} {
		if b.RolloutFields&list.known != 0 {
			all := []float64{}
			for _, r := range rollouts {
				all = append(all, list.of(r.PerToken)...)
			}
			add(name, []int{len(all)}, all)
		}
	}
	line, err := json.Marshal(h)
	if err != nil {
		panic(err)
	}
	return append(append(line, '\n'), body.Bytes()...), true
}

// vectors are the batches of all test vectors of the methods.
func vectors(t testing.TB) (batches []*estimators.Batch, names []string) {
	t.Helper()
	files, err := filepath.Glob("../testdata/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no vectors: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var list []struct {
			Name  string          `json:"name"`
			Batch json.RawMessage `json:"batch"`
		}
		if err := json.Unmarshal(data, &list); err != nil {
			t.Fatal(err)
		}
		for _, v := range list {
			if v.Batch == nil {
				continue
			}
			if b, err := batchjson.Read(bytes.NewReader(v.Batch)); err == nil {
				batches, names = append(batches, b), append(names, filepath.Base(file)+": "+v.Name)
			}
		}
	}
	return batches, names
}

// TestArraysEqualDocuments holds the batches of the test vectors, read from arrays, against
// those read from their JSON documents.
func TestArraysEqualDocuments(t *testing.T) {
	batches, names := vectors(t)
	said := 0
	for i, want := range batches {
		message, ok := encode(want)
		if !ok {
			continue
		}
		said++
		got, err := Read(bufio.NewReader(bytes.NewReader(message)))
		if err != nil {
			t.Errorf("%s: %v", names[i], err)
			continue
		}
		want.Missing, got.Missing = nil, nil
		forgetPartial(want)
		ways := []cmp.Option{
			cmp.Comparer(func(a, b error) bool { return (a == nil) == (b == nil) }),
			cmp.Comparer(func(a, b []float32) bool { return slices.Equal(a, b) || !some(a) && !some(b) }),
			cmp.Comparer(func(a, b *estimators.PerToken) bool {
				if a == nil || b == nil {
					a, b = orNothing(a), orNothing(b)
				}
				return slices.Equal(a.Logprob, b.Logprob) && slices.Equal(a.Entropy, b.Entropy) && slices.Equal(a.Reference, b.Reference) && slices.Equal(a.Squares, b.Squares)
			}),
		}
		if diff := cmp.Diff(want, got, ways...); diff != "" {
			t.Errorf("%s: arrays say something else than the document (-document +arrays):\n%s", names[i], diff)
		}
	}
	if said < 100 || said < len(batches)*3/4 {
		t.Errorf("%d of %d vectors could be said in arrays", said, len(batches))
	}
}

// forgetPartial removes from a batch the facts of only some of its rollouts: an array is of all.
func forgetPartial(b *estimators.Batch) {
	for g := range b.Groups {
		if b.RolloutFields&estimators.GroupGreedy == 0 {
			b.Groups[g].Greedy = 0
		}
		for i := range b.Groups[g].Rollouts {
			r := &b.Groups[g].Rollouts[i]
			if b.RolloutFields&estimators.RolloutTokens == 0 {
				r.Tokens = 0
			}
			if b.RolloutFields&estimators.RolloutLogprob == 0 {
				r.Logprob = 0
			}
			if b.RolloutFields&estimators.RolloutEntropy == 0 {
				r.Entropy = 0
			}
			if b.RolloutFields&estimators.RolloutFinal == 0 {
				r.Final = ""
			}
			if b.RolloutFields&estimators.AllTokenFields == 0 {
				r.PerToken = nil
			}
			for _, c := range r.Candidates {
				if b.CandidateFields&envs.HasReward == 0 {
					c.Reward = nil
				}
				if b.CandidateFields&envs.HasMode == 0 {
					c.Mode = ""
				}
				if b.CandidateFields&envs.HasCorrect == 0 {
					c.Correct = false
				}
				if b.CandidateFields&envs.HasAnswer == 0 {
					c.Answer = ""
				}
				if b.CandidateFields&envs.HasValid == 0 {
					c.Err = nil
				}
				if b.CandidateFields&envs.HasEmbedding == 0 {
					c.Embedding = nil
				}
			}
		}
	}
}

// some reports whether an embedding is not all zeros.
func some(embedding []float32) bool {
	return slices.ContainsFunc(embedding, func(x float32) bool { return x != 0 })
}

func orNothing(p *estimators.PerToken) *estimators.PerToken {
	if p == nil {
		return &estimators.PerToken{}
	}
	return p
}

const two = "\x00\x00\x00\x00\x00\x00\xf0\x3f\x00\x00\x00\x00\x00\x00\x00\x00" // 1, 0

func TestMistakes(t *testing.T) {
	for _, c := range []struct {
		message, want string
		more          bool // the next message can be read
	}{
		{"{}\n", "sizes: missing or empty, want the number of rollouts of each group", true},
		{`{"sizes":[2],"arrays":[{"name":"reward","shape":[2,1]}]}` + "\n" + two[:9], `array "reward": the input ends after 9 of its 16 bytes`, false},
		{`{"sizes":[3],"arrays":[{"name":"reward","shape":[2,1]}]}` + "\n" + two, "sizes and candidates ask for 3 candidates, and no array has a row for each", true},
		{`{"sizes":[2],"arrays":[{"name":"rewards","shape":[2,1]}]}` + "\n" + two, `header: there is no array "rewards"`, false},
		{`{"sizes":[2],"arrays":[{"name":"reward","shape":[2,0]}]}` + "\n", "sizes and candidates ask for 2 candidates, and no array has a row for each", true},
		{`{"sizes":[2],"arrays":[{"name":"reward","shape":[2]}]}` + "\n" + two, `array "reward": has shape [2], want 2 rows in 2 dimensions`, true},
		{`{"sizes":[1,1],"arrays":[{"name":"greedy","shape":[2]},{"name":"token_squares","shape":[0]}]}` + "\n" + two, `array "token_squares": the array "tokens", which counts them, has to come before`, true},
		{`{"sizes":[2],"arrays":[{"name":"logprob","shape":[2]}]}` + "\n" + two[:8] + "\x00\x00\x00\x00\x00\x00\xf8\x7f", `array "logprob": [1] is NaN, want a finite number`, true},
		{`{"sizes":[2],"arrays":[{"name":"valid","shape":[2]}]}` + "\n\x01\x02", `array "valid": [1] is 2, want 0 or 1`, true},
		{`{"sizes":[2],"arrays":[{"name":"reward","shape":[2,1]},{"name":"weights","shape":[2]}]}` + "\n" + two + two, `array "weights": 2 for each reward, which has 1 components`, true},
		{`{"sizes":[2],"arrays":[{"name":"mode","texts":["a"]}]}` + "\n", "sizes and candidates ask for 2 candidates, and no array has a row for each", true},
		{`{"sizes":[1],"candidates":300,"arrays":[]}` + "\n", "candidates is 300, want 1 to 255", true},
		{`{"sizes":[1],"arrays":[{"name":"reward","shape":[1000000,1000000]}]}` + "\n", `array "reward": shape [1000000 1000000]: want at most 268435456 entries`, false},
		{`{"sizes":`, "header: the input ends in it", false},
	} {
		r := bufio.NewReader(strings.NewReader(c.message))
		_, err := Read(r)
		if err == nil || err.Error() != c.want {
			t.Errorf("%q:\n got %v\nwant %s", c.message, err, c.want)
			continue
		}
		var wrong *BatchError
		if errors.As(err, &wrong) != c.more {
			t.Errorf("%q: %v: a mistake of the batch alone: %v, want %v", c.message, err, !c.more, c.more)
		}
		if _, err := Read(r); c.more && !errors.Is(err, io.EOF) {
			t.Errorf("%q: behind it there is %v, want the end", c.message, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	batches, _ := vectors(f)
	for i, b := range batches {
		if message, ok := encode(b); ok && i%20 == 0 {
			f.Add(message)
		}
	}
	f.Add([]byte(`{"sizes":[1],"candidates":255,"arrays":[{"name":"mode","shape":[255]}]}` + "\n"))
	f.Fuzz(func(t *testing.T, message []byte) {
		r := bufio.NewReader(bytes.NewReader(message))
		for {
			b, err := Read(r)
			var wrong *BatchError
			if err != nil {
				testkit.OneLine(t, err)
				if errors.As(err, &wrong) {
					continue
				}
				return
			}
			for _, g := range b.Groups {
				for _, r := range g.Rollouts {
					if len(r.Candidates) == 0 || r.Tokens < 0 {
						t.Fatalf("a rollout of %d candidates and %d tokens", len(r.Candidates), r.Tokens)
					}
				}
			}
		}
	})
}

func TestAppend(t *testing.T) {
	got := Append(nil, [][]float64{{0.5, -0.5}, {math.Copysign(0, -1)}})
	want := "{\"advantages\":3}\n\x00\x00\x00\x00\x00\x00\xe0\x3f\x00\x00\x00\x00\x00\x00\xe0\xbf\x00\x00\x00\x00\x00\x00\x00\x80"
	if string(got) != want {
		t.Errorf("got %q, want %q", got, want)
	}
	got = AppendTokens(nil, [][][]float64{{{0.5}, {}}, {{-0.5}}})
	if want := "{\"tokens\":2}\n\x00\x00\x00\x00\x00\x00\xe0\x3f\x00\x00\x00\x00\x00\x00\xe0\xbf"; string(got) != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := string(appendText(nil, "error", "a \"b\"\nc")), `{"error":"a \"b\"\nc"}`+"\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

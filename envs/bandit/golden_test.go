package bandit

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
	"modebench/internal/rng"
)

func TestPicture(t *testing.T) {
	p := problem(t, build(t, func(c *Config) {
		c.Modes, c.Rewarded, c.Components, c.Collinearity, c.Start = 3, 2, 2, 0.25, "zipf"
	}), envs.Train, 0)
	got := p.Picture([]envs.Token{1}, []envs.Token{2}, []envs.Token{1}, nil, []envs.Token{9})
	want := `bandit train/0: 3 modes, 2 correct (*), 1 arm each
* m0  answer A0   reward (1, 0.25)  base 0.273 ###########
* m1  answer A0   reward (0.188, 0.938)  base 0.545 ######################  <- 2
  m2  answer A1   reward (0, 0)  base 0.182 #######  <- 1
`
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestFields(t *testing.T) {
	p := problem(t, build(t, func(c *Config) { c.Modes, c.Rewarded, c.Start = 3, 1, "zipf" }), envs.Train, 0)
	got, err := json.Marshal(p.Fields())
	if err != nil {
		t.Fatal(err)
	}
	want := `{"arms":[` +
		`{"arm":"m0","mode":"m0","reward":[1],"correct":true,"answer":"A0","base":0.27272727272727276},` +
		`{"arm":"m1","mode":"m1","reward":[0],"correct":false,"answer":"A1","base":0.5454545454545455},` +
		`{"arm":"m2","mode":"m2","reward":[0],"correct":false,"answer":"A2","base":0.18181818181818182}]}`
	if d := cmp.Diff(want, string(got)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestProblemsArePinned hashes problems with all their numbers. Records and published
// results are only comparable while everyone's problems are the same, bit for bit: on every
// architecture, at every GOAMD64 level, in every later version. A change that moves these
// hashes changes results, and must be announced.
func TestProblemsArePinned(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Config)
		want   string
	}{
		{"default", nil, "f0eb8f076361ca6f0e46faebddcf0ad4a598fd09dc370b11834792dcdc320521"},
		{"arms", func(c *Config) { c.ArmsPerMode = 4 }, "062cff68f07a39c1a31aac27c676cbe29d636152e2660957b3abd66ee7e6c6c5"},
		{"zipf", func(c *Config) { c.Start = "zipf" }, "920df23c7c314a919b1218b3d4d8ecf29c2af4265959f395532f2e03c0f18150"},
		{"shared", func(c *Config) { c.Form = "shared" }, "ec9b22ce424b2c23423547dcbc6d974a4fec8c93540a6f6fe317af481d9ac205"},
	} {
		e, hash := build(t, c.change), sha256.New()
		for _, split := range envs.Splits() {
			for i := range 20 {
				p := problem(t, e, split, i)
				doc := struct {
					ID     string
					Fields map[string]any
					Prior  []float64
					Truth  envs.Truth
					Vector [][]float32
					Shown  [][]envs.Token
				}{ID: p.ID(), Fields: p.Fields(), Prior: p.AppendPrior(nil, nil), Truth: p.Truth(), Vector: e.embedding}
				for j := range 10 {
					doc.Shown = append(doc.Shown, p.Demonstrate(rng.New(uint64(j)).Rand()))
				}
				// encoding/json writes the shortest text that gives the same
				// bits back, so equal text is equal numbers.
				text, err := json.Marshal(doc)
				if err != nil {
					t.Fatal(err)
				}
				hash.Write(text)
			}
		}
		if got := hex.EncodeToString(hash.Sum(nil)); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

package maze

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
	"modebench/envs/envtest"
	"modebench/internal/testkit"
)

func TestConformance(t *testing.T) {
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			opts := []envtest.Option{envtest.Problems(2), envtest.Walks(30)}
			if v.change == nil {
				opts = append(opts, envtest.Pinned("801fd14868529e9b67995e719a37d2254c867783a4efff7af3cc82616eb23eab"))
			}
			envtest.Run(t, build(t, v.change), opts...)
		})
	}
}

func TestBuildRefuses(t *testing.T) {
	for _, c := range []struct {
		reason string
		change func(*Config)
		want   string
	}{
		{"an even maze has no centre cell", func(c *Config) { c.Size = 8 }, `field "size": got 8, want an odd number from 5 to 21: the bonus tile lies in the centre`},
		{"smaller mazes have no room", func(c *Config) { c.Size = 3 }, `field "size": got 3, want int from 5 to 21`},
		{"larger mazes exceed what is tested", func(c *Config) { c.Size = 23 }, `field "size": got 23, want int from 5 to 21`},
		{"bounds in the wrong order", func(c *Config) { c.OpeningsMin = 29 }, `field "openings_min": got 29, want 0 to openings_max, 28`},
		{"bounds in the wrong order", func(c *Config) { c.ItemsMin = 6 }, `field "items_min": got 6, want 1 to items_max, 5`},
		{"no gold at all leaves its share undefined", func(c *Config) { c.ItemsMin = 0 }, `field "items_min": got 0, want int from 1 to 6`},
		{"an item set has six bits for gold", func(c *Config) { c.ItemsMax = 7 }, `field "items_max": got 7, want int from 1 to 6`},
		{"bounds in the wrong order", func(c *Config) { c.LavaMin = 6 }, `field "lava_min": got 6, want 0 to lava_max, 5`},
		{"less than none", func(c *Config) { c.LavaMin = -1 }, `field "lava_min": got -1, want int from 0 to 8`},
		{"an item set has eight bits for lava", func(c *Config) { c.LavaMax = 9 }, `field "lava_max": got 9, want int from 0 to 8`},
		{"a 5x5 maze's interior is the bonus tile", func(c *Config) { c.Size = 5 }, `field "lava_max": got 5, want at most 0: lava lies two cells or more from the border, beside the bonus tile`},
		{"a budget below the way", func(c *Config) { c.Slack = -1 }, `field "slack": got -1, want int from 0 to 100`},
		{"no temperature", func(c *Config) { c.Tau = 0 }, `field "tau": got 0, want a number from 0.01 to 100`},
	} {
		config := Default()
		c.change(config)
		if env, err := config.Build(); env != nil || err == nil || err.Error() != c.want {
			t.Errorf("%s: error %v\nwant %s", c.reason, err, c.want)
		}
	}
}

// TestNothingToAccept: parameters that no maze satisfies end in an error.
func TestNothingToAccept(t *testing.T) {
	e := build(t, func(c *Config) { c.Slack = 100 })
	const want = "maze test/3: none of 10000 mazes drawn kept the rules; fewer items, more openings or less slack leave more"
	if p, err := e.Problem(envs.Test, 3); p != nil || err == nil || err.Error() != want {
		t.Errorf("a budget that pays for both corners: problem %v, error %v\nwant %s", p, err, want)
	}
	_, err := build(t, func(c *Config) { c.Slack, c.Source = 100, "released" }).Problem(envs.Train, 0)
	testkit.WantError(t, err, "maze train/0", "10000 mazes drawn kept the rules")
}

// TestConfigIsCopied: an environment does not follow later changes of its Config.
func TestConfigIsCopied(t *testing.T) {
	envtest.Copies(t, Default(), func(c *Config) { *c = Config{Size: 5, ItemsMin: 1, ItemsMax: 1} })
}

func TestIsRegistered(t *testing.T) { envtest.Registered(t, "maze", Default()) }

func TestInfo(t *testing.T) {
	want := envs.Info{
		Components: []string{"completion", "gold", "diamond", "avoid_lava"},
		Weights:    []float64{0.25, 0.25, 0.25, 0.25},
		Vocabulary: strings.Fields("UP DOWN LEFT RIGHT S E G D B L # . 0 1 2 3 4 5 6 7 8 9"),
		MaxAnswer:  47,
		Word:       "route",
		Embeddings: true,
	}
	if d := cmp.Diff(want, build(t, nil).Info()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestPromptTokens spells the prompt's tokens out, which must give the printed
// grid and the budget.
func TestPromptTokens(t *testing.T) {
	for _, v := range variants {
		e := build(t, v.change)
		words := e.Info().Vocabulary
		for _, split := range envs.Splits() {
			p := problem(t, e, split, 3)
			s := readSheet(t, p)
			got := ""
			for _, token := range p.Prompt() {
				got += words[token]
			}
			if want := strings.Join(s.rows, "") + fmt.Sprint(s.budget); got != want {
				t.Errorf("%s, %s: got %s, want %s", v.name, split, got, want)
			}
		}
	}
}

// TestOODIsLarger: two more cells on a side, openings in proportion to the
// area, and the longest answer is that of an ood problem.
func TestOODIsLarger(t *testing.T) {
	e := build(t, nil)
	if got := [...]int{e.usual.size, e.larger.size}; got != [...]int{9, 11} {
		t.Errorf("sizes %v", got)
	}
	// 18*121/81 = 26.9 and 28*121/81 = 41.8.
	if e.usual.openings != [2]int{18, 28} || e.larger.openings != [2]int{27, 42} {
		t.Errorf("openings %v and %v", e.usual.openings, e.larger.openings)
	}
	for _, split := range envs.Splits() {
		want := 9
		if split == envs.OOD {
			want = 11
		}
		s := readSheet(t, problem(t, e, split, 0))
		if len(s.rows) != want || len(s.rows[0]) != want || s.budget > e.Info().MaxAnswer {
			t.Errorf("%s: %d rows of %d cells, %d steps", split, len(s.rows), len(s.rows[0]), s.budget)
		}
	}
}

func TestMultiPrompt(t *testing.T) {
	p := draw([]string{"S.G", ".#.", "D.E"}, 7)
	chain, err := envs.NewChain(p, 2, envs.ChainOptions{Word: "route"})
	if err != nil {
		t.Fatal(err)
	}
	text := chain.PromptText()
	for _, want := range []string{"S . G\n. # .\nD . E\n", "You have 7 steps per route.", "<route_1>...</route_1>, <route_2>...</route_2>.", "2 truly different routes", "a budget of 7 steps of its own"} {
		if !strings.Contains(text, want) {
			t.Errorf("the prompt for two routes lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "<answer>") || strings.Contains(text, "route_3") {
		t.Errorf("the prompt for two routes shows other tags:\n%s", text)
	}
	// The examples of the format must be read as routes.
	for _, v := range chain.JudgeText(text[strings.Index(text, "The format"):]) {
		if v.Err != nil {
			t.Errorf("an example of the format: %v", v.Err)
		}
	}
}

package analysis

import (
	"strings"
	"testing"

	"modebench/experiments/internal/exptest"

	"github.com/google/go-cmp/cmp"
)

const claimed = `
[env]
name = "bandit"
[train]
steps = 20
lr = [0.1, 1]
[eval]
every = 20
[[method]]
name = "grpo"
[[method]]
name = "setpo+grpo"
lambda = [0.5, 5]
[[claim]]
name = "c"
text = "a fact about numbers"
source = "fig. 9"
paper = "1 against 2"
metric = "reward"
a = "grpo"
b = "setpo+grpo"
`

// TestClaimsPairSettings: every SetPO variant meets the GRPO of its own rate.
func TestClaimsPairSettings(t *testing.T) {
	for _, c := range []struct {
		reason, head, gate string
		holds              int
		reasonless         bool
	}{
		{"always true", "seeds = 6", "true", 4, true},
		{"never true", "seeds = 6", "a.mean > b.mean + 1", 0, true},
		{"the intervals are the sides' own", "seeds = 6", "a.low <= a.mean && a.mean <= a.high && b.n == 6", 4, true},
		{"too few seeds for a verdict", "seeds = 3", "true", 0, false},
	} {
		spec := exptest.Load(t, "my.toml", c.head+claimed+"gate = \""+c.gate+"\"\n")
		run := runIn(t, spec, t.TempDir(), 2)
		settings, err := newEnds(run).judge(run.Claims[0])
		if err != nil {
			t.Fatal(err)
		}
		var pairs []string
		holds := 0
		for _, s := range settings {
			pairs = append(pairs, s.A+" / "+s.B)
			if s.Holds {
				holds++
			}
			if (s.Reason == "") != c.reasonless {
				t.Errorf("%s: reason %q", c.reason, s.Reason)
			}
		}
		want := []string{
			"grpo lr=0.1 / setpo+grpo lambda=0.5 lr=0.1",
			"grpo lr=0.1 / setpo+grpo lambda=5 lr=0.1",
			"grpo lr=1 / setpo+grpo lambda=0.5 lr=1",
			"grpo lr=1 / setpo+grpo lambda=5 lr=1",
		}
		if d := cmp.Diff(want, pairs); d != "" {
			t.Errorf("%s: pairs (-want +got):\n%s", c.reason, d)
		}
		if holds != c.holds {
			t.Errorf("%s: holds at %d settings, want %d", c.reason, holds, c.holds)
		}
		text := ClaimText(run.Claims[0], settings)
		if c.reasonless == strings.Contains(text, "\n  a claim's verdict takes 6 seeds, ") {
			t.Errorf("%s: why six seeds, where there are fewer and only there:\n%s", c.reason, text)
		}
		if !strings.HasPrefix(text, "claim c: a fact about numbers (fig. 9)\n") || !strings.Contains(text, "\n  paper: 1 against 2\n  holds at ") {
			t.Errorf("%s: the paper's number is not below the values:\n%s", c.reason, text)
		}
		if !c.reasonless && !strings.Contains(text, "underpowered: 3 seeds, need 6") {
			t.Errorf("%s: the text does not say that it is underpowered:\n%s", c.reason, text)
		}
	}
}

// TestClaimsAboutWhatIsUndefined: a metric that one side does not have gives no
// verdict, whatever the gate makes of it.
func TestClaimsAboutWhatIsUndefined(t *testing.T) {
	spec := exptest.Load(t, "my.toml", `seeds = 6
[env]
name = "bandit"
components = 2
[train]
steps = 20
[eval]
every = 20
k = [1, 4]
samples = 8
[[method]]
name = "grpo"
[[method]]
name = "optimum"
[[claim]]
name = "c"
text = "t"
metric = ["reward_l1", "best@4"]
a = "grpo"
b = "optimum"
gate = "!(a.low > b.high)"
`)
	run := runIn(t, spec, t.TempDir(), 2)
	settings, err := newEnds(run).judge(run.Claims[0])
	if err != nil {
		t.Fatal(err)
	}
	if len(settings) != 2 || settings[0].Reason != "undefined: no reward_l1 of optimum" || settings[0].Holds {
		t.Errorf("got %+v, want no verdict on reward_l1", settings)
	}
	if settings[1].Reason != "" || !settings[1].Holds {
		t.Errorf("got %+v, want best@4 to hold: nothing is above the optimum", settings[1])
	}
	text := ClaimText(run.Claims[0], settings)
	for _, want := range []string{"undefined: no reward_l1 of optimum", "holds at 1 of 2 comparisons (1 without a verdict)"} {
		if !strings.Contains(text, want) {
			t.Errorf("the text lacks %q:\n%s", want, text)
		}
	}
}

// TestClaimRowsNameVariants: where a name stands for several variants, each
// row says which.
func TestClaimRowsNameVariants(t *testing.T) {
	spec := exptest.Load(t, "my.toml", `seeds = 1
[env]
name = "bandit"
components = 2
[train]
steps = 5
[[method]]
name = "goal-conditioned"
label = "asked for w*"
eval = { goals = "fixed" }
[[method]]
name = "goal-conditioned"
label = "asked for any"
eval = { goals = "random" }
[[method]]
name = "vpo"
[[claim]]
name = "alone"
text = "t"
metric = "headroom"
a = "goal-conditioned"
gate = "true"
[[claim]]
name = "against"
text = "t"
metric = "best@4"
a = "vpo"
b = "goal-conditioned"
gate = "true"
`)
	run := runIn(t, spec, t.TempDir(), 2)
	for _, c := range run.Claims {
		settings, err := newEnds(run).judge(c)
		if err != nil {
			t.Fatal(err)
		}
		text := ClaimText(c, settings)
		if !strings.Contains(text, "\n  one seed: no interval, so no verdict\n") || strings.Contains(text, "holds at") {
			t.Errorf("claim %s of one seed:\n%s", c.Name, text)
		}
		for _, label := range []string{"asked for w*", "asked for any"} {
			if strings.Count(text, label) != 1 {
				t.Errorf("claim %s: %q does not stand in one row:\n%s", c.Name, label, text)
			}
		}
	}
}

func TestSummaryTable(t *testing.T) {
	spec := exptest.Load(t, "my.toml", strings.Replace(exptest.Minimal, "seeds = 2", "title = \"t\"\nseeds = 3\ncolumns = [\"reward\", \"pass@4\"]", 1)+"[[method]]\nname = \"base\"\n")
	got, err := Summary(t.Context(), runIn(t, spec, t.TempDir(), 1))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(got), "\n")
	if len(lines) != 7 || lines[0] != "my: t" || !strings.HasPrefix(lines[1], "after training, mean over 3 seeds [95% interval") || lines[2] != "underpowered: 3 seeds are a first look; verdicts need 6" {
		t.Fatalf("summary:\n%s", got)
	}
	// A uniform start over 12 arms, 4 rewarded: reward 1/3, pass@4 = 1 - (2/3)^4.
	if want := "base    0.333 [0.333, 0.333]  0.802 [0.802, 0.802]"; lines[6] != want {
		t.Errorf("the row of base:\n got %q\nwant %q", lines[6], want)
	}
}

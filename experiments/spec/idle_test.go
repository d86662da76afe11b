package spec

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// otherNotes are those that are not about clips and ratios, which nearly every spec has.
func otherNotes(notes []string) (out []string) {
	for _, n := range notes {
		if !strings.HasPrefix(n, onePerBatch) {
			out = append(out, n)
		}
	}
	return out
}

// TestIdleAxes: several values of an unused field are a mistake, at the line or the pair that
// lists them.
func TestIdleAxes(t *testing.T) {
	const slip, q = "it is read by the demonstrator of multiplication alone, from which policy transformer does not start", "it is read by the demonstrator of countdown alone, from which policy transformer does not start"
	const transformer = "[policy]\nname = \"transformer\"\n"
	for _, c := range []struct {
		reason, text string
		set          []string
		want         string // of the error, after its place; "": no error
	}{
		{"a transformer learns from right answers", "[env]\nname = \"multiplication\"\nslip = [0.1, 0.25]\n" + transformer + "[[method]]\nname = \"grpo\"\n", nil, `my.toml:3: field "slip": several values make no difference: ` + slip},
		{"so it does where the list comes from outside", "[env]\nname = \"countdown\"\n" + transformer + "[[method]]\nname = \"grpo\"\n", []string{"env.q=[0.1, 0.25]"}, `--set env.q=[0.1, 0.25]: field "q": several values make no difference: ` + q},
		{"a table starts from the demonstrator", "[env]\nname = \"multiplication\"\nslip = [0.1, 0.25]\n[[method]]\nname = \"grpo\"\n", nil, ""},
		{"and so does one row", "[env]\nname = \"multiplication\"\nslip = [0.1, 0.25]\n" + transformer + "[[method]]\nname = \"grpo\"\n[[method]]\nname = \"base\"\npolicy = \"tabular\"\n", nil, ""},
		{"the maze's lessons are its demonstrator's", "[env]\nname = \"maze\"\ntau = [1, 2]\n" + transformer + "[[method]]\nname = \"grpo\"\n", nil, ""},
		{"unless there are none", "[env]\nname = \"maze\"\ntau = [1, 2]\n" + transformer + "pretrain_steps = 0\n[[method]]\nname = \"grpo\"\n", nil, `my.toml:3: field "tau": several values make no difference: it is read by the demonstrator of maze alone`},
		{"lessons know expressions", "[env]\nname = \"multiplication\"\nvariants = [1, 4]\n" + transformer + "[[method]]\nname = \"grpo\"\n", nil, ""},
		{"whom the baseline does not ask", "[env]\nname = \"maze\"\ndetour = [0, 1]\n[policy]\nname = \"baseline\"\n[[method]]\nname = \"base\"\n", nil, `my.toml:3: field "detour": several values make no difference: `},
		{"a uniform start has no exponent", "[env]\nname = \"bandit\"\nzipf = [1, 2]\n[[method]]\nname = \"grpo\"\n", nil, `my.toml:3: field "zipf": several values make no difference: it is read only where start = zipf; give it one value, or none`},
		{"in half of a grid it has one", "[env]\nname = \"bandit\"\nstart = [\"uniform\", \"zipf\"]\nzipf = [1, 2]\n[[method]]\nname = \"grpo\"\n", nil, ""},
		{"gradient descent has no moments", "[env]\nname = \"bandit\"\n[train]\noptimizer = \"sgd\"\nbeta1 = [0, 0.9]\n[[method]]\nname = \"grpo\"\n", nil, `my.toml:5: field "beta1": several values make no difference: it is read only where optimizer = adam`},
		{"nothing trains", "[env]\nname = \"bandit\"\n[train]\nlr = [0.1, 1]\n[[method]]\nname = \"base\"\n", nil, `my.toml:4: field "lr": several values make no difference: method base does not train`},
		{"something does", "[env]\nname = \"bandit\"\n[train]\nlr = [0.1, 1]\n[[method]]\nname = \"base\"\n[[method]]\nname = \"grpo\"\n", nil, ""},
		{"nobody reads modes", "[env]\nname = \"bandit\"\n[train]\njudge_noise = [0, 0.3]\n[[method]]\nname = \"grpo\"\n", nil, `my.toml:4: field "judge_noise": several values make no difference: method grpo reads no modes`},
		{"somebody does", "[env]\nname = \"bandit\"\n[train]\njudge_noise = [0, 0.3]\n[[method]]\nname = \"grpo\"\n[[method]]\nname = \"grpo-div\"\n", nil, ""},
		{"a clip at one update", "[env]\nname = \"bandit\"\n[[method]]\nname = \"grpo\"\nclip_low = [0.1, 0.2]\n", nil, `my.toml:5: field "clip_low": several values make no difference: at one update a batch (epochs and minibatches of 1) every ratio is 1`},
		{"at two", "[env]\nname = \"bandit\"\n[train]\nepochs = 2\n[[method]]\nname = \"grpo\"\nclip_low = [0.1, 0.2]\n", nil, ""},
		{"rollouts of an earlier policy", "[env]\nname = \"bandit\"\n[train]\nlag = 1\n[[method]]\nname = \"grpo\"\nclip_low = [0.1, 0.2]\n", nil, ""},
		{"a correction of nothing", "[env]\nname = \"bandit\"\n[[method]]\nname = \"grpo\"\ntis = [1, 2]\n", nil, `my.toml:5: field "tis": several values make no difference: rollouts are drawn by the policy that learns`},
		{"a bound of lags that do not differ", "[env]\nname = \"bandit\"\n[train]\nlag = 2\nmax_lag = [1, 2]\n[[method]]\nname = \"grpo\"\n", nil, `my.toml:5: field "max_lag": several values make no difference: it is read only where lag_spread > 0`},
		{"a bound of lags", "[env]\nname = \"bandit\"\n[train]\nlag = 2\nlag_spread = 2\nmax_lag = [1, 2]\n[[method]]\nname = \"grpo\"\n", nil, ""},
		{"a correction of ratios to the sampler", "[env]\nname = \"bandit\"\n[train]\nlag = 1\n[[method]]\nname = \"grpo\"\ntis = [1, 2]\n", nil, `my.toml:7: field "tis": several values make no difference: old = sampler in train, so`},
		{"a correction", "[env]\nname = \"bandit\"\n[train]\nlag = 1\nold = \"learner\"\n[[method]]\nname = \"grpo\"\ntis = [1, 2]\n", nil, ""},
		{"bounds of several updates", "[env]\nname = \"bandit\"\n[train]\nepochs = 2\n[[method]]\nname = \"grpo\"\nbound_high = [2, 3]\n", nil, ""},
		{"clips beside the learner's own ratios", "[env]\nname = \"bandit\"\n[train]\nlag = 1\nold = \"learner\"\n[[method]]\nname = \"grpo\"\nclip_low = [0.1, 0.2]\n", nil, `my.toml:8: field "clip_low": several values make no difference: at one update a batch`},
		{"ratios at one update", "[env]\nname = \"bandit\"\n[[method]]\nname = \"grpo\"\nratio = [\"token\", \"sequence-norm\"]\n", nil, `my.toml:5: field "ratio": `},
		{"the product weighs sequences by their length", "[env]\nname = \"bandit\"\n[[method]]\nname = \"grpo\"\nratio = [\"token\", \"sequence\"]\n", nil, ""},
		{"an estimator of no divergence", "[env]\nname = \"bandit\"\n[[method]]\nname = \"grpo\"\nkl = [\"k1\", \"k3\"]\n", nil, `my.toml:5: field "kl": several values make no difference: it is read only where kl_coef > 0`},
		{"centred rewards have no deviation", "[env]\nname = \"bandit\"\n[[method]]\nname = \"dr-grpo\"\nddof = [0, 1]\n", nil, `my.toml:5: field "ddof": several values make no difference: it is read only where scale = group; give it one value, or none`},
		{"nor has a reward of one component weights", "[env]\nname = \"bandit\"\n[[method]]\nname = \"vpo\"\nalpha = [1, 2]\n", nil, `my.toml:5: field "alpha": several values make no difference: it is read only where reward.components > 1`},
		{"no group is of one rollout", "[env]\nname = \"bandit\"\n[[method]]\nname = \"rloo\"\nsingleton = [\"zero\", \"raw\"]\n", nil, `my.toml:5: field "singleton": several values make no difference: it is read only where train.group = 1`},
		{"some are", "[env]\nname = \"bandit\"\n[train]\ngroup = [1, 4]\n[[method]]\nname = \"rloo\"\nsingleton = [\"zero\", \"raw\"]\n", nil, ""},
	} {
		_, err := Parse("my.toml", []byte(c.text), LoadOptions{Set: c.set})
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", c.reason, err)
			}
			continue
		}
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s:\n got %v\nwant %s", c.reason, err, c.want)
		}
	}
}

// TestIdleNotes: a field that is set in vain is noted once, whether the spec or a method sets
// it.
func TestIdleNotes(t *testing.T) {
	for _, c := range []struct {
		reason, text string
		want         []string
	}{
		{"one value under a transformer", "[env]\nname = \"multiplication\"\nslip = 0.1\nskew = 2\n[policy]\nname = \"transformer\"\n[[method]]\nname = \"base\"\n",
			[]string{"env.slip makes no difference: it is read by the demonstrator of multiplication alone, from which policy transformer does not start"}},
		{"a method's own", "[env]\nname = \"bandit\"\n[[method]]\nname = \"base\"\ntrain = { lr = 3 }\n[[method]]\nname = \"reinforce\"\nlabel = \"mine\"\nclip_low = 0\nclip_high = 0\nkl = \"k1\"\n",
			[]string{`train.lr of "base" makes no difference: method base does not train`, `kl of "mine" makes no difference: it is read only where kl_coef > 0`}},
		{"[eval] and [policy]", "[env]\nname = \"bandit\"\n[policy]\nsmoothing = 1\ncontext = \"blind\"\n[train]\nepochs = 2\n[eval]\ndraws = 5\ngoals = \"random\"\ndelta = 0.5\n[[method]]\nname = \"grpo\"\n", []string{
			"policy.smoothing makes no difference: the demonstrator of bandit is known exactly, and demonstrations = 0 uses it",
			"policy.context makes no difference: neither chains nor goals give rollouts a context",
			"eval.draws makes no difference: a reward of bandit has one component",
			"eval.goals makes no difference: method grpo is asked for no goal",
			`eval.delta makes no difference: "embeddings" is not in measure`,
		}},
		{"weights of a chain's rewards", "[env]\nname = \"bandit\"\n[[method]]\nname = \"sd-e2\"\nw_fa = 0\ngamma_s = 1\nrho = 0.2\n[[method]]\nname = \"grpo-cfee\"\nw_rd = 0\nrho = 0.2\nscale = \"none\"\nddof = 1\n", []string{
			`gamma_s of "sd-e2" makes no difference: it is read only where w_fa > 0`,
			`rho of "grpo-cfee" makes no difference: it is read only where w_rd > 0`,
		}},
		{"the expectation over weights is exact", "[env]\nname = \"bandit\"\ncomponents = 2\n[[method]]\nname = \"vpo\"\ndraws = 8\ndual_clip = 0\n", []string{`draws of "vpo" makes no difference: it is read only where reward.components > 2 or alpha != 1 or fidelity = code`}},
		{"expressions", "[env]\nname = \"bandit\"\n[[method]]\nname = \"grpo\"\nscalarisation = \"reward / 2\"\nshaping = \"1.0 * tokens\"\n[[method]]\nname = \"rloo\"\nscalarisation = \"reward / 2\"\nshaping = \"reward - mean(group.reward)\"\n", []string{`scalarisation of "grpo" makes no difference: the shaping reads no reward`}},
		{"objectives at one update", "[env]\nname = \"bandit\"\n[[method]]\nname = \"grpo\"\nclip_low = 0.1\n[[method]]\nname = \"gspo\"\n[[method]]\nname = \"kl-cov\"\n[[method]]\nname = \"gpg\"\n",
			[]string{`at one update a batch (epochs and minibatches of 1) every ratio is 1, so clip_low, clip_high, ratio, kl_cov of "grpo", "gspo", "kl-cov" make no difference`}},
		{"the usual clip", "[env]\nname = \"bandit\"\n[[method]]\nname = \"grpo\"\n", nil},
		{"some of a method's rows make two", "[env]\nname = \"bandit\"\n[[method]]\nname = \"grpo\"\ntrain = { epochs = [1, 2] }\n[[method]]\nname = \"dapo\"\ntrain = { minibatches = 2 }\n", nil},
	} {
		s, err := parseText("my.toml", []byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
			continue
		}
		if d := cmp.Diff(c.want, s.Notes); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.reason, d)
		}
	}
}

// TestIdleAxesOfOtherPolicies: a spec for tables that varies the demonstrator has one row of
// each method under a transformer, and a note about it.
func TestIdleAxesOfOtherPolicies(t *testing.T) {
	const text = "[env]\nname = \"multiplication\"\nslip = [0.5, 0.7]\n[[method]]\nname = \"base\"\n[[method]]\nname = \"gpg\"\n"
	s, err := Parse("my.toml", []byte(text), LoadOptions{Policy: policyTransformer})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"base slip=0.5", "gpg slip=0.5"}, s.labels()); d != "" {
		t.Errorf("variants (-want +got):\n%s", d)
	}
	want := []string{
		`"base slip=0.7" is left out: here it is the same as "base slip=0.5"`,
		`"gpg slip=0.7" is left out: here it is the same as "gpg slip=0.5"`,
		"env.slip makes no difference: it is read by the demonstrator of multiplication alone, from which policy transformer does not start",
	}
	if d := cmp.Diff(want, s.Notes); d != "" {
		t.Errorf("notes (-want +got):\n%s", d)
	}
	if _, err := Parse("my.toml", []byte(text), LoadOptions{Policy: policyTransformer, Set: []string{"env.slip=[0.1, 0.2]"}}); err == nil || !strings.HasPrefix(err.Error(), `--set env.slip=[0.1, 0.2]: field "slip": several values make no difference: `) {
		t.Errorf("asked for all the same: %v", err)
	}
}

// TestReadsRewards: rewards read by an estimator, an objective or the choice of groups count,
// and votes and labels of strategies do not.
func TestReadsRewards(t *testing.T) {
	for _, c := range []struct {
		reason, method string
		want           bool
	}{
		{"rewards", "grpo", true},
		{"correctness", "nsr", true},
		{"the objective asks what is correct", "topr", true},
		{"what is solved before training is stored", "dph-forward", true},
		{"groups are dropped for their rewards", "dapo", true},
		{"the vote is by answers", "ttrl", false},
		{"so is this one, with novelty by embeddings", "evol-rl", false},
		{"likelihood alone", "em-rl-sequence", false},
	} {
		s, err := Parse("my.toml", []byte("[env]\nname = \"bandit\"\n[[method]]\nname = \""+c.method+"\"\n"), LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.Variants[0].Setup()
		if err != nil {
			t.Fatal(err)
		}
		if got := p.ReadsRewards(); got != c.want {
			t.Errorf("%s: %s reads rewards: %v, want %v", c.reason, c.method, got, c.want)
		}
	}
}

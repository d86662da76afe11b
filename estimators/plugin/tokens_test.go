package plugin

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/envs"
	"modebench/estimators"
	"modebench/estimators/internal/batchtest"
	"modebench/internal/testkit"
)

// tokenBatch has rollouts of 2, 1 and 1 tokens, the last one in a group of its own.
func tokenBatch() *estimators.Batch {
	b := batchtest.Of(batchtest.Group([]float64{1, 0}, ""), batchtest.Group([]float64{1}, ""))
	r := &b.Groups[0].Rollouts
	(*r)[0].Tokens = 2
	(*r)[0].PerToken = &estimators.PerToken{
		Logprob: []float64{-0.5, -0.25}, Entropy: []float64{1, 0}, Reference: []float64{-1, -2}, Squares: []float64{0.5, 1}, Legal: [][]float64{{0.75, 0.25}, {1}},
	}
	for _, one := range []*estimators.Rollout{&(*r)[1], &b.Groups[1].Rollouts[0]} {
		one.PerToken = &estimators.PerToken{Logprob: []float64{-3}, Entropy: []float64{0.1}, Reference: []float64{-0.1}, Squares: []float64{0.25}, Legal: [][]float64{{0.25, 0.25, 0.5}}}
	}
	return b
}

// TestTokenConversation holds the lines of the wire under protocol 2, letter by letter.
func TestTokenConversation(t *testing.T) {
	const answer = `{"advantages":[[[0.5,-5e-13],[-1]],[[7]]]}`
	p, s := scripted(t, `{"protocol":2,"name":"mine","needs":["reward","token_logprobs","token_entropies","token_ref_logprobs","token_squares","token_distributions"],"advantages":"token"}`,
		say("2", answer), say("3", answer))
	want := estimators.Requirements{
		CandidateFields: envs.HasReward, RolloutFields: estimators.RolloutTokens | estimators.AllTokenFields, MinGroup: 1, NoPenalty: true, PerToken: true,
	}
	if d := cmp.Diff(want, p.Description().Requirements); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	b := tokenBatch()
	b.Groups[0].Rollouts[1].Train = false
	dst := estimators.NewTokenAdvantages(b)
	if err := p.TokenAdvantages(dst, b); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([][][]float64{{{.5, 0}, {0}}, {{7}}}, dst); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	if d := cmp.Diff([][]float64{{.25, 0}, {7}}, batchtest.Advantages(t, p, b)); d != "" {
		t.Errorf("means: -want +got:\n%s", d)
	}
	const last = `"token_logprobs":[-3],"token_entropies":[0.1],"token_ref_logprobs":[-0.1],"token_squares":[0.25],"token_distributions":[[0.25,0.25,0.5]],`
	const params = `{"seed":0,"step":0,"weights":[1],"groups":[` +
		`{"problem":"p","rollouts":[{"tokens":2,"token_logprobs":[-0.5,-0.25],"token_entropies":[1,0],"token_ref_logprobs":[-1,-2],"token_squares":[0.5,1],"token_distributions":[[0.75,0.25],[1]],"candidates":[{"reward":[1]}]},` +
		`{"tokens":1,` + last + `"train":false,"candidates":[{"reward":[0]}]}]},` +
		`{"problem":"p","rollouts":[{"tokens":1,` + last + `"candidates":[{"reward":[1]}]}]}]}`
	if d := cmp.Diff([]string{
		`{"jsonrpc":"2.0","id":1,"method":"hello","params":{"protocol":1}}` + "\n",
		`{"jsonrpc":"2.0","id":2,"method":"advantage","params":` + params + "}\n",
	}, s.sent[:2]); d != "" {
		t.Errorf("sent (-want +got):\n%s", d)
	}
}

// TestTokensWithoutTokenAdvantages: under protocol 2 a plug-in may read lists of tokens and
// give one advantage per rollout.
func TestTokensWithoutTokenAdvantages(t *testing.T) {
	p, s := scripted(t, `{"protocol":2,"name":"mine","needs":["token_entropies"],"advantages":"rollout"}`, say("2", `{"advantages":[[0.5,-0.5],[0]]}`))
	b := tokenBatch()
	testkit.WantError(t, p.TokenAdvantages(estimators.NewTokenAdvantages(b), b), "it gives one advantage per rollout")
	if d := cmp.Diff([][]float64{{.5, -.5}, {0}}, batchtest.Advantages(t, p, b)); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	if !strings.Contains(s.sent[1], `"token_entropies":[1,0]`) || strings.Contains(s.sent[1], "token_logprobs") {
		t.Errorf("sent %s", s.sent[1])
	}
}

// TestTokenAnswersWrongly: one line names the fault, and the program is ended.
func TestTokenAnswersWrongly(t *testing.T) {
	for _, c := range []struct {
		reason, result string
		says           []string
	}{
		{"one number per rollout", `{"advantages":[[1,0],[0]]}`, []string{`group 0 (problem "p"): rollout 0: got 1, want a list of 2 advantages`}},
		{"too few groups", `{"advantages":[[[0,0],[0]]]}`, []string{"result.advantages has 1 list, want 2, one for each group"}},
		{"too many rollouts", `{"advantages":[[[0,0],[0],[0]],[[0]]]}`, []string{"group 0", "got 3 lists, want 2, one for each rollout"}},
		{"too few tokens", `{"advantages":[[[0],[0]],[[0]]]}`, []string{"group 0", "rollout 0: got 1 advantage, want 2, one for each token"}},
		{"a number for a group", `{"advantages":[0,[[0]]]}`, []string{"group 0", "got 0, want a list of 2 lists"}},
		{"a number for groups", `{"advantages":0}`, []string{"result.advantages: got 0, want one list for each group"}},
		{"none", `{}`, []string{"result.advantages is missing"}},
		{"misspelt", `{"advantage":[]}`, []string{`result: unknown field "advantage"`}},
		{"a list", `[]`, []string{"result: got [], want an object with advantages"}},
		{"NaN", `{"advantages":[[[0,NaN],[0]],[[0]]]}`, []string{"group 0", "rollout 0: the advantage of token 1 is NaN, want a finite number"}},
		{"null", `{"advantages":[[[0,0],[null]],[[0]]]}`, []string{"rollout 1: the advantage of token 0 is null"}},
		{"too large", `{"advantages":[[[0,0],[0]],[[1e999]]]}`, []string{"group 1", "rollout 0: the advantage of token 0 is 1e999"}},
	} {
		p, s := scripted(t, `{"protocol":2,"name":"mine","needs":["token_squares"],"advantages":"token"}`, say("2", c.result))
		b := tokenBatch()
		err := p.TokenAdvantages(estimators.NewTokenAdvantages(b), b)
		testkit.WantError(t, err, append(c.says, `plug-in "mine" (mine): `)...)
		if !s.killed {
			t.Errorf("%s: the program goes on", c.reason)
		}
	}
}

package estimators

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"modebench/envs"
	"modebench/internal/expression"
	"modebench/internal/params"
	"modebench/internal/testkit"
)

// TestExpressionsHeedTheContext: no expression is evaluated any more once the batch's context
// has ended, between two sets or candidates and within one evaluation.
func TestExpressionsHeedTheContext(t *testing.T) {
	for _, pairs := range [][]string{
		{"objective=sum(map(reward, sum(map(reward, #))))"},
		{"shaping=sum(map(group.reward, sum(map(group.reward, #))))"},
		{"scalarisation=sum(map(vector, sum(map(vector, #))))"},
	} {
		for _, most := range []int64{0, 3, 40} {
			ctx := testkit.NewEndsAt(most)
			b := sampleBatch(4, 8, 0)
			b.Context = ctx
			err := build(t, "set-rl", pairs...).Advantages(NewAdvantages(b), b)
			if !errors.Is(err, context.Canceled) || ctx.Late() > 1 {
				t.Errorf("%v, ended after %d questions: %d were asked, %v", pairs, most, ctx.Asked(), err)
			}
		}
	}
}

// TestExpressionSteps: an expression that takes too long is refused, by its name and its text.
func TestExpressionSteps(t *testing.T) {
	b := sampleBatch(1, 1000, 0)
	err := build(t, "grpo", "shaping=sum(map(group.reward, sum(map(group.reward, #))))").Advantages(NewAdvantages(b), b)
	wantError(t, err, "shaping", "it looks at more than 262144 entries of lists", `in "sum(map(group.reward, sum(map(group.reward, #))))"`)
}

// TestExpressionRequirements: they name the variables that are read, and no more.
func TestExpressionRequirements(t *testing.T) {
	for _, c := range []struct {
		pairs       []string
		wants       string
		penaltyless bool
	}{
		{[]string{"objective=mean(reward) * distinct(mode)"}, "reward mode", false},
		{[]string{"objective=any(correct, #)"}, "correct", true},
		{[]string{"objective=mean(vector[0])"}, "reward", true},
		{[]string{"objective=sum(tokens) + distinct(answer)"}, "answer tokens", true},
		{[]string{"objective=mean(reward)", "shaping=valid ? entropy : logprob"}, "reward valid logprob entropy", false},
		{[]string{"objective=mean(reward)", "shaping=reward + same(group.mode, mode)"}, "reward mode", false},
		{[]string{"objective=mean(reward)", "scalarisation=correct ? weights[0] : 0"}, "reward correct", false},
	} {
		needs := build(t, "set-rl", c.pairs...).Requirements()
		got := strings.Join(append(needs.CandidateFields.Names(), needs.RolloutFields.Names()...), " ")
		if got != c.wants || needs.NoPenalty != c.penaltyless || needs.MinGroup != 4 || needs.TrainGroup != 5 {
			t.Errorf("%v reads %q, no penalty %v, groups of %d; want %q, %v", c.pairs, got, needs.NoPenalty, needs.MinGroup, c.wants, c.penaltyless)
		}
	}
}

// TestExpressionErrors: at load, the field and the column; later, the group and the set.
func TestExpressionErrors(t *testing.T) {
	for _, c := range []struct {
		reason, method string
		pairs          []string
		says           []string
	}{
		{"misspelt", "set-rl", []string{"objective=mean(rewrd)"}, []string{`field "objective"`, "column 6: unknown name rewrd"}},
		{"nothing", "set-rl", []string{"objective="}, []string{`field "objective"`, "empty"}},
		{"no such member", "set-rl", []string{"objective=reward[4]"}, []string{"column 7: index out of range"}},
		{"no such component", "set-rl", []string{"objective=mean(vector[0]) + vector[0][2]"}, []string{"column 28: index out of range: 2"}},
		{"a list", "grpo", []string{"shaping=group.reward"}, []string{"method grpo", `field "shaping"`, "it gives a list, want a number"}},
		{"no such list", "grpo", []string{"shaping=sum(group.entropy)"}, []string{"column 11", "has no field entropy", "group.tokens"}},
		{"no vectors of a group", "grpo", []string{"shaping=group.vector[0][0]"}, []string{"column 7", "has no field vector", "group.answer, group.tokens)"}},
		{"no such component", "grpo", []string{"scalarisation=vector[3]"}, []string{`field "scalarisation"`, "column 7: index out of range: 3"}},
		{"a list of texts", "grpo", []string{"shaping=mean(map(group.mode, #))"}, []string{`field "shaping"`, "entry 0 is a text"}},
		{"a greedy baseline", "remax", []string{"shaping=reward"}, []string{`field "shaping"`, "greedy"}},
		{"no rewards", "set-rl", []string{"objective=pass", "scalarisation=reward"}, []string{`field "scalarisation"`, "reads no rewards"}},
	} {
		m, _ := Lookup(c.method)
		i := m.New()
		for _, pair := range c.pairs {
			if err := i.SetText(pair); err != nil {
				t.Fatal(err)
			}
		}
		err := i.Check()
		if err == nil {
			err = i.Try(2)
		}
		if err == nil {
			t.Errorf("%s: %v is taken", c.reason, c.pairs)
			continue
		}
		wantError(t, err, c.says...)
		if !errors.As(err, new(*params.FieldError)) {
			t.Errorf("%s: %v names no field", c.reason, err)
		}
	}
	for _, pair := range []string{"scalarisation=vector[1]", "shaping=1 / (n - 6)", "scalarisation=log(reward - 5)"} {
		if err := build(t, "grpo", pair).Try(2); err != nil {
			t.Errorf("%s may be right of other data: %v", pair, err)
		}
	}
	b := batchOf(groupOf([]float64{1, 1}, "AB"), groupOf([]float64{1, 1, 0, 0}, "ABCD"))
	b.Groups[1].Rollouts[0].Train = false
	e := build(t, "set-rl", "n=2", "objective=1 / sum(reward)").Estimator
	wantError(t, e.Advantages(NewAdvantages(b), b), "group 1", "set of rollouts [2 3]", "column 3: 1 / 0 is +Inf")
	i := build(t, "grpo", "shaping=1 / reward")
	wantError(t, i.Advantages(NewAdvantages(b), b), "group 1", "rollout 2, candidate 0: shaping", "column 3")
}

// grpoDivShaping is GRPO+DIV's bonus (Poly-EPO eq. 17) as an expression.
const grpoDivShaping = `shaping=mode == "" or n == 1 ? reward : reward + 0.5 * (n / same(group.mode, mode) - 1) / (n - 1)`

// TestShapingEqualsGRPODiv: the same advantages as the method, voters aside.
func TestShapingEqualsGRPODiv(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 21))
	shaped := build(t, "grpo@poly-epo", grpoDivShaping)
	for step := range 300 {
		size := 1 + r.IntN(9)
		_, rewards := mixed(r, size, step)
		b := batchOf(groupOf(rewards, randomModes(r, size, step)), largeGroup(r, 5, 3))
		b.Groups[1].Rollouts[r.IntN(5)].Train = false
		b.Groups[0].Rollouts[0].Penalty = 0.125
		got := NewAdvantages(b)
		if err := shaped.Advantages(got, b); err != nil {
			t.Fatal(err)
		}
		want := advantages(t, build(t, "grpo-div").Estimator, b)
		for g := range want {
			near(t, fmt.Sprint("step ", step), got[g], want[g], 1e-12)
		}
	}
}

// TestScalarisation: the estimator sees what the expression gives of each candidate,
// under the weight 1, and the judged batch stays as it is.
func TestScalarisation(t *testing.T) {
	b := vectorBatch([]float64{0.25, 0.75}, [][][]float64{{{1, 3}}, {{2, 0}}, {{4, 4}}})
	b.Groups[0].Weights = []float64{0.5, 0.5}
	before := fmt.Sprintf("%+v", rewardsOf(b))
	for pair, want := range map[string][]float64{
		"scalarisation=min(vector)":                   {1, 0, 4},
		"scalarisation=weights[0] * vector[1] + d":    {3.5, 2, 4},
		"scalarisation=reward":                        {2, 1, 4},
		"shaping=reward - 0.5 * mean(group.reward)":   {2 - 7./6, 1 - 7./6, 4 - 7./6},
		"shaping=reward * n - 0.01 * tokens":          {2*3 - .01*float64(b.Groups[0].Rollouts[0].Tokens), 3 - .01*float64(b.Groups[0].Rollouts[1].Tokens), 12 - .01*float64(b.Groups[0].Rollouts[2].Tokens)},
		"shaping=max(group.reward) == reward ? 1 : 0": {0, 0, 1},
	} {
		got := NewAdvantages(b)
		if err := build(t, "reinforce", pair).Advantages(got, b); err != nil {
			t.Fatal(err)
		}
		near(t, pair, got[0], want, 1e-12)
	}
	if after := fmt.Sprintf("%+v", rewardsOf(b)); after != before {
		t.Errorf("the judged batch was written to: %s, was %s", after, before)
	}
}

// TestScalarOfAnAnswer: as within a batch.
func TestScalarOfAnAnswer(t *testing.T) {
	v := &envs.Verdict{Reward: []float64{1, 3}, Correct: true}
	for text, want := range map[string]float64{"": 2.5, "correct ? max(vector) : reward": 3} {
		r := Rewards{Scalarisation: text}
		if got, err := r.scalar(v, []float64{0.25, 0.75}); err != nil || got != want {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	_, err := (&Rewards{Scalarisation: "reward / tokens"}).scalar(v, []float64{1, 1})
	wantError(t, err, "no length")
}

// TestShapingOfChains: an expression sees each candidate, and group all of them.
func TestShapingOfChains(t *testing.T) {
	b := vectorBatch([]float64{1}, [][][]float64{{{1}, {2}}, {{4}, {0}}})
	s, err := (&Rewards{Shaping: "reward + 100 * sum(group.reward) + 1000 * n"}).compiled()
	if err != nil {
		t.Fatal(err)
	}
	shadow, err := s.batch(b, false)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(rewardsOf(shadow)); got != "[[[[2701] [2702]] [[2704] [2700]]]]" {
		t.Errorf("got %s", got)
	}
}

// TestNoExpressionsCostNothing: without them the estimator sees the very batch.
func TestNoExpressionsCostNothing(t *testing.T) {
	i, b := build(t, "grpo"), sampleBatch(4, 8, 0)
	dst := NewAdvantages(b)
	if per := testing.AllocsPerRun(10, func() { _ = i.Advantages(dst, b) }); per != 0 || i.Rewards.shaper != nil {
		t.Errorf("%v allocations", per)
	}
	if values := params.Values(&i.Rewards); len(values) != 0 {
		t.Errorf("cell ids would hold %v", values)
	}
}

// TestExpressionDoc: every name is explained where users look.
func TestExpressionDoc(t *testing.T) {
	for _, field := range ExpressionFields {
		if f, ok := build(t, "set-rl").Field(field); !ok || f.Type != "text" {
			t.Errorf("no field %s", field)
		}
		if doc := ExpressionDoc(field); !strings.Contains(doc, "reward") {
			t.Errorf("%s: %s", field, doc)
		}
	}
	if doc := ExpressionFunctions(); !strings.Contains(doc, "distinct(list)") {
		t.Error(doc)
	}
	if ExpressionDoc("lambda") != "" {
		t.Error("lambda takes no expression")
	}
	p, err := expression.Compile("sum(map(valid, # ? 1 : 0)) + distinct(answer)", SetVariables)
	if err != nil {
		t.Fatal(err)
	}
	if reads, _ := ExpressionReads(p); reads != envs.HasValid|envs.HasAnswer {
		t.Errorf("reads %v", reads.Names())
	}
}

// BenchmarkShaping: GRPO+DIV's bonus as an expression beside the method.
func BenchmarkShaping(b *testing.B) {
	batch := sampleBatch(128, 8, 0)
	var fast float64
	b.Run("grpo-div", func(b *testing.B) { fast = perGroup(b, build(b, "grpo-div").Estimator, batch) })
	b.Run("grpo-div-shaping", func(b *testing.B) {
		i, dst := build(b, "grpo@poly-epo", grpoDivShaping), NewAdvantages(batch)
		for b.Loop() {
			if err := i.Advantages(dst, batch); err != nil {
				b.Fatal(err)
			}
		}
		against(b, len(batch.Groups), fast)
	})
}

package estimators

import (
	"errors"
	"fmt"
	"strings"

	"modebench/envs"
	"modebench/internal/expression"
	"modebench/internal/params"
	"modebench/internal/plural"
)

// ExpressionFields are the fields that take expressions, in the order of listings.
var ExpressionFields = []string{"objective", "scalarisation", "shaping"}

// ExpressionDoc says what an expression in a field may read, a line each; "" for a
// field that takes none.
func ExpressionDoc(field string) string {
	var variables []expression.Variable
	switch field {
	case "objective":
		variables = setVariables()
	case "scalarisation":
		variables = candidateVariables()
	case "shaping":
		variables = shapingVariables()
	default:
		return ""
	}
	var b strings.Builder
	for _, v := range variables {
		fmt.Fprintf(&b, "%-14s %s\n", v.Name, v.Doc)
	}
	return b.String()
}

// ExpressionFunctions says what any expression may call, a line each.
func ExpressionFunctions() string {
	var b strings.Builder
	for _, f := range expression.Functions() {
		fmt.Fprintf(&b, "%-14s %s\n", f.Name, f.Doc)
	}
	b.WriteString("beside these: + - * / % ^ == != < <= > >= and or not in ?: let, list[i], list[from:to]; true counts as 1\n")
	return b.String()
}

// readFields are the verdict fields and facts behind the names of variables.
var readFields = []struct {
	name   string
	fields envs.Fields
	facts  Facts
}{
	{name: "reward", fields: envs.HasReward}, {name: "vector", fields: envs.HasReward}, {name: "weights", fields: envs.HasReward}, {name: "d", fields: envs.HasReward},
	{name: "correct", fields: envs.HasCorrect}, {name: "valid", fields: envs.HasValid}, {name: "mode", fields: envs.HasMode},
	{name: "answer", fields: envs.HasAnswer},
	{name: "tokens", facts: HasTokens}, {name: "logprob", facts: HasLogprob}, {name: "entropy", facts: HasEntropy},
}

// readsOf says what an expression reads of a batch.
func readsOf(p *expression.Program) (fields envs.Fields, facts Facts) {
	for _, r := range readFields {
		if p.Has(r.name) || p.Has("group."+r.name) {
			fields |= r.fields
			facts |= r.facts
		}
	}
	return fields, facts
}

// compileField compiles the expression in a field.
func compileField(field, text string, variables []expression.Variable) (*expression.Program, error) {
	p, err := expression.Compile(text, variables)
	if err != nil {
		return nil, params.Errorf(field, "%w", err)
	}
	return p, nil
}

// tried is the error of a trial on made-up data as that of a field. An expression that
// only has no value there (a quotient by 0) may be right.
func tried(field string, err error, components int) error {
	m := (*expression.Mistake)(nil)
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &m):
		return params.Errorf(field, "%w", err)
	case m.Undefined:
		return nil
	}
	return params.Errorf(field, "on a made-up group with rewards of %s: %w", plural.Of(components, "component"), m)
}

// madeUp is a group of so many answers, for trials: every other one is correct, some
// share their modes, one is degenerate where there are several.
func madeUp(size, components int) Group {
	g := Group{Problem: "trial"}
	for i := range size {
		v := &envs.Verdict{Correct: i%2 == 0, Mode: envs.Mode('A' + rune(i%3)), Answer: fmt.Sprint(i % 2)}
		for j := range components {
			v.Reward = append(v.Reward, float64(1+i%4+j)/float64(4+components))
		}
		if i == 1 {
			v.Mode, v.Answer, v.Err = envs.Degenerate, "", errors.New("made up")
		}
		g.Rollouts = append(g.Rollouts, Rollout{Tokens: 3 + i%5, Logprob: -1.5, Entropy: 2.5, Train: true, Candidates: []*envs.Verdict{v}})
	}
	return g
}

// Try evaluates the method's expressions on a made-up group whose rewards have so many
// components, and says what cannot be right of any group, as a params.FieldError: a
// component that is not there, a list that is no list of numbers.
func (i *Instance) Try(components int) error {
	if own, ok := i.Estimator.(interface{ try(components int) error }); ok {
		if err := own.try(components); err != nil {
			return i.named(err)
		}
	}
	return i.named(i.Rewards.try(components))
}

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

// readFields are the fields of verdicts and rollouts behind the names of variables.
var readFields = []struct {
	name    string
	fields  envs.Fields
	rollout RolloutFields
}{
	{"reward", envs.HasReward, 0}, {"vector", envs.HasReward, 0}, {"weights", envs.HasReward, 0}, {"d", envs.HasReward, 0},
	{"correct", envs.HasCorrect, 0}, {"valid", envs.HasValid, 0}, {"mode", envs.HasMode, 0}, {"answer", envs.HasAnswer, 0},
	{"tokens", 0, RolloutTokens}, {"logprob", 0, RolloutLogprob}, {"entropy", 0, RolloutEntropy},
}

// ExpressionReads lists the facts that an expression reads of a batch.
func ExpressionReads(p *expression.Program) (fields envs.Fields, rollout RolloutFields) {
	for _, r := range readFields {
		if p.Has(r.name) || p.Has("group."+r.name) {
			fields |= r.fields
			rollout |= r.rollout
		}
	}
	return fields, rollout
}

// Lists hold the values that an expression reads of several candidates, in order.
type Lists struct {
	Reward  []float64 `expr:"reward"`
	Correct []bool    `expr:"correct"`
	Valid   []bool    `expr:"valid"`
	Mode    []string  `expr:"mode"`
	Answer  []string  `expr:"answer"`
	Tokens  []int     `expr:"tokens"`
}

// Reset empties the lists and keeps their memory.
func (l *Lists) Reset() {
	*l = Lists{l.Reward[:0], l.Correct[:0], l.Valid[:0], l.Mode[:0], l.Answer[:0], l.Tokens[:0]}
}

// Add appends a candidate of a rollout of that many tokens.
func (l *Lists) Add(reward float64, c *envs.Verdict, tokens int) {
	l.Reward, l.Correct, l.Valid = append(l.Reward, reward), append(l.Correct, c.Correct), append(l.Valid, c.Err == nil)
	l.Mode, l.Answer, l.Tokens = append(l.Mode, string(c.Mode)), append(l.Answer, c.Answer), append(l.Tokens, tokens)
}

// Copy appends entry i of other lists.
func (l *Lists) Copy(from *Lists, i int) {
	l.Reward, l.Correct, l.Valid = append(l.Reward, from.Reward[i]), append(l.Correct, from.Correct[i]), append(l.Valid, from.Valid[i])
	l.Mode, l.Answer, l.Tokens = append(l.Mode, from.Mode[i]), append(l.Answer, from.Answer[i]), append(l.Tokens, from.Tokens[i])
}

// SetVariables are the variables of an expression for the worth of a set: lists have one entry
// per member, in the order of the group's rollouts.
var SetVariables = []expression.Variable{
	{Name: "reward", Sample: []float64{}, Doc: "scalar rewards of the set's members, in rollout order"},
	{Name: "correct", Sample: []bool{}, Doc: "whether each is correct"},
	{Name: "valid", Sample: []bool{}, Doc: "whether each parses"},
	{Name: "mode", Sample: []string{}, Doc: `their modes, "" for a degenerate one`},
	{Name: "answer", Sample: []string{}, Doc: `their final answers, "" for none`},
	{Name: "tokens", Sample: []int{}, Doc: "their lengths"},
	{Name: "vector", Sample: [][]float64{}, Doc: "their reward vectors: vector[i][j] is component j of member i"},
	{Name: "n", Sample: 0, Doc: "members of the set"},
}

func compileField(field, text string, variables []expression.Variable) (*expression.Program, error) {
	p, err := expression.Compile(text, variables)
	if err != nil {
		return nil, params.Errorf(field, "%w", err)
	}
	return p, nil
}

// TrialError makes the error of a trial on made-up data one of the field. An expression that
// merely has no value there, as a quotient by 0, may be right.
func TrialError(field string, err error, components int) error {
	m, located := errors.AsType[*expression.Mistake](err)
	switch {
	case err == nil:
		return nil
	case !located:
		return params.Errorf(field, "%w", err)
	case m.Undefined:
		return nil
	}
	return params.Errorf(field, "on a made-up group with rewards of %s: %w", plural.Count(components, "component"), m)
}

// TrialGroup makes up a group: every second answer is correct, some share a mode, one lacks it.
func TrialGroup(size, components int) Group {
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

// ExpressionFields are the fields that take expressions, in the order of listings.
var ExpressionFields = []string{"objective", "scalarisation", "shaping"}

// ExpressionDoc lists the variables of an expression in a field, a line each; "" if it takes none.
func ExpressionDoc(field string) string {
	variables := map[string][]expression.Variable{"objective": SetVariables, "scalarisation": scalarisationVariables, "shaping": shapingVariables}
	var b strings.Builder
	for _, v := range variables[field] {
		fmt.Fprintf(&b, "%-14s %s\n", v.Name, v.Doc)
	}
	return b.String()
}

// ExpressionFunctions lists the functions of all expressions, a line each.
func ExpressionFunctions() string {
	var b strings.Builder
	for _, f := range expression.Functions() {
		fmt.Fprintf(&b, "%-14s %s\n", f.Name, f.Doc)
	}
	b.WriteString("beside these: + - * / % ^ == != < <= > >= and or not in ?: let, list[i], list[from:to]; true counts as 1\n")
	return b.String()
}

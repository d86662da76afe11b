package reference

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"modebench/envs"
	"modebench/internal/arith"
	"modebench/internal/rng"
)

// mostDraws bounds the answers that are drawn for a right one, and the problems that are
// passed over because all their answers are wrong.
const mostDraws = 1000

// shots are n solved examples, posed by the reference: the first problems of the split
// pretrain, with right answers as drawing draws them. A chain's answers are of several
// modes, as far as there are some. With reasoning, each begins with its calculation, as a thought.
func (r *Reference) shots(ctx context.Context, env envs.Env, n int, reasoning bool) ([]Message, error) {
	if n > 0 && r.Split == envs.Pretrain {
		return nil, fmt.Errorf("examples are problems of the split %s: want problems of another split", envs.Pretrain)
	}
	var out []Message
	example := *r
	example.Split = envs.Pretrain
	for i := 0; len(out) < 2*n; i++ {
		if i == n+mostDraws {
			return nil, fmt.Errorf("%s: the demonstrator gave right answers to %d of the first %d problems of the split %s, want %d", r.Env, len(out)/2, i, envs.Pretrain, n)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		example.Index = i
		q, err := example.FindIn(env)
		if err != nil {
			return nil, err
		}
		draw := drawing(env, q.Problem, i, rng.New(0).Str("shots").Int(uint64(i)).Rand())
		answers, text := q.solved(ctx, draw)
		if answers == nil {
			continue
		}
		if reasoning {
			thought, err := q.worked(answers)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", r.Env, err)
			}
			text = "<think>" + thought + "</think>\n" + text
		}
		out = append(out, Message{"user", q.Prompt()}, Message{"assistant", text})
	}
	return out, nil
}

// drawing returns the function that draws answers to problem number index of the split
// pretrain. A Teacher's are right in every value that they write: a demonstrator may reach
// a right result by way of wrong values. If the environment is not a Teacher, or its
// Teacher chooses the problem itself, the demonstrator answers.
func drawing(env envs.Env, p envs.Problem, index int, r *rand.Rand) func() []envs.Token {
	teacher, ok := env.(envs.Teacher)
	if ok {
		lesson, _, err := teacher.Lesson(index, 1, rng.New(0).Str("shots").Rand())
		ok = err == nil && lesson.ID() == p.ID()
	}
	return func() []envs.Token {
		if ok {
			if _, answers, err := teacher.Lesson(index, 1, r); err == nil { // as it was before
				return answers[0]
			}
		}
		return p.Demonstrate(r)
	}
}

// solved is a right response, its answers and its text, if there is one among those drawn.
func (q *Posed) solved(ctx context.Context, draw func() []envs.Token) (answers [][]envs.Token, text string) {
	if q.Chain == nil {
		answer, ok := q.right(ctx, draw, nil)
		if !ok {
			return nil, ""
		}
		return [][]envs.Token{answer}, "<answer>" + q.Problem.AnswerText(answer) + "</answer>"
	}
	goOn := envs.Token(len(q.Info.Vocabulary)) // the control tokens of envs.ChainOptions
	var rollout []envs.Token
	known := map[envs.Mode]bool{}
	for i := range q.Chain.Answers() {
		answer, ok := q.right(ctx, draw, known)
		if !ok {
			return nil, ""
		}
		if q.Chain.Stops() && i > 0 {
			rollout = append(rollout, goOn)
		}
		rollout, answers = append(rollout, answer...), append(answers, answer)
	}
	if q.Chain.Stops() {
		rollout = append(rollout, goOn+1)
	}
	return answers, q.Chain.AnswerText(rollout)
}

// worked are the calculations of answers that are expressions, one operation after the other: each
// answer has a line.
func (q *Posed) worked(answers [][]envs.Token) (string, error) {
	var lines []string
	for _, answer := range answers {
		text := q.Problem.AnswerText(answer)
		nodes, err := arith.Parse(nil, text)
		if err != nil {
			return "", errors.New("its answers are no expressions, so that examples have no calculation to show")
		}
		values, steps := make([]arith.Rat, len(nodes)), []string{}
		for i, n := range nodes {
			if n.Op == arith.Number {
				values[i] = arith.Int(n.Value)
				continue
			}
			x, y := values[n.Left], values[n.Right]
			values[i], _ = arith.Apply(n.Op, x, y) // which is defined, since the answer is right
			steps = append(steps, operand(x)+string("+-*/"[n.Op-arith.Add])+operand(y)+" = "+values[i].String())
		}
		if len(steps) == 0 {
			steps = []string{text + " = " + text} // one number
		}
		lines = append(lines, strings.Join(steps, ", ")+".")
	}
	return strings.Join(lines, "\n"), nil
}

// operand is a number in a step; one with a sign or a fraction bar has parentheses.
func operand(x arith.Rat) string {
	text := x.String()
	if strings.Trim(text, "0123456789") != "" {
		text = "(" + text + ")"
	}
	return text
}

// right is a right answer, of a mode that is not known yet if it finds one, which then is
// known. When the context ends, it looks no further.
func (q *Posed) right(ctx context.Context, draw func() []envs.Token, known map[envs.Mode]bool) (answer []envs.Token, ok bool) {
	for i := 0; i < mostDraws && ctx.Err() == nil; i++ {
		drawn := draw()
		v := q.Problem.Judge(drawn)
		if !v.Correct {
			continue
		}
		answer, ok = drawn, true
		if !known[v.Mode] {
			if known != nil {
				known[v.Mode] = true
			}
			break
		}
	}
	return answer, ok
}

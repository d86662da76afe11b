package reference

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"modebench/envs"
	"modebench/internal/rng"
)

// mostDraws bounds the demonstrations that are drawn for one right answer, and the problems
// that are passed over because none of theirs is right.
const mostDraws = 1000

// shots are n solved examples, posed as the reference says: the first problems of the split
// pretrain, with right answers of the environment's demonstrator. A chain's answers are of
// several modes, as far as the demonstrator has some.
func (r *Reference) shots(ctx context.Context, env envs.Env, n int) ([]Message, error) {
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
		if answer, ok := q.solved(ctx, rng.New(0).Str("shots").Int(uint64(i)).Rand()); ok {
			out = append(out, Message{"user", q.Prompt()}, Message{"assistant", answer})
		}
	}
	return out, nil
}

// solved is the text of a right response, if the demonstrator gives one.
func (q *Posed) solved(ctx context.Context, r *rand.Rand) (text string, ok bool) {
	if q.Chain == nil {
		answer, ok := q.right(ctx, r, nil)
		return "<answer>" + q.Problem.AnswerText(answer) + "</answer>", ok
	}
	goOn := envs.Token(len(q.Info.Vocabulary)) // the control tokens of envs.ChainOptions
	var rollout []envs.Token
	known := map[envs.Mode]bool{}
	for i := range q.Chain.Answers() {
		answer, ok := q.right(ctx, r, known)
		if !ok {
			return "", false
		}
		if q.Chain.Stops() && i > 0 {
			rollout = append(rollout, goOn)
		}
		rollout = append(rollout, answer...)
	}
	if q.Chain.Stops() {
		rollout = append(rollout, goOn+1)
	}
	return q.Chain.AnswerText(rollout), true
}

// right is a right answer of the demonstrator, of a mode that is not known yet if it finds
// one, which then is known. When the context ends, it looks no further.
func (q *Posed) right(ctx context.Context, r *rand.Rand, known map[envs.Mode]bool) (answer []envs.Token, ok bool) {
	for i := 0; i < mostDraws && ctx.Err() == nil; i++ {
		drawn := q.Problem.Demonstrate(r)
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

// before is the prompt with the turns of examples before it, as one text.
func before(shots []Message, prompt string) string {
	var b strings.Builder
	for _, m := range shots {
		b.WriteString(m.Content)
		b.WriteString("\n\n")
	}
	b.WriteString(prompt)
	return b.String()
}

package derivation

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"

	"modebench/envs"
)

// A Problem is a list of facts and a question.
type Problem struct {
	rules  *rules
	id     string
	facts  []fact // by variable: those that are given come first
	needed set    // derived variables that the asked one depends on, without it
	asked  int

	findTruth sync.Once
	truth     envs.Truth
}

func (p *Problem) given() int   { return p.rules.config.Givens }
func (p *Problem) derived() int { return len(p.facts) - p.given() }

// draw draws the facts of a problem with steps needed variables and the given distractors.
// First come the places of the distractors among the derived variables. Then each needed
// variable, from the last one on, becomes an operand of a needed one behind it: n of these
// have room for 2n, and n-1 places are taken. Operands that are still open are any two
// different variables before, but nothing needed uses a distractor.
func (p *Problem) draw(r *rand.Rand, steps, distractors int) {
	config := &p.rules.config
	for range config.Givens {
		p.facts = append(p.facts, fact{value: int8(r.IntN(base))})
	}
	var useful []int // the needed variables, and last the asked one
	for left, n := steps+1, steps+1+distractors; n > 0; n-- {
		if r.IntN(n) < left {
			useful = append(useful, len(p.facts))
			left--
		}
		p.facts = append(p.facts, fact{op: config.Operations[r.IntN(len(config.Operations))], left: -1, right: -1})
	}
	p.asked = useful[steps]
	for i := steps - 1; i >= 0; i-- {
		p.needed = p.needed.with(useful[i])
		p.use(r, useful[i], useful[i+1:])
	}
	for v := config.Givens; v < len(p.facts); v++ {
		p.complete(r, v)
	}
}

// use makes a variable an operand of one of the users that have room for one.
func (p *Problem) use(r *rand.Rand, variable int, users []int) {
	var room []*int
	for _, u := range users {
		for _, operand := range []*int{&p.facts[u].left, &p.facts[u].right} {
			if *operand < 0 {
				room = append(room, operand)
			}
		}
	}
	*room[r.IntN(len(room))] = variable
}

// complete draws the operands that a derived variable still lacks, and computes it.
func (p *Problem) complete(r *rand.Rand, v int) {
	f := &p.facts[v]
	useful := p.needed.with(p.asked)
	for _, operand := range []*int{&f.left, &f.right} {
		for *operand < 0 {
			u := r.IntN(v)
			if distracts := u >= p.given() && !useful.has(u); u != f.left && u != f.right && (!distracts || !useful.has(v)) {
				*operand = u
			}
		}
	}
	f.value = join(f.op, p.facts[f.left].value, p.facts[f.right].value)
}

// owner is the split that the problem belongs to, of pretrain, train and test.
func (p *Problem) owner() envs.Split {
	key := p.rules.key.Str("share").Int(uint64(p.asked))
	for _, f := range p.facts {
		if f.op == 0 {
			key = key.Int(uint64(f.value))
		} else {
			key = key.Int(uint64(f.op)).Int(uint64(f.left)).Int(uint64(f.right))
		}
	}
	return envs.Owner(key.Uint64())
}

// ID implements envs.Problem.
func (p *Problem) ID() string { return p.id }

// Prompt implements envs.Problem: all facts, and then the question.
func (p *Problem) Prompt() []envs.Token {
	m := p.rules
	var out []envs.Token
	for i, f := range p.facts {
		out = append(out, m.variable(i), m.equal())
		if f.op == 0 {
			out = append(out, envs.Token(f.value))
		} else {
			op := m.equal() + 1 + envs.Token(strings.IndexByte(operations, f.op))
			out = append(out, m.variable(f.left), op, m.variable(f.right))
		}
	}
	return append(out, m.question(), m.variable(p.asked))
}

// definition writes what a variable is: "a = 3" or "d = a + b".
func (p *Problem) definition(i int) string {
	f := p.facts[i]
	if f.op == 0 {
		return fmt.Sprintf("%c = %d", letter(i), f.value)
	}
	return fmt.Sprintf("%c = %c %c %c", letter(i), letter(f.left), f.op, letter(f.right))
}

func (p *Problem) definitions() []string {
	lines := make([]string, len(p.facts))
	for i := range lines {
		lines[i] = p.definition(i)
	}
	return lines
}

// task is the text that prompts for one and for several answers share.
func (p *Problem) task() string {
	return fmt.Sprintf("All numbers are digits, modulo 10: %s. What is %c? You may first write the values of other variables that are not given, each at most once. End with the value of %c.",
		strings.Join(p.definitions(), "; "), letter(p.asked), letter(p.asked))
}

// PromptText implements envs.Problem.
func (p *Problem) PromptText() string {
	return p.task() + " Write the statements inside <answer>...</answer> tags, " + example
}

// example shows the form of an answer. No problem reaches the variables y and z
// (maxVariables), so a copy of it earns nothing.
const example = "for example, if z were asked for: <answer>y=4, z=7</answer>."

// MultiPromptText implements envs.MultiPrompter: the prompt for m answers.
func (p *Problem) MultiPromptText(m int) string {
	return fmt.Sprintf("%s\nGive %d different derivations, each in its own numbered tags: %s. Derivations that write the same of the variables on which %c depends are the same.",
		p.task(), m, envs.Tags("derivation", m), letter(p.asked))
}

// Fields implements envs.Problem.
func (p *Problem) Fields() map[string]any {
	return map[string]any{"facts": p.definitions(), "asked": string(letter(p.asked)), "needed": string(p.mode(p.needed)), "value": p.facts[p.asked].value}
}

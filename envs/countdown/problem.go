package countdown

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"modebench/envs"
	"modebench/internal/arith"
	"modebench/internal/each"
)

// A Problem is numbers and a target.
type Problem struct {
	shape   *shape
	id      string
	numbers [maxSlots]int16 // ascending
	target  int16
	equal   uint8 // bit i: numbers i and i+1 are equal

	findTruth sync.Once
	truth     envs.Truth
	solutions []solution

	listLegal sync.Once
	legal     [][]envs.Token // see legalAt

	verdicts envs.Cache[uint32, *envs.Verdict] // without their variants, by part.code
	rows     envs.Cache[string, *row]          // of the demonstrator, by view
}

func newProblem(s *shape, id string, numbers [maxSlots]int16, target int16) *Problem {
	return &Problem{shape: s, id: id, numbers: numbers, target: target, equal: neighbours(numbers[:s.n])}
}

func (p *Problem) given() []int16 { return p.numbers[:p.shape.n] }

// ID implements envs.Problem.
func (p *Problem) ID() string { return p.id }

func (p *Problem) token(number int16) envs.Token {
	return firstNumber + envs.Token(int(number)-p.shape.env.low)
}

// Prompt implements envs.Problem: the numbers, and then the target.
func (p *Problem) Prompt() []envs.Token {
	out := make([]envs.Token, 0, maxSlots+1)
	for _, number := range p.given() {
		out = append(out, p.token(number))
	}
	return append(out, p.token(p.target))
}

func list(numbers []int16) string {
	return strings.Join(each.Map(numbers, func(number int16) string { return strconv.Itoa(int(number)) }), ", ")
}

// PromptText implements envs.Problem. It asks the question of the prompt of SetPO app. H.
func (p *Problem) PromptText() string {
	return p.task() + " Give it inside <answer>...</answer> tags, for example <answer>" + p.example() + "</answer>."
}

// example shows the form of an answer, with a number at least that the problem has not: so
// who copies it earns nothing. Numbers are below 1000.
func (p *Problem) example() string {
	for _, number := range []int16{1, 2, 3} {
		if !slices.Contains(p.given(), number) {
			return "(1 + 2) / 3"
		}
	}
	return "(1000 + 2000) / 3000"
}

// MultiPromptText implements envs.MultiPrompter: the prompt for m expressions.
func (p *Problem) MultiPromptText(m int) string {
	return fmt.Sprintf("%s\nGive %d truly different expressions that do, each in its own numbered tags: %s. Nothing but an expression may stand inside the tags.",
		p.task(), m, envs.Tags("expression", m))
}

// task is the text that prompts for one and for several expressions share.
func (p *Problem) task() string {
	often := "exactly once"
	if p.shape.env.config.AtMostOnce {
		often = "at most once"
	}
	return fmt.Sprintf("Use the numbers %s to write an expression that equals %d. The operations are +, -, * and /, with parentheses where you need them, and each number is used %s.",
		list(p.given()), p.target, often)
}

// A row is the demonstrator's distribution over the legal tokens of a view.
type row struct {
	logits        []float64
	probabilities []float64
}

// A solution is a mode of correct answers, in the JSON form of Fields. The answer
// is the mode as it is printed, which is one of its expressions.
type solution struct {
	Mode     envs.Mode `json:"mode"`
	Answer   string    `json:"answer"`
	Variants int64     `json:"variants"`
}

// Picture implements envs.Problem: the numbers and the target, the modes of correct answers with
// the number of their variants and the answers that hit them, and then a line for each answer.
func (p *Problem) Picture(answers ...[]envs.Token) string {
	truth := p.Truth()
	head := fmt.Sprintf("countdown %s: make %d from %s; %d modes, %d expressions", p.id, p.target, list(p.given()), len(truth.Modes), truth.Solutions)
	return envs.PictureModes(p, head, listed, func(i int) int64 { return p.solutions[i].Variants }, answers, p.caption)
}

func (p *Problem) caption(answer []envs.Token) string {
	v := p.Judge(answer)
	if v.Err != nil {
		return fmt.Sprintf("%s: degenerate: %v", p.AnswerText(answer), v.Err)
	}
	value, outcome := "undefined", "wrong"
	if nodes, err := p.read(nil, answer); err == nil {
		if x, err := arith.Eval(nodes); err == nil {
			value = x.String()
		}
	}
	if v.Correct {
		outcome = "right"
	}
	return fmt.Sprintf("%s = %s: %s; mode %s", p.AnswerText(answer), value, outcome, v.Mode)
}

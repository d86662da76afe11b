package multiplication

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"modebench/envs"
)

// A Problem is one pair of operands.
type Problem struct {
	env     *Env
	format  *format
	id      string
	a, b    int64
	product int64
	answer  string // the product

	findTruth    sync.Once
	truth        envs.Truth
	counts       [2][kinds]int64 // of each operand's expressions, by kind
	findShown    sync.Once
	shown        [2][]shown // the expressions that the demonstrator knows for each operand
	findExamples sync.Once
	families     []family
	solutions    envs.Cache[string, *solution] // by variant
}

func (e *Env) newProblem(f *format, id string, a, b int64) *Problem {
	return &Problem{env: e, format: f, id: id, a: a, b: b, product: a * b, answer: strconv.FormatInt(a*b, 10)}
}

// ID implements envs.Problem.
func (p *Problem) ID() string { return p.id }

// Prompt implements envs.Problem: the operands with * between them, in natural
// order.
func (p *Problem) Prompt() []envs.Token {
	var out []envs.Token
	for _, c := range []byte(p.operands()) {
		out = append(out, envs.Token(strings.IndexByte(symbols, c)))
	}
	return out
}

// operands writes the two numbers to be multiplied: "343*67".
func (p *Problem) operands() string { return fmt.Sprintf("%d*%d", p.a, p.b) }

// The examples of prompts have an operand of one digit, so they are no problem's
// answer.
var examples = [...]string{
	"(5+2)*12 = 5*12+2*12 = 60+24 = 84",
	"7*(10+2) = 7*10+7*2 = 70+14 = 84",
	"(10-3)*(3*4) = 10*3*4-3*3*4 = 120-36 = 84",
}

// PromptText implements envs.Problem.
func (p *Problem) PromptText() string {
	return p.preamble() + "Give the answer inside <answer>...</answer> tags, for example, for 7*12: <answer>" + examples[0] + "</answer>."
}

// MultiPromptText implements envs.MultiPrompter: the prompt for m answers.
func (p *Problem) MultiPromptText(m int) string {
	var b strings.Builder
	b.WriteString(p.preamble())
	fmt.Fprintf(&b, "Give %d answers that take the numbers apart in truly different ways, each inside numbered tags: %s. For example, for 7*12:\n", m, envs.Tags("answer", m))
	for i := range m {
		fmt.Fprintf(&b, "<answer_%d>%s</answer_%d>\n", i+1, examples[i%len(examples)], i+1)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// preamble is the text that prompts for one and for several answers share.
func (p *Problem) preamble() string {
	return fmt.Sprintf("Compute %s by taking the numbers apart and multiplying out.\n\n", p.operands()) +
		"- First write the multiplication with one or both numbers replaced by a sum or difference of whole numbers, or by a product of whole numbers above 1, in parentheses.\n" +
		"- Then multiply it out: the sum of the products of one part of each number.\n" +
		"- Then write the same sum with the value of each product. You may leave this out, or add it up in steps, with a shorter sum after each further equals sign.\n" +
		"- End with the result.\n" +
		fmt.Sprintf("- Write it all as one equation with at most %d sides, with digits, + - * ( ) and = only.\n\n", maxSides)
}

// Fields implements envs.Problem: "a" and "b", the operands, and "families", the
// modes of correct answers in the order of the truth, each with an example and
// the number of its variants.
func (p *Problem) Fields() map[string]any {
	p.findExamples.Do(p.findFamilies)
	return map[string]any{"a": p.a, "b": p.b, "families": p.families}
}

// A solution holds the parts that the verdicts of one variant share.
type solution struct {
	variant   string
	embedding [dimensions]float32
}

// maxSolutions bounds the solutions that a problem keeps, about 400 bytes each:
// answers repeat few variants, but who samples at random meets ever more.
const maxSolutions = 1024

// A shown expression is known to the demonstrator for an operand.
type shown struct {
	kind   kind
	weight float64
	terms  []int64
	tokens []envs.Token // with the symbol that follows it
}

package multiplication

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"

	"modebench/envs"
	"modebench/internal/each"
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

// Prompt implements envs.Problem: the operands with * between them, in natural order.
func (p *Problem) Prompt() []envs.Token {
	return each.Map([]byte(p.operands()), func(c byte) envs.Token { return envs.Token(strings.IndexByte(symbols, c)) })
}

// operands writes the two numbers to be multiplied: "343*67".
func (p *Problem) operands() string { return fmt.Sprintf("%d*%d", p.a, p.b) }

// The examples of prompts have an operand of one digit, so they are no problem's answer.
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

// Fields implements envs.Problem: "a" and "b", the operands, and "families", the modes of correct
// answers in the order of the truth, each with an example and the number of its variants.
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

// maxAttempts bounds the pairs drawn for one problem. A quarter or more of the
// pairs belong to each split, so it is not reached.
const maxAttempts = 10_000

// Problem implements envs.Env.
func (e *Env) Problem(split envs.Split, index int) (envs.Problem, error) {
	if err := envs.CheckRequest(split, index); err != nil {
		return nil, err
	}
	f := e.usual
	if split == envs.OOD {
		f = e.larger
	}
	var stream rand.PCG
	e.config.SplitKey("multiplication", split).Str(string(split)).Int(uint64(index)).Seed(&stream)
	for range maxAttempts {
		a, b := drawOperand(&stream, f.digits[0]), drawOperand(&stream, f.digits[1])
		if split == envs.OOD || e.dealt(a, b) == split {
			return e.newProblem(f, e.config.ID(split, index), a, b), nil
		}
	}
	return nil, fmt.Errorf("multiplication %s/%d: none of %d pairs drawn belongs to the split", split, index, maxAttempts)
}

// drawOperand returns a uniform number with the given digits that does not end in 0.
func drawOperand(stream *rand.PCG, digits int) int64 {
	tens := powers[digits-2]
	high, _ := bits.Mul64(stream.Uint64(), uint64(81*tens)) // the bias that remains is below 2^-43
	i := int64(high)
	return 10*(tens+i/9) + 1 + i%9
}

// dealt is the split that a pair of operands belongs to, in either order. The first quarter of
// the hashes belongs to train and the second to test.
func (e *Env) dealt(a, b int64) envs.Split {
	return envs.Owner(e.key.Str("pair").Int(uint64(min(a, b))).Int(uint64(max(a, b))).Uint64()>>62 + 2)
}

// Picture implements envs.Problem: the families of correct decompositions, each with the number of
// its variants and an example, then one line per answer given with its reward and mode. A family is
// marked with the numbers of the answers in it that are correct.
func (p *Problem) Picture(answers ...[]envs.Token) string {
	p.findExamples.Do(p.findFamilies)
	marks := map[envs.Mode]string{}
	var captions strings.Builder
	for i, answer := range answers {
		v := p.Judge(answer)
		if v.Correct {
			marks[v.Mode] += fmt.Sprintf(" %d", i+1)
		}
		captions.WriteString(p.caption(i+1, answer, v) + "\n")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "multiplication %s: %s = %s, %d families, %s variants\n", p.id, p.operands(), p.answer, len(p.families), orUnknown(p.Truth().Solutions))
	width := each.Largest(p.families, func(f family) int { return len(orUnknown(f.count())) })
	for _, f := range p.families {
		line := fmt.Sprintf("  %-13s %*s  %s", f.Mode, width, orUnknown(f.count()), f.Answer)
		if mark := marks[f.Mode]; mark != "" {
			line += "  <-" + mark
		}
		b.WriteString(line + "\n")
	}
	return b.String() + captions.String()
}

func orUnknown(n int64) string {
	if n == unknown {
		return "?"
	}
	return fmt.Sprint(n)
}

func (p *Problem) caption(number int, answer []envs.Token, v *envs.Verdict) string {
	if v.Err != nil {
		return fmt.Sprintf("%3d: does not parse: %v", number, v.Err)
	}
	parts := each.Map(v.Reward, func(r float64) string { return fmt.Sprint(r) })
	mode := string(v.Mode)
	if v.Mode == envs.Degenerate {
		mode = "degenerate"
	}
	return fmt.Sprintf("%3d: %s; reward (%s), mean %.3g; %s", number, p.AnswerText(answer),
		strings.Join(parts, ", "), v.Scalar(envs.UniformWeights(components)), mode)
}

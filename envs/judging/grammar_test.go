package judging_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"modebench/envs/judging"
	"modebench/envs/reference"
	"modebench/internal/rng"
)

// This file makes answers whose verdicts are known because of how they are made: a solution that
// is right or wrong by its own arithmetic, in a notation, in a wrapping that states it as the answer
// or does not. Nothing here reads a text.

// A drawn is a solution in a notation.
type drawn struct {
	text  string
	plain bool // as the prompt asks for it, so that it can be read strictly
	lines bool // of more than one line
	latex bool // with commands of LaTeX
	parts bool // each marked by itself
}

// An author makes solutions of a problem.
type author struct {
	id    string
	make  func(r *rand.Rand, right bool) drawn
	fails []string // texts that are written like an answer, and are no answer
}

// pick draws one of several.
func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// authors are one or more for each environment. Their problems are written out here.
func authors() []author {
	return []author{
		{"countdown/train/0", countdownAuthor([]int64{2, 8, 10, 18}, 18), []string{"18+8", "18+8+2+11", "18*10-2+", "(18+8", "18+8+2-10 = 17"}},
		{"countdown/train/130", countdownAuthor([]int64{2, 5, 10, 21}, 21), []string{"21*10", "21+10*7/2"}},
		{"coins/train/0", coinsAuthor([]int{3, 6, 10, 12}, 25, 6), []string{"12+7+6", "12+10+", "25 = 24"}},
		{"polynomial/train/0", polynomialAuthor(-2, 3, 9), []string{"x=12345, y=1", "x=1, z=2"}},
		{"multiplication/train/0", multiplicationAuthor(15, 38), []string{"15*30+ = 570", "15*(30+8 = 570"}},
		{"derivation/train/0", derivationAuthor(), []string{"d=0, i=88", "d=0, d=0, i=8"}},
		{"maze/train/0", mazeAuthor(), []string{"UP 3, LEFT 2", "LEFT, LEFT 6, DOWN"}},
		{"bandit/train/0", func(r *rand.Rand, right bool) drawn {
			if !right {
				return drawn{text: "m11", plain: true}
			}
			switch r.IntN(4) {
			case 0:
				return drawn{text: `\text{m03}`, latex: true}
			case 1:
				return drawn{text: "M03"}
			}
			return drawn{text: pick(r, "m03", "m00"), plain: true}
		}, nil},
	}
}

// A tree is an expression: a number, or two trees with a sign between.
type tree struct {
	sign        byte // 0: a number
	number      int64
	left, right *tree
}

func randomTree(r *rand.Rand, numbers []int64) *tree {
	if len(numbers) == 1 {
		return &tree{number: numbers[0]}
	}
	cut := 1 + r.IntN(len(numbers)-1)
	return &tree{"+-*/"[r.IntN(4)], 0, randomTree(r, numbers[:cut]), randomTree(r, numbers[cut:])}
}

// value is that of a tree; nil: the tree has no value.
func (t *tree) value() *big.Rat {
	if t.sign == 0 {
		return big.NewRat(t.number, 1)
	}
	a, b := t.left.value(), t.right.value()
	switch {
	case a == nil || b == nil:
		return nil
	case t.sign == '+':
		return a.Add(a, b)
	case t.sign == '-':
		return a.Sub(a, b)
	case t.sign == '*':
		return a.Mul(a, b)
	case b.Sign() == 0:
		return nil
	}
	return a.Quo(a, b)
}

// A notation is a way to write trees.
type notation struct {
	signs     map[byte][]string
	brackets  [][2]string
	fractions bool // a division may be a fraction of LaTeX
	adjacent  bool // a product may have no sign before brackets
	blanks    []string
	plain     bool
	latex     bool
}

var (
	asked = notation{signs: map[byte][]string{'+': {"+"}, '-': {"-"}, '*': {"*"}, '/': {"/"}}, brackets: [][2]string{{"(", ")"}}, blanks: []string{"", " "}, plain: true}
	print = notation{signs: map[byte][]string{'+': {"+", "＋"}, '-': {"−", "–", "-"}, '*': {"×", "·", "⋅", "∗", "x"}, '/': {"÷", "∕", "/"}},
		brackets: [][2]string{{"(", ")"}, {"[", "]"}, {"（", "）"}}, blanks: []string{"", " ", "\u00a0", "\u2009"}}
	colons   = notation{signs: map[byte][]string{'+': {"+"}, '-': {"-"}, '*': {"*", "·"}, '/': {":"}}, brackets: [][2]string{{"(", ")"}}, blanks: []string{" "}}
	braces   = notation{signs: asked.signs, brackets: [][2]string{{"{", "}"}, {"(", ")"}, {"[", "]"}, {`\{`, `\}`}}, blanks: []string{"", " "}}
	formulas = notation{signs: map[byte][]string{'+': {"+"}, '-': {"-"}, '*': {`\times `, `\cdot `, `\ast `, "*"}, '/': {`\div `, "/"}},
		brackets:  [][2]string{{"(", ")"}, {`\left(`, `\right)`}, {`\bigl(`, `\bigr)`}, {`\left[`, `\right]`}, {`\{`, `\}`}, {`\left\{`, `\right\}`}, {`\lbrace `, `\rbrace `}},
		fractions: true, adjacent: true, blanks: []string{"", " ", `\,`, `\ `}, latex: true}
)

func binding(sign byte) int {
	switch sign {
	case '+', '-':
		return 1
	case '*', '/':
		return 2
	}
	return 3
}

// write writes a tree. Brackets are where the order of calculation needs them, and sometimes where
// it does not.
func (n *notation) write(r *rand.Rand, t *tree) string {
	text, _ := n.part(r, t)
	return text
}

// part writes a tree, and returns how tight it binds.
func (n *notation) part(r *rand.Rand, t *tree) (text string, tight int) {
	if t.sign == 0 {
		return strconv.FormatInt(t.number, 10), 3
	}
	if n.fractions && t.sign == '/' && r.IntN(2) == 0 {
		above, _ := n.part(r, t.left)
		below, _ := n.part(r, t.right)
		command := pick(r, `\frac`, `\dfrac`, `\tfrac`)
		if t.right.sign == 0 && len(below) == 1 && r.IntN(2) == 0 {
			return command + "{" + above + "}" + pick(r, "", " ") + below, 3
		}
		return command + "{" + above + "}{" + below + "}", 3
	}
	left, leftTight := n.part(r, t.left)
	right, rightTight := n.part(r, t.right)
	own := binding(t.sign)
	if leftTight < own || leftTight < 3 && r.IntN(5) == 0 {
		left = n.enclosed(r, left)
	}
	bracketed := false
	if rightTight < own || rightTight == own && (t.sign == '-' || t.sign == '/') || rightTight < 3 && r.IntN(5) == 0 {
		right, bracketed = n.enclosed(r, right), true
	}
	blank := pick(r, n.blanks...)
	sign := blank + pick(r, n.signs[t.sign]...) + blank
	if n.adjacent && t.sign == '*' && bracketed && r.IntN(3) == 0 {
		sign = ""
	}
	return left + sign + right, own
}

func (n *notation) enclosed(r *rand.Rand, text string) string {
	b := pick(r, n.brackets...)
	return b[0] + text + b[1]
}

func countdownAuthor(numbers []int64, target int64) func(*rand.Rand, bool) drawn {
	return func(r *rand.Rand, right bool) drawn {
		for {
			order := slices.Clone(numbers)
			r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
			t := randomTree(r, order)
			v := t.value()
			if v == nil || (v.Cmp(big.NewRat(target, 1)) == 0) != right {
				continue
			}
			n := pick(r, &asked, &asked, &print, &colons, &braces, &formulas, &formulas)
			d := drawn{text: n.write(r, t), plain: n.plain, latex: n.latex}
			if n.latex && r.IntN(4) == 0 {
				d.text = fmt.Sprintf(pick(r, `\boldsymbol{%s}`, `\textcolor{red}{%s}`, `\mathbf{%s}`, `\color{blue}%s`, `{\color{red} %s}`, `\displaystyle %s`), d.text)
			}
			// The value that the text claims is checked: a wrong value keeps its verdict.
			switch r.IntN(8) {
			case 0:
				d.text += fmt.Sprintf(" = %d", target)
			case 1:
				if !d.latex {
					d.text += fmt.Sprintf(pick(r, ", which equals %d", " which gives %d", " (which equals %d)", ", which makes %d as required"), target)
					d.plain = false
				}
			}
			return d
		}
	}
}

func coinsAuthor(kinds []int, amount, most int) func(*rand.Rand, bool) drawn {
	return func(r *rand.Rand, right bool) drawn {
		for {
			var coins []string
			sum := 0
			for range 2 + r.IntN(most-1) {
				coin := pick(r, kinds...)
				coins = append(coins, strconv.Itoa(coin))
				sum += coin
			}
			if (sum == amount) != right {
				continue
			}
			d := drawn{text: strings.Join(coins, pick(r, "+", " + ")), plain: true}
			switch r.IntN(6) {
			case 0:
				d = drawn{text: strings.Join(coins, ", ")}
			case 1:
				d = drawn{text: "{" + strings.Join(coins, "} + {") + "}", latex: true}
			case 2:
				d = drawn{text: "(" + strings.Join(coins[:2], "+") + ")" + strings.Join(append([]string{""}, coins[2:]...), " + ")}
			case 3:
				d = drawn{text: `\text{` + d.text + "}", latex: true}
			case 4:
				if right {
					d = drawn{text: d.text + fmt.Sprintf(pick(r, ", which makes %d", " = %d cents", ", which equals %d"), amount)}
				}
			}
			return d
		}
	}
}

func polynomialAuthor(a, b, c int) func(*rand.Rand, bool) drawn {
	decimal := func(halves int) string { return strconv.FormatFloat(float64(halves)/2, 'f', -1, 64) }
	return func(r *rand.Rand, right bool) drawn {
		k := r.IntN(21) - 10 // x is k/2, and y is a*k*k/4 + b*k/2 + c, a is even
		twice := a*k*k/2 + b*k + 2*c
		if !right {
			twice += pick(r, -2, -1, 1, 2, 7)
		}
		x, y := decimal(k), decimal(twice)
		minus := pick(r, "-", "-", "−")
		x, y = strings.Replace(x, "-", minus, 1), strings.Replace(y, "-", minus, 1)
		form := pick(r,
			drawn{text: "x=%s, y=%s", plain: true}, drawn{text: "x = %s, y = %s", plain: true}, drawn{text: "x = %s and y = %s"}, drawn{text: "x=%s y=%s"},
			drawn{text: "x=%s\ny=%s", lines: true}, drawn{text: "x = %s\ny = %s", lines: true}, drawn{text: "(%s, %s)"}, drawn{text: "(x, y) = (%s, %s)"},
			drawn{text: "x: %s, y: %s"}, drawn{text: "x=%s; y=%s"}, drawn{text: `\begin{cases} x = %s \\ y = %s \end{cases}`, latex: true},
			drawn{text: `\begin{cases} x = %s, \\ y = %s. \end{cases}`, latex: true}, drawn{text: `\left(%s, %s\right)`, latex: true},
			drawn{text: `x = %s,\ y = %s`, latex: true}, drawn{text: `x = %s \text{ and } y = %s`, latex: true})
		form.text = fmt.Sprintf(form.text, x, y)
		return form
	}
}

func multiplicationAuthor(a, b int) func(*rand.Rand, bool) drawn {
	return func(r *rand.Rand, right bool) drawn {
		part := 1 + r.IntN(b-2)
		rest, product := b-part, a*b
		if !right {
			product += pick(r, -10, -1, 1, 10, 100)
		}
		text := fmt.Sprintf("%d*(%d+%d) = %d*%d+%d*%d = %d+%d = %d", a, part, rest, a, part, a, rest, a*part, a*rest, product)
		switch r.IntN(4) {
		case 0:
			return drawn{text: strings.ReplaceAll(text, "*", pick(r, " × ", "·", " x "))}
		case 1:
			return drawn{text: strings.ReplaceAll(text, "*", pick(r, ` \times `, ` \cdot `)), latex: true}
		case 2:
			return drawn{text: strings.NewReplacer("(", `\left(`, ")", `\right)`).Replace(text), latex: true}
		}
		return drawn{text: text, plain: true}
	}
}

// derivationAuthor writes statements of derivation/train/0: d, e, f, g, h and last i.
func derivationAuthor() func(*rand.Rand, bool) drawn {
	const b, c = 2, 5
	d := b * c % 10
	e := (d - c + 10) % 10
	f := d * b % 10
	g := (c + b) % 10
	h := (f - b + 10) % 10
	i := (h + d) % 10
	return func(r *rand.Rand, right bool) drawn {
		var names []string
		for at, value := range []int{d, e, f, g, h} {
			if r.IntN(2) == 0 {
				names = append(names, fmt.Sprintf("%c=%d", 'd'+at, value))
			}
		}
		last := i
		if !right {
			last = (i + 1 + r.IntN(9)) % 10
		}
		names = append(names, fmt.Sprintf("i=%d", last))
		switch r.IntN(5) {
		case 0:
			return drawn{text: strings.Join(names, "\n"), plain: true, lines: len(names) > 1}
		case 1:
			return drawn{text: `\begin{aligned} ` + strings.ReplaceAll(strings.Join(names, ` \\ `), "=", " &= ") + ` \end{aligned}`, latex: true}
		case 2:
			return drawn{text: strings.Join(names, ", \\ "), latex: true}
		case 3:
			return drawn{text: strings.Join(names, pick(r, " ", " -> ", " and ", ", and "))}
		}
		return drawn{text: strings.Join(names, pick(r, ", ", "; ")), plain: true}
	}
}

// mazeAuthor walks through the grid of maze/train/0.
func mazeAuthor() func(*rand.Rand, bool) drawn {
	grid := []string{"G#......S", "GG......#", "G...##...", "...L...#.", "....B.#..", ".#..#.#..", "..L#L...D", ".......DD", "E......DD"}
	names := []string{"UP", "DOWN", "LEFT", "RIGHT"}
	steps := [][2]int{{-1, 0}, {1, 0}, {0, -1}, {0, 1}}
	return func(r *rand.Rand, right bool) drawn {
		var moves []string
		for {
			moves = moves[:0]
			row, column := 0, 8
			seen := map[[2]int]bool{{row, column}: true}
			for len(moves) < 25 && grid[row][column] != 'E' {
				var free []int
				for m, s := range steps {
					y, x := row+s[0], column+s[1]
					if y >= 0 && y < 9 && x >= 0 && x < 9 && grid[y][x] != '#' && !seen[[2]int{y, x}] {
						free = append(free, m)
					}
				}
				if len(free) == 0 {
					break
				}
				m := pick(r, free...)
				row, column = row+steps[m][0], column+steps[m][1]
				seen[[2]int{row, column}] = true
				moves = append(moves, names[m])
			}
			if (grid[row][column] == 'E') == right && len(moves) > 2 {
				break
			}
		}
		switch r.IntN(12) {
		case 8:
			return drawn{text: "**" + strings.Join(moves, pick(r, "** → **", "**, **", "** -> **")) + "**", parts: true}
		case 9:
			return drawn{text: "[" + strings.Join(moves, ", ") + "]"}
		case 0:
			return drawn{text: strings.ToLower(strings.Join(moves, pick(r, " ", ", ")))}
		case 1:
			return drawn{text: strings.Join(moves, pick(r, " -> ", "->", " => ", " → ", " ⇒ ", " ⟶ ", " --> ", " ➜ ", " > "))}
		case 2:
			return drawn{text: strings.NewReplacer("UP", "U", "DOWN", "D", "LEFT", "L", "RIGHT", "R").Replace(strings.Join(moves, pick(r, " ", ", ", "-")))}
		case 3:
			return drawn{text: strings.NewReplacer("UP", "↑", "DOWN", "↓", "LEFT", "←", "RIGHT", "→").Replace(strings.Join(moves, pick(r, "", " ")))}
		case 4:
			return drawn{text: strings.Join(moves, pick(r, ", ", "; ", " - "))}
		case 5:
			return drawn{text: `\text{` + strings.Join(moves, pick(r, `} \rightarrow \text{`, `} \to \text{`, `} \Rightarrow \text{`, `, } \text{`)) + "}", latex: true}
		case 6:
			return drawn{text: pick(r, "- ", "1. ", "* ") + strings.Join(moves, "\n"+pick(r, "- ", "1. ", "* ")), lines: true}
		case 7:
			return drawn{text: strings.Join(moves, "\n"), plain: true, lines: true}
		}
		return drawn{text: strings.Join(moves, " "), plain: true}
	}
}

// A wrapping states a solution as the answer, or a different solution, or no answer.
type wrapping struct {
	name   string
	wrap   func(r *rand.Rand, s, other drawn) string
	states byte // 's': the solution, 'o': the other one, 0: none
	strict bool // so that a strict reading sees the answer too, if it is plain
	fits   func(s drawn) bool
}

func inLine(s drawn) bool   { return !s.lines }
func unmarked(s drawn) bool { return !s.lines && !s.parts }
func whole(s drawn) bool    { return !s.parts }
func formula(s drawn) bool  { return !s.lines && s.latex }
func prose(s drawn) bool    { return !s.latex && !s.lines && !s.parts }

// in is a wrapping by a format in which %s is the solution and %[2]s the other one.
func in(formats ...string) func(*rand.Rand, drawn, drawn) string {
	return func(r *rand.Rand, s, other drawn) string {
		return strings.NewReplacer("@S", s.text, "@O", other.text).Replace(pick(r, formats...))
	}
}

var wrappings = []wrapping{
	{"whole", in("@S", "\n@S\n", " @S"), 's', true, nil},
	{"tag", in("<answer>@S</answer>", "I looked at it.\n<answer>\n@S\n</answer>\nDone.", "<answer> @S </answer>"), 's', true, nil},
	{"tag of the last", in("<answer>@O</answer> No.\n<answer>@S</answer>"), 's', true, nil},
	{"tag in other forms", in("<ANSWER>@S</ANSWER>", `<answer type="final">@S</answer>`, "So:\n<answer>\n@S", "<answer>**@S**</answer>"), 's', false, nil},
	{"tag of prose", in("<answer>The answer is @S</answer>", "<answer>\nFinal answer: @S\n</answer>"), 's', false, inLine},
	{"box in a tag", in(`<answer>\boxed{@S}</answer>`, `<answer>$\boxed{@S}$</answer>`), 's', false, inLine},
	{"box", in(`So we get $\boxed{@S}$.`, `\boxed{@S}`, "Hence\n\\[\n\\boxed{@S}\n\\]", `\boxed{\boxed{@S}}`, `\fbox{@S} is it.`, `\boxed {@S}`), 's', false, nil},
	{"box of the last", in(`\boxed{@O} is not it, but \boxed{@S} is.`), 's', false, nil},
	{"phrase", in("The answer is @S.", "Final answer: @S", "**Final Answer:** @S", "So my final answer is: @S.", "The answer is @S. I checked it twice.", "the correct answer is **@S**."), 's', false, inLine},
	{"phrase before the answer", in("The final answer is:\n\n@S\n\nHope this helps!", "### Final Answer\n\n@S\n\nHope this helps!", "**Final answer**\n@S", "Answer:\n@S"), 's', false, nil},
	{"phrase of the last", in("The answer is @O. Wait, no. The answer is @S."), 's', false, inLine},
	{"hashes", in("It is easy.\n#### @S", "#### @S"), 's', false, inLine},
	{"JSON", func(r *rand.Rand, s, other drawn) string {
		value, _ := json.Marshal(s.text)
		decoy, _ := json.Marshal(other.text)
		return strings.NewReplacer("@S", string(value), "@O", string(decoy)).Replace(pick(r, `{"answer": @S}`, "```json\n{\"answer\": @S}\n```", `Here: {"reasoning": @O, "final_answer": @S}`, `{"answer":@O} no, {"answer":@S}`))
	}, 's', false, nil},
	{"fence", in("Here it is:\n```\n@S\n```", "```text\n@S\n```\nDone.", "~~~\n@S\n~~~", "```\n@O\n```\nis wrong.\n```\n@S\n```"), 's', false, nil},
	{"code", in("Use `@S` for this.", "I tried `@O`, and then `@S`."), 's', false, unmarked},
	{"bold", in("We write **@S** and are done."), 's', false, prose},
	{"math", in("So $@S$ works", `Thus \(@S\) works.`, `$$@S$$`, `\[ @S \]`), 's', false, unmarked},
	{"line", in("Let me see.\n@S", "It can be done.\n\n@S\n"), 's', false, inLine},
	{"line behind a colon", in("Let me see.\nIt can be done like this: @S"), 's', false, inLine},
	{"list", in("- @S", "* @S", "1. @S", "1) @S", "> @S", "• @S", "- **@S**", "- `@S`"), 's', false, prose},
	{"list in a tag", in("<answer>- @S</answer>", "<answer>\n* @S\n</answer>", "<answer>1. @S</answer>"), 's', false, prose},
	{"tick", in("@S ✓", "@S ✅", "**@S** ✔"), 's', false, prose},
	{"placeholder behind", in(`\boxed{@S} (in \boxed{ } as asked)`, `\boxed{@S} (in \boxed{...} as asked)`, `\boxed{@S} is in \boxed{your answer}.`, `\boxed{@S}, as in "\boxed{@O}".`, `\boxed{@S} stands in \boxed{\text{answer}}, for example \boxed{@O}.`), 's', false, nil},
	{"tag named behind", in("<answer>@S</answer> (in <answer>...</answer> tags)", "<answer>@S</answer> is in <answer></answer>.", "<answer>@S</answer> You wrote: for example <answer>@O</answer>.",
		"<answer>@S</answer> (between `<answer>` and `</answer>`)", "<answer>@S</answer>, in <answer> tags", "<answer>@S</answer> You wrote \"<answer>@O</answer>\" there."), 's', true, nil},
	{"thought before", in("<think>@O</think>@S", "<think>\nMaybe <answer>@O</answer>?\n</think>\n\n@S", "<THINK>x</THINK>\n@S", "<think></think>\n\n@S", "\\boxed{@O}</think>\n@S", "<think>a <think> b</think>@O</think>@S", "<think>a</think>\n<think>@O</think>\n@S",
		"<thinking>@O</thinking>@S", "<reasoning>\n@O\n</reasoning>\n@S", "<|begin_of_thought|>@O<|end_of_thought|>\n@S", "[THINK]@O[/THINK]@S"), 's', true, nil},
	{"thought before a tag", in("<think><answer>@O</answer></think>\n<answer>@S</answer>", "So <answer>@O</answer></think><answer>@S</answer>", "<answer>@S</answer><think><answer>@O</answer></think>", "<reasoning><answer>@O</answer></reasoning><answer>@S</answer>"), 's', true, nil},
	{"thought before a box", in(`<think>\boxed{@O}</think>The answer is \boxed{@S}.`, `\boxed{@O}</think>\boxed{@S}`), 's', false, nil},
	{"thought before a phrase", in("<think>The answer is @O</think>The answer is @S", "<think>\\boxed{@O}</think>\n\nFinal answer: @S"), 's', false, inLine},

	{"thought alone", in("<think>@S", "<think>\n<answer>@S</answer>", "<think>@S</think>", "<think>\\boxed{@S}</think>\n\nI give up.", "@S</think>", "<answer>@S</answer>\n</think>\n", "<think>a</think>\n<answer>@O</answer><think>@S",
		"<thinking>@S", "<reasoning>The answer is @S", "<|begin_of_thought|>@S", "@S<|end_of_thought|>", "[THINK]\n@S", "<think>@S</thinking>"), 0, true, nil},
	{"two at once", in("<answer>@S or @O</answer>", `\boxed{@S \text{ or } @O}`, "The answer is @S or @O.", "@S or @O"), 0, true, unmarked},
	{"struck out", in(`\boxed{\cancel{@S}}`, `\boxed{\sout{@S}}`), 0, false, formula},
	{"no answer", in("I give up.", "", "<answer></answer>", `\boxed{}`, "The answer is unknown.", "<answer>I do not know</answer>", "```\n```"), 0, true, nil},
	{"missing parts", in("<answer>@S ...</answer>", `\boxed{@S \ldots}`, "@S …"), 0, true, whole},
}

// TestGrammar: of some thousand answers that are made of such forms, each gets the verdict
// by its making.
func TestGrammar(t *testing.T) {
	n := 4000
	if testing.Short() {
		n = 1200
	}
	count, forms := map[string]int{}, map[string]int{}
	all, posed := authors(), map[string]*reference.Posed{}
	for _, by := range all {
		posed[by.id] = problem(t, by.id)
	}
	for i := range n {
		r := rng.New(20261127).Str("grammar").Int(uint64(i)).Rand()
		by := all[i%len(all)]
		right := r.IntN(2) == 0
		var s, other drawn
		var w wrapping
		for {
			s, other, w = by.make(r, right), by.make(r, !right), pick(r, wrappings...)
			// The decoy must fit where the solution does.
			if w.fits == nil || w.fits(s) && !other.lines && !other.parts {
				break
			}
		}
		text := w.wrap(r, s, other)
		if len(by.fails) > 0 && r.IntN(20) == 0 {
			// A declared answer that fails is the answer, whatever stood before it.
			w = wrapping{name: "failed answer", states: 0, strict: true}
			text = strings.NewReplacer("@S", s.text, "@F", pick(r, by.fails...)).Replace(pick(r, "I tried `@S`.\n<answer>@F</answer>", "First **@S**, but then \\boxed{@F}", "`@S` is near.\nFinal answer: @F", "$@S$ was a try. The answer is @F."))
		}
		// A thought before a response changes nothing, whatever is in it.
		if in := pick(r, wrappings...); r.IntN(4) == 0 && !strings.Contains(in.name, "thought") {
			text = pick(r, "<think>\n", "<THINK>", "<think>Hm.\n<think>") + in.wrap(r, other, s) + pick(r, "\n</think>\n\n", "</think>") + text
		}
		want := "!"
		if w.states == 's' {
			want = map[bool]string{true: "+", false: "-"}[right]
		}
		forms[w.name]++
		count[by.id+want]++
		q := posed[by.id]
		if got := sign(q, text, judging.Lenient); got != want {
			j := judging.Judge(q, text, judging.Lenient)
			t.Errorf("answer %d to %s, %s, %q, read leniently: %s, want %s (%s: %q, %v)", i, by.id, w.name, text, got, want, j.Class, j.Verdicts[0].Variant, j.Verdicts[0].Err)
		}
		switch got := sign(q, text, judging.Strict); {
		case got == want:
		case got == "!" && !(w.strict && s.plain):
		default:
			t.Errorf("answer %d to %s, %s, %q, read strictly: %s, want %s", i, by.id, w.name, text, got, want)
		}
	}
	for _, w := range wrappings {
		if forms[w.name] < n/200 {
			t.Errorf("%d answers are wrapped as %s", forms[w.name], w.name)
		}
	}
	for _, by := range all {
		for _, want := range []string{"+", "-", "!"} {
			if count[by.id+want] < n/100 {
				t.Errorf("%d answers to %s have the verdict %s", count[by.id+want], by.id, want)
			}
		}
	}
}

// FuzzReadings: an answer that a strict reading reads, a lenient one reads as the same, and
// a response that ends in a thought has no answer.
func FuzzReadings(f *testing.F) {
	for _, c := range written {
		f.Add(strings.Split(c.id, "/")[0], c.text)
	}
	f.Add("countdown", "<think>18</think><answer>18*(10-2)/8</answer> in <answer>...</answer>")
	posed := map[string]*reference.Posed{}
	for _, by := range authors() {
		posed[strings.Split(by.id, "/")[0]] = problem(f, by.id)
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		q := posed[name]
		if q == nil {
			return
		}
		strict, lenient := sign(q, text, judging.Strict), sign(q, text, judging.Lenient)
		if strict != "!" && lenient != strict {
			t.Errorf("%s, %q, read strictly: %s, leniently: %s", name, text, strict, lenient)
		}
		if !strings.Contains(strings.ToLower(text), "</think") {
			for _, reading := range judging.Readings() {
				if got := sign(q, "<think>"+text, reading); got != "!" {
					t.Errorf("%s, %q in a thought, read as %s: %s", name, text, reading, got)
				}
			}
		}
	})
}

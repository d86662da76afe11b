package judging_test

import (
	"strings"
	"testing"

	"modebench/envs/judging"
)

// route is a way through maze/train/0.
const route = "LEFT LEFT LEFT LEFT LEFT LEFT DOWN LEFT LEFT DOWN DOWN DOWN DOWN DOWN DOWN DOWN"

// written are answers in the forms that models have for them. strict and lenient are the signs of
// the verdicts, as sign gives them.
var written = []struct{ id, text, strict, lenient string }{
	// A remark on an answer does not hide it.
	{"bandit", "The answer is m03.\n\nThis answer is correct.", "!", "+"},
	{"coins", "Answer: 12, 10 and 3\n\nThe solution is valid: it is 25.", "!", "+"},
	{"countdown", "The answer is 18*(10-2)/8.\n\nOther solutions are possible.", "!", "+"},
	{"countdown", "The answer is 18*(10-2)/8.\n\nThe answer is not unique.", "!", "+"},
	{"countdown", "The answer is 18+8+2+10.\n\nThis answer is correct.", "!", "-"},
	{"countdown", "The solution is 18*(10-2)/8. The final answer is 18+8+2+10.", "!", "-"},
	// The denial of an answer is the answer.
	{"countdown", "I tried `18*(10-2)/8`, which uses 8 wrongly. <answer>No solution</answer>", "!", "!"},
	{"countdown", "I tried `18*(10-2)/8`. <answer>none</answer>", "!", "!"},
	{"countdown", "I tried `18*(10-2)/8`. \\boxed{\\text{I don't know}}", "!", "!"},
	{"countdown", "I tried `18*(10-2)/8`. Final answer: impossible", "!", "!"},
	{"countdown", "The answer is not `18*(10-2)/8`.", "!", "!"},
	// The field that is named answer is the answer.
	{"countdown", `{"answer": "18*10-8-2", "result": "18*(10-2)/8"}`, "!", "-"},
	{"countdown", `{"answer": "18*(10-2)/8", "solution": "18*10-8-2"}`, "!", "+"},
	{"countdown", `{"result": "18*(10-2)/8", "answer": 18}`, "!", "+"},
	// An answer in the form of an example is no answer, and a quoted one that is submitted
	// is an answer.
	{"countdown", "First <answer>18*(10-2)/8</answer>. Hmm. So, formatted as in the example: <answer>18+8+2+10</answer>", "-", "-"},
	{"countdown", "I withdraw <answer>18*(10-2)/8</answer>. I submit \"<answer>18+8+2+10</answer>\"", "-", "-"},
	{"countdown", "The answer is 18*(10-2)/8 (= 18).", "!", "+"},
	// A fraction is one value: divided by 2/5 is not divided by 2 and then by 5.
	{"countdown/train/130", `$(10 \times 21) \div \frac{2}{5}$`, "!", "-"},
	{"countdown/train/130", `\boxed{(10 \times 21) / \dfrac{5}{2}}`, "!", "-"},
	{"countdown/train/130", `\boxed{(10 \times 21) / \tfrac{5 \cdot 2}{1}}`, "!", "!"},
	{"countdown/train/130", `\boxed{\frac{10 \times 21}{2 \cdot 5}}`, "!", "+"},
	{"countdown/train/130", `\boxed{10 \div \frac{2 \cdot 5}{21}}`, "!", "+"},
	{"countdown", `\boxed{\frac{18(10-2)}8}`, "!", "+"},
	{"countdown", `\boxed{\frac{18\left(10-2\right)} 8}`, "!", "+"},
	{"countdown", `\boxed{18 \cdot \frac{10-2}8}`, "!", "+"},
	{"countdown", "\\boxed{\n\\frac{18 (10-2)}\n{8}\n}", "!", "+"},
	{"countdown", `\boxed{(10-2)\cdot\frac{18}{8}}`, "!", "+"},
	{"countdown", `\boxed{18 \div \frac8{10-2}}`, "!", "+"},
	{"countdown", `\boxed{(10-2)\frac{18}{8}}`, "!", "+"},
	{"countdown", `\boxed{10\frac{18}{8} - 2}`, "!", "!"}, // times or plus?
	{"countdown", `\boxed{\frac{18(10-2)}82}`, "!", "!"},  // 8 or 82?
	{"countdown", `\boxed{\frac{\frac{18}{8}}{\frac{1}{10-2}}}`, "!", "!"},

	// Braces are brackets if they hold a calculation.
	{"countdown", `18*{10-2}/8`, "!", "+"},
	{"countdown", `<answer>18*{10-2}/8</answer>`, "!", "+"},
	{"countdown", `18*\{10-2\}/8`, "!", "+"},
	{"countdown", `$18 \times \left\{10-2\right\} \div 8$`, "!", "+"},
	{"countdown", `\boxed{18 \times \lbrace 10-2 \rbrace \div 8}`, "!", "+"},
	{"countdown", `{18}*({10}-{2})/{8}`, "!", "+"},
	{"countdown", `18{*}(10{-}2)/8`, "!", "+"},
	{"countdown", `{[(18+8)]+2}-10`, "!", "+"},
	{"coins", `{12}+{10}+{3}`, "!", "+"},
	{"coins", `{12+10}+3`, "!", "+"},
	{"coins", `(12+10)+3`, "!", "+"},
	{"coins", `12+10(3)`, "!", "!"},
	{"coins", `12, 10 and 3`, "!", "+"},
	{"coins", `12, 10, and 3`, "!", "+"},
	{"coins", `12, 10 and`, "!", "!"},

	// Marks of Markdown are no signs.
	{"countdown", "- 18*(10-2)/8", "!", "+"},
	{"countdown", "<answer>- 18*(10-2)/8</answer>", "!", "+"},
	{"countdown", "<answer>\n- 18*(10-2)/8\n</answer>", "!", "+"},
	{"countdown", "The answer is:\n\n- 18*(10-2)/8", "!", "+"},
	{"countdown", "This works:\n- 18*(10-2)/8", "!", "+"},
	{"countdown", "* 18*(10-2)/8", "!", "+"},
	{"countdown", "+ 18*(10-2)/8", "+", "+"},
	{"countdown", "• 18*(10-2)/8", "!", "+"},
	{"countdown", "– 18*(10-2)/8", "!", "+"},
	{"countdown", "1. 18*(10-2)/8", "!", "+"},
	{"countdown", "1) 18*(10-2)/8", "!", "+"},
	{"countdown", "> 18*(10-2)/8", "!", "+"},
	{"countdown", "> - **18*(10-2)/8**", "!", "+"},
	{"countdown", "- `18*(10-2)/8`", "!", "+"},
	{"countdown", "- 2+20", "!", "!"},
	{"countdown", "- 2 - 8 + 10 + 18", "!", "-"}, // of a list, so 2 and not -2
	{"countdown", "-2 - 8 + 10 + 18", "+", "+"},
	{"countdown", "-(2+8-10-18)", "+", "+"},
	{"countdown", `$- 2 - 8 + 10 + 18$`, "!", "+"}, // a formula is no list
	{"countdown", `\boxed{- 2 - 8 + 10 + 18}`, "!", "+"},
	{"countdown", "(10) + 8 + 2 - (2)", "!", "!"},
	{"countdown", "(10) + 8 - 18/(18)", "!", "!"},
	{"countdown", "- 18+8+2+10\n- 18+8+2-10", "!", "+"},
	{"multiplication", "- 15*(30+8) = 15*30+15*8 = 450+120 = 570", "!", "+"},
	{"multiplication", "1. 15*(30+8) = 15*30+15*8 = 450+120 = 570", "!", "+"},
	{"polynomial", "- x=3, y=0", "!", "+"},
	{"polynomial", "1. x=3, y=0", "!", "+"},
	{"coins", "- 12+10+3", "!", "+"},
	{"coins", "1. 12+10+3", "!", "+"},
	{"derivation", "- i=8", "!", "+"},
	{"derivation", "- d = 0\n- h = 8\n- i = 8", "!", "+"},
	{"derivation", "1. d = 0\n2. h = 8\n3. i = 8", "!", "+"},
	{"maze", "- " + strings.ReplaceAll(route, " ", "\n- "), "!", "+"},
	{"bandit", "- m03", "!", "+"},
	{"bandit", "1. m03", "!", "+"},

	// A tag or a box that is empty, quoted, named or an example does not hide the answer before it.
	{"countdown", `\boxed{18*(10-2)/8} is in \boxed{ } as asked.`, "!", "+"},
	{"countdown", `\boxed{18*(10-2)/8} is in \boxed{} as asked.`, "!", "+"},
	{"countdown", `\boxed{18*(10-2)/8} is in \boxed{...} as asked.`, "!", "+"},
	{"countdown", `\boxed{18*(10-2)/8} is in \boxed{\text{your answer}} as asked.`, "!", "+"},
	{"countdown", `\boxed{18*(10-2)/8} is in \boxed{\ldots} as asked.`, "!", "+"},
	{"countdown", `\boxed{18*(10-2)/8} is in \boxed{E} as asked.`, "!", "+"},
	{"countdown", `\boxed{18*(10-2)/8} is in \boxed as asked.`, "!", "+"},
	{"countdown", `\boxed{18*(10-2)/8}, as in "\boxed{1+1}".`, "!", "+"},
	{"countdown", `\boxed{18*(10-2)/8}, for example \boxed{1+1}`, "!", "+"},
	{"countdown", `\boxed{18+8+2+10} is in \boxed{ } as asked.`, "!", "-"},
	{"countdown", `\boxed{18+8+2+10}, no: \boxed{18*(10-2)/8}`, "!", "+"},
	{"countdown", `\boxed{18*(10-2)/8}, no: \boxed{18+8+2+10}`, "!", "-"},
	{"countdown", `\boxed{18*(10-2)/8}, no: \boxed{18+8}`, "!", "!"},
	{"countdown", `\boxed{18*(10-2)/8}, no: \boxed{18+8+}`, "!", "!"},
	{"countdown", `I tried **18*(10-2)/8**, but \boxed{18+8}`, "!", "!"},
	{"countdown", `I tried **18*(10-2)/8**, but \boxed{18*10-2*}`, "!", "!"},
	{"countdown", `I tried **18*(10-2)/8**, but \boxed{18*\sqrt{4}*8}`, "!", "!"},
	{"countdown", "I tried **18*(10-2)/8**.\nFinal answer: 18+8", "!", "!"},
	{"countdown", "I tried `18*(10-2)/8`.\n<answer>18+8</answer>", "!", "!"},
	{"countdown", "$18*(10-2)/8$ makes \\boxed{18}", "!", "+"},
	{"countdown", "**Solution:**\n10 - 2 = 8\n18 * 8 = 144\n144 / 8 = 18\n\nSo: 18*(10-2)/8", "!", "+"},
	{"countdown", "Answer:\n10 - 2 = 8\n18 * 8 / 8 = 18\nSo: 18*(10-2)/8", "!", "+"},
	{"countdown", "Answer: 10-2 = 8, 18*8 = 144, 144/8 = 18\n18*(10-2)/8", "!", "+"},
	{"countdown", `<answer>18*(10-2)/8</answer> (in <answer>...</answer> tags)`, "+", "+"},
	{"countdown", `<answer>18*(10-2)/8</answer> (in <answer></answer> tags)`, "+", "+"},
	{"countdown", `<answer>18*(10-2)/8</answer> (in <answer> tags)`, "+", "+"},
	{"countdown", `<answer>18*(10-2)/8</answer> (in <answer> tags, closed by </answer>)`, "+", "+"},
	{"countdown", "<answer>18*(10-2)/8</answer> (between `<answer>` and `</answer>`)", "+", "+"},
	{"countdown", "<answer>18*(10-2)/8</answer> in the form `<answer>your answer</answer>`", "+", "+"},
	{"countdown", "<answer>18*(10-2)/8</answer>, for example <answer>(1 + 2) / 3</answer>", "+", "+"},
	{"countdown", `<answer>18*(10-2)/8</answer> You wrote "for example <answer>(1 + 2) / 3</answer>".`, "+", "+"},
	{"countdown", `<answer>18*(10-2)/8</answer> You wrote "<answer>(1 + 2) / 3</answer>".`, "+", "+"},
	{"countdown", `<answer>18+8+2+10</answer> So the answer is "<answer>18*(10-2)/8</answer>".`, "+", "+"},
	{"countdown", `So, e.g., <answer>18*(10-2)/8</answer>`, "+", "+"},
	{"countdown", `<answer>18*(10-2)/8</answer> <answer>I give up</answer>`, "!", "!"},
	{"countdown", `\boxed{18*(10-2)/8} (or <answer>...</answer>)`, "!", "+"},
	{"coins", `<answer>12+10+3</answer>, for example <answer>12+3</answer>`, "+", "+"},
	{"maze", "<answer>" + route + "</answer> (in <answer>...</answer> tags)", "+", "+"},

	// Arrows between moves.
	{"maze", strings.ReplaceAll(route, " ", " -> "), "!", "+"},
	{"maze", strings.ReplaceAll(route, " ", "->"), "!", "+"},
	{"maze", strings.ReplaceAll(route, " ", " --> "), "!", "+"},
	{"maze", strings.ReplaceAll(route, " ", " => "), "!", "+"},
	{"maze", strings.ReplaceAll(route, " ", " ⇒ "), "!", "+"},
	{"maze", strings.ReplaceAll(route, " ", " ⟶ "), "!", "+"},
	{"maze", strings.ReplaceAll(route, " ", " → "), "!", "+"},
	{"maze", strings.ReplaceAll(route, " ", " ➜ "), "!", "+"},
	{"maze", strings.ReplaceAll(route, " ", " > "), "!", "+"},
	{"maze", strings.ReplaceAll(route, " ", " | "), "!", "+"},
	{"maze", strings.ReplaceAll(route, " ", ", then "), "!", "+"},
	{"maze", strings.ReplaceAll(route, " ", ",\n"), "!", "+"},
	{"maze", `\boxed{\text{` + strings.ReplaceAll(route, " ", `} \rightarrow \text{`) + "}}", "!", "+"},
	{"maze", `$\text{` + strings.ReplaceAll(route, " ", `} \to \text{`) + "}$", "!", "+"},
	{"maze", `$\text{` + strings.ReplaceAll(route, " ", `} \xrightarrow{} \text{`) + "}$", "!", "+"},
	{"maze", strings.NewReplacer("LEFT", `\leftarrow`, "DOWN", `\downarrow`).Replace(`\boxed{` + route + "}"), "!", "+"},
	{"maze", strings.NewReplacer("LEFT", "⬅️", "DOWN", "⬇️").Replace(route), "!", "+"},
	{"maze", "UP -> RIGHT", "!", "-"},
	{"maze", "UP -> -> RIGHT", "!", "!"},
	{"maze", "-> RIGHT", "!", "!"},
	{"maze", "UP = RIGHT", "!", "!"},
	{"maze", "UP ⇒ jump ⇒ RIGHT", "!", "!"},

	// Other forms of announcements.
	{"countdown", "Multiply first.\n#### 18*(10-2)/8", "!", "+"},
	{"countdown", "#### 18*(10-2)/8\n\nThis is how I got it: 18*8/8.", "!", "+"},
	{"countdown", "### Final Answer\n18*(10-2)/8\n\nHope this helps.", "!", "+"},
	{"countdown", "**Final answer**\n\n18*(10-2)/8\n\nHope this helps.", "!", "+"},
	{"countdown", `{"answer": "18*(10-2)/8"}`, "!", "+"},
	{"countdown", "```json\n{\"reasoning\": \"10-2=8\", \"answer\": \"18*(10-2)/8\"}\n```", "!", "+"},
	{"countdown", `{"answer": "18 \u00d7 (10-2) \u00f7 8"}`, "!", "+"},
	{"countdown", `{"final_answer": "18*(10-2)/8",}`, "!", "+"},
	{"countdown", `{'answer': '18*(10-2)/8'}`, "!", "+"},
	{"countdown", `{"expression": "18*(10-2)/8", "answer": 18}`, "!", "+"},
	{"countdown", `{"answer": "18*(10-2)/8", "answer": "18+8+2+10"}`, "!", "-"},
	{"countdown", `{"answer": "18+8+2+10"} no, {"answer": "18*(10-2)/8"}`, "!", "+"},
	{"countdown", `{"answer": null}`, "!", "!"},
	{"countdown", `{"answer": "18*(10-2)/8`, "!", "+"},
	{"countdown", `<answer>{"answer": "18*(10-2)/8"}</answer>`, "!", "+"},
	{"countdown", `<answer>The answer is 18*(10-2)/8</answer>`, "!", "+"},
	{"coins", `{"answer": [12, 10, 3]}`, "!", "+"},
	{"coins", `{"answer": "12+10+3"}`, "!", "+"},
	{"maze", `{"answer": ["` + strings.ReplaceAll(route, " ", `", "`) + `"]}`, "!", "+"},
	{"polynomial", `{"answer": {"x": 3, "y": 0}}`, "!", "+"},
	{"polynomial", `{"answer": "x=3, y=0"}`, "!", "+"},
	{"derivation", `{"answer": "d=0, i=8"}`, "!", "+"},
	{"multiplication", `{"answer": "15*(30+8) = 15*30+15*8 = 450+120 = 570"}`, "!", "+"},
	{"bandit", `{"answer": "m03"}`, "!", "+"},

	// The value that a text claims for an answer.
	{"countdown", "18*(10-2)/8, which equals 18.", "!", "+"},
	{"countdown", "18*(10-2)/8 equals 18", "!", "+"},
	{"countdown", "The answer is 18*(10-2)/8, which gives 18 as required.", "!", "+"},
	{"countdown", "18*(10-2)/8 (which equals 18)", "!", "+"},
	{"countdown", "18*(10-2)/8 = **18**", "!", "+"},
	{"countdown", "18*(10-2)/8 = 18 ✓", "!", "+"},
	{"countdown", "**18*(10-2)/8** = 18", "!", "+"},
	{"countdown", "18*(10-2)/8 = 144/8 = 18", "!", "+"},
	{"countdown", "18*(10-2)/8, which equals 17.", "!", "!"},
	{"countdown", "18+8+2+10, which equals 18.", "!", "-"},
	{"countdown", "18**(10-2)/8 = 18", "!", "!"},
	{"countdown", "18*(10-2)/8 = 18 or 18+8+2+10 = 18", "!", "!"},
	{"countdown", "18*(10-2)/8 = 18, 18+8+2+10 = 18", "!", "!"},
	{"countdown", "18*(10-2)/8 = 18\n(18+8)+2+10 = 18", "!", "-"},
	{"countdown", "18+8+2+10 = 18\n18*(10-2)/8 = 18", "!", "+"},
	{"countdown", "18\n(10+8)*2", "!", "!"},
	{"polynomial", `The answer is \begin{cases} x = 3, \\ y = 0. \end{cases} I checked it.`, "!", "!"},
	{"polynomial", `The answer is \begin{cases} x = 3, \\ y = 0. \end{cases} or (1, 2).`, "!", "!"},
	{"coins", "12 + 10 + 3, which makes 25.", "!", "+"},
	{"coins", "12 + 10 + 3 = 25 cents", "!", "+"},

	// Commands of LaTeX around an answer.
	{"countdown", `\boxed{\boldsymbol{18 \times (10-2) \div 8}}`, "!", "+"},
	{"countdown", `\boldsymbol{18*(10-2)/8}`, "!", "+"},
	{"countdown", `$\mathbf{18*(10-2)/8}$`, "!", "+"},
	{"countdown", `$\bm{18*(10-2)/8}$`, "!", "+"},
	{"countdown", `\textcolor{red}{18*(10-2)/8}`, "!", "+"},
	{"countdown", `\boxed{\textcolor{red}{18*(10-2)/8}}`, "!", "+"},
	{"countdown", `\boxed{\textcolor[HTML]{FF0000}{18*(10-2)/8}}`, "!", "+"},
	{"countdown", `\boxed{\color{blue}{18*(10-2)/8}}`, "!", "+"},
	{"countdown", `\boxed{\color{blue} 18*(10-2)/8}`, "!", "+"},
	{"countdown", `{\color{blue}18*(10-2)/8}`, "!", "+"},
	{"countdown", `\colorbox{yellow}{$18*(10-2)/8$}`, "!", "+"},
	{"countdown", `\boxed{\bf 18*(10-2)/8}`, "!", "+"},
	{"countdown", `\underline{\textbf{18*(10-2)/8}}`, "!", "+"},
	{"countdown", `\boxed{\displaystyle 18*\Bigl(10-2\Bigr)/8}`, "!", "+"},
	{"countdown", `\boxed{18\,\times\;(10\!-\!2)\ \div\quad 8}`, "!", "+"},
	{"countdown", `\boxed{18*(10-2)/8 \tag{1}}`, "!", "+"},
	{"countdown", `\begin{align*} 18*(10-2)/8 &= 18 \end{align*}`, "!", "+"},
	{"countdown", `\begin{array}{c} 18*(10-2)/8 \end{array}`, "!", "+"},
	{"countdown", `\boxed{\cancel{18*(10-2)/8}}`, "!", "!"},
	{"countdown", `\boxed{18*(10-2)/8 + \ldots}`, "!", "!"},
	{"countdown", `\boxed{18*\sqrt{10-2}/8}`, "!", "!"},
	{"polynomial", `\begin{cases} x = 3 \\ y = 0 \end{cases}`, "!", "+"},
	{"polynomial", `$$\begin{cases} x = 3, \\ y = 0. \end{cases}$$`, "!", "+"},
	{"polynomial", `\boxed{\begin{cases} x = 3 \\ y = 0 \end{cases}}`, "!", "+"},
	{"polynomial", `\left\{ \begin{array}{l} x = 3 \\ y = 0 \end{array} \right.`, "!", "+"},
	{"polynomial", `\boxed{\left(3, 0\right)}`, "!", "+"},
	{"polynomial", `\boxed{x=3} and \boxed{y=0}`, "!", "+"},
	{"polynomial", `\boxed{x=3,\ y=0}`, "!", "+"},
	{"polynomial", `\boxed{x=3 \text{ and } y=0}`, "!", "+"},
	{"derivation", `\begin{aligned} d &= 0 \\ h &= 8 \\ i &= 8 \end{aligned}`, "!", "+"},

	// A colon is a division.
	{"countdown", "(10-2) * 18 : 8", "!", "+"},
	{"countdown", "18 : 8 * (10-2)", "!", "+"},
	{"countdown", "18:8*(10-2)", "!", "+"},
	{"countdown", `\boxed{18 : 8 \cdot (10-2)}`, "!", "+"},
	{"countdown", "18: 8+10*(2)", "!", "!"},
	{"countdown", "Try 2: 18*(10-2)/8", "!", "+"},

	// A pair with a blank or an end of line between.
	{"polynomial", "x=3 y=0", "!", "+"},
	{"polynomial", "x=3\ny=0", "!", "+"},
	{"polynomial", "x = 3\n\ny = 0", "!", "+"},
	{"polynomial", "y=0 x=3", "!", "+"},
	{"polynomial", "x: 3, y: 0", "!", "+"},
	{"polynomial", "x=3; y=0", "!", "+"},
	{"polynomial", "x=- 1.5 y=0", "!", "+"},
	{"polynomial", "(x=3, y=0)", "+", "+"},
	{"polynomial", "x=3 y=1", "!", "-"},
	{"polynomial", "The answer is x=3\ny=0", "!", "+"},
	{"polynomial", "This pair will do: x: 3, y: 0", "!", "+"},
	{"polynomial", "x=3 y=0 or x=-1.5 y=0", "!", "!"},
	{"polynomial", "x=3 y=", "!", "!"},
	{"polynomial", "x=1 3 y=0", "!", "!"},
	{"polynomial", "x=1/3 y=0", "!", "!"},
	{"polynomial", "x=3 z=2 y=0", "!", "!"},
	{"polynomial", "<answer>\nx = 3\ny = 0\n</answer>", "!", "+"},
	{"polynomial", `\begin{cases} x=-1.5 \\[4pt] y=0 \end{cases}`, "!", "+"},
	{"derivation", "d=0 h=8 i=8", "!", "+"},
	{"derivation", "d=0, h=8 and i=8", "!", "+"},
	{"derivation", "d=0 -> h=8 -> i=8", "!", "+"},
	{"derivation", "d=0 h=8 i=", "!", "!"},
	{"derivation", "d=0 or i=8", "!", "!"},

	// Parts of an answer that are marked one by one, or are in a list, are one answer.
	{"maze", "**" + strings.ReplaceAll(route, " ", "** → **") + "**", "!", "+"},
	{"maze", "`" + strings.ReplaceAll(route, " ", "`, `") + "`", "!", "+"},
	{"maze", "$" + strings.ReplaceAll(route, " ", "$ → $") + "$", "!", "+"},
	{"maze", "Moves:\n1. " + strings.ReplaceAll(route, " ", "\n1. "), "!", "+"},
	{"maze", "Go so:\n\n- **" + strings.ReplaceAll(route, " ", "**\n- **") + "**", "!", "+"},
	{"maze", "I tried `" + route + "`, `LEFT LEFT`", "!", "-"},
	{"maze", "Two ways:\n- " + route + "\n- LEFT LEFT", "!", "-"},
	{"coins", "`12` + `10` + `3`", "!", "+"},
	{"coins", "$12$ + $10$ + $3$", "!", "+"},
	{"coins", "Take\n- 12\n- 10\n- 3", "!", "+"},
	{"coins", "12\n10\n3", "!", "+"},
	{"coins", "12+10+3\n10+6+6", "!", "-"},
	{"polynomial", "`x=3`, `y=0`", "!", "+"},
	{"polynomial", "**x = 3**\n**y = 0**", "!", "+"},
	{"polynomial", "$x = 3$ and $y = 0$", "!", "+"},
	{"polynomial", "This works:\n* **x = 3**\n* **y = 0**", "!", "+"},
	{"countdown", "I tried `18+8+2+10`, `18*(10-2)/8`", "!", "+"},
	{"countdown", "I tried `18*(10-2)/8`, `18+8+2+10`", "!", "-"},
}

// TestWritten: answers in the forms of models get the verdict that they deserve.
func TestWritten(t *testing.T) {
	for _, c := range written {
		id := c.id
		if !strings.Contains(id, "/") {
			id += "/train/0"
		}
		q := problem(t, id)
		if got := sign(q, c.text, judging.Strict); got != c.strict {
			t.Errorf("%s, %q, read strictly: %s, want %s", id, c.text, got, c.strict)
		}
		if got := sign(q, c.text, judging.Lenient); got != c.lenient {
			v := judging.Judge(q, c.text, judging.Lenient)
			t.Errorf("%s, %q, read leniently: %s, want %s (%s: %q, %v)", id, c.text, got, c.lenient, v.Class, v.Verdicts[0].Variant, v.Verdicts[0].Err)
		}
	}
}

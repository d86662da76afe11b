// Package latex writes texts that LaTeX sets as they are.
package latex

import (
	"regexp"
	"strings"

	"modebench/internal/visible"
)

// Text is a text as LaTeX sets it: nothing in it is a command, and the sign of a number is
// a minus and no hyphen.
func Text(text string) string {
	text = escapes.Replace(visible.Text(text))
	return negative.ReplaceAllString(text, "${1}$$-$$${2}")
}

var escapes = strings.NewReplacer(
	`\`, `\textbackslash{}`, `{`, `\{`, `}`, `\}`, `$`, `\$`, `&`, `\&`, `#`, `\#`, `%`, `\%`, `_`, `\_`,
	`^`, `\textasciicircum{}`, `~`, `\textasciitilde{}`, `<`, `\textless{}`, `>`, `\textgreater{}`, `|`, `\textbar{}`,
	`"`, `{\char34}`, "`", `\textasciigrave{}`, "\u00a0", "~",
	"–", "--", "—", "---", "−", "$-$", "×", `$\times$`, "≤", `$\leq$`, "≥", `$\geq$`, "≠", `$\neq$`, "±", `$\pm$`,
	"→", `$\to$`, "λ", `$\lambda$`, "τ", `$\tau$`, "δ", `$\delta$`,
)

// negative finds the sign of a number.
var negative = regexp.MustCompile(`(^|[ (\[])-(\.?\d)`)

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

// Sets reports whether LaTeX knows all letters of Text(text), without a package.
func Sets(text string) bool {
	for _, letter := range text {
		if letter >= 0x80 && !strings.ContainsRune(known, letter) {
			return false
		}
	}
	return true
}

// known are the letters outside of ASCII that LaTeX sets: those of escapes, and those that its first
// encoding, OT1, puts together.
const known = "\u00a0–—−×≤≥≠±÷½µ→λτδÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝßàáâãäåæçèéêëìíîïñòóôõöøùúûüýÿ"

var escapes = strings.NewReplacer(
	`\`, `\textbackslash{}`, `{`, `\{`, `}`, `\}`, `$`, `\$`, `&`, `\&`, `#`, `\#`, `%`, `\%`, `_`, `\_`,
	`^`, `\textasciicircum{}`, `~`, `\textasciitilde{}`, `<`, `\textless{}`, `>`, `\textgreater{}`, `|`, `\textbar{}`,
	`"`, `{\char34}`, "`", `\textasciigrave{}`, "\u00a0", "~",
	"–", "--", "—", "---", "−", "$-$", "×", `$\times$`, "≤", `$\leq$`, "≥", `$\geq$`, "≠", `$\neq$`, "±", `$\pm$`,
	"÷", `$\div$`, "½", `$\frac{1}{2}$`, "µ", `$\mu$`,
	"→", `$\to$`, "λ", `$\lambda$`, "τ", `$\tau$`, "δ", `$\delta$`,
)

// negative finds the sign of a number.
var negative = regexp.MustCompile(`(^|[ (\[])-(\.?\d)`)

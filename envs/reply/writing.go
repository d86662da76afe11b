package reply

import (
	"regexp"
	"strings"
)

// signs are characters of print, with those of the environments' grammars.
var signs = strings.NewReplacer(
	"\u2212", "-", "\u2010", "-", "\u2011", "-", "\u2012", "-", "\u2013", "-", "\u2014", "-", "\ufe63", "-",
	"×", "*", "✕", "*", "✖", "*", "∗", "*", "⋅", "*", "·", "*", "•", "*", "∙", "*", "÷", "/", "∕", "/", "⁄", "/",
	"\u00a0", " ", "\u2000", " ", "\u2001", " ", "\u2002", " ", "\u2003", " ", "\u2004", " ", "\u2005", " ", "\u2006", " ", "\u2007", " ",
	"\u2008", " ", "\u2009", " ", "\u200a", " ", "\u202f", " ", "\u205f", " ", "\u3000", " ",
	"\u200b", "", "\u200c", "", "\u200d", "", "\u2060", "", "\ufeff", "",
)

// clean writes an answer with plain signs: digits, letters and signs of full width, signs of
// print for operations and minus, all kinds of blanks, and commands of LaTeX. It takes away
// marks around the answer and the full stop after it. (Superscripts are left: no environment
// has exponents in its answers.)
func clean(text string) string {
	text = signs.Replace(text)
	text = strings.Map(func(r rune) rune {
		if r >= '！' && r <= '～' {
			return r - '！' + '!' // full width
		}
		return r
	}, text)
	if strings.ContainsAny(text, `\${`) {
		text = plainLatex(text)
	}
	for {
		trimmed := strings.Trim(text, " \t\r\n*_`\"'“”‘’")
		if end := strings.TrimRight(trimmed, ".,;!"); len(trimmed)-len(end) == 1 {
			trimmed = end // but not "...", which says that something is missing
		}
		if trimmed == text {
			return text
		}
		text = trimmed
	}
}

var (
	thousands = regexp.MustCompile(`(^|[^0-9.,])([0-9]{1,3}(?:,[0-9]{3})+)($|[^0-9,])`)
	before    = regexp.MustCompile(`([0-9)])\s*\(`)
	behind    = regexp.MustCompile(`\)\s*([0-9])`)
	cross     = regexp.MustCompile(`([0-9)])\s*[xX]\s*([0-9(])`)
	brackets  = strings.NewReplacer("[", "(", "]", ")")
)

// loosen takes more for ways of writing: commas between thousands, square brackets, x between
// numbers, and products without a sign as in 2(3+4). It is tried where the answer does not
// parse without, so a comma that an environment gives a meaning keeps it.
func loosen(text string) string {
	// Neighbours share the sign between them, so one pass finds every other number.
	for range 2 {
		if !strings.Contains(text, ",") {
			break
		}
		text = thousands.ReplaceAllStringFunc(text, func(number string) string {
			begin, end := strings.IndexAny(number, "0123456789"), strings.LastIndexAny(number, "0123456789")+1
			return number[:begin] + strings.ReplaceAll(number[begin:end], ",", "") + number[end:]
		})
	}
	text = brackets.Replace(text)
	for range 2 {
		if !strings.ContainsAny(text, "xX") {
			break
		}
		text = cross.ReplaceAllString(text, "$1*$2")
	}
	if !strings.Contains(text, "(") {
		return text
	}
	return behind.ReplaceAllString(before.ReplaceAllString(text, "$1*("), ")*$1")
}

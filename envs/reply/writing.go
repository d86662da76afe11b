package reply

import (
	"regexp"
	"strings"
)

// signs are characters of print, with those of the environments' grammars.
var signs = strings.NewReplacer(
	"\u2212", "-", "\u2010", "-", "\u2011", "-", "\u2012", "-", "\u2013", "-", "\u2014", "-", "\ufe63", "-", "➖", "-", "➕", "+", "\ufe0f", "",
	"×", "*", "✕", "*", "✖", "*", "⨯", "*", "∗", "*", "⋅", "*", "·", "*", "•", "*", "∙", "*", "÷", "/", "➗", "/", "∶", ":", "∕", "/", "⁄", "/",
	"\u00a0", " ", "\u2000", " ", "\u2001", " ", "\u2002", " ", "\u2003", " ", "\u2004", " ", "\u2005", " ", "\u2006", " ", "\u2007", " ",
	"\u2008", " ", "\u2009", " ", "\u200a", " ", "\u202f", " ", "\u205f", " ", "\u3000", " ",
	"\u200b", "", "\u200c", "", "\u200d", "", "\u2060", "", "\ufeff", "",
)

// listMark matches the marks that Markdown has at the beginning of a line: of a list, a
// heading or a quotation. A minus sign of print (U+2212) is no list mark.
var listMark = regexp.MustCompile(`^(?:[-*+•‣◦▪–—]|#{1,6}|>|[0-9]{1,2}[.)])[ \t]+`)

// unlisted takes the marks of Markdown off the beginning of a text, or off all of its lines where
// each has one.
func unlisted(text string) string {
	first := unmarked(text)
	if first == text || !strings.Contains(first, "\n") {
		return first
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if lines[i] = unmarked(line); lines[i] == line {
			return first
		}
	}
	return strings.Join(lines, "\n")
}

func unmarked(text string) string {
	for {
		trimmed := strings.TrimLeft(text, " \t\r\n")
		mark := listMark.FindString(trimmed)
		if mark == "" {
			return text
		}
		text = trimmed[len(mark):]
	}
}

// bold matches text in bold. The character before it tells it from a power, as in 2**3.
var bold = regexp.MustCompile(`(^|[\s(=:,])\*\*([^\s*](?:[^*\n]|\*[^*\n])*?)\*\*($|[\s)=.,;:!])`)

// clean writes an answer with plain signs: digits, letters and signs of full width, signs of print
// for operations and minus, all kinds of blanks, and commands of LaTeX. It takes away marks around
// the answer and the full stop after it, and, if it is not a formula, the marks of Markdown before
// it. (Superscripts are left: no environment has exponents in its answers.)
func clean(text string, formula bool) string {
	if !formula {
		text = unlisted(strings.Trim(text, " \t\r\n_`\"'“”‘’"))
	}
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
	text = replaced(text, "*", bold, "$1$2$3")
	for {
		trimmed := strings.Trim(text, " \t\r\n*_`\"'“”‘’✓✔✅☑")
		if end := strings.TrimRight(trimmed, ".,;!"); len(trimmed)-len(end) == 1 {
			trimmed = end // but not "...", which marks a gap
		}
		if trimmed == text {
			break
		}
		text = trimmed
	}
	// A minus sign that is left has nothing but a number behind it, and no mark of a list has.
	if rest, negative := strings.CutPrefix(text, "-"); negative {
		text = "-" + strings.TrimLeft(rest, " \t")
	}
	return text
}

var (
	thousands = regexp.MustCompile(`(^|[^0-9.,])([0-9]{1,3}(?:,[0-9]{3})+)($|[^0-9,])`)
	before    = regexp.MustCompile(`([0-9)])[ \t]*\(`)
	behind    = regexp.MustCompile(`\)[ \t]*([0-9])`)
	cross     = regexp.MustCompile(`([0-9)])[ \t]*[xX][ \t]*([0-9(])`)
	ratio     = regexp.MustCompile(`([0-9)])(?:[ \t]+:[ \t]+|:)([0-9(])`)
	unit      = regexp.MustCompile(`([0-9)])\s*(?:(?:cents?|dollars?|euros?|units?|points?)\b|[¢€£])`)
	brackets  = strings.NewReplacer("[", "(", "]", ")")
)

// claim matches the words after an expression that state its value: ", which equals 18".
var claim = regexp.MustCompile(`(?i)[,;]?\s+\(?(?:(?:which|that|this|it|and|so|all|exactly|indeed|in total)\s+)*` +
	`(?:is equal to|is|equals?|=|makes?|gives?|giving|yields?|yielding|making|evaluates to|comes to|adds up to|sums to|totals)\s+(?:exactly\s+)?(-?[0-9]+(?:\.[0-9]+)?)` +
	`(?:,?\s+as (?:asked|required|needed|desired|wanted|requested))?\)?[.!]?$`)

// longestClaim bounds the bytes of a claim.
const longestClaim = 150

// loosen takes more for ways of writing: commas between thousands, square brackets, x between
// numbers, a colon for a division, units, what the answer is said to equal, and products without
// a sign as in 2(3+4). It is tried where the answer does not parse without, so a comma that an
// environment gives a meaning keeps it.
func loosen(text string) string {
	for range 2 { // as in replaced
		if !strings.Contains(text, ",") {
			break
		}
		text = thousands.ReplaceAllStringFunc(text, func(number string) string {
			begin, end := strings.IndexAny(number, "0123456789"), strings.LastIndexAny(number, "0123456789")+1
			return number[:begin] + strings.ReplaceAll(number[begin:end], ",", "") + number[end:]
		})
	}
	text = brackets.Replace(text)
	begin := max(0, len(text)-longestClaim)
	if match := claim.FindStringSubmatchIndex(text[begin:]); match != nil {
		text = text[:begin+match[0]] + " = " + text[begin+match[2]:begin+match[3]]
	}
	text = unit.ReplaceAllString(text, "$1")
	text = replaced(text, ":", ratio, "$1/$2")
	text = replaced(text, "xX", cross, "$1*$2")
	if !strings.Contains(text, "(") {
		return text
	}
	return behind.ReplaceAllString(before.ReplaceAllString(text, "$1*("), ")*$1")
}

// replaced replaces a pattern that has one of some marks. Neighbours share the sign between them, so
// one pass finds every other part.
func replaced(text, marks string, pattern *regexp.Regexp, with string) string {
	for range 2 {
		if !strings.ContainsAny(text, marks) {
			break
		}
		text = pattern.ReplaceAllString(text, with)
	}
	return text
}

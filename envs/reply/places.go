package reply

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

const tagName = "answer"

// tagged finds the inside of the last <answer> that holds something, up to its end tag or to
// the end of the text.
func tagged(text, lower string) []string {
	const open, end = "<" + tagName, "</" + tagName
	for stop := len(text); ; {
		at := strings.LastIndex(lower[:stop], open)
		if at < 0 {
			return nil
		}
		inside := at + len(open)
		closes := strings.IndexByte(text[inside:stop], '>')
		// What follows the name is the end of the tag or an attribute: not <answers>.
		if closes == 0 || closes > 0 && isBlank(text[inside]) {
			inside += closes + 1
			part := text[inside:stop]
			if n := strings.Index(lower[inside:stop], end); n >= 0 {
				part = text[inside : inside+n]
			}
			if strings.TrimSpace(part) != "" {
				return []string{part}
			}
		}
		stop = at
	}
}

func isBlank(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }

// boxed finds the inside of the last box. One that is not closed ends with its line.
func boxed(text string) []string {
	at, inside := -1, 0
	for _, command := range []string{`\boxed`, `\fbox`} {
		if i := strings.LastIndex(text, command); i > at {
			at, inside = i, i+len(command)
		}
	}
	if at < 0 {
		return nil
	}
	rest, ok := strings.CutPrefix(strings.TrimLeft(text[inside:], " "), "{")
	if !ok {
		return nil
	}
	depth := 1
	for i := 0; i < len(rest); i++ {
		switch rest[i] {
		case '\\':
			i++ // a brace after it is text
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return []string{rest[:i]}
			}
		}
	}
	line, _, _ := strings.Cut(rest, "\n")
	return []string{line}
}

// announces matches what turns a noun before it into the announcement of an answer.
var announces = regexp.MustCompile(`^s?[*_ ]*(?:(?:is|are|would be|will be|then|therefore|thus|simply)[*_ ]+)*(?:is|are|be|:|=|：)[*_:： ]*`)

// mostPhrases bounds the words of a text that are looked at.
const mostPhrases = 100

// phrases finds what follows the last announcement: the rest of its sentence or, where the
// line ends with it, the next paragraph and its first line.
func phrases(text, lower string) []string {
	stop := len(text)
	for range mostPhrases {
		at := -1
		for _, noun := range []string{"answer", "solution"} {
			if i := strings.LastIndex(lower[:stop], noun); i >= 0 && i+len(noun) > at {
				at = i + len(noun)
			}
		}
		if at < 0 {
			return nil
		}
		if m := announces.FindStringIndex(lower[at:min(len(lower), at+80)]); m != nil {
			return announced(text[at+m[1]:])
		}
		stop = at - 1
	}
	return nil
}

func announced(rest string) []string {
	line, after, _ := strings.Cut(rest, "\n")
	if strings.Trim(line, " \t\r*_:") != "" {
		return []string{line, sentence(line)}
	}
	after = strings.TrimLeft(after, " \t\r\n")
	paragraph, _, _ := strings.Cut(after, "\n\n")
	line, _, _ = strings.Cut(paragraph, "\n")
	return []string{paragraph, line, sentence(line)}
}

// sentence cuts a text behind its first sentence. A point in a number ends none.
func sentence(text string) string {
	for i := 0; i < len(text)-1; i++ {
		if text[i] == '.' && isBlank(text[i+1]) {
			return text[:i]
		}
	}
	return text
}

// A span is where a part of a text begins and what it is.
type span struct {
	at   int
	text string
}

// latest gives the texts of spans, the last one in the text first.
func latest(spans []span) []string {
	slices.SortStableFunc(spans, func(a, b span) int { return cmp.Compare(b.at, a.at) })
	var out []string
	for _, s := range spans {
		out = append(out, s.text)
	}
	return out
}

// code finds the last fenced block, the last inline code and the last bold text.
func code(text string) []string {
	var spans []span
	if at, inside := fenced(text); at >= 0 {
		spans = append(spans, span{at, inside})
		// The backticks of a fence are none of inline code.
		text = strings.ReplaceAll(text, "```", "   ")
	}
	for _, mark := range []string{"`", "**"} {
		spans = append(spans, lastBetween(text, mark, mark, "\n")...)
	}
	return latest(spans)
}

// fenced finds the last block between lines that begin with three backticks. The last block
// may lack its end.
func fenced(text string) (at int, inside string) {
	at = -1
	begin := -1 // of the block that is open
	for from := 0; from < len(text); {
		line, _, _ := strings.Cut(text[from:], "\n")
		next := min(len(text), from+len(line)+1)
		if strings.HasPrefix(strings.TrimLeft(line, " \t"), "```") {
			if begin < 0 {
				begin = next
			} else {
				at, inside = begin, text[begin:from]
				begin = -1
			}
		}
		from = next
	}
	if begin >= 0 && strings.TrimSpace(text[begin:]) != "" {
		return begin, text[begin:]
	}
	return at, inside
}

// lastBetween finds the last text between two marks that is not blank and does not hold a
// text that may not stand between them, if there is one.
func lastBetween(text, open, end, never string) []span {
	for stop := len(text); ; {
		last := strings.LastIndex(text[:stop], end)
		if last < 0 {
			return nil
		}
		first := strings.LastIndex(text[:last], open)
		if first < 0 {
			return nil
		}
		inside := text[first+len(open) : last]
		if strings.TrimSpace(inside) != "" && (never == "" || !strings.Contains(inside, never)) {
			return []span{{first, inside}}
		}
		stop = last
		if inside == "" {
			stop = first // two marks that are one, as in $$
		}
	}
}

// math finds the last formulas between signs of LaTeX.
func math(text string) []string {
	var spans []span
	spans = append(spans, lastBetween(text, "$$", "$$", "")...)
	spans = append(spans, lastBetween(text, "$", "$", "\n\n")...)
	spans = append(spans, lastBetween(text, `\(`, `\)`, "")...)
	spans = append(spans, lastBetween(text, `\[`, `\]`, "")...)
	return latest(spans)
}

// lines finds the last line, and what follows its last colon.
func lines(text string) []string {
	text = strings.TrimRight(text, " \t\r\n")
	line := text[strings.LastIndexByte(text, '\n')+1:]
	if colon := strings.LastIndexByte(line, ':'); colon >= 0 {
		return []string{line, line[colon+1:]}
	}
	return []string{line}
}

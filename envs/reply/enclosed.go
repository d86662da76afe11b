package reply

import (
	"regexp"
	"strings"
)

const tagName = "answer"

type found struct {
	begin, end int // of the tag or the box with its marks
	inside     string
}

// tags finds the content of <answer> tags, the last one first: up to the end tag or to the end of
// the text.
func tags(text, lower string) chosen {
	const open, end = "<" + tagName, "</" + tagName
	return choose(text, func(stop int) (found, bool) {
		for {
			place := strings.LastIndex(lower[:stop], open)
			if place < 0 {
				return found{}, false
			}
			inside := place + len(open)
			closes := strings.IndexByte(text[inside:stop], '>')
			// The name is followed by the end of the tag or an attribute: not <answers>.
			if closes == 0 || closes > 0 && isBlank(text[inside]) {
				inside += closes + 1
				f := found{place, stop, text[inside:stop]}
				if n := strings.Index(lower[inside:stop], end); n >= 0 {
					f.end, f.inside = inside+n, text[inside:inside+n]
					if last := strings.IndexByte(text[f.end:stop], '>'); last >= 0 {
						f.end += last + 1
					}
				}
				return f, true
			}
			stop = place
		}
	})
}

// Answering is a text without the <answer> tags that hold no answer, if they come after a tag that
// holds an answer: tags that are empty, are named, represent any answer, or are an example.
func Answering(text string) string {
	if strings.Index(text, "<"+tagName) == strings.LastIndex(text, "<"+tagName) {
		return text
	}
	c := tags(text, lowered(text))
	if len(c.answer) == 0 {
		return text
	}
	for _, f := range c.passed {
		text = text[:f.begin] + text[f.end:] // the last one first
	}
	return text
}

// isNamed reports whether a tag is named and opens nothing: "in <answer> tags", or between marks.
func isNamed(before, inside string) bool {
	for _, mark := range []string{"`", `"`, "'"} {
		if strings.HasSuffix(before, mark) && strings.HasPrefix(inside, mark) {
			return true
		}
	}
	return named.MatchString(inside[:min(len(inside), 20)])
}

// named matches the text after a tag that is named.
var named = regexp.MustCompile(`^\s*(?:tags?|blocks?|elements?|markers?)\b`)

// placeholder matches the words that a tag or a box holds in place of an answer.
var placeholder = regexp.MustCompile(`(?i)^(?:[\s.…_?\-$*{}()\[\]<>]|\\(?:[lc]?dots|text|quad|,)|\b(?:your|the|my|final|correct|answer|answers|solution|result|expression|payment|coins|route|moves|statements|pair|arm|goes|here|and|or|e|x)\b)*$`)

// example matches the announcement of an example.
var example = regexp.MustCompile("(?i)\\b(?:example|for instance|e\\.g|such as|as in|(?:written|something|anything) like)\\b[\\s,:.]*(?:is\\s+)?[(`\"'“‘$]*$")

// formatted matches the remark that an answer has the form of an example.
var formatted = regexp.MustCompile(`(?i)\b(?:as|like|of|from|per|following)\s+(?:in\s+)?(?:the|your|that)\s+example\s*[:,]\s*$`)

// A chosen is the answer among tags or boxes.
type chosen struct {
	answer   []string // one or none
	passed   []found  // behind it, the last one first
	examples []string // of these: if there is no answer, they may be meant as the answer
}

// choose takes the last answer that next finds, from the end of the text on, and passes over
// answers that are empty or named, represent any answer, are called an example or are quoted.
func choose(text string, next func(stop int) (found, bool)) (c chosen) {
	stop := len(text)
	for range mostPassed {
		f, ok := next(stop)
		if !ok {
			break
		}
		stop = f.begin
		before := text[max(0, f.begin-40):f.begin]
		switch {
		case isNamed(text[:f.begin], f.inside), len(f.inside) <= longestPlaceholder && placeholder.MatchString(f.inside):
		case example.MatchString(before) && !formatted.MatchString(before), isCited(text, f):
			c.examples = append(c.examples, f.inside)
		default:
			c.answer = []string{f.inside}
			return c
		}
		c.passed = append(c.passed, f)
	}
	return c
}

const (
	longestPlaceholder = 60
	mostPassed         = 10 // tags or boxes that are looked at
)

// isCited reports whether quotation marks surround a tag or a box, without an announcement
// before them.
func isCited(text string, f found) bool {
	for _, marks := range [][2]string{{`"`, `"`}, {"“", "”"}, {"‘", "’"}, {"'", "'"}} {
		before, opened := strings.CutSuffix(text[:f.begin], marks[0])
		if opened && strings.HasPrefix(text[f.end:], marks[1]) {
			return !announcing.MatchString(before[max(0, len(before)-20):])
		}
	}
	return false
}

// announcing matches the end of an announcement.
var announcing = regexp.MustCompile(`(?i)(?:\b(?:is|are|be|submit|give|choose|pick)|[:=])[*_ ]*$`)

func isBlank(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }

// boxes finds the content of boxes, the last one first. A box that is not closed ends with its line.
func boxes(text string) chosen {
	return choose(text, func(stop int) (found, bool) {
		for range mostPassed {
			place, inside := -1, 0
			for _, command := range []string{`\boxed`, `\fbox`} {
				if i := strings.LastIndex(text[:stop], command); i > place {
					place, inside = i, i+len(command)
				}
			}
			if place < 0 {
				return found{}, false
			}
			rest := strings.TrimLeft(text[inside:], " ")
			if strings.HasPrefix(rest, "{") {
				return box(text, place, len(text)-len(rest)+1), true
			}
			stop = place
		}
		return found{}, false
	})
}

func box(text string, begin, inside int) found {
	depth := 1
	for i := inside; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++ // a brace after it is text
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return found{begin, i + 1, text[inside:i]}
			}
		}
	}
	line, _, _ := strings.Cut(text[inside:], "\n")
	return found{begin, inside + len(line), line}
}

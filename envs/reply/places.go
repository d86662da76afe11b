package reply

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"modebench/internal/each"
)

type span struct {
	begin    int
	text     string
	declared bool // to be the answer
}

// sortLatest puts the last in the text first.
func sortLatest(spans []span) {
	slices.SortStableFunc(spans, func(a, b span) int { return cmp.Compare(b.begin, a.begin) })
}

func latest(spans []span) []string {
	sortLatest(spans)
	return each.Map(spans, func(s span) string { return s.text })
}

// code finds the last fenced block, the last inline code and the last bold text, and where parts of
// an answer are marked so, their line or their paragraph without the marks.
func code(text string) []string {
	var spans []span
	if place, inside := fenced(text); place >= 0 {
		spans = append(spans, span{begin: place, text: inside})
		// The backticks of a fence are no inline code.
		text = strings.ReplaceAll(text, "```", "   ")
	}
	for _, mark := range []string{"`", "**"} {
		for _, s := range lastBetween(text, mark, mark, "\n") {
			for _, end := range []string{"\n\n", "\n"} {
				if part := around(text, s.begin, end); inParts(part, mark) {
					for _, part := range announcedParts(strings.ReplaceAll(part, mark, "")) {
						spans = append(spans, span{begin: s.begin, text: part})
					}
				}
			}
			spans = append(spans, s)
		}
	}
	return latest(spans)
}

// around is the part of a text between two ends that has a place in it.
func around(text string, place int, end string) string {
	begin := 0
	if before := strings.LastIndex(text[:place], end); before >= 0 {
		begin = before + len(end)
	}
	part, _, _ := strings.Cut(text[begin:], end)
	return part
}

// inParts reports whether marks show parts of one answer: each is a word or an equation.
// Several parts with blanks in them are rather several answers.
func inParts(text, mark string) bool {
	if len(text) > longestAnswer {
		return false
	}
	parts := strings.Split(text, mark)
	for i := 1; i < len(parts)-1; i += 2 {
		if part := strings.TrimSpace(parts[i]); len(parts) > 3 && strings.ContainsAny(part, " \t\n") && !strings.Contains(part, "=") {
			return false
		}
	}
	return len(parts) > 2
}

// fenced finds the last block between lines that begin with three backticks or tildes. The last block
// may lack its end.
func fenced(text string) (place int, inside string) {
	place = -1
	begin := -1 // of the block that is open
	for from := 0; from < len(text); {
		line, _, _ := strings.Cut(text[from:], "\n")
		next := min(len(text), from+len(line)+1)
		if mark := strings.TrimLeft(line, " \t"); strings.HasPrefix(mark, "```") || strings.HasPrefix(mark, "~~~") {
			if begin < 0 {
				begin = next
			} else {
				place, inside = begin, text[begin:from]
				begin = -1
			}
		}
		from = next
	}
	if begin >= 0 && strings.TrimSpace(text[begin:]) != "" {
		return begin, text[begin:]
	}
	return place, inside
}

// lastBetween finds the last text between two marks that is not blank and does not hold a
// text that may not be between them, if there is such a text.
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
			return []span{{begin: first, text: inside}}
		}
		stop = last
		if inside == "" {
			stop = first // two marks that are one, as in $$
		}
	}
}

// math finds the last formulas between signs of LaTeX.
func math(text string) []string {
	return latest(slices.Concat(lastBetween(text, "$$", "$$", ""), lastBetween(text, "$", "$", "\n\n"),
		lastBetween(text, `\(`, `\)`, ""), lastBetween(text, `\[`, `\]`, "")))
}

// mathLine finds the line of the last formula in a line, of which the answer may have more.
func mathLine(text string) []string {
	var spans []span
	for _, s := range append(lastBetween(text, "$", "$", "\n"), lastBetween(text, `\(`, `\)`, "\n")...) {
		for _, part := range announcedParts(around(text, s.begin, "\n")) {
			spans = append(spans, span{begin: s.begin, text: part})
		}
	}
	return latest(spans)
}

// mostColons bounds the colons of a line that are looked at.
const mostColons = 4

// lines finds the last line, and the text after its first colons and after its last colon.
// If it ends a list whose entries are parts of one answer, it is the whole list.
func lines(text string) []string {
	text = strings.TrimRight(text, " \t\r\n")
	line := text[strings.LastIndexByte(text, '\n')+1:]
	if list := lastList(text); list != "" {
		return append([]string{list}, announcedParts(line)...)
	}
	return announcedParts(line)
}

// announcedParts are a text and the parts after its first colons and after its last colon.
func announcedParts(text string) []string {
	out := []string{text}
	rest := text
	for range mostColons {
		_, behind, found := strings.Cut(rest, ":")
		if !found {
			return out
		}
		rest = behind
		out = append(out, rest)
	}
	return append(out, text[strings.LastIndexByte(text, ':')+1:])
}

// lastList is the list with which a text ends, if each of its entries is a word or an equation.
func lastList(text string) string {
	begin := len(text)
	entries := 0
	for begin > 0 && len(text)-begin < longestAnswer {
		place := strings.LastIndexByte(text[:max(0, begin-1)], '\n') + 1
		line := strings.TrimSpace(text[place:begin])
		entry := unmarked(line)
		if entry == line || strings.ContainsAny(entry, " \t") && !strings.Contains(entry, "=") {
			break
		}
		begin = place
		entries++
	}
	if entries < 2 {
		return ""
	}
	return text[begin:]
}

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

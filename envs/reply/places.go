package reply

import (
	"cmp"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
)

const tagName = "answer"

// A found is what stands in a tag or a box, and what its text is around it.
type found struct {
	begin, end int // of the tag or the box with its marks
	inside     string
}

// tags finds what stands in <answer> tags, the last one first: up to the end tag or to the end of
// the text.
func tags(text, lower string) chosen {
	const open, end = "<" + tagName, "</" + tagName
	return choose(text, func(stop int) (found, bool) {
		for {
			at := strings.LastIndex(lower[:stop], open)
			if at < 0 {
				return found{}, false
			}
			inside := at + len(open)
			closes := strings.IndexByte(text[inside:stop], '>')
			// What follows the name is the end of the tag or an attribute: not <answers>.
			if closes == 0 || closes > 0 && isBlank(text[inside]) {
				inside += closes + 1
				f := found{at, stop, text[inside:stop]}
				if n := strings.Index(lower[inside:stop], end); n >= 0 {
					f.end, f.inside = inside+n, text[inside:inside+n]
					if last := strings.IndexByte(text[f.end:stop], '>'); last >= 0 {
						f.end += last + 1
					}
				}
				return f, true
			}
			stop = at
		}
	})
}

// Answering is a text without the <answer> tags that hold no answer, where they stand behind one that
// does: such as are empty, are named, stand for any answer, or are an example.
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

// isNamed says whether a tag is named and opens nothing: "in <answer> tags", or between marks.
func isNamed(before, inside string) bool {
	for _, mark := range []string{"`", `"`, "'"} {
		if strings.HasSuffix(before, mark) && strings.HasPrefix(inside, mark) {
			return true
		}
	}
	return named.MatchString(inside[:min(len(inside), 20)])
}

// named matches what stands behind a tag that is named.
var named = regexp.MustCompile(`^\s*(?:tags?|blocks?|elements?|markers?)\b`)

// placeholder matches what stands in a tag or a box for an answer, and is none.
var placeholder = regexp.MustCompile(`(?i)^(?:[\s.…_?\-$*{}()\[\]<>]|\\(?:[lc]?dots|text|quad|,)|\b(?:your|the|my|final|correct|answer|answers|solution|result|expression|payment|coins|route|moves|statements|pair|arm|goes|here|and|or|e|x)\b)*$`)

// example matches what says that an example follows.
var example = regexp.MustCompile("(?i)\\b(?:example|for instance|e\\.g|such as|as in|(?:written|something|anything) like)\\b[\\s,:.]*(?:is\\s+)?[(`\"'“‘$]*$")

// formatted matches what says that an answer has the form of an example.
var formatted = regexp.MustCompile(`(?i)\b(?:as|like|of|from|per|following)\s+(?:in\s+)?(?:the|your|that)\s+example\s*[:,]\s*$`)

// A chosen is the answer among tags or boxes.
type chosen struct {
	answer   []string // one or none
	passed   []found  // behind it, the last one first
	examples []string // of these: where there is no answer, they may be meant as one
}

// choose takes the last answer that next finds, from the end of the text on, and passes over what
// is empty or named, and over those that stand for any answer, are called an example or are quoted.
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

// isCited says whether quotation marks stand around a tag or a box, and no announcement before them.
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

// boxes finds what stands in boxes, the last one first. A box that is not closed ends with its line.
func boxes(text string) chosen {
	return choose(text, func(stop int) (found, bool) {
		for range mostPassed {
			at, inside := -1, 0
			for _, command := range []string{`\boxed`, `\fbox`} {
				if i := strings.LastIndex(text[:stop], command); i > at {
					at, inside = i, i+len(command)
				}
			}
			if at < 0 {
				return found{}, false
			}
			rest := strings.TrimLeft(text[inside:], " ")
			if strings.HasPrefix(rest, "{") {
				return box(text, at, len(text)-len(rest)+1), true
			}
			stop = at
		}
		return found{}, false
	})
}

// box is the box that begins in a text.
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

// announces matches what turns a noun before it into the announcement of an answer.
var announces = regexp.MustCompile(`^s?[*_ ]*(?:(?:is|are|would be|will be|then|therefore|thus|simply)[*_ ]+)*(?:is|are|be|:|=|：)[*_:： ]*`)

// mostPhrases bounds the words of a text that are looked at.
const mostPhrases = 100

// phrases finds what follows the last announcement: the rest of its paragraph, of its line and of
// its sentence or, where the line ends with it, the same of the next paragraph. What stands in a field of JSON, or
// behind the #### of the last such line, is announced too.
func phrases(text, lower string) []span {
	spans := fields(text, lower)
	if at, rest := hashes(text); at >= 0 {
		spans = append(spans, span{at: at, text: rest})
	}
	for i := range spans {
		spans[i].declared = true
	}
	nouns := []string{"answer", "solution"}
	ends := []int{-1, -1} // of the last of each noun
	for i, noun := range nouns {
		if begin := strings.LastIndex(lower, noun); begin >= 0 {
			ends[i] = begin + len(noun)
		}
	}
	for range mostPhrases {
		i := 0
		if ends[1] > ends[0] {
			i = 1
		}
		at := ends[i]
		if at < 0 {
			break
		}
		if begin := strings.LastIndex(lower[:at-1], nouns[i]); begin >= 0 {
			ends[i] = begin + len(nouns[i])
		} else {
			ends[i] = -1
		}
		behind := lower[at:min(len(lower), at+80)]
		m := announces.FindStringIndex(behind)
		if m == nil && titled.MatchString(lower[strings.LastIndexByte(lower[:at], '\n')+1:at]) {
			m = title.FindStringIndex(behind)
		}
		if m != nil {
			parts, block := announced(text[at+m[1]:])
			for i, part := range parts {
				// A solution may be a calculation in steps, and the first line of a block is a part.
				declared := strings.HasSuffix(lower[:at], "answer") && (i == 0 || !block)
				spans = append(spans, span{at, part, declared})
			}
			// "This answer is correct" announces none, so one before it may be meant.
			if len(parts) == 0 || !remark.MatchString(strings.TrimLeft(lowered(parts[0]), " *_")) {
				break
			}
		}
	}
	sortLatest(spans)
	return spans
}

// titled matches what stands before the word "answer" in a line that is a heading, and title what
// stands behind it.
var (
	titled = regexp.MustCompile(`^[#*_ >]*(?:(?:the|my|final) )*(?:answer|solution)$`)
	title  = regexp.MustCompile(`^[*_ ]*\r?\n`)
)

// remark matches what is said of an answer, behind "the answer is".
var remark = regexp.MustCompile(`^(?:(?:also|indeed|clearly|in fact|now|thus|therefore|both|all|both|not)\s+)*(?:correct|right|valid|possible|unique|the only|complete|optimal|consistent|verified|confirmed|checked|found|given|as (?:above|desired|required|expected|asked|follows)|in the|one of|of the)\b`)

// hashes finds what follows the #### of the last line that begins so.
func hashes(text string) (at int, rest string) {
	const mark = "####"
	for at = len(text); ; {
		if at = strings.LastIndex(text[:at], mark); at < 0 {
			return -1, ""
		}
		if at == 0 || text[at-1] == '\n' {
			line, _, _ := strings.Cut(text[at+len(mark):], "\n")
			return at, line
		}
	}
}

// field matches the name of a field of JSON, or of a dictionary of Python, that holds an answer.
var field = regexp.MustCompile(`["'](?:final[_ ])?(answer|solution|result|expression|route|payment|arm)["']\s*:\s*`)

// longestFields bounds what is searched for fields, from the end of a text.
const longestFields = 1 << 15

// number matches a number alone, which beside an expression is its value.
var number = regexp.MustCompile(`^\s*-?[0-9.]+\s*$`)

// fields finds the last field named answer or, where there is none or a number alone, the last one of each name that holds an answer. Its text is that of a value, and
// of a list or an object what stands in it.
func fields(text, lower string) []span {
	begin := max(0, len(text)-longestFields)
	text, lower = text[begin:], lower[begin:]
	if !strings.Contains(text, "{") {
		return nil
	}
	var spans []span
	known := map[string]bool{}
	all := field.FindAllStringSubmatchIndex(lower, -1)
	for _, at := range slices.Backward(all[max(0, len(all)-mostPassed):]) {
		name := lower[at[2]:at[3]]
		if known[name] {
			continue
		}
		known[name] = true
		rest := text[at[1]:]
		if quoted, ok := strings.CutPrefix(rest, "'"); ok {
			if inside, _, closed := strings.Cut(quoted, "'"); closed {
				spans = append(spans, span{at: begin + at[0], text: inside})
			}
			continue
		}
		decoder := json.NewDecoder(strings.NewReader(rest))
		decoder.UseNumber()
		if value, err := flat(decoder, 0); err == nil {
			spans = append(spans, span{at: begin + at[0], text: value})
		}
	}
	if at := slices.IndexFunc(spans, func(s span) bool {
		return strings.HasPrefix(field.FindStringSubmatch(lower[s.at-begin:])[1], tagName) && !number.MatchString(s.text)
	}); at >= 0 {
		return spans[at : at+1]
	}
	return spans
}

var errValue = errors.New("a value that is no answer")

// flat reads a value of JSON as text: "UP, DOWN" of a list, "x=1, y=2" of an object.
func flat(d *json.Decoder, depth int) (string, error) {
	token, err := d.Token()
	if err != nil {
		return "", err
	}
	switch t := token.(type) {
	case string:
		return t, nil
	case json.Number:
		return t.String(), nil
	case json.Delim:
		if depth > 0 || t != '[' && t != '{' {
			return "", errValue
		}
		var parts []string
		for d.More() {
			name := ""
			if t == '{' {
				key, err := flat(d, 1)
				if err != nil {
					return "", err
				}
				name = key + "="
			}
			value, err := flat(d, 1)
			if err != nil {
				return "", err
			}
			parts = append(parts, name+value)
		}
		_, err := d.Token()
		return strings.Join(parts, ", "), err
	}
	return "", errValue
}

// announced is what an announcement may announce, of the text behind it, and whether that is a
// block below its line.
func announced(rest string) (parts []string, block bool) {
	rest, _, _ = strings.Cut(rest, "</"+tagName)
	line, after, _ := strings.Cut(rest, "\n")
	if strings.Trim(line, " \t\r*_:") != "" {
		paragraph, _, _ := strings.Cut(rest, "\n\n")
		return []string{paragraph, line, sentence(line)}, false
	}
	after = strings.TrimLeft(after, " \t\r\n")
	paragraph, _, _ := strings.Cut(after, "\n\n")
	line, _, _ = strings.Cut(paragraph, "\n")
	return []string{paragraph, line, sentence(line)}, true
}

// sentence cuts a text behind its first sentence. A point in a number ends none, nor does one in a
// formula of several lines.
func sentence(text string) string {
	for i := 0; i < len(text)-1; i++ {
		switch {
		case strings.HasPrefix(text[i:], `\begin`):
			end := strings.Index(text[i:], `\end`)
			if end < 0 {
				return text
			}
			i += end
		case text[i] == '.' && isBlank(text[i+1]):
			return text[:i]
		}
	}
	return text
}

// A span is where a part of a text begins and what it is.
type span struct {
	at       int
	text     string
	declared bool // to be the answer
}

// sortLatest puts the last in the text first.
func sortLatest(spans []span) {
	slices.SortStableFunc(spans, func(a, b span) int { return cmp.Compare(b.at, a.at) })
}

// latest gives the texts of spans, the last one in the text first.
func latest(spans []span) []string {
	sortLatest(spans)
	var out []string
	for _, s := range spans {
		out = append(out, s.text)
	}
	return out
}

// code finds the last fenced block, the last inline code and the last bold text, and where parts of
// an answer are marked so, their line or their paragraph without the marks.
func code(text string) []string {
	var spans []span
	if at, inside := fenced(text); at >= 0 {
		spans = append(spans, span{at: at, text: inside})
		// The backticks of a fence are none of inline code.
		text = strings.ReplaceAll(text, "```", "   ")
	}
	for _, mark := range []string{"`", "**"} {
		for _, s := range lastBetween(text, mark, mark, "\n") {
			for _, end := range []string{"\n\n", "\n"} {
				if part := around(text, s.at, end); inParts(part, mark) {
					for _, part := range announcedParts(strings.ReplaceAll(part, mark, "")) {
						spans = append(spans, span{at: s.at, text: part})
					}
				}
			}
			spans = append(spans, s)
		}
	}
	return latest(spans)
}

// around is the part of a text between two ends that has a place in it.
func around(text string, at int, end string) string {
	begin := 0
	if before := strings.LastIndex(text[:at], end); before >= 0 {
		begin = before + len(end)
	}
	part, _, _ := strings.Cut(text[begin:], end)
	return part
}

// inParts says whether marks show parts of one answer: each is a word or an equation. Several parts
// with blanks in them are rather several answers.
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
func fenced(text string) (at int, inside string) {
	at = -1
	begin := -1 // of the block that is open
	for from := 0; from < len(text); {
		line, _, _ := strings.Cut(text[from:], "\n")
		next := min(len(text), from+len(line)+1)
		if mark := strings.TrimLeft(line, " \t"); strings.HasPrefix(mark, "```") || strings.HasPrefix(mark, "~~~") {
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
			return []span{{at: first, text: inside}}
		}
		stop = last
		if inside == "" {
			stop = first // two marks that are one, as in $$
		}
	}
}

// math finds the last formulas between signs of LaTeX.
func math(text string) []string { return latest(formulas(text)) }

// mathLine finds the line of the last formula in a line, of which the answer may have more.
func mathLine(text string) []string {
	var spans []span
	for _, s := range append(lastBetween(text, "$", "$", "\n"), lastBetween(text, `\(`, `\)`, "\n")...) {
		for _, part := range announcedParts(around(text, s.at, "\n")) {
			spans = append(spans, span{at: s.at, text: part})
		}
	}
	return latest(spans)
}

func formulas(text string) []span {
	var spans []span
	spans = append(spans, lastBetween(text, "$$", "$$", "")...)
	spans = append(spans, lastBetween(text, "$", "$", "\n\n")...)
	spans = append(spans, lastBetween(text, `\(`, `\)`, "")...)
	return append(spans, lastBetween(text, `\[`, `\]`, "")...)
}

// mostColons bounds the colons of a line that are looked at.
const mostColons = 4

// lines finds the last line, and what follows its first colons and its last one. Where it ends a
// list whose entries are parts of one answer, that is the list.
func lines(text string) []string {
	text = strings.TrimRight(text, " \t\r\n")
	line := text[strings.LastIndexByte(text, '\n')+1:]
	if list := lastList(text); list != "" {
		return append([]string{list}, announcedParts(line)...)
	}
	return announcedParts(line)
}

// announcedParts are a text and what follows its first colons and its last one.
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
		at := strings.LastIndexByte(text[:max(0, begin-1)], '\n') + 1
		line := strings.TrimSpace(text[at:begin])
		entry := unmarked(line)
		if entry == line || strings.ContainsAny(entry, " \t") && !strings.Contains(entry, "=") {
			break
		}
		begin = at
		entries++
	}
	if entries < 2 {
		return ""
	}
	return text[begin:]
}

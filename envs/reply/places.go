package reply

import (
	"cmp"
	"slices"
	"strings"
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

package reply

import (
	"encoding/json"
	"errors"
	"iter"
	"regexp"
	"slices"
	"strings"
)

// announces matches what turns a noun before it into the announcement of an answer.
var announces = regexp.MustCompile(`^s?[*_ ]*(?:(?:is|are|would be|will be|then|therefore|thus|simply)[*_ ]+)*(?:is|are|be|:|=|：)[*_:： ]*`)

// mostPhrases bounds the words of a text that are looked at.
const mostPhrases = 100

// phrases finds what follows the last announcement: the rest of its paragraph, of its line and of
// its sentence or, if the line ends with it, the same of the next paragraph. The value of a field
// of JSON, and the text after the #### of the last such line, are announced too.
func phrases(text, lower string) []span {
	spans := fields(text, lower)
	if place, rest := hashes(text); place >= 0 {
		spans = append(spans, span{begin: place, text: rest})
	}
	for i := range spans {
		spans[i].declared = true
	}
	for place := range nouns(lower) {
		behind := lower[place:min(len(lower), place+80)]
		m := announces.FindStringIndex(behind)
		if m == nil && titled.MatchString(lower[strings.LastIndexByte(lower[:place], '\n')+1:place]) {
			m = title.FindStringIndex(behind)
		}
		if m == nil {
			continue
		}
		parts, block := announced(text[place+m[1]:])
		for i, part := range parts {
			// A solution may be a calculation in steps, and the first line of a block is a part.
			declared := strings.HasSuffix(lower[:place], "answer") && (i == 0 || !block)
			spans = append(spans, span{place, part, declared})
		}
		// "This answer is correct" announces nothing, so an announcement before it may be meant.
		if !remark.MatchString(strings.TrimLeft(lowered(parts[0]), " *_")) {
			break
		}
	}
	sortLatest(spans)
	return spans
}

// nouns goes through the ends of the words that may announce an answer, from the last one back.
func nouns(lower string) iter.Seq[int] {
	return func(yield func(end int) bool) {
		last := func(noun string, stop int) int {
			if begin := strings.LastIndex(lower[:stop], noun); begin >= 0 {
				return begin + len(noun)
			}
			return -1
		}
		answer, solution := last("answer", len(lower)), last("solution", len(lower))
		for range mostPhrases {
			place := max(answer, solution)
			if place < 0 || !yield(place) {
				return
			}
			if place == answer {
				answer = last("answer", place-1)
			} else {
				solution = last("solution", place-1)
			}
		}
	}
}

// titled matches the text before the word "answer" in a line that is a heading, and title
// the text after it.
var (
	titled = regexp.MustCompile(`^[#*_ >]*(?:(?:the|my|final) )*(?:answer|solution)$`)
	title  = regexp.MustCompile(`^[*_ ]*\r?\n`)
)

// remark matches what is said of an answer, behind "the answer is".
var remark = regexp.MustCompile(`^(?:(?:also|indeed|clearly|in fact|now|thus|therefore|both|all|not)\s+)*(?:correct|right|valid|possible|unique|the only|complete|optimal|consistent|verified|confirmed|checked|found|given|as (?:above|desired|required|expected|asked|follows)|in the|one of|of the)\b`)

// hashes finds what follows the #### of the last line that begins so.
func hashes(text string) (place int, rest string) {
	const mark = "####"
	for place = len(text); ; {
		if place = strings.LastIndex(text[:place], mark); place < 0 {
			return -1, ""
		}
		if place == 0 || text[place-1] == '\n' {
			line, _, _ := strings.Cut(text[place+len(mark):], "\n")
			return place, line
		}
	}
}

// field matches the name of a field of JSON, or of a dictionary of Python, that holds an answer.
var field = regexp.MustCompile(`["'](?:final[_ ])?(answer|solution|result|expression|route|payment|arm)["']\s*:\s*`)

// longestFields bounds what is searched for fields, from the end of a text.
const longestFields = 1 << 15

// number matches a number alone, which beside an expression is its value.
var number = regexp.MustCompile(`^\s*-?[0-9.]+\s*$`)

// fields finds the last field named answer or, if it is missing or holds a number alone,
// the last field of each name that holds an answer. Its text is that of a value, and the
// inside of a list or an object.
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
				spans = append(spans, span{begin: begin + at[0], text: inside})
			}
			continue
		}
		decoder := json.NewDecoder(strings.NewReader(rest))
		decoder.UseNumber()
		if value, err := flat(decoder, 0); err == nil {
			spans = append(spans, span{begin: begin + at[0], text: value})
		}
	}
	if place := slices.IndexFunc(spans, func(s span) bool {
		return strings.HasPrefix(field.FindStringSubmatch(lower[s.begin-begin:])[1], tagName) && !number.MatchString(s.text)
	}); place >= 0 {
		return spans[place : place+1]
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

// announced returns the parts of the text after an announcement that it may announce, and
// whether they are a block below its line.
func announced(rest string) (parts []string, block bool) {
	rest, _, _ = strings.Cut(rest, "</"+tagName)
	line, after, _ := strings.Cut(rest, "\n")
	if block = strings.Trim(line, " \t\r*_:") == ""; block {
		rest = strings.TrimLeft(after, " \t\r\n")
		line, _, _ = strings.Cut(rest, "\n")
	}
	paragraph, _, _ := strings.Cut(rest, "\n\n")
	return []string{paragraph, line, sentence(line)}, block
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

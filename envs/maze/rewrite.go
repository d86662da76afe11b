package maze

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// arrows are moves where an answer has no words.
var arrows = map[rune]string{'↑': "UP", '↓': "DOWN", '←': "LEFT", '→': "RIGHT", '⬆': "UP", '⬇': "DOWN", '⬅': "LEFT", '➡': "RIGHT"}

// letters are moves where all words of an answer have one letter.
var letters = map[string]string{"U": "UP", "D": "DOWN", "L": "LEFT", "R": "RIGHT"}

// numbering matches the number of an entry of a list.
var numbering = regexp.MustCompile(`(?m)^[ \t]*[0-9]+[.)]`)

var between = regexp.MustCompile(`[-=–—]*>|[→➡⇒⟶⟹➔➜➝➞⮕↦⇨>|+]`)

// conjunction matches a word from one move to the next.
var conjunction = regexp.MustCompile(`(?i)\b(?:and\s+)?(?:then|and)\b`)

// worded matches an answer in words, with at most one arrow between two of them, and arrowed an
// answer in arrows alone. An answer with any other symbol is neither.
var (
	worded  = regexp.MustCompile(`^[^\pL\pS]*\pL+(?:[^\pL\pS]*→?[^\pL\pS]*\pL+)*[^\pL\pS]*$`)
	arrowed = regexp.MustCompile(`^[^\pL\pS]*(?:[↑↓←→⬆⬇⬅➡][^\pL\pS]*)+$`)
)

// Rewrite implements envs.Rewriter: moves in any case, with any signs or arrows between, as
// one letter each, or as arrows. An answer with any other word stays as it is, and so does
// an answer with a number that does not count a list, since UP 3 may be three moves, and an
// answer in which "..." marks moves that are left out.
func (p *Problem) Rewrite(answer string) string {
	listed := numbering.ReplaceAllString(answer, "")
	if strings.ContainsFunc(listed, unicode.IsNumber) || strings.Contains(listed, "..") || strings.ContainsRune(listed, '…') {
		return answer
	}
	if !arrowed.MatchString(listed) {
		if listed = conjunction.ReplaceAllString(between.ReplaceAllString(listed, "→"), " "); !worded.MatchString(listed) {
			return answer
		}
	}
	words := strings.FieldsFunc(strings.ToUpper(listed), func(r rune) bool { return !unicode.IsLetter(r) })
	var moves []string
	if len(words) == 0 {
		for _, r := range listed {
			if move, ok := arrows[r]; ok {
				moves = append(moves, move)
			}
		}
	}
	short := true
	for _, word := range words {
		short = short && len(word) == 1
	}
	for _, word := range words {
		if short {
			word = letters[word]
		}
		if !slices.Contains(moveNames[:], word) {
			return answer
		}
		moves = append(moves, word)
	}
	return strings.Join(moves, " ")
}

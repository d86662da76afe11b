package maze

import (
	"strings"
	"unicode"
)

// arrows are moves where an answer has no words.
var arrows = map[rune]string{'↑': "UP", '↓': "DOWN", '←': "LEFT", '→': "RIGHT", '⬆': "UP", '⬇': "DOWN", '⬅': "LEFT", '➡': "RIGHT"}

// letters are moves where all words of an answer have one letter.
var letters = map[string]string{"U": "UP", "D": "DOWN", "L": "LEFT", "R": "RIGHT"}

// Rewrite implements envs.Rewriter: moves in any case, with any signs between, as one letter
// each, or as arrows. Arrows between words are signs as others are. An answer with any other
// word stays as it is.
func (p *Problem) Rewrite(answer string) string {
	words := strings.FieldsFunc(strings.ToUpper(answer), func(r rune) bool { return !unicode.IsLetter(r) })
	var moves []string
	if len(words) == 0 {
		for _, r := range answer {
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
		if _, ok := moveOf(word); !ok {
			return answer
		}
		moves = append(moves, word)
	}
	if len(moves) == 0 {
		return answer
	}
	return strings.Join(moves, " ")
}

package maze

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"modebench/envs"
	"modebench/internal/each"
)

// tally counts what was stepped on; bonus is 0 or 1.
func (s itemSet) tally() (golds, diamonds, lavas, bonus int) {
	count := func(kind itemSet) int { return bits.OnesCount32(uint32(s & kind)) }
	return count(goldBits), count(diamondBits), count(lavaBits), count(bonusBit)
}

// reward is the vector of a route that reached E, by the cells that it has stepped on:
// r = (1, golds/all, diamonds/all, 1 - lavas/all), VPO app. A.1. In a maze
// without lava avoid_lava is 1. Under reward "convex-bonus" the last three are
//
//	min(1, b x^2),  b = 1.5 if the route was on the bonus tile, else 1
//
// as the released data has it (score_trajectory), although PAPER_REPRO.md denies the
// tile an effect.
func (p *Problem) reward(golds, diamonds, lavas, bonus int) [components]float64 {
	share := func(n, all int) float64 { return float64(n) / float64(max(1, all)) }
	r := [components]float64{1, share(golds, p.count[0]), share(diamonds, p.count[1]), 1 - share(lavas, p.count[2])}
	if p.env.config.Reward == "convex-bonus" {
		for i, x := range r[1:] {
			r[1+i] = min(1, float64([2]float64{1, 1.5}[bonus]*float64(x*x)))
		}
	}
	return r
}

// appendMode appends the name of a mode: "exit G1 G3 L2", "unfinished D2". It
// lists what was stepped on, numbered from 1 within its kind in reading order, and at its end
// the bonus tile, "B", if that has an effect.
func (s itemSet) appendMode(dst []byte, finished bool) []byte {
	if finished {
		dst = append(dst, "exit"...)
	} else {
		dst = append(dst, "unfinished"...)
	}
	for rest := uint32(s); rest != 0; rest &= rest - 1 {
		kind, i := byte('G'), bits.TrailingZeros32(rest)
		switch {
		case i == bonusShift:
			return append(dst, " B"...)
		case i >= lavaShift:
			kind, i = 'L', i-lavaShift
		case i >= diamondShift:
			kind, i = 'D', i-diamondShift
		}
		dst = append(dst, ' ', kind, byte('1'+i)) // at most 8: one digit
	}
	return dst
}

// mostWords is how many words a set of places takes.
const mostWords = ((maxSize+2)*(maxSize+2) + 63) / 64

// A placeSet holds coordinates of embeddings: those of the cells that a route has been on.
type placeSet [mostWords]uint64

func (s *placeSet) add(place int16)      { s[place>>6] |= 1 << (place & 63) }
func (s *placeSet) has(place int16) bool { return s[place>>6]>>(place&63)&1 == 1 }

// walk returns the places that a route of legal moves comes to. Moves after its end are ignored.
func (p *Problem) walk(moves []envs.Token) placeSet {
	var visited placeSet
	cells, delta, place := p.cells, &p.geo.delta, p.geo.place
	cell := p.start
	visited.add(place[cell])
	for _, t := range moves[:min(len(moves), p.budget)] {
		if cell == p.exit {
			break
		}
		if next := cell + delta[t&3]; cells[next] != wallCell {
			cell = next
			visited.add(place[cell])
		}
	}
	return visited
}

// cachedVerdicts is how many verdicts a problem caches at most. Each takes under a kilobyte
// in a maze of the default size.
const (
	cacheBits      = 8
	cachedVerdicts = 1 << cacheBits
)

// slot is where the cache holds the verdict of a route over these places.
func (s *placeSet) slot() int {
	hash := uint64(0)
	for _, word := range s {
		hash = bits.RotateLeft64(hash, 11) ^ word
	}
	return int(hash * 0x9e3779b97f4a7c15 >> (64 - cacheBits))
}

// verdict judges a route by the places that it visits: nothing else matters, since a route ends at
// E. Policies give the same routes again and again, so the last verdicts are cached.
func (p *Problem) verdict(visited placeSet) *envs.Verdict {
	slot := &p.judged[visited.slot()]
	if known := slot.Load(); known != nil && known.places == visited {
		return &known.Verdict
	}
	j := p.newVerdict(visited)
	slot.Store(j)
	return &j.Verdict
}

func (p *Problem) newVerdict(places placeSet) *judged {
	var items itemSet
	visited := 0
	for _, word := range places {
		visited += bits.OnesCount64(word)
	}
	length := float32(1 / math.Sqrt(float64(visited)))
	embedding := make([]float32, p.env.larger.size*p.env.larger.size)
	for _, cell := range p.geo.inner {
		if place := p.geo.place[cell]; places.has(place) {
			items |= p.items[cell]
			embedding[place] = length
		}
	}
	j := &judged{places: places, Verdict: envs.Verdict{Correct: places.has(p.geo.place[p.exit]), Embedding: embedding}}
	var room [80]byte
	j.Mode = envs.Mode(items.appendMode(room[:0], j.Correct))
	if j.Correct {
		j.reward = p.reward(items.tally())
	}
	j.Reward = j.reward[:]
	return j
}

var errEmpty = errors.New("the answer holds no moves; moves are UP, DOWN, LEFT, RIGHT")

// A wordError is a word that is no move. Its text is made when it is asked for.
type wordError struct {
	number int // of the word, from 1
	word   string
}

func (e *wordError) Error() string {
	return fmt.Sprintf("word %d, %.40q, is no move; moves are UP, DOWN, LEFT, RIGHT", e.number, e.word)
}

// Judge implements envs.Problem. Moves after E or past the budget are ignored; a token that
// is no move makes the whole answer degenerate wherever it is.
func (p *Problem) Judge(answer []envs.Token) *envs.Verdict {
	for i, t := range answer {
		if uint(t) >= uint(len(legal)) {
			return envs.Reject(zero, &wordError{i + 1, word(t)})
		}
	}
	if len(answer) == 0 {
		return envs.Reject(zero, errEmpty)
	}
	return p.verdict(p.walk(answer))
}

// JudgeText implements envs.Problem: moves with white space between them, in the last
// complete pair of <answer> tags or, without such a pair, in the whole text. Case matters.
func (p *Problem) JudgeText(text string) *envs.Verdict {
	moves, err := p.AnswerTokens(text)
	if err != nil {
		return envs.Reject(zero, err)
	}
	return p.verdict(p.walk(moves))
}

// AnswerTokens implements envs.Problem. Moves after E or past the budget are
// tokens like the others.
func (p *Problem) AnswerTokens(text string) ([]envs.Token, error) {
	if inside, tagged := envs.Tagged(text, "answer"); tagged {
		text = inside
	}
	var moves []envs.Token
	for word := range strings.FieldsSeq(text) {
		move := slices.Index(moveNames[:], word)
		if move < 0 {
			return nil, &wordError{len(moves) + 1, word}
		}
		moves = append(moves, envs.Token(move))
	}
	if len(moves) == 0 {
		return nil, errEmpty
	}
	return moves, nil
}

// word is the text of a token; one outside the vocabulary is "?".
func word(t envs.Token) string {
	if uint(t) < uint(len(vocabulary)) {
		return vocabulary[t]
	}
	return "?"
}

// AnswerText implements envs.Problem: the words with blanks between them. No
// token that is not a move parses.
func (p *Problem) AnswerText(answer []envs.Token) string {
	return strings.Join(each.Map(answer, word), " ")
}

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

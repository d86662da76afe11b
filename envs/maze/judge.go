package maze

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"modebench/envs"
)

// zero is the reward of every route that does not reach E. It is shared.
var zero = make([]float64, components)

// rewardTable lists the rewards of routes that reach E in a maze with so many
// items, by the gold and diamond cells collected and the lava cells stepped on:
// r = (1, golds/all, diamonds/all, 1 - lavas/all), VPO app. A.1. Without lava in
// the maze nothing can be stepped on, and avoid_lava is 1.
func rewardTable(golds, diamonds, lavas int) [][]float64 {
	var table [][]float64
	for g := range golds + 1 {
		for d := range diamonds + 1 {
			for l := range lavas + 1 {
				avoided := 1.0
				if lavas > 0 {
					avoided -= float64(l) / float64(lavas)
				}
				table = append(table, []float64{1, float64(g) / float64(golds), float64(d) / float64(diamonds), avoided})
			}
		}
	}
	return table
}

// tally counts the gold, diamond and lava cells of a set.
func (s itemSet) tally() (golds, diamonds, lavas int) {
	return bits.OnesCount32(uint32(s & goldBits)), bits.OnesCount32(uint32(s & diamondBits)), bits.OnesCount32(uint32(s & lavaBits))
}

// reward is the vector of a route that reached E. It is shared.
func (p *Problem) reward(golds, diamonds, lavas int) []float64 {
	return p.rewards[(golds*(p.count[1]+1)+diamonds)*(p.count[2]+1)+lavas]
}

// appendMode appends the name of a mode: "exit G1 G3 L2", "unfinished D2". It
// lists what was stepped on, numbered from 1 within its kind in reading order.
func (s itemSet) appendMode(dst []byte, finished bool) []byte {
	if finished {
		dst = append(dst, "exit"...)
	} else {
		dst = append(dst, "unfinished"...)
	}
	for rest := uint32(s); rest != 0; rest &= rest - 1 {
		kind, i := byte('G'), bits.TrailingZeros32(rest)
		switch {
		case i >= lavaShift:
			kind, i = 'L', i-lavaShift
		case i >= diamondShift:
			kind, i = 'D', i-diamondShift
		}
		dst = append(dst, ' ', kind, byte('1'+i)) // at most 8: one digit
	}
	return dst
}

// A judging is a walk over a whole answer that keeps what a verdict needs.
type judging struct {
	cursor
	embedding []float32 // not 0: visited
	visited   int
	moves     int // those that are ignored included
}

func (p *Problem) judging() judging {
	side := p.env.larger.size
	j := judging{cursor: cursor{problem: p, cell: p.start}, embedding: make([]float32, side*side), visited: 1}
	j.embedding[p.geo.place[p.start]] = 1
	return j
}

// follow takes a move unless the route has ended.
func (j *judging) follow(t envs.Token) {
	j.moves++
	if j.Done() {
		return
	}
	j.move(t)
	if at := &j.embedding[j.problem.geo.place[j.cell]]; *at == 0 {
		*at = 1
		j.visited++
	}
}

var errEmpty = errors.New("the answer holds no moves; moves are UP, DOWN, LEFT, RIGHT")

// verdict closes the walk.
func (j *judging) verdict() *envs.Verdict {
	if j.moves == 0 {
		return reject(errEmpty)
	}
	length := float32(1 / math.Sqrt(float64(j.visited)))
	for i, x := range j.embedding {
		j.embedding[i] = x * length // exact: x is 0 or 1
	}
	v := &envs.Verdict{Reward: zero, Correct: j.cell == j.problem.exit, Embedding: j.embedding}
	var room [80]byte
	v.Mode = envs.Mode(j.items.appendMode(room[:0], v.Correct))
	if v.Correct {
		v.Reward = j.problem.reward(j.items.tally())
	}
	return v
}

func reject(err error) *envs.Verdict {
	return &envs.Verdict{Reward: zero, Mode: envs.Degenerate, Err: err}
}

// A wordError is a word that is no move. Its text is made when it is asked for.
type wordError struct {
	number int // of the word, from 1
	word   string
}

func (e *wordError) Error() string {
	return fmt.Sprintf("word %d, %.40q, is no move; moves are UP, DOWN, LEFT, RIGHT", e.number, e.word)
}

// Judge implements envs.Problem. Moves after E or past the budget are ignored;
// a token that is no move makes the whole answer degenerate wherever it stands.
func (p *Problem) Judge(answer []envs.Token) *envs.Verdict {
	j := p.judging()
	for i, t := range answer {
		if uint(t) >= uint(len(legal)) {
			return reject(&wordError{i + 1, word(t)})
		}
		j.follow(t)
	}
	return j.verdict()
}

// JudgeText implements envs.Problem: moves with white space between them, in
// the last complete pair of <answer> tags or, where there is none, in the whole
// text. Case matters.
func (p *Problem) JudgeText(text string) *envs.Verdict {
	j := p.judging()
	for word := range words(text) {
		t, ok := moveOf(word)
		if !ok {
			return reject(&wordError{j.moves + 1, word})
		}
		j.follow(t)
	}
	return j.verdict()
}

// AnswerTokens implements envs.Problem. Moves after E or past the budget are
// tokens like the others.
func (p *Problem) AnswerTokens(text string) ([]envs.Token, error) {
	var moves []envs.Token
	for word := range words(text) {
		t, ok := moveOf(word)
		if !ok {
			return nil, &wordError{len(moves) + 1, word}
		}
		moves = append(moves, t)
	}
	if len(moves) == 0 {
		return nil, errEmpty
	}
	return moves, nil
}

// words are those of an answer's text form.
func words(text string) iter.Seq[string] {
	if inside, tagged := envs.Tagged(text, "answer"); tagged {
		text = inside
	}
	return strings.FieldsSeq(text)
}

func moveOf(word string) (envs.Token, bool) {
	switch word {
	case "UP":
		return up, true
	case "DOWN":
		return down, true
	case "LEFT":
		return left, true
	case "RIGHT":
		return right, true
	}
	return 0, false
}

// word is the text of a token; one outside the vocabulary is "?".
func word(t envs.Token) string {
	switch {
	case t >= 0 && t < firstKind:
		return moveNames[t]
	case t >= firstKind && t < firstDigit:
		return kindNames[t-firstKind : t-firstKind+1]
	case t >= firstDigit && t < firstDigit+10:
		return strconv.Itoa(int(t - firstDigit))
	}
	return "?"
}

// AnswerText implements envs.Problem: the words with blanks between them. No
// token that is not a move parses.
func (p *Problem) AnswerText(answer []envs.Token) string {
	var b strings.Builder
	for i, t := range answer {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(word(t))
	}
	return b.String()
}

package board

import (
	"math"
	"slices"
	"strings"

	"modebench/internal/lined"
)

// Rounds are the rounds in which settings of a method are tried, and what they showed so far. All
// settings are in the first; of these the best third are in the next, and so on. The source's
// setting is in the last one too, so that it is known, but it is not chosen there.
type Rounds struct {
	Entrant
	Tried []Tried // by setting, in the order of Entrant.Settings, and then Paper if it is none of them
}

// NewRounds continues with what was tried before. Settings that the entrant does not have are left out.
func (n Entrant) NewRounds(before []Tried, rounds int) *Rounds {
	r := &Rounds{Entrant: n}
	if rounds > 1 && r.noKnob(before) {
		r.Settings, r.Alone = r.Alone, nil
	}
	for _, e := range r.entries() {
		tried := Tried{Setting: e.Setting, Scores: make([]lined.Number, rounds)}
		for i := range tried.Scores {
			tried.Scores[i] = lined.Number(math.NaN())
		}
		if known := First(before, func(s *Tried) bool { return s.Setting == e.Setting }); known != nil {
			copy(tried.Scores, known.Scores)
		}
		r.Tried = append(r.Tried, tried)
	}
	return r
}

// noKnob reports whether the first round showed that the knob makes no difference, or the method was tried
// without it before for that reason: at every rate all its values have the same score. A method that
// learns nothing shows nothing.
func (r *Rounds) noKnob(before []Tried) bool {
	if r.Alone == nil {
		return false
	}
	byRate, learned := map[string]lined.Number{}, false
	for _, e := range r.Settings {
		tried := First(before, func(s *Tried) bool { return s.Setting == e.Setting })
		if tried == nil || math.IsNaN(tried.at(0)) {
			return slices.ContainsFunc(before, func(s Tried) bool {
				return slices.ContainsFunc(r.Alone, func(e Entry) bool { return e.Setting == s.Setting && !math.IsNaN(s.at(0)) })
			})
		}
		rate, _, _ := strings.Cut(e.Setting, " ")
		if score, known := byRate[rate]; known && score != tried.Scores[0] {
			return false
		}
		byRate[rate], learned = tried.Scores[0], learned || tried.Scores[0] != 0
	}
	return learned
}

// entries are the settings, and the source's if it is none of them.
func (r *Rounds) entries() []Entry {
	if r.Paper == nil || slices.ContainsFunc(r.Settings, func(e Entry) bool { return e.Setting == r.Paper.Setting }) {
		return r.Settings
	}
	return append(slices.Clone(r.Settings), *r.Paper)
}

// left are the numbers of the settings that enter a round, by the scores of the round before.
func (r *Rounds) left(round int) []int {
	numbers := make([]int, len(r.Settings))
	for i := range numbers {
		numbers[i] = i
	}
	for before := range round {
		slices.SortStableFunc(numbers, func(a, b int) int { return descending(r.Tried[a].at(before), r.Tried[b].at(before)) })
		numbers = numbers[:kept(len(numbers))]
	}
	return numbers
}

// descending orders numbers from the largest, and NaN last.
func descending(a, b float64) int {
	switch {
	case a > b || math.IsNaN(b) && !math.IsNaN(a):
		return -1
	case a == b || math.IsNaN(a) && math.IsNaN(b):
		return 0
	}
	return 1
}

// in are the numbers of the entries of a round, in their order.
func (r *Rounds) in(round int) []int {
	wanted := r.left(round)
	if round == len(r.Tried[0].Scores)-1 && r.Paper != nil {
		paper := slices.IndexFunc(r.Tried, func(s Tried) bool { return s.Setting == r.Paper.Setting })
		if !slices.Contains(wanted, paper) {
			wanted = append(wanted, paper)
		}
	}
	slices.Sort(wanted)
	return wanted
}

// Missing are the entries that a round has still to run.
func (r *Rounds) Missing(round int) (out []Entry) {
	entries := r.entries()
	for _, i := range r.in(round) {
		if math.IsNaN(r.Tried[i].at(round)) {
			out = append(out, entries[i])
		}
	}
	return out
}

// known are the settings that were tried, without the scores of rounds that they would not be in now: the
// range of rates may be wider than it was then. So results do not depend on when it was made wider.
func (r *Rounds) known() (out []Tried) {
	for _, s := range r.Tried {
		out = append(out, Tried{s.Setting, slices.Clone(s.Scores)})
	}
	for round := range r.Tried[0].Scores {
		in := r.in(round)
		for i := range out {
			if !slices.Contains(in, i) {
				out[i].Scores[round] = lined.Number(math.NaN())
			}
		}
	}
	return out
}

// Try notes what the rounds of a method showed.
func (r *Result) Try(rounds *Rounds) {
	s := r.Standing(rounds.Method)
	if s == nil {
		r.Standings, r.Unfit = Merged(r.Standings, []Standing{{Method: rounds.Method, Rows: []Evaluated{}}}, r.Unfit, nil, methodOf)
		s = r.Standing(rounds.Method)
	}
	s.Tried = rounds.known()
	if rounds.Paper != nil {
		s.Paper = rounds.Paper.Setting
	}
}

// Set notes the score of a setting in a round. A setting whose seeds have none has 0.
func (r *Rounds) Set(round int, setting string, score float64) {
	if tried := First(r.Tried, func(s *Tried) bool { return s.Setting == setting }); tried != nil {
		if math.IsNaN(score) {
			score = 0
		}
		tried.Scores[round] = Four(score)
	}
}

// Chosen is the setting with the best score of the last round, the first of several.
func (r *Rounds) Chosen() Entry {
	last := len(r.Tried[0].Scores) - 1
	numbers := r.left(last)
	slices.Sort(numbers)
	best := numbers[0]
	for _, i := range numbers {
		if descending(r.Tried[i].at(last), r.Tried[best].at(last)) < 0 {
			best = i
		}
	}
	return r.Settings[best]
}

// CarriedOver is the one setting of a method for all tasks: the one with the largest score in the first
// round, in units of the method's best on the task, in the mean over tasks. It is an entry for each
// task. On a task where the knob makes no difference it is the rate alone.
func CarriedOver(tasks []*Rounds) (out []Entry) {
	from := tasks[0].Settings
	for _, r := range tasks { // with a value of the knob, if the knob makes a difference on any task
		if strings.Contains(r.Settings[0].Setting, " ") {
			from = r.Settings
			break
		}
	}
	best, first := math.Inf(-1), -1
	for i, e := range from {
		var shares []float64
		for _, r := range tasks {
			n, ok := r.like(e.Setting)
			if !ok {
				break
			}
			top := 0.0
			for _, s := range r.Tried {
				if score := s.at(0); score > top { // no NaN, as of the source's setting
					top = score
				}
			}
			if share := r.Tried[n].at(0) / top; top > 0 {
				shares = append(shares, share)
			} else {
				shares = append(shares, 0)
			}
		}
		if mean := Mean(shares); len(shares) == len(tasks) && mean > best {
			best, first = mean, i
		}
	}
	if first < 0 {
		return nil
	}
	for _, r := range tasks {
		n, _ := r.like(from[first].Setting)
		out = append(out, r.Settings[n])
	}
	return out
}

// like is the number of the setting with a label, or else with its rate alone.
func (r *Rounds) like(label string) (int, bool) {
	rate, _, _ := strings.Cut(label, " ")
	for _, wanted := range []string{label, rate} {
		if i := slices.IndexFunc(r.Settings, func(e Entry) bool { return e.Setting == wanted }); i >= 0 {
			return i, true
		}
	}
	return 0, false
}

// shareAtEnd is the share of methods whose choice may lie at one end of the range.
const shareAtEnd = .05

// Wider is the range that a task needs by the choices of methods: wider at an end that more than one
// in twenty of them chose. Rows without a choice do not count.
func (t Task) Wider(g *Grid, all []*Rounds) Range {
	rates, out := t.rates(g), t.Range
	lowest, highest, n := 0, 0, 0
	for _, r := range all {
		if len(r.Settings) == 1 {
			continue
		}
		rate, _, _ := strings.Cut(r.Chosen().Setting, " ")
		n++
		lowest += b2i(rate == setting(rates.Alone[0], nil).Label)
		highest += b2i(rate == setting(rates.Alone[len(rates.Alone)-1], nil).Label)
	}
	out.Lower = out.Lower || rates.Lower != nil && float64(lowest) > shareAtEnd*float64(n)
	out.Higher = out.Higher || rates.Higher != nil && float64(highest) > shareAtEnd*float64(n)
	return out
}

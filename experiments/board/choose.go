package board

import (
	"math"
	"slices"
	"strings"

	"modebench/internal/each"
	"modebench/internal/lined"
)

// Rounds are the rounds in which settings of a method are tried, with the scores so far. All
// settings are in the first. The best third of them are in the next, and so on. The source's
// setting is in the last round too, so that tables can show it, but it is not chosen there.
type Rounds struct {
	Entrant
	Tried []Tried // in the order of Entrant.Settings, and then Paper unless it is among these
}

// NewRounds continues from the scores of earlier rounds. Settings that the entrant does not have are left out.
func (n Entrant) NewRounds(before []Tried, rounds int) *Rounds {
	r := &Rounds{Entrant: n}
	if rounds > 1 && r.noKnob(before) {
		r.Settings, r.Alone = r.Alone, nil
		if r.Paper != nil { // which is the rate alone now, if it is among the rates
			rate, _, _ := strings.Cut(r.Paper.Setting, " ")
			if same := First(r.Settings, func(e *Entry) bool { return e.Setting == rate }); same != nil {
				r.Paper = same
			}
		}
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

// noKnob reports whether the knob makes no difference in the first round: at every rate all its values have
// the same score. If nothing was learned, all scores are 0 and the question stays open. A method that was
// tried at rates alone before has no knob here either.
func (r *Rounds) noKnob(before []Tried) bool {
	if r.Alone == nil {
		return false
	}
	byRate, learned := map[string]lined.Number{}, false
	for _, e := range r.Settings {
		tried := First(before, func(s *Tried) bool { return s.Setting == e.Setting })
		if tried == nil || math.IsNaN(tried.scoreIn(0)) {
			return slices.ContainsFunc(before, func(s Tried) bool {
				return slices.ContainsFunc(r.Alone, func(e Entry) bool { return e.Setting == s.Setting && !math.IsNaN(s.scoreIn(0)) })
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

// entries are the settings, and the source's unless it is among them.
func (r *Rounds) entries() []Entry {
	if r.Paper == nil || slices.ContainsFunc(r.Settings, func(e Entry) bool { return e.Setting == r.Paper.Setting }) {
		return r.Settings
	}
	return append(slices.Clone(r.Settings), *r.Paper)
}

// left are the indices of the settings that enter a round, by the scores of the rounds before.
func (r *Rounds) left(round int) []int {
	numbers := each.Below(len(r.Settings))
	for before := range round {
		slices.SortStableFunc(numbers, func(a, b int) int { return descending(r.Tried[a].scoreIn(before), r.Tried[b].scoreIn(before)) })
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

// in are the indices in Tried of the settings of a round, the source's included, ascending.
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
		if math.IsNaN(r.Tried[i].scoreIn(round)) {
			out = append(out, entries[i])
		}
	}
	return out
}

// known are the settings that were tried. A range of rates that was made wider may shut a setting out of a
// later round. Its score there is left out, so that results do not depend on when the range was made wider.
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

// Try notes the scores of a method's rounds.
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

// Set notes the score of a setting in a round. A setting without a score counts as 0.
func (r *Rounds) Set(round int, setting string, score float64) {
	if tried := First(r.Tried, func(s *Tried) bool { return s.Setting == setting }); tried != nil {
		if math.IsNaN(score) {
			score = 0
		}
		tried.Scores[round] = lined.Four(score)
	}
}

// Chosen is the setting with the best score of the last round. Of equal scores the first counts.
func (r *Rounds) Chosen() Entry {
	last := len(r.Tried[0].Scores) - 1
	numbers := r.left(last)
	slices.Sort(numbers)
	best := numbers[0]
	for _, i := range numbers {
		if descending(r.Tried[i].scoreIn(last), r.Tried[best].scoreIn(last)) < 0 {
			best = i
		}
	}
	return r.Settings[best]
}

// CarriedOver is the one setting of a method for all tasks, as an entry for each task, at a rate that all
// methods have. It has the largest score in the first round, in units of the method's best at these rates on
// the task, in the mean over tasks. If the knob makes no difference on a task, the entry there is the rate alone.
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
			for i, e := range r.Settings {
				if score := r.Tried[i].scoreIn(0); e.Shared && score > top {
					top = score
				}
			}
			if share := r.Tried[n].scoreIn(0) / top; top > 0 {
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

// like is the index of the setting with a label, or else with its rate alone. All methods have this rate,
// unless the method has one setting.
func (r *Rounds) like(label string) (int, bool) {
	rate, _, _ := strings.Cut(label, " ")
	for _, wanted := range []string{label, rate} {
		if i := slices.IndexFunc(r.Settings, func(e Entry) bool { return e.Setting == wanted }); i >= 0 {
			return i, r.Settings[i].Shared || len(r.Settings) == 1
		}
	}
	return 0, false
}

// shareAtEnd is the largest share of methods that may choose one end of the range.
const shareAtEnd = .05

// Wider is the range of rates that a task needs. It is wider at an end that more than one method in twenty
// chose. Rows of one setting do not count.
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

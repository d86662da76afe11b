package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"modebench/envs"
	"modebench/experiments/record"
	"modebench/internal/visible"
	"modebench/plots/draw"
)

// How much of the records is on the page, so that it stays small.
const (
	maxPlayed       = 6   // problems
	maxPlayedAnswer = 48  // answers to a problem that stand one by one
	maxPlayedWrong  = 8   // of them incorrect ones, where there are enough correct ones
	maxPlayedSteps  = 21  // evaluations of a method
	maxPlayedHeads  = 16  // columns of the table without a script
	maxUnfound      = 24  // modes listed by name
	maxPlayedText   = 160 // characters of an answer or a mode
)

// aliveMass is the probability from which a mode counts as found where no answers are kept:
// that of modes_alive (metrics.AliveMass).
const aliveMass = 0.02

// shownSeed is the seed whose answers are shown: the one that most variants have, and of several
// the least. Of a run that has not ended, some may lack it.
func shownSeed(run *record.Run) int {
	count := map[int]int{}
	for _, v := range run.Variants {
		for _, c := range v.Cells {
			count[c.Seed]++
		}
	}
	seeds := slices.Sorted(maps.Keys(count))
	return slices.MaxFunc(seeds, func(a, b int) int { return cmp.Or(cmp.Compare(count[a], count[b]), b-a) })
}

// shownCells are the cells of the variants with that seed, by the variants' places.
func shownCells(run *record.Run) map[int]record.Ref {
	out, seed := map[int]record.Ref{}, shownSeed(run)
	for i, v := range run.Variants {
		if at := slices.IndexFunc(v.Cells, func(c record.Ref) bool { return c.Seed == seed }); at >= 0 {
			out[i] = v.Cells[at]
		}
	}
	return out
}

// A playedAnswer is an answer as it is counted: what was written, and the verdict on it.
type playedAnswer struct {
	Text, Mode string
	Correct    bool
}

// A playedTask is a problem with the answers of every variant to it.
type playedTask struct {
	cell     record.Cell // a cell that was evaluated on it
	number   int
	id       string
	mass     bool // the modes and their probabilities are known, not answers
	variants []playedVariant
}

type playedVariant struct {
	label  string
	trains bool
	evals  []playedEval
}

// A playedEval is how often, or with what probability, each answer was given at a step.
type playedEval struct {
	step  int
	drawn float64
	given map[playedAnswer]float64
}

// keptTasks are the problems whose answers the records hold, in the order of environments and
// problems.
func keptTasks(run *record.Run, cells []record.Cell) ([]*playedTask, error) {
	var tasks []*playedTask
	at := map[string]*playedTask{}
	refs := shownCells(run)
	for i, v := range run.Variants {
		ref, there := refs[i]
		if !there {
			continue
		}
		pools, err := run.Pools(ref)
		if err != nil {
			return nil, err
		}
		for _, pool := range pools {
			if len(pool.Answers) == 0 {
				continue // an optimum, which answers nothing
			}
			key, err := taskKey(cells[i], pool.Problem, pool.ID)
			if err != nil {
				return nil, err
			}
			t := at[key]
			if t == nil {
				t = &playedTask{cell: cells[i], number: pool.Problem, id: pool.ID}
				at[key] = t
				tasks = append(tasks, t)
			}
			e := playedEval{step: pool.Step, drawn: float64(len(pool.Answers)), given: map[playedAnswer]float64{}}
			for _, a := range pool.Answers {
				e.given[playedAnswer{a.Text, a.Mode, a.Correct && a.Mode != ""}]++
			}
			t.add(v, e)
		}
	}
	return tasks, nil
}

// taskKey tells problems apart: by environment, its parameters, the split and the number.
func taskKey(c record.Cell, number int, id string) (string, error) {
	data, err := json.Marshal([]any{c.Env, c.Eval["split"], number, id})
	return string(data), err
}

// massTasks are the problems whose modes have a recorded probability: an evaluation averages it
// over its problems, so that it must be of one alone.
func massTasks(run *record.Run, cells []record.Cell) ([]*playedTask, error) {
	var tasks []*playedTask
	at := map[string]*playedTask{}
	refs := shownCells(run)
	for i, v := range run.Variants {
		ref, there := refs[i]
		if n, ok := cells[i].Eval["problems"].(float64); !there || !ok || n != 1 {
			continue
		}
		evals, err := run.Evals(ref)
		if err != nil {
			return nil, err
		}
		for _, eval := range evals {
			if len(eval.Modes) == 0 {
				continue
			}
			key, err := taskKey(cells[i], 0, "")
			if err != nil {
				return nil, err
			}
			t := at[key]
			if t == nil {
				t = &playedTask{cell: cells[i], mass: true}
				at[key] = t
				tasks = append(tasks, t)
			}
			e := playedEval{step: eval.Step, drawn: 1, given: map[playedAnswer]float64{}}
			for _, s := range eval.Modes {
				e.given[playedAnswer{"", s.Mode, s.Correct && s.Mode != ""}] += s.Mass
			}
			t.add(v, e)
		}
	}
	return tasks, nil
}

// add notes an evaluation of a variant.
func (t *playedTask) add(v record.Variant, e playedEval) {
	n := len(t.variants)
	if n == 0 || t.variants[n-1].label != v.Label {
		t.variants = append(t.variants, playedVariant{label: v.Label, trains: v.Trains})
		n++
	}
	last := &t.variants[n-1]
	last.evals = append(last.evals, e)
}

// ordered lists all answers: correct ones first, then those of the mode that was given most
// often, then those given most often.
func (t *playedTask) ordered() []playedAnswer {
	total, ofMode := map[playedAnswer]float64{}, map[draw.ModeKey]float64{}
	for _, v := range t.variants {
		for _, e := range v.evals {
			for _, a := range slices.SortedFunc(maps.Keys(e.given), playedAnswer.compare) {
				total[a] += e.given[a]
				ofMode[a.key()] += e.given[a]
			}
		}
	}
	return slices.SortedFunc(maps.Keys(total), func(a, b playedAnswer) int {
		within := 0
		if a.Mode == b.Mode {
			within = cmp.Compare(total[b], total[a])
		}
		return cmp.Or(draw.TrueFirst(a.Correct, b.Correct), cmp.Compare(ofMode[b.key()], ofMode[a.key()]), within, a.compare(b))
	})
}

func (a playedAnswer) key() draw.ModeKey { return draw.ModeKey{Name: a.Mode, Correct: a.Correct} }

// compare orders answers: correct ones first, then by mode and text.
func (a playedAnswer) compare(b playedAnswer) int {
	return cmp.Or(draw.TrueFirst(a.Correct, b.Correct), draw.Compare(a.Mode, b.Mode), cmp.Compare(a.Text, b.Text))
}

func (t *playedTask) found(e playedEval) map[string]bool {
	out := map[string]bool{}
	for a, n := range e.given {
		if a.Correct && (!t.mass || n > aliveMass) {
			out[a.Mode] = true
		}
	}
	return out
}

// unfound says which modes of all correct answers nobody found, and which were lost: found
// once, but by no trained method at the end.
func (t *playedTask) unfound(modes []envs.Mode) []string {
	ever, atLast := map[string]bool{}, map[string]bool{}
	trained := false
	for _, v := range t.variants {
		for i, e := range v.evals {
			found := t.found(e)
			maps.Copy(ever, found)
			if v.trains && i == len(v.evals)-1 {
				trained = true
				maps.Copy(atLast, found)
			}
		}
	}
	var never, lost []string
	for _, m := range modes {
		switch {
		case !ever[string(m)]:
			never = append(never, string(m))
		case !atLast[string(m)]:
			lost = append(lost, string(m))
		}
	}
	out := []string{listed(never, len(modes), "Found by no method")}
	if len(never) == 0 {
		out[0] = "Each mode was found by at least one method."
	}
	if trained {
		out = append(out, listed(lost, len(modes), "Found at some step, but by no method after training"))
	}
	return slices.DeleteFunc(out, func(s string) bool { return s == "" })
}

// listed says of some of the modes what became of them, and names the first ones.
func listed(names []string, of int, what string) string {
	if len(names) == 0 {
		return ""
	}
	shown := make([]string, min(len(names), maxUnfound))
	for i := range shown {
		shown[i] = cut(names[i])
	}
	text := fmt.Sprintf("%s, %d of %s: %s", what, len(names), draw.Counted(of, "mode"), strings.Join(shown, "; "))
	if more := len(names) - maxUnfound; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text + "."
}

// cut is the beginning of a text that may be long: a language model writes what it likes.
func cut(text string) string {
	if runes := []rune(text); len(runes) > maxPlayedText {
		text = string(runes[:maxPlayedText]) + "…"
	}
	return visible.Text(text)
}

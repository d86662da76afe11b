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
	"modebench/internal/each"
	"modebench/internal/plural"
	"modebench/internal/visible"
	"modebench/plots/draw"
)

// How much of the records is on the page, so that it stays small.
const (
	maxPlayed       = 6   // problems
	maxPlayedAnswer = 48  // answers to a problem that are listed one by one
	maxPlayedWrong  = 8   // of them incorrect ones, if there are enough correct ones
	maxPlayedSteps  = 21  // evaluations of a method
	maxPlayedHeads  = 16  // columns of the table without a script
	maxUnfound      = 24  // modes listed by name
	maxPlayedText   = 160 // characters of an answer or a mode
)

// aliveMass is the probability from which a mode counts as found where no answers are kept:
// that of modes_alive (metrics.AliveMass).
const aliveMass = 0.02

// shownSeed is the seed whose answers are shown: that of most variants, and of several
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
		if j := slices.IndexFunc(v.Cells, func(c record.Ref) bool { return c.Seed == seed }); j >= 0 {
			out[i] = v.Cells[j]
		}
	}
	return out
}

// A playedAnswer is an answer as it is counted: its text, and the verdict on it.
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

// A playedEval has the count or the probability of each answer at a step.
type playedEval struct {
	step  int
	drawn float64
	given map[playedAnswer]float64
}

// A taskList has problems in the order in which they come, each with all of its evaluations.
type taskList struct {
	tasks []*playedTask
	index map[string]*playedTask
}

// add notes an evaluation of a variant on a problem. Problems differ by environment, its
// parameters, the split, the number and the id.
func (l *taskList) add(task playedTask, v record.Variant, e playedEval) error {
	key, err := json.Marshal([]any{task.cell.Env, task.cell.Eval["split"], task.number, task.id})
	if err != nil {
		return err
	}
	t := l.index[string(key)]
	if t == nil {
		t = &task
		l.index[string(key)] = t
		l.tasks = append(l.tasks, t)
	}
	if n := len(t.variants); n == 0 || t.variants[n-1].label != v.Label {
		t.variants = append(t.variants, playedVariant{label: v.Label, trains: v.Trains})
	}
	last := &t.variants[len(t.variants)-1]
	last.evals = append(last.evals, e)
	return nil
}

// keptTasks are the problems whose answers the records hold, in the order of environments and
// problems.
func keptTasks(run *record.Run, cells []record.Cell) ([]*playedTask, error) {
	list := taskList{index: map[string]*playedTask{}}
	refs := shownCells(run)
	for i, v := range run.Variants {
		ref, ok := refs[i]
		if !ok {
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
			e := playedEval{step: pool.Step, drawn: float64(len(pool.Answers)), given: map[playedAnswer]float64{}}
			for _, a := range pool.Answers {
				e.given[playedAnswer{a.Text, a.Mode, a.Correct && a.Mode != ""}]++
			}
			if err := list.add(playedTask{cell: cells[i], number: pool.Problem, id: pool.ID}, v, e); err != nil {
				return nil, err
			}
		}
	}
	return list.tasks, nil
}

// massTasks are the problems whose modes have a recorded probability: an evaluation averages it
// over its problems, so that it must be of one alone.
func massTasks(run *record.Run, cells []record.Cell) ([]*playedTask, error) {
	list := taskList{index: map[string]*playedTask{}}
	refs := shownCells(run)
	for i, v := range run.Variants {
		ref, ok := refs[i]
		if n, known := cells[i].Eval["problems"].(float64); !ok || !known || n != 1 {
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
			e := playedEval{step: eval.Step, drawn: 1, given: map[playedAnswer]float64{}}
			for _, s := range eval.Modes {
				e.given[playedAnswer{"", s.Mode, s.Correct && s.Mode != ""}] += s.Mass
			}
			if err := list.add(playedTask{cell: cells[i], mass: true}, v, e); err != nil {
				return nil, err
			}
		}
	}
	return list.tasks, nil
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

// unfound names the modes of all correct answers that no method found, and those lost: found
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
	out := []string{"Each mode was found by at least one method."}
	if len(never) > 0 {
		out[0] = listed(never, len(modes), "Found by no method")
	}
	if trained && len(lost) > 0 {
		out = append(out, listed(lost, len(modes), "Found at some step, but by no method after training"))
	}
	return out
}

// listed names the first of some of all modes, behind a sentence about them.
func listed(names []string, all int, sentence string) string {
	shown := each.Map(names[:min(len(names), maxUnfound)], cut)
	text := fmt.Sprintf("%s, %d of %s: %s", sentence, len(names), plural.Count(all, "mode"), strings.Join(shown, "; "))
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

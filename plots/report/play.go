package report

import (
	_ "embed"
	"fmt"

	"modebench/experiments/record"
)

var (
	//go:embed play.html
	playHTML string
	//go:embed play.css
	playCSS string
	//go:embed play.js
	playJS string
)

// play is what the page has to play with: the problems whose answers the records hold.
type play struct {
	Note     string
	Missing  bool   // the records keep no answers
	First    string // id of the drawing that there is anyway, "" for none
	Problems []playProblem
}

// newPlay gathers the problems of the first seed. The cells are the resolved ones of the
// variants.
func newPlay(id string, run *record.Run, cells []record.Cell, drawn []drawnProblem) (*play, error) {
	tasks, err := keptTasks(run, cells)
	if err != nil {
		return nil, err
	}
	p := &play{Note: fmt.Sprintf("What each method answered, with seed %d. Choose methods and a training step: the pictures mark what was answered then, beside what was answered at first. Click an answer to mark only that one.", firstSeed(run))}
	if len(tasks) == 0 {
		if tasks, err = massTasks(run, cells); err != nil {
			return nil, err
		}
		p.Missing = true
		if len(tasks) > 0 {
			p.Note = fmt.Sprintf("How probable each mode is under each method, with seed %d. Choose methods and a training step. Click a mode to mark only that one.", firstSeed(run))
		}
	}
	if len(tasks) == 0 && len(drawn) > 0 {
		p.First = drawn[0].ID
	}
	if len(tasks) > maxPlayed {
		p.Note += fmt.Sprintf(" The first %d of %d problems whose answers are kept.", maxPlayed, len(tasks))
		tasks = tasks[:maxPlayed]
	}
	for i, t := range tasks {
		shown, err := t.shown(fmt.Sprintf("%s-play%d", id, i+1))
		if err != nil {
			return nil, err
		}
		p.Problems = append(p.Problems, shown)
	}
	return p, nil
}

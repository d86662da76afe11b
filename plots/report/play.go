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

// play is the part of the page to play with: the problems whose answers the records hold.
type play struct {
	Note     string
	How      string // to work with it; paper has no use for it
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
	p := &play{Note: fmt.Sprintf("What each method answered, with %s. The pictures show what was answered at the training step, beside what was answered at first.", ofSeeds(run)), How: "Choose methods and a training step. Click an answer to see it alone. Of a mode with many answers some stand one by one; the others are counted together, and the picture shows them by one of that mode."}
	if len(tasks) == 0 {
		if tasks, err = massTasks(run, cells); err != nil {
			return nil, err
		}
		p.Missing = true
		if len(tasks) > 0 {
			p.Note = fmt.Sprintf("How probable each mode is under each method, with %s.", ofSeeds(run))
			p.How = "Choose methods and a training step. Click a mode to see it alone."
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

// ofSeeds names the seed of the answers: others end elsewhere.
func ofSeeds(run *record.Run) string {
	seeds := map[int]bool{}
	for _, v := range run.Variants {
		for _, c := range v.Cells {
			seeds[c.Seed] = true
		}
	}
	text := fmt.Sprintf("seed %d", shownSeed(run))
	if len(seeds) > 1 {
		text += fmt.Sprintf(", one of %d", len(seeds))
	}
	return text
}

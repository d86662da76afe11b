package problem

import (
	"slices"
	"strconv"

	"gonum.org/v1/plot/vg"

	"modebench/envs"
	"modebench/plots/draw"
)

// maxWrongLayers is how many incorrect answers have a tree, the first ones.
const maxWrongLayers = 8

// countdownStage has a tree for every mode, and for the first of the incorrect ones that were
// given. A layer frames a tree.
func countdownStage(p envs.Problem, answers []Given) (*stage, error) {
	t, err := readCountdown(p)
	if err != nil {
		return nil, err
	}
	right, bad := map[string]int{}, map[string]int{}
	for i, m := range t.modes {
		right[m.Mode] = i
	}
	var wrong []countdownMode
	for _, a := range answers {
		_, seen := bad[a.Mode]
		if at, known := right[a.Mode]; a.Correct && known {
			t.modes[at].answered = 1 // so that it comes before those nobody gave
		} else if !a.Correct && a.Mode != "" && a.Text != "" && !seen && len(wrong) < maxWrongLayers {
			if m, err := wrongMode(a.Mode, a.Text); err == nil {
				bad[a.Mode] = len(wrong)
				wrong = append(wrong, m)
			}
		}
	}
	fills := numberFills(t.numbers)
	shown, rest := answeredFirst(t.modes, maxTrees)
	cards, badCards := treeCards(shown, fills), treeCards(wrong, nil)
	for _, list := range [][]treeCard{cards, badCards} {
		for i := range list {
			list[i].count, list[i].counted = 0, true
		}
	}
	columns, width := fitCards(append(slices.Clone(cards), badCards...))
	task, taskWidth := t.taskBlock(fills)
	width = max(width, taskWidth)
	s := &stage{width: width, blocks: []draw.Block{task, cardGrid(cards, columns, width)}}
	if len(badCards) > 0 {
		s.blocks = append(s.blocks, draw.Paragraphs(draw.PanelFont, draw.Black, width, "Incorrect answers")...)
		s.blocks = append(s.blocks, cardGrid(badCards, columns, width))
	}
	grids := map[bool]int{true: 1, false: len(s.blocks) - 1}
	s.blocks = append(s.blocks, layerNote(width, restNote(rest), treeNote)...)
	at := map[string]int{}
	for i, m := range shown {
		at[m.Mode+"true"] = i
	}
	for i, m := range wrong {
		at[m.Mode+"false"] = i
	}
	key := func(a Given) string { return a.Mode + strconv.FormatBool(a.Correct) }
	s.placeGiven(answers, func(a Given) string {
		if _, drawn := at[key(a)]; !drawn {
			return ""
		}
		return key(a)
	}, func(a Given) layerMaker {
		of := cards
		if !a.Correct {
			of = badCards
		}
		return func(rects []vg.Rectangle) (func(c draw.Canvas), *vg.Point) {
			r := rects[grids[a.Correct]]
			box := cardPlaces(of, columns, width, vg.Point{X: r.Min.X, Y: r.Max.Y})[at[key(a)]]
			count := vg.Point{X: box.Max.X - cardPad - layerCount/2, Y: box.Min.Y + cardPad + 0.5 + 0.35*draw.SmallFont.Size}
			return func(c draw.Canvas) { paintBox(c, box, a.Correct) }, &count
		}
	})
	return s, nil
}

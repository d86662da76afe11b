package problem

import (
	"fmt"

	"gonum.org/v1/plot/vg"

	"modebench/envs"
	"modebench/plots/draw"
)

// axisName is the room at the upper edge for the name of an axis.
const axisName = vg.Length(16)

// polynomialStage has the curve with the correct pairs, and a layer for every pair that was
// given.
func polynomialStage(p envs.Problem, answers []Given) (*stage, error) {
	t, err := readCurve(p)
	if err != nil {
		return nil, err
	}
	plane := newPlane(t.window())
	width := draw.ColumnWidth
	dots, thinned := plane.dots(t.pairs)
	s := &stage{width: width, crowded: true, blocks: []draw.Block{plane.block(t, dots), t.legend(plane, width)}}
	s.blocks = append(s.blocks, layerNote(width, "Rings: answers that are correct. Crosses: others.", pairsNote(plane, t.pairs), thinnedNote(thinned))...)
	s.placeGiven(answers, func(a Given) string {
		if q, err := pairOf(a.Mode); err != nil || !plane.holds(q) {
			return ""
		}
		return a.Mode
	}, func(a Given) layerMaker {
		q, _ := pairOf(a.Mode)
		q.wrong = !a.Correct
		return func(rects []vg.Rectangle) (func(c draw.Canvas), *vg.Point) {
			paint := func(c draw.Canvas) { plane.on(partOf(c, rects[0])).paintGiven([]curvePair{q}) }
			at := plane.on(draw.Canvas{Rectangle: rects[0]}).at(q.x, q.y)
			above := givenRadius + vg.Length(5)
			if at.Y+above > rects[0].Max.Y-axisName { // there the axis has its name
				above = -above
			}
			at.Y += above
			return paint, &at
		}
	})
	return s, nil
}

// pairsNote says how many correct pairs are beyond the edges.
func pairsNote(plane plane, pairs []curvePair) string {
	n := 0
	for _, q := range pairs {
		if !plane.holds(q) {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d correct pairs lie outside the picture.", n, len(pairs))
}

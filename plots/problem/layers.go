package problem

import (
	"fmt"
	"strings"

	"gonum.org/v1/plot/vg"

	"modebench/envs"
	"modebench/plots/draw"
)

// This file draws a problem once and every answer as a layer over it, for readers that show and
// hide answers. What an environment's layers are is in the files that end in _layers.go.

// A Given is an answer that a picture is to have a layer for.
type Given struct {
	Text    string // as the environment writes it; "": the mode alone is known
	Mode    string
	Correct bool
}

// A Layered is a picture of a problem without answers, and layers of the same size that mark
// answers in it.
type Layered struct {
	Below  *draw.Figure
	Above  *draw.Figure // what hides the layers, nil for nothing
	Layers []Layer
	// From is the x from which layers are as wide as if all answers were theirs: they are to be
	// narrowed to the share that they have. 0: they do not depend on it.
	From vg.Length
	// Of has for every answer the number of its layer, or -1 where the picture does not show
	// it. Answers that the picture does not tell apart share a layer.
	Of []int
}

// A Layer marks an answer.
type Layer struct {
	*draw.Figure
	// Count is where the number of answers is to stand, its middle, from the upper left corner
	// of the page with y downwards; nil where there is no room for it.
	Count *vg.Point
	// Crowded says that marks may be close together, so that a count of 1 is better left out.
	Crowded bool
}

// layerCount is the room that a count of two digits takes; more reach into the margin.
const layerCount = vg.Length(13)

// A stage is a page in the making whose blocks get layers.
type stage struct {
	width   vg.Length
	blocks  []draw.Block
	crowded bool
	from    vg.Length                                 // Layered.From
	above   func(rects []vg.Rectangle, c draw.Canvas) // nil for nothing
	layers  []layerMaker
	of      []int
}

// A layerMaker gives what a layer paints and where its count stands, y upwards, from the
// rectangles of the page's blocks.
type layerMaker func(rects []vg.Rectangle) (paint func(c draw.Canvas), count *vg.Point)

var stages = map[string]func(p envs.Problem, answers []Given) (*stage, error){
	"bandit": banditStage,
}

// DrawLayers draws a problem of the environment of that name, and a layer for every answer. A
// problem that has a picture without layers is drawn without answers.
func DrawLayers(env string, p envs.Problem, answers []Given) (*Layered, error) {
	make, known := stages[env]
	if !known {
		pictured, ok := p.(envs.Pictured)
		if !ok {
			return nil, fmt.Errorf("%s %s: the problem has no picture", env, p.ID())
		}
		out, err := markAnswers(pictured, answers)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", env, p.ID(), err)
		}
		return out, nil
	}
	s, err := make(p, answers)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", env, p.ID(), err)
	}
	return s.draw(), nil
}

// noLayers says of so many answers that none has a layer.
func noLayers(n int) []int {
	of := make([]int, n)
	for i := range of {
		of[i] = -1
	}
	return of
}

// stageGap is the room between the blocks of a page.
const stageGap = vg.Length(7)

// rects are the places of the blocks on the page, from its upper edge down.
func (s *stage) rects() (rects []vg.Rectangle, height vg.Length) {
	height = stageGap * vg.Length(len(s.blocks)-1)
	for _, b := range s.blocks {
		height += b.Height
	}
	top := height
	for _, b := range s.blocks {
		rects = append(rects, vg.Rectangle{Min: vg.Point{Y: top - b.Height}, Max: vg.Point{X: s.width, Y: top}})
		top -= b.Height + stageGap
	}
	return rects, height
}

// draw makes the figures.
func (s *stage) draw() *Layered {
	rects, height := s.rects()
	figure := func(paint func(c draw.Canvas)) *draw.Figure {
		return &draw.Figure{Width: s.width, Height: height, Paint: paint}
	}
	out := &Layered{Of: s.of, From: s.from, Below: figure(func(c draw.Canvas) {
		c.SetColor(draw.White)
		c.Fill(c.Rectangle.Path())
		for i, b := range s.blocks {
			b.Paint(partOf(c, rects[i]))
		}
	})}
	if s.above != nil {
		out.Above = figure(func(c draw.Canvas) { s.above(rects, c) })
	}
	for _, make := range s.layers {
		paint, count := make(rects)
		layer := Layer{Figure: figure(paint), Crowded: s.crowded}
		if count != nil {
			layer.Count = &vg.Point{X: count.X, Y: height - count.Y}
		}
		out.Layers = append(out.Layers, layer)
	}
	return out
}

// partOf is the part of a canvas that a rectangle bounds.
func partOf(c draw.Canvas, r vg.Rectangle) draw.Canvas {
	return draw.Canvas{Canvas: c.Canvas, Rectangle: r}
}

// place gives every answer a layer. Answers with the same key share one; those with the key ""
// have none.
func (s *stage) place(answers []Given, key func(answer int) string, layer func(answer int) layerMaker) {
	s.of = noLayers(len(answers))
	at := map[string]int{}
	for i := range answers {
		k := key(i)
		if k == "" {
			continue
		}
		number, seen := at[k]
		if !seen {
			number = len(s.layers)
			at[k] = number
			s.layers = append(s.layers, layer(i))
		}
		s.of[i] = number
	}
}

// placeGiven is place by the answers themselves.
func (s *stage) placeGiven(answers []Given, key func(a Given) string, layer func(a Given) layerMaker) {
	s.place(answers, func(at int) string { return key(answers[at]) }, func(at int) layerMaker { return layer(answers[at]) })
}

// layerNote is the sentence of a page below its blocks, as a block of its own.
func layerNote(width vg.Length, sentences ...string) []draw.Block {
	note := draw.Sentences(sentences...)
	if strings.TrimSpace(note) == "" {
		return nil
	}
	return draw.Paragraphs(draw.SmallFont, draw.Subtle, width, note)
}

// marked is the line around what an answer chose.
func marked(correct bool) draw.LineStyle {
	style := draw.LineStyle{Color: draw.Black, Width: 1.1}
	if !correct {
		style.Color, style.Dashes = draw.Red, []vg.Length{3, 1.5}
	}
	return style
}

// paintBox draws such a line around a rectangle.
func paintBox(c draw.Canvas, r vg.Rectangle, correct bool) {
	c.SetLineStyle(marked(correct))
	c.Stroke(r.Path())
}

package problem

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"gonum.org/v1/plot/vg"

	"modebench/envs"
	"modebench/internal/each"
	"modebench/plots/draw"
)

// A Pool is a pool of answers to a problem, with its name in a drawing.
type Pool struct {
	Variant string // that gave the answers, for errors
	Head    string // above the picture
	Problem envs.Problem
	Answers [][]envs.Token
}

// A PoolSheet is a drawing of several pools in the making.
type PoolSheet struct {
	Title string
	Rows  [][]Pool
	Steps int    // how many evaluations of a variant are shown; above 1 a row is that of a variant
	Note  string // on the pools, below the pictures
}

// A section of a page is a problem with pools of answers, a picture for each of them.
type section struct {
	drawing envs.Drawing
	pools   []poolView
	table   *table // nil: none
	columns int
	each    vg.Length // width of a picture
	scale   vg.Length
	note    string
}

// newSection draws the problem of some pools, at most `columns` of them side by side.
func newSection(p envs.Pictured, pools []Pool, columns int) (*section, error) {
	s := &section{}
	attempts := s.collect(p, pools)
	s.drawing = p.Drawing(attempts...)
	if err := s.drawing.Check(len(attempts)); err != nil {
		return nil, fmt.Errorf("its drawing: %w", err)
	}
	wide := vg.Length(s.drawing.Width)
	for s.columns = columns; ; s.columns-- {
		s.each = (draw.PageWidth - draw.PanelGap*vg.Length(s.columns-1)) / vg.Length(s.columns)
		if s.columns == 1 || s.each >= wide*vg.Length(cmp.Or(s.drawing.Least, 1)) {
			break
		}
	}
	s.scale = 1
	if wide > s.each {
		s.scale = s.each / wide
	}
	s.each = min(s.each, wide*s.scale)
	if t := s.drawing.Table; t != nil && len(t.Rows) > 0 {
		counted := s.pools
		if len(attempts) == 0 {
			counted = nil
		}
		s.table = newTable(t, counted, "")
	}
	return s, nil
}

// collect gathers the different answers that parse, those given most often first, with how often
// each pool has them.
func (s *section) collect(p envs.Problem, pools []Pool) []envs.Attempt {
	var out []envs.Attempt
	times := map[string][]int{} // by pool
	all, unparsed, degenerate := 0, 0, 0
	for i, pool := range pools {
		for _, answer := range pool.Answers {
			all++
			v := p.Judge(answer)
			switch {
			case v.Err != nil:
				unparsed++
				continue
			case v.Mode == envs.Degenerate:
				degenerate++
				continue
			}
			text := p.AnswerText(answer)
			if times[text] == nil {
				times[text] = make([]int, len(pools))
				out = append(out, envs.Attempt{Text: text, Verdict: v})
			}
			times[text][i]++
		}
	}
	total := func(a envs.Attempt) (n int) {
		for _, k := range times[a.Text] {
			n += k
		}
		return n
	}
	slices.SortStableFunc(out, func(a, b envs.Attempt) int { return total(b) - total(a) })
	for i, pool := range pools {
		view := poolView{head: pool.Head}
		for _, a := range out {
			view.times = append(view.times, times[a.Text][i])
		}
		s.pools = append(s.pools, view)
	}
	s.note = draw.Sentences(degenerateNote(degenerate, all), unparsedNote(unparsed, all))
	return out
}

// degenerateNote counts the answers without a strategy; empty without such answers.
func degenerateNote(n, all int) string {
	switch {
	case n == 0:
		return ""
	case all == 1:
		return "The answer given is degenerate: it has no mode."
	}
	return fmt.Sprintf("Degenerate, without a mode: %d of the %d answers given.", n, all)
}

// unparsedNote counts the answers that do not parse; empty without such answers.
func unparsedNote(n, all int) string {
	switch {
	case n == 0:
		return ""
	case all == 1:
		return "The answer given does not parse."
	case n == 1:
		return fmt.Sprintf("1 of the %d answers given does not parse.", all)
	}
	return fmt.Sprintf("%d of the %d answers given do not parse.", n, all)
}

// routeNote is the note on routes, if there are any that answers took.
func (s *section) routeNote(note string) string {
	if slices.ContainsFunc(s.drawing.Shapes, func(x envs.Shape) bool { return x.Role == envs.Route && len(x.Answers) > 0 }) {
		return note
	}
	return ""
}

// width is the least width of a page with the section.
func (s *section) width() vg.Length {
	width := max(draw.ColumnWidth, vg.Length(s.columns)*(s.each+draw.PanelGap)-draw.PanelGap)
	if s.table != nil {
		width = max(width, s.table.fullWidth())
	}
	return width
}

// blocks are the pictures, the legend and the table. A drawing without shapes has its legend
// below the table, whose bars it explains.
func (s *section) blocks(width vg.Length) []draw.Block {
	var out []draw.Block
	if len(s.drawing.Shapes) > 0 {
		for line := range slices.Chunk(s.pools, s.columns) {
			out = append(out, s.line(line, width))
		}
	}
	legend := s.legend(width)
	if s.table == nil {
		return append(out, legend...)
	}
	if len(s.drawing.Shapes) == 0 {
		return append(append(out, s.table.block(width)), legend...)
	}
	return append(append(out, legend...), s.table.block(width))
}

func (s *section) line(pools []poolView, width vg.Length) draw.Block {
	height, head := vg.Length(s.drawing.Height)*s.scale, vg.Length(0)
	if slices.ContainsFunc(pools, func(p poolView) bool { return p.head != "" }) {
		head = draw.HeadLine + 3
	}
	cell := (width + draw.PanelGap) / vg.Length(s.columns)
	return draw.Block{Height: height + head, Paint: func(c draw.Canvas) {
		for i, pool := range pools {
			left := c.Min.X + cell*vg.Length(i)
			room := cell - draw.PanelGap
			draw.Write(c, draw.PanelFont, draw.Black, left, c.Max.Y-draw.PanelFont.Size, 0, draw.ElidedIn(draw.PanelFont, pool.head, room))
			at := view{corner: vg.Point{X: left + max(0, (room-s.each)/2), Y: c.Max.Y - head}, scale: s.scale}
			for _, shape := range s.drawing.Shapes {
				if n := pool.sum(shape.Answers); n > 0 {
					at.paint(c, shape, n)
				} else if len(shape.Answers) == 0 {
					at.paint(c, shape, 1)
				}
			}
		}
	}}
}

func (s *section) legend(width vg.Length) []draw.Block {
	var heads []string
	var groups [][]draw.Entry
	for _, e := range s.drawing.Legend {
		if len(heads) == 0 || e.Head != "" {
			heads, groups = append(heads, e.Head), append(groups, nil)
		}
		last := len(groups) - 1
		text := e.Text
		if len(e.Answers) > 0 && len(s.pools) == 1 {
			text += fmt.Sprintf(": %d", s.pools[0].sum(e.Answers))
		}
		groups[last] = append(groups[last], draw.Entry{Text: text, Paint: func(c draw.Canvas) {
			view{corner: c.Center(), scale: 1}.paint(c, e.Sample, 0)
		}})
	}
	switch {
	case len(groups) == 0:
		return nil
	case heads[0] == "":
		return []draw.Block{draw.Legend(groups[0], width)}
	}
	return []draw.Block{draw.GroupedLegend(heads, groups, width)}
}

func page(title string, sections []*section, note string) *draw.Figure {
	width := each.Largest(sections, func(s *section) vg.Length { return s.width() })
	blocks := draw.Heading(title, width)
	for _, s := range sections {
		if s.drawing.Title != title {
			blocks = append(blocks, draw.Paragraphs(draw.PanelFont, draw.Black, width, s.drawing.Title)...)
		}
		blocks = append(blocks, s.blocks(width)...)
		blocks = append(blocks, draw.Paragraphs(draw.SmallFont, draw.Subtle, width, draw.Sentences(s.routeNote("The wider a line, the more answers go that way."), s.drawing.Note, s.note))...)
	}
	return draw.NotedPage(width, note, blocks...)
}

func named(pool Pool, err error) error {
	if pool.Variant == "" {
		return err
	}
	return fmt.Errorf("variant %s: %w", pool.Variant, err)
}

// sectionsOf gathers the pools of each problem. Problems are the same if their drawings are.
func sectionsOf(sheet PoolSheet) ([]*section, error) {
	var pools [][]Pool
	for _, pool := range slices.Concat(sheet.Rows...) {
		pictured, ok := pool.Problem.(envs.Pictured)
		if !ok {
			return nil, named(pool, errors.New("such problems cannot be drawn"))
		}
		at := slices.IndexFunc(pools, func(of []Pool) bool {
			return reflect.DeepEqual(of[0].Problem.(envs.Pictured).Drawing(), pictured.Drawing())
		})
		if at < 0 {
			at, pools = len(pools), append(pools, nil)
		}
		pools[at] = append(pools[at], pool)
	}
	var out []*section
	for _, of := range pools {
		columns := draw.EvenColumns(len(of), 3)
		if sheet.Steps > 1 {
			columns = min(sheet.Steps, len(of))
		}
		s, err := newSection(of[0].Problem.(envs.Pictured), of, columns)
		if err != nil {
			return nil, named(of[0], err)
		}
		out = append(out, s)
	}
	return out, nil
}

package lines

import (
	"context"
	"math"
	"slices"

	"modebench/experiments/record"
	"modebench/internal/terminal"
)

// courses are the means over seeds of metrics at the steps where they were evaluated.
type courses struct {
	lines [][]terminal.Series // by variant and metric
	last  int                 // step of the last evaluation of all
	still []bool              // by variant: it is measured once
}

// readCourses reads the evaluations of all cells.
func readCourses(ctx context.Context, run *record.Run, metrics []string) (*courses, error) {
	c := &courses{}
	for _, v := range run.Variants {
		lines := make([]terminal.Series, len(metrics))
		for _, ref := range v.Cells {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			evals, err := run.Evals(ref)
			if err != nil {
				return nil, err
			}
			for _, e := range evals {
				c.last = max(c.last, e.Step)
				for i, metric := range metrics {
					if x, ok := e.Metrics[metric]; ok && !math.IsNaN(x) && !math.IsInf(x, 0) {
						lines[i].Add(e.Step, x)
					}
				}
			}
		}
		c.lines = append(c.lines, lines)
		c.still = append(c.still, !v.Trains)
	}
	return c, nil
}

// has reports whether any variant has the metric: not so the step of a collapse, which is of all
// evaluations together.
func (c *courses) has(metric int) bool {
	return slices.ContainsFunc(c.lines, func(lines []terminal.Series) bool { return len(lines[metric]) > 0 })
}

// extent is the least and the greatest mean of a metric.
func (c *courses) extent(metric int) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, lines := range c.lines {
		for i := range lines[metric] {
			x := lines[metric][i].Value()
			low, high = min(low, x), max(high, x)
		}
	}
	return low, high
}

// spacing is the mean number of steps from one evaluation to the next.
func spacing(line terminal.Series) float64 {
	if len(line) < 2 {
		return 0
	}
	return float64(line[len(line)-1].Step-line[0].Step) / float64(len(line)-1)
}

// end is the step at which the axis of a metric ends, with the room of the last evaluation of all.
func (c *courses) end(metric int) float64 {
	room := 0.0
	for _, lines := range c.lines {
		if line := lines[metric]; len(line) > 0 && line[len(line)-1].Step == c.last {
			room = max(room, spacing(line))
		}
	}
	return float64(c.last) + room
}

// spark draws a course in width characters, from step 0 to the end of the axis: at each the latest
// measurement until then. It is blank before the first measurement, and behind the room of the last.
func (c *courses) spark(variant, metric, width int, heights []rune) string {
	line := c.lines[variant][metric]
	low, high := c.extent(metric)
	out := make([]rune, width)
	latest, end := -1, c.end(metric)
	for i := range out {
		step := end * float64(i) / float64(width)
		if i == width-1 { // of more evaluations than characters the last one is seen
			step = float64(c.last)
		}
		for latest+1 < len(line) && float64(line[latest+1].Step) <= step {
			latest++
		}
		out[i] = ' '
		if latest < 0 {
			continue
		}
		if begun := float64(line[latest].Step); latest == len(line)-1 && !c.still[variant] && step > begun && step >= begun+spacing(line) {
			continue
		}
		height := 0
		if high > low {
			height = min(len(heights)-1, int((line[latest].Value()-low)/(high-low)*float64(len(heights))))
		}
		out[i] = heights[height]
	}
	return string(out)
}

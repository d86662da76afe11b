package model

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
)

// together are the numbers of cells that the table has.
var together = []int{1, 16, 64}

// stepsOfCell is what a cell is counted as, to give cells an hour: so many training steps.
const stepsOfCell = 1000

// Print writes what the model says, of what kind each figure is, and how far it is from what was
// measured.
func Print(out io.Writer, c Card) error {
	fmt.Fprintf(out, "A training step on an H100 SXM, as the model has it. Nothing of more than one cell was measured.\n")
	for _, f := range Figures {
		fmt.Fprintf(out, "%s: %s\n", f.Kind, f.What)
	}
	fmt.Fprintln(out)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "size\tcells\tlaunches\tcopies\tGFLOP\tMB moved\tMB copied\thost ms\tms\tmeasured\tbound\tcells/h\tPyTorch\tratio\t")
	for _, s := range Sizes {
		for _, n := range together {
			w := StepOf(s, n, c.Multiprocessors)
			time := c.Time(w)
			flop, bytes := w.sums()
			hour := float64(n) * 3600 / stepsOfCell / time.Total()
			measured, torch, ratio := "-", "-", "-"
			if m, ok := Measured[s.Name]; ok {
				if n == 1 {
					measured = fmt.Sprintf("%.2f", m.Ours)
					if m.Launches != len(w.Launches) {
						measured += fmt.Sprintf(" in %d launches", m.Launches)
					}
				}
				of := 3600e3 / stepsOfCell / m.PyTorch
				torch, ratio = fmt.Sprintf("%.0f", of), fmt.Sprintf("%.1f", hour/of)
			}
			fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%.2f\t%.0f\t%.1f\t%.2f\t%.2f\t%s\t%s\t%.0f\t%s\t%s\t\n", s.Name, n, len(w.Launches), w.Uploads+w.Downloads+w.Clears,
				float64(flop)/1e9, float64(bytes)/1e6, float64(w.Uploaded+w.Downloaded)/1e6, time.Host*1e3, time.Total()*1e3, measured, time.Bound(), hour, torch, ratio)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "A cell is %d such steps. PyTorch is eager, a cell at a time, as measured.\n\n", stepsOfCell)
	c.printSampling(out)
	return c.printTargets(out)
}

// sums are the operations and bytes of all launches.
func (w *Work) sums() (flop, bytes int) {
	for _, l := range w.Launches {
		flop, bytes = flop+l.FLOP, bytes+l.Bytes
	}
	return flop, bytes + w.Cleared
}

// sampled is what was measured of drawing 64 rollouts to 8 prompts: tokens of each, milliseconds.
var sampled = map[string]struct {
	tokens int
	ms     float64
}{"S": {32, 4.83}, "M": {32, 11.42}, "maze": {25, 3.25}}

// Single is the seconds of a training step and of sampling of one cell of a size, where that is timed.
func (c Card) Single(name string) (train, sample float64, err error) {
	for _, s := range Sizes {
		if m, ok := sampled[s.Name]; ok && s.Name == name {
			train = c.Time(StepOf(s, 1, c.Multiprocessors)).Total()
			s.Rollout = m.tokens
			const prompts = 8
			return train, c.Time(SampleOf(s, prompts, 1, c.Multiprocessors)).Total(), nil
		}
	}
	return 0, 0, fmt.Errorf("size %q is not timed, want S, M or maze", name)
}

// printSampling holds the model to measurements that it was not fitted to.
func (c Card) printSampling(out io.Writer) {
	fmt.Fprint(out, "Sampling, one cell, ms by the model (measured, to which nothing was fitted):")
	for _, s := range Sizes {
		if _, sample, err := c.Single(s.Name); err == nil {
			fmt.Fprintf(out, " %s %.2f (%.2f)", s.Name, sample*1e3, sampled[s.Name].ms)
		}
	}
	fmt.Fprintln(out)
}

// printTargets says of each target whether it is met by the model.
func (c Card) printTargets(out io.Writer) error {
	step := func(i, cells int) float64 { return c.Time(StepOf(Sizes[i], cells, c.Multiprocessors)).Total() * 1e3 }
	const many, s, m = 64, 0, 1
	met := func(yes bool) string {
		if yes {
			return "met by the model, not measured"
		}
		return "MISSED by the model, not measured"
	}
	single := step(s, many) / step(s, 1)
	fmt.Fprintf(out, "target: 64 cells of S in the time of at most 8: %.1f: %s\n", single, met(single <= 8))
	for _, target := range []struct {
		size int
		want float64
	}{{s, 10}, {m, 4}} {
		name := Sizes[target.size].Name
		ratio := many * Measured[name].PyTorch / step(target.size, many)
		fmt.Fprintf(out, "target: %.0f times eager PyTorch's cells an hour at %s: %.1f: %s\n", target.want, name, ratio, met(ratio >= target.want))
	}
	all, err := specs()
	if err != nil {
		return err
	}
	hours, cells, updates := 0.0, 0, 0
	for _, u := range all {
		hours = hours + float64(c.hours(u))
		cells, updates = cells+u.cells, updates+u.updates
	}
	_, err = fmt.Fprintf(out, "target: all specs that are written for a transformer, ten seeds (%d cells, %d updates, each with its rollouts), in an hour: %.2f: %s; their evaluations and base policies are not in it\n",
		cells, updates, hours, met(hours <= 1))
	return err
}

// A use is what a spec trains at a size.
type use struct {
	size                   Size // its Batch is rollouts an update
	groups, cells, updates int
}

// hours is how long it takes where 64 cells go together, or all that there are: for each update a
// pass of the reference, which is a third of a training step's arithmetic, and drawing.
func (c Card) hours(u use) float64 {
	n := min(together[len(together)-1], u.cells)
	step := c.Time(StepOf(u.size, n, c.Multiprocessors)).Total()
	draw := c.Time(SampleOf(u.size, u.groups, n, c.Multiprocessors)).Total()
	return float64(u.updates) / float64(n) * (float64(step*4/3) + draw) / 3600
}

//go:embed specs.csv
var specsTable string // a test of package spec holds it to the specs

// specs reads what specs train. How many features a position has, which is about ten, matters little.
func specs() ([]use, error) {
	lines, err := csv.NewReader(strings.NewReader(specsTable)).ReadAll()
	if err != nil {
		return nil, err
	}
	var out []use
	for _, line := range lines[1:] {
		var n [11]int
		for i := range n {
			if n[i], err = strconv.Atoi(line[i+1]); err != nil {
				return nil, err
			}
		}
		const features = 10
		out = append(out, use{Size{line[0], n[0], n[1], n[2], n[3], n[5], n[6], features, features, n[4], n[8]}, n[7], n[9], n[10]})
	}
	return out, nil
}

package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/experiments/sweep"
	"modebench/experiments/train"
	"modebench/internal/visible"
)

// live is what is known of a run under way, and draws it as a table. Training reports
// evaluations and cells to it. Only the goroutine of start, and finish after it, write to the
// terminal, and not under the lock: a terminal that is stopped stops no training. It
// implements sweep.Watcher.
type live struct {
	screen *screen
	now    func() time.Time
	quit   chan struct{}
	gone   chan struct{}

	mu       sync.Mutex // of all below
	plan     *sweep.Plan
	begun    time.Time // when the plan was known
	training time.Time // when the first cell was evaluated
	columns  []string
	seeds    int    // cells of a method in the plan
	entropy  string // the metric of the sparklines; "": none yet
	rows     []*liveRow
	running  map[*sweep.CellRun]*liveCell
	ended    int // cells, of this run; orders rows by when they last ended one
	steps    int // done in cells that ended and have not failed
	failed   int // of all cells that failed, the steps; lost are those that they made
	lost     int
	before   int // of the steps of cells that ended, those that earlier runs made
	names    baseList
	bases    []*liveBase
	notes    []string
	stopping bool
}

// liveRow is a method: a variant of the spec.
type liveRow struct {
	label               string
	cells, done, failed int
	touched             int // live.ended when a cell of it last ended; 0: none has
	steps               int // that a cell makes
	running             []*sweep.CellRun
	values              []mean      // by column, over cells, of the latest evaluation
	entropies           []entropyAt // over cells, by step
}

// liveCell is a cell under way.
type liveCell struct {
	values []float64 // what it adds to the row's; NaN: nothing
}

// entropyAt is the mean of a metric at a step.
type entropyAt struct {
	step int
	mean
}

// liveBase is a base policy that is being made.
type liveBase struct {
	title    string
	at       train.Pretraining
	first    int // step of the first report, and when that was
	since    time.Time
	reported time.Time // when the last report was
}

type mean struct {
	sum float64
	n   int
}

func (m *mean) add(x float64) { m.sum, m.n = m.sum+x, m.n+1 }
func (m *mean) value() float64 {
	return m.sum / float64(m.n) // NaN for none
}

// newLive is a display of a run of those of the spec's cells that part admits; nil: all.
func newLive(spec *spec.Spec, part func(cell int) bool, terminal *screen, now func() time.Time) *live {
	l := &live{
		screen: terminal, now: now, columns: spec.Columns, seeds: spec.Seeds,
		quit: make(chan struct{}), gone: make(chan struct{}), running: map[*sweep.CellRun]*liveCell{},
	}
	for i, v := range spec.Variants {
		row := &liveRow{label: v.Label, values: make([]mean, len(spec.Columns))}
		for seed := range spec.Seeds {
			if part == nil || part(i*spec.Seeds+seed) {
				row.cells++
			}
		}
		l.rows = append(l.rows, row)
	}
	return l
}

// start draws at every tick until finish.
func (l *live) start(ticks <-chan time.Time) {
	go func() {
		defer close(l.gone)
		for {
			select {
			case <-ticks:
				l.redraw()
			case <-l.quit:
				return
			}
		}
	}()
}

// finish clears the table away and leaves the notes.
func (l *live) finish() {
	close(l.quit)
	<-l.gone
	if notes := l.takeNotes(); len(notes) > 0 || len(l.screen.lines) > 0 {
		l.screen.draw(notes, nil)
	}
}

// redraw draws what has changed.
func (l *live) redraw() {
	width, height := l.screen.size()
	lines := l.lines(width, height)
	notes := l.takeNotes()
	if len(notes) > 0 || !slices.Equal(lines, l.screen.lines) {
		l.screen.draw(notes, lines)
	}
}

func (l *live) takeNotes() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	notes := l.notes
	l.notes = nil
	return notes
}

// note shows a line above the table.
func (l *live) note(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.notes = append(l.notes, visible.Text(line))
}

func (l *live) planned(plan sweep.Plan) {
	if plan.Finished > 0 {
		l.note(fmt.Sprintf("%d of %d cells are finished already", plan.Finished, plan.Cells))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.plan, l.begun = &plan, l.now()
}

// interrupted says that the run ends as soon as it can.
func (l *live) interrupted() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stopping = true
}

// pretraining records how far a base policy is.
func (l *live) pretraining(at train.Pretraining) {
	l.mu.Lock()
	defer l.mu.Unlock()
	title := l.names.of(at).title
	i := slices.IndexFunc(l.bases, func(b *liveBase) bool { return b.at.File == at.File })
	switch {
	case at.Step >= at.Steps:
		if i >= 0 {
			l.bases = slices.Delete(l.bases, i, i+1)
		}
	case i >= 0:
		l.bases[i].at, l.bases[i].reported = at, l.now()
	default:
		l.bases = append(l.bases, &liveBase{title: title, at: at, first: at.Step, since: l.now(), reported: l.now()})
	}
}

// Found counts a cell of an earlier run.
func (l *live) Found(cell int, evals []record.Eval) {
	l.mu.Lock()
	defer l.mu.Unlock()
	row, found := l.row(cell), l.newCell()
	row.done++
	for _, e := range evals {
		l.replace(row, found, e)
	}
}

// Begun adds a cell to those that run.
func (l *live) Begun(run *sweep.CellRun) {
	l.mu.Lock()
	defer l.mu.Unlock()
	row := l.row(run.Cell)
	row.running, row.steps = append(row.running, run), run.Steps
	l.running[run] = l.newCell()
}

// Evaluated records the numbers of an evaluation.
func (l *live) Evaluated(run *sweep.CellRun, e record.Eval) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.training.IsZero() {
		l.training = l.now()
	}
	l.replace(l.row(run.Cell), l.running[run], e)
}

// Ended removes a cell from those that run.
func (l *live) Ended(run *sweep.CellRun, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	row := l.row(run.Cell)
	row.running = slices.DeleteFunc(row.running, func(r *sweep.CellRun) bool { return r == run })
	delete(l.running, run)
	l.ended++
	l.before += run.Before()
	row.touched = l.ended
	switch {
	case err == nil:
		row.done++
		l.steps += run.Steps
	case errors.Is(err, context.Canceled):
		l.steps += run.Step()
	default:
		row.failed++
		l.failed += run.Steps
		l.lost += run.Step()
	}
}

// row is the method of a cell.
func (l *live) row(cell int) *liveRow { return l.rows[cell/l.seeds] }

func (l *live) newCell() *liveCell {
	values := make([]float64, len(l.columns))
	for i := range values {
		values[i] = math.NaN()
	}
	return &liveCell{values: values}
}

// replace counts an evaluation in the row's means, in place of the cell's last one.
func (l *live) replace(row *liveRow, cell *liveCell, e record.Eval) {
	for i, name := range l.columns {
		x, ok := e.Metrics[name]
		if !ok {
			x = math.NaN()
		}
		if last := cell.values[i]; !math.IsNaN(last) {
			row.values[i].sum -= last
			row.values[i].n--
		}
		if cell.values[i] = x; !math.IsNaN(x) {
			row.values[i].add(x)
		}
	}
	if l.entropy == "" {
		l.entropy = entropyMetric(l.columns, e.Metrics)
	}
	if x, ok := e.Metrics[l.entropy]; ok && !math.IsNaN(x) {
		i, ok := slices.BinarySearchFunc(row.entropies, e.Step, func(at entropyAt, step int) int { return at.step - step })
		if !ok {
			row.entropies = slices.Insert(row.entropies, i, entropyAt{step: e.Step})
		}
		row.entropies[i].add(x)
	}
}

// entropyMetric picks the metric of the sparklines: one of the columns, else that over
// modes, else that per token; "" where there is none.
func entropyMetric(columns []string, metrics map[string]float64) string {
	names := append(slices.Clone(columns), "entropy_mode", "entropy_token")
	for _, name := range names {
		if _, ok := metrics[name]; ok && strings.HasPrefix(name, "entropy") {
			return name
		}
	}
	return ""
}

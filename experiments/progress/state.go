package progress

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
	"modebench/internal/terminal"
)

// state counts what a run has made. It implements sweep.Watcher.
type state struct {
	clock func() time.Time

	mu       sync.Mutex  // of all below
	plan     *sweep.Plan // nil: not known yet
	begun    time.Time   // when the plan was known
	training time.Time   // when the first cell was evaluated
	running  map[*sweep.CellRun]cellValues

	ended, finished, failed int // cells of this run: all that ended, those that succeeded, those that failed
	steps                   int // made in cells that ended and have not failed
	failedSteps, lost       int // of cells that failed: all of their steps, and those that they made
	before                  int // steps of cells that ended which earlier runs made

	bases  []*base // in the order that they were begun
	latest *base   // the last report was of this one; nil: no base policy is being made

	columns []string
	seeds   int    // cells of a method in the plan
	entropy string // the metric of the sparklines; "": not known yet
	rows    []*row // empty: methods are not counted
}

// row is a method: a variant of the spec.
type row struct {
	label               string
	cells, done, failed int
	touched             int // state.ended when a cell of it last ended; 0: no cell has
	steps               int // that a cell makes
	running             []*sweep.CellRun
	values              []terminal.Mean // by column, over cells, of the latest evaluation
	entropies           terminal.Series // over cells, by step
}

// cellValues are the numbers that a cell adds to the means of its row, by column; NaN: it has no number.
type cellValues []float64

// base is a base policy, with its latest report.
type base struct {
	train.Pretraining
	number   int // among those of the same name
	first    int // step of the first report
	since    time.Time
	reported time.Time // when the latest report came
}

// title names a base policy. Those of one name, which differ in the network or in fields of the
// environment, are numbered in the order that they are begun.
func (b *base) title() string {
	if b.number > 1 {
		return fmt.Sprintf("base policy %d (%s)", b.number, b.Name)
	}
	return fmt.Sprintf("base policy (%s)", b.Name)
}

func newState(clock func() time.Time) *state {
	return &state{clock: clock, running: map[*sweep.CellRun]cellValues{}}
}

// addRows counts the methods of a spec too, in the cells that part admits; nil: all.
func (s *state) addRows(loaded *spec.Spec, part func(cell int) bool) {
	s.columns, s.seeds = loaded.Columns, loaded.Seeds
	for i, v := range loaded.Variants {
		r := &row{label: v.Label, values: make([]terminal.Mean, len(s.columns))}
		for seed := range s.seeds {
			if part == nil || part(i*s.seeds+seed) {
				r.cells++
			}
		}
		s.rows = append(s.rows, r)
	}
}

// watch makes the run report to the state, and its notes to note.
func (s *state) watch(opt *sweep.Options, note func(line string)) {
	opt.Notes, opt.Watch = note, s
	opt.Planned = func(plan sweep.Plan) {
		if plan.Finished > 0 {
			note(fmt.Sprintf("%d of %d cells are finished already", plan.Finished, plan.Cells))
		}
		s.planned(plan)
	}
	opt.Pretraining = func(report train.Pretraining) { s.pretraining(report) }
}

func (s *state) planned(plan sweep.Plan) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.plan, s.begun = &plan, s.clock()
}

// pretraining records how far a base policy is.
func (s *state) pretraining(report train.Pretraining) *base {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b *base
	number := 1
	for _, known := range s.bases {
		if known.File == report.File {
			b = known
		} else if known.Name == report.Name {
			number++
		}
	}
	if b == nil {
		b = &base{number: number, first: report.Step, since: s.clock()}
		s.bases = append(s.bases, b)
	}
	b.Pretraining, b.reported = report, s.clock()
	if s.latest = b; report.Step >= report.Steps {
		s.latest = nil
	}
	return b
}

// found counts a cell of an earlier run.
func (s *state) found(cell int, evals []record.Eval) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, values := s.row(cell), s.newValues()
	r.done++
	for _, e := range evals {
		s.replace(r, values, e)
	}
}

// Begun implements sweep.Watcher.
func (s *state) Begun(run *sweep.CellRun) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.row(run.Cell)
	r.running, r.steps = append(r.running, run), run.Steps
	s.running[run] = s.newValues()
}

// Evaluated implements sweep.Watcher.
func (s *state) Evaluated(run *sweep.CellRun, e record.Eval) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.training.IsZero() {
		s.training = s.clock()
	}
	s.replace(s.row(run.Cell), s.running[run], e)
}

// Ended implements sweep.Watcher. It counts all steps of a cell that was made, and of a cell that
// was interrupted those until then.
func (s *state) Ended(run *sweep.CellRun, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.row(run.Cell)
	r.running = slices.DeleteFunc(r.running, func(r *sweep.CellRun) bool { return r == run })
	delete(s.running, run)
	s.latest = nil // it is made, or could not be made
	s.ended++
	s.before += run.Before()
	r.touched = s.ended
	switch {
	case err == nil:
		r.done++
		s.finished++
		s.steps += run.Steps
	case errors.Is(err, context.Canceled):
		s.steps += run.Step()
	default:
		r.failed++
		s.failed++
		s.failedSteps += run.Steps
		s.lost += run.Step()
	}
}

// done is the number of steps of all cells, running ones too, without those of failed cells.
func (s *state) done() int {
	steps := s.steps
	for run := range s.running {
		steps += run.Step()
	}
	return steps
}

// eta is the time left at the pace since the first evaluation, without steps that earlier runs made. Cells
// that failed are not done, and not waited for. The lock is held.
func (s *state) eta() string {
	if s.training.IsZero() {
		return ""
	}
	if s.plan.Steps == 0 { // nothing but evaluations
		return etaText(s.clock().Sub(s.training), s.ended, s.plan.Cells-s.plan.Finished)
	}
	done := s.done()
	made := done + s.lost - s.before
	for run := range s.running {
		made -= run.Before()
	}
	return etaText(s.clock().Sub(s.training), made, made+s.plan.Steps-done-s.failedSteps)
}

// paceAfter is the time after which a pace predicts anything.
const paceAfter = 2 * time.Second

// etaText is the time left at the pace so far; "" if it is unknown.
func etaText(spent time.Duration, done, total int) string {
	if spent < paceAfter || done <= 0 || done >= total {
		return ""
	}
	return ", ETA " + clockText(time.Duration(float64(spent)*float64(total-done)/float64(done)))
}

// clockText writes a time as 0:07, 12:30 or 1:02:03.
func clockText(d time.Duration) string {
	s := int(d.Round(time.Second) / time.Second)
	if s < 3600 {
		return fmt.Sprintf("%d:%02d", s/60, s%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}

// row is the method of a cell.
func (s *state) row(cell int) *row {
	if len(s.rows) == 0 {
		return &row{}
	}
	return s.rows[cell/s.seeds]
}

func (s *state) newValues() cellValues { return slices.Repeat(cellValues{math.NaN()}, len(s.columns)) }

// replace counts an evaluation in the row's means, in place of the cell's last evaluation.
func (s *state) replace(r *row, values cellValues, e record.Eval) {
	for i, name := range s.columns {
		x, ok := e.Metrics[name]
		if !ok {
			x = math.NaN()
		}
		if last := values[i]; !math.IsNaN(last) {
			r.values[i].Sum -= last
			r.values[i].N--
		}
		if values[i] = x; !math.IsNaN(x) {
			r.values[i].Add(x)
		}
	}
	if s.entropy == "" {
		s.entropy = entropyMetric(s.columns, e.Metrics)
	}
	if x, ok := e.Metrics[s.entropy]; ok && !math.IsNaN(x) {
		r.entropies.Add(e.Step, x)
	}
}

// entropyMetric picks the metric of the sparklines: of the columns, else that over modes, else that
// per token; "" if the evaluation has no such metric.
func entropyMetric(columns []string, metrics map[string]float64) string {
	names := append(slices.Clone(columns), "entropy_mode", "entropy_token")
	for _, name := range names {
		if _, ok := metrics[name]; ok && strings.HasPrefix(name, "entropy") {
			return name
		}
	}
	return ""
}

package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/experiments/sweep"
	"modebench/experiments/train"
	"modebench/internal/visible"
)

// show makes a run say how far it is: in lines of JSON where these are asked for, in a table
// of methods where the terminal can redraw one, else in lines. The function that it returns ends that, and must be
// called before anything else is printed.
func show(ctx context.Context, s streams, spec *spec.Spec, opt *sweep.Options) (finish func()) {
	if s.json {
		return showInJSON(s, opt)
	}
	if terminal, restore := openScreen(s); terminal != nil {
		l := newLive(spec, opt.Part, terminal, time.Now)
		opt.Planned, opt.Pretraining, opt.Notes, opt.Watch = l.planned, l.pretraining, l.note, l
		unwatch := context.AfterFunc(ctx, l.interrupted)
		ticker := time.NewTicker(redrawEvery)
		l.start(ticker.C)
		return func() {
			unwatch()
			ticker.Stop()
			l.finish()
			restore()
		}
	}
	s.terminal = false // nothing that is drawn over
	return showInLines(s, opt)
}

// showInLines makes a run say how far it is: with a bar in a terminal, else in lines. The
// function that it returns ends that, as that of show does.
func showInLines(s streams, opt *sweep.Options) (finish func()) {
	bar := &progress{streams: s, wrote: time.Now()}
	opt.Planned, opt.Progress, opt.Pretraining, opt.Notes, opt.Watch = bar.planned, bar.update, bar.pretraining, bar.note, bar
	if s.terminal {
		return bar.finish
	}
	ticker, quit := time.NewTicker(time.Second), make(chan struct{})
	go func() {
		for {
			select {
			case at := <-ticker.C:
				bar.remind(at)
			case <-quit:
				return
			}
		}
	}()
	return func() {
		ticker.Stop()
		close(quit)
		bar.finish()
	}
}

// showAllInLines is showInLines for several specs that are run together.
func showAllInLines(s streams, specs []*spec.Spec, opt *sweep.Options) (finish func()) {
	finish = showInLines(s, opt)
	cells := 0
	for _, spec := range specs {
		cells += len(spec.Variants) * spec.Seeds
	}
	if len(specs) > 1 {
		fmt.Fprintf(s.err, "%d specs, %d cells\n", len(specs), cells) // before it is looked which are there
	} else {
		fmt.Fprintf(s.err, "%s: %d cells\n", specs[0].Name, cells)
	}
	planned := opt.Planned
	opt.Planned = func(plan sweep.Plan) {
		if opt.Part == nil && plan.Cells < cells {
			fmt.Fprintf(s.err, "%d of them are other specs' too, and are run once\n", cells-plan.Cells)
		}
		planned(plan)
	}
	return finish
}

// lineEvery is the longest time without a line where there is no terminal.
const lineEvery = 30 * time.Second

// progress shows how far a run is: a bar in a terminal, else a line for each
// tenth, and at least every half minute.
type progress struct {
	streams
	mu    sync.Mutex
	bar   *progressbar.ProgressBar
	first time.Time // when the bar was first told of steps, and of how many then
	from  int
	tenth int
	bases baseList

	total int // steps of the run; 0: not known yet
	cells int // that the run makes
	stepsMade
	base  string    // the last line of the base policy that is being made; "": none is
	wrote time.Time // when the last line was written
}

// stepsMade counts what cells have made. Steps of cells that failed are none.
type stepsMade struct {
	ended   int // steps of cells that have ended
	made    int // cells that have ended
	running map[*sweep.CellRun]bool
}

func (m *stepsMade) begin(run *sweep.CellRun) {
	if m.running == nil {
		m.running = map[*sweep.CellRun]bool{}
	}
	m.running[run] = true
}

// end counts all steps of a cell that was made, and of one that was interrupted those until then.
func (m *stepsMade) end(run *sweep.CellRun, err error) {
	delete(m.running, run)
	switch {
	case err == nil:
		m.ended += run.Steps
	case errors.Is(err, context.Canceled):
		m.ended += run.Step()
	}
	m.made++
}

// steps are those of all cells, of the running ones too.
func (m *stepsMade) steps() int {
	steps := m.ended
	for run := range m.running {
		steps += run.Step()
	}
	return steps
}

// Begun implements sweep.Watcher.
func (p *progress) Begun(run *sweep.CellRun) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.begin(run)
}

// Evaluated implements sweep.Watcher.
func (p *progress) Evaluated(*sweep.CellRun, record.Eval) {}

// Ended implements sweep.Watcher.
func (p *progress) Ended(run *sweep.CellRun, failed error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end(run, failed)
	p.base = "" // it was there, or could not be made
}

// remind says how far the run is where no line was written for a while.
func (p *progress) remind(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now.Sub(p.wrote) < lineEvery {
		return
	}
	switch p.wrote = now; {
	case p.base != "":
		fmt.Fprintln(p.err, p.base)
	case p.total > 0:
		fmt.Fprintf(p.err, "%5.1f%% of %d steps\n", 100*float64(p.steps())/float64(p.total), p.total)
	case p.cells > 0:
		fmt.Fprintf(p.err, "%d of %d cells\n", p.made, p.cells)
	}
}

// writeLine writes a line. The lock is held.
func (p *progress) writeLine(line string) {
	fmt.Fprintln(p.err, line)
	p.wrote = time.Now()
}

func (p *progress) planned(plan sweep.Plan) {
	if plan.Finished > 0 {
		fmt.Fprintf(p.err, "%d of %d cells are finished already\n", plan.Finished, plan.Cells)
	}
	p.mu.Lock()
	p.total, p.cells = plan.Steps, plan.Cells-plan.Finished
	p.mu.Unlock()
	if plan.Steps == 0 || !p.terminal {
		return
	}
	p.bar = progressbar.NewOptions(plan.Steps,
		progressbar.OptionSetWriter(p.err),
		progressbar.OptionSetDescription(fmt.Sprintf("%d cells", plan.Cells-plan.Finished)),
		progressbar.OptionShowCount(),
		progressbar.OptionSetPredictTime(false), // its first guesses are wild; see etaText
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionFullWidth(),
	)
}

func (p *progress) update(done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		if p.first.IsZero() {
			p.first, p.from = time.Now(), done
		}
		p.bar.Describe(fmt.Sprintf("%d cells%s", p.cells, etaText(time.Since(p.first), done-p.from, total-p.from)))
		_ = p.bar.Set(done) // a bar that cannot be drawn is no reason to stop
		return
	}
	if p.terminal || total == 0 {
		return
	}
	if tenth := 10 * done / total; tenth > p.tenth {
		p.tenth = tenth
		p.writeLine(fmt.Sprintf("%3d%% of %d steps", 10*tenth, total))
	}
}

// pretraining shows how far a base policy is: before the bar where there is one, else
// in a line for each tenth.
func (p *progress) pretraining(at train.Pretraining) {
	p.mu.Lock()
	defer p.mu.Unlock()
	base := p.bases.of(at)
	tenth := 10 * at.Step / at.Steps
	if p.base = ""; at.Step < at.Steps {
		p.base = fmt.Sprintf("%s (%s): %5.1f%% of %d steps, loss %.3f", base.title, at.Name, 100*float64(at.Step)/float64(at.Steps), at.Steps, at.Loss)
	}
	if tenth == base.tenth {
		return
	}
	base.tenth = tenth
	text := fmt.Sprintf("%s (%s): %3d%% of %d steps, loss %.3f", base.title, at.Name, 10*tenth, at.Steps, at.Loss)
	if p.bar == nil {
		p.writeLine(text)
		return
	}
	p.bar.Describe(text) // until the first cell is done with it
	if at.Step == at.Steps {
		p.bar.Describe("training")
	}
}

// note shows a line, of a plug-in mostly, above the bar where there is one.
func (p *progress) note(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_ = p.bar.Clear() // it is drawn anew at the next step
	}
	fmt.Fprintln(p.err, visible.Text(line))
}

func (p *progress) finish() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}

// baseProgress is how far the pre-training of one base policy is.
type baseProgress struct {
	name, file string
	title      string
	tenth      int
}

// A baseList holds base policies in the order that they are begun.
type baseList []*baseProgress

// of finds a base policy by its file. Those of one name, which differ in the network
// or in fields of the environment, are numbered in the order that they are begun.
func (l *baseList) of(at train.Pretraining) *baseProgress {
	same := 0
	for _, b := range *l {
		if b.file == at.File {
			return b
		}
		if b.name == at.Name {
			same++
		}
	}
	b := &baseProgress{name: at.Name, file: at.File, title: "base policy"}
	if same > 0 {
		b.title = fmt.Sprintf("base policy %d", same+1)
	}
	*l = append(*l, b)
	return b
}

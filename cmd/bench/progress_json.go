package main

import (
	"sync"
	"time"

	"modebench/experiments/record"
	"modebench/experiments/sweep"
	"modebench/experiments/train"
	"modebench/internal/visible"
)

// progressEvery is the time between two lines of JSON of a run.
const progressEvery = 200 * time.Millisecond

// A progressLine says how far a run is, for a program that shows it.
type progressLine struct {
	Cells int `json:"cells"` // to be made
	Made  int `json:"made"`  // of them, failed ones too
	Steps int `json:"steps"` // of training in all of them; 0: not known yet
	Done  int `json:"done"`  // of them; those of a failed cell no longer
	// Base is what base policy is being pre-trained, and how far that is; absent: none is.
	Base *baseLine `json:"base,omitempty"`
}

type baseLine struct {
	Name  string `json:"name"`
	Step  int    `json:"step"`
	Steps int    `json:"steps"`
}

// A noteLine is what else a run says: of a plug-in mostly.
type noteLine struct {
	Note string `json:"note"`
}

// A resultLine says at the end of a run where its manifest is.
type resultLine struct {
	Result string `json:"result"`
}

// progressJSON makes a run say in lines of JSON how far it is.
type progressJSON struct {
	streams
	mu  sync.Mutex
	now progressLine
	stepsMade
}

// showInJSON makes a run say in lines of JSON how far it is. The function that it returns
// says it a last time.
func showInJSON(s streams, opt *sweep.Options) (finish func()) {
	p := &progressJSON{streams: s}
	opt.Planned, opt.Pretraining, opt.Notes, opt.Watch = p.planned, p.pretraining, p.note, p
	ticker, quit, done := time.NewTicker(progressEvery), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-ticker.C:
				p.print()
			case <-quit:
				return
			}
		}
	}()
	return func() {
		ticker.Stop()
		close(quit)
		<-done
		p.print()
	}
}

// print writes the line. That nobody reads it is no reason to stop.
func (p *progressJSON) print() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now.Made, p.now.Done = p.made, p.steps()
	_ = printJSON(p.err, p.now)
}

func (p *progressJSON) planned(plan sweep.Plan) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now.Cells, p.now.Steps = plan.Cells-plan.Finished, plan.Steps
}

func (p *progressJSON) pretraining(at train.Pretraining) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now.Base = nil; at.Step < at.Steps {
		p.now.Base = &baseLine{at.Name, at.Step, at.Steps}
	}
}

func (p *progressJSON) note(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = printJSON(p.err, noteLine{visible.Text(line)})
}

// Begun implements sweep.Watcher.
func (p *progressJSON) Begun(run *sweep.CellRun) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.begin(run)
}

// Evaluated implements sweep.Watcher.
func (p *progressJSON) Evaluated(*sweep.CellRun, record.Eval) {}

// Ended implements sweep.Watcher.
func (p *progressJSON) Ended(run *sweep.CellRun, failed error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end(run, failed)
}

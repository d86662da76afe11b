package progress

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"modebench/experiments/sweep"
	"modebench/experiments/train"
	"modebench/internal/terminal"
	"modebench/internal/visible"
)

const (
	jsonEvery = 200 * time.Millisecond // the time between two lines of JSON
	lineEvery = 30 * time.Second       // the longest time without a line of text
)

// lines are those that show a state.
type lines struct {
	*state
	out Output
}

func (l *lines) note(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.out.Note(line)
}

// textLines writes a line for each tenth of a run and of each base policy, and at least one every
// half minute.
type textLines struct {
	lines
	tenths map[*base]int // lines written; those of the steps have the key nil
	wrote  time.Time     // when the last of them was written
}

func newTextLines(out Output, s *state) *textLines {
	return &textLines{lines: lines{s, out}, tenths: map[*base]int{}, wrote: s.clock()}
}

func (t *textLines) show(opt *sweep.Options) (finish func()) {
	t.watch(opt, t.note)
	opt.Progress, opt.Pretraining = t.update, t.pretraining
	return every(time.Second, t.remind)
}

// remind writes how far the run is if no line was written for a while.
func (t *textLines) remind(tick time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if tick.Sub(t.wrote) < lineEvery {
		return
	}
	t.wrote = tick
	switch b := t.latest; {
	case b != nil:
		fmt.Fprintf(t.out.W, "%s: %5.1f%% of %d steps, loss %.3f\n", b.title(), 100*float64(b.Step)/float64(b.Steps), b.Steps, b.Loss)
	case t.plan == nil:
	case t.plan.Steps > 0:
		fmt.Fprintf(t.out.W, "%5.1f%% of %d steps%s\n", 100*float64(t.done())/float64(t.plan.Steps), t.plan.Steps, t.eta())
	case t.plan.Cells > t.plan.Finished:
		fmt.Fprintf(t.out.W, "%d of %d cells%s\n", t.ended, t.plan.Cells-t.plan.Finished, t.eta())
	}
}

// tenth writes the line of a tenth. The lock is held.
func (t *textLines) tenth(b *base, tenth int, line string) {
	t.tenths[b], t.wrote = tenth, time.Now()
	fmt.Fprintln(t.out.W, line)
}

func (t *textLines) update(done, total int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if tenth := 10 * done / max(1, total); tenth > t.tenths[nil] {
		t.tenth(nil, tenth, fmt.Sprintf("%3d%% of %d steps%s", 10*tenth, total, t.eta()))
	}
}

func (t *textLines) pretraining(report train.Pretraining) {
	b := t.state.pretraining(report)
	t.mu.Lock()
	defer t.mu.Unlock()
	if tenth := 10 * report.Step / report.Steps; tenth != t.tenths[b] {
		t.tenth(b, tenth, fmt.Sprintf("%s: %3d%% of %d steps, loss %.3f", b.title(), 10*tenth, report.Steps, report.Loss))
	}
}

// jsonLines writes the state as JSON, in short intervals.
type jsonLines struct{ lines }

// A Line is the state for a program that shows it.
type Line struct {
	Cells int       `json:"cells"`          // to be made
	Made  int       `json:"made"`           // of them, failed ones too
	Steps int       `json:"steps"`          // of training in all of them; 0: not known yet
	Done  int       `json:"done"`           // of them, without those of failed cells
	Base  *LineBase `json:"base,omitempty"` // the base policy that is being pre-trained
}

// LineBase is a base policy in a Line.
type LineBase struct {
	Name  string `json:"name"`
	Step  int    `json:"step"`
	Steps int    `json:"steps"`
}

func (j *jsonLines) show(opt *sweep.Options) (finish func()) {
	j.watch(opt, j.note)
	opt.Planned = j.planned // the lines have the number of cells
	stop := every(jsonEvery, j.write)
	return func() { stop(); j.write(time.Time{}) }
}

func (j *jsonLines) write(time.Time) {
	j.mu.Lock()
	defer j.mu.Unlock()
	line := Line{Made: j.ended, Done: j.done()}
	if j.plan != nil {
		line.Cells, line.Steps = j.plan.Cells-j.plan.Finished, j.plan.Steps
	}
	if b := j.latest; b != nil {
		line.Base = &LineBase{b.Name, b.Step, b.Steps}
	}
	j.out.encode(line)
}

// Output is where and how progress is written.
type Output struct {
	W     io.Writer
	JSON  bool // W takes lines of JSON
	Quiet bool // W takes notes alone
}

// screen is nil unless the output is a terminal that can be redrawn.
func (o Output) screen() (screen *terminal.Screen, restore func()) {
	if o.JSON || o.Quiet {
		return nil, nil
	}
	return terminal.Open(o.W)
}

// Note writes a line of text, in which control characters are visible, or of JSON.
func (o Output) Note(line string) {
	if line = visible.Text(line); o.JSON {
		o.encode(struct {
			Note string `json:"note"`
		}{line})
		return
	}
	fmt.Fprintln(o.W, line)
}

// Notes returns a function that writes notes and may be called from several goroutines.
func (o Output) Notes() func(line string) {
	var mu sync.Mutex
	return func(line string) {
		mu.Lock()
		defer mu.Unlock()
		o.Note(line)
	}
}

// encode writes a line of JSON. A reader that went away does not stop the run.
func (o Output) encode(document any) {
	enc := json.NewEncoder(o.W)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(document)
}

// onTicks calls draw at every tick. stop waits for the last call.
func onTicks(ticks <-chan time.Time, draw func(time.Time)) (stop func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case tick := <-ticks:
				draw(tick)
			case <-quit:
				return
			}
		}
	}()
	return func() { close(quit); <-done }
}

// every calls draw in that interval. stop waits for the last call.
func every(interval time.Duration, draw func(time.Time)) (stop func()) {
	ticker := time.NewTicker(interval)
	wait := onTicks(ticker.C, draw)
	return func() { ticker.Stop(); wait() }
}

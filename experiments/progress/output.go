package progress

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"modebench/internal/terminal"
	"modebench/internal/visible"
)

// Output is where and how progress is written.
type Output struct {
	W    io.Writer
	JSON bool // W takes lines of JSON
}

// screen is nil unless the output is a terminal that can be redrawn.
func (o Output) screen() (screen *terminal.Screen, restore func()) {
	if o.JSON {
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

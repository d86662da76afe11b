package train

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"modebench/experiments/record"
)

// A cellWriter writes a cell's records into a folder that is not yet under its final name.
type cellWriter struct {
	dir           string
	from          *beginning // nil: no base policy
	trains, evals *lineFile
	observer      Observer
	pools         *lineFile // nil: no answers are recorded
}

type lineFile struct {
	file *os.File
	buf  *bufio.Writer
}

func createLines(path string) (*lineFile, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	return &lineFile{f, bufio.NewWriter(f)}, nil
}

func (l *lineFile) write(rec any) error {
	data, err := json.Marshal(rec)
	if err != nil {
		return fmt.Errorf("a record cannot be written: %w", err)
	}
	_, err = l.buf.Write(append(data, '\n'))
	return err
}

// close writes everything to the disk and closes the file. A nil one has nothing to write.
func (l *lineFile) close() error {
	if l == nil {
		return nil
	}
	return cmp.Or(l.buf.Flush(), l.file.Sync(), l.file.Close())
}

// sofar returns the written bytes; nil for a nil file.
func (l *lineFile) sofar() ([]byte, error) {
	if l == nil {
		return nil, nil
	}
	if err := l.buf.Flush(); err != nil {
		return nil, err
	}
	return os.ReadFile(l.file.Name())
}

// restore writes the lines that an earlier run made.
func (l *lineFile) restore(lines []byte) error {
	if len(lines) == 0 {
		return nil
	}
	_, err := l.buf.Write(lines)
	return err
}

func (w *cellWriter) eval(rec record.Eval) error {
	err := w.evals.write(rec)
	if err == nil {
		w.observer.Evaluated(rec)
	}
	return err
}

// Options set how a run is made. They change no record.
type Options struct {
	Bases *Bases // of the policies that runs start from
	// Problems are those that runs of one environment share; nil: the run makes its own.
	Problems *Problems
	// Checkpoint is the time between saves of the run's state, in a file that the next run
	// continues from. 0: only when the context ends.
	Checkpoint time.Duration
	// Notes is called with every line that a plug-in writes to its standard error, after
	// the name of its run, and with warnings that end no run. nil: not wanted.
	Notes func(line string)
	// Observer is called as the run advances.
	Observer Observer
}

// An Observer is called as a run advances. No record depends on it.
type Observer interface {
	// GoesOn gets, before the first step, the number of steps that earlier runs made.
	GoesOn(steps int)
	// Reached gets the number of steps done. Training waits for it. It is called about once in two
	// thousand answers.
	Reached(steps int)
	// Evaluated is called with each evaluation, which must not be changed.
	Evaluated(eval record.Eval)
}

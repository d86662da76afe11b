package train

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"modebench/experiments/cells"
	"modebench/experiments/record"
)

// A cellWriter writes a cell's records, into a folder that is not yet under its final name, or into memory.
type cellWriter struct {
	create        func(name string) (cells.File, error)
	from          *beginning // nil: no base policy
	trains, evals *lineFile
	observer      Observer
	pools         *lineFile // nil: no answers are recorded
}

// inMemory is a file without a disk. It hands on each write.
type inMemory struct {
	bytes.Buffer
	wrote func(data []byte)
}

func (m *inMemory) Write(data []byte) (int, error) {
	m.wrote(data)
	return m.Buffer.Write(data)
}

func (*inMemory) Sync() error  { return nil }
func (*inMemory) Close() error { return nil }

// put writes a file and waits until it is on the disk.
func (w *cellWriter) put(name string, write func(io.Writer) error) error {
	f, err := w.create(name)
	if err != nil {
		return err
	}
	return cells.Fill(f, write)
}

type lineFile struct {
	file cells.File
	buf  *bufio.Writer
}

func (w *cellWriter) createLines(name string) (*lineFile, error) {
	f, err := w.create(name)
	if err != nil {
		return nil, err
	}
	size := 1 << 12
	if _, whole := f.(*inMemory); whole {
		size = 1 // every line is a write
	}
	return &lineFile{f, bufio.NewWriterSize(f, size)}, nil
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
	return os.ReadFile(l.file.(*os.File).Name()) // a cell in memory saves no state
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

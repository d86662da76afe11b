package train

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"os"

	"modebench/experiments/record"
)

// A cellWriter writes a cell's records into a folder that is not yet under its
// final name.
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

func (w *cellWriter) train(rec record.Train) error { return w.trains.write(rec) }

func (w *cellWriter) eval(rec record.Eval) error {
	err := w.evals.write(rec)
	if err == nil {
		w.observer.Evaluated(rec)
	}
	return err
}

func (w *cellWriter) pool(rec record.Pool) error { return w.pools.write(rec) }

package experiments

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"modebench/estimators/plugin"
	"modebench/experiments/record"
)

// A cellWriter writes a cell's records into a folder that is not yet under its
// final name.
type cellWriter struct {
	dir           string
	trains, evals *lineFile
	run           *CellRun
	pools         *lineFile // nil: no answers are kept
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

// close flushes to the disk itself; a file that is not written has nothing to flush.
func (l *lineFile) close() error {
	if l == nil {
		return nil
	}
	return cmp.Or(l.buf.Flush(), l.file.Sync(), l.file.Close())
}

func (w *cellWriter) train(rec record.Train) error { return w.trains.write(rec) }
func (w *cellWriter) eval(rec record.Eval) error {
	err := w.evals.write(rec)
	if err == nil {
		w.run.evaluated(rec)
	}
	return err
}
func (w *cellWriter) pool(rec record.Pool) error { return w.pools.write(rec) }

// runCell runs one cell into cells/<id>. The records grow in a folder of
// another name; only when everything is on the disk, DONE last, does it get its
// own, so that a cell is either whole or not there. A cell that is cut short leaves
// where it stands for the next run, unless it has a plug-in.
func runCell(ctx context.Context, cells string, v *Variant, seed int, bases *bases, opt *Options, run *CellRun) (err error) {
	p, at := v.build()
	if at != nil {
		return at.err
	}
	cell := v.cell(p, seed)
	id, err := cell.ID()
	if err != nil {
		return err
	}
	partial, err := os.MkdirTemp(cells, ".partial-"+id+"-")
	if err != nil {
		return err
	}
	_ = os.Remove(filepath.Join(cells, failedPrefix+id)) // it tries again
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(partial))
		}
	}()
	if err := os.Chmod(partial, 0o755); err != nil {
		return err
	}
	defer beat(partial)()
	policy, err := p.policy.policy(ctx, p, bases)
	if err != nil {
		return err
	}
	if held, ok := policy.(io.Closer); ok { // memory of a device
		defer held.Close()
	}
	end, err := v.plugins.open(ctx, p.method, fmt.Sprintf("%s, seed %d", v.Label, seed), opt.Notes)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	t, err := newTrainer(p, policy, seed)
	if err != nil {
		return err
	}
	w := cellWriter{dir: partial, run: run}
	t.keeper = newKeeper(cells, id, &w, opt)
	_, t.keeper.off = p.method.Estimator.(*plugin.Plugin)
	if err := w.writeAll(ctx, t, cell, seed, run); err != nil {
		if ctx.Err() != nil && t.keeper.off {
			t.keeper.note("%s, seed %d starts over when it is run again: its plug-in may remember what it was sent", v.Label, seed)
		}
		return err
	}
	if err := moveInto(partial, filepath.Join(cells, id)); err != nil {
		return err
	}
	forget(cells, id)
	return nil
}

// machineFailed says that it was not the cell that failed but a file, as on a full disk.
func machineFailed(err error) bool {
	var path *fs.PathError
	var number syscall.Errno
	return errors.As(err, &path) || errors.As(err, &number)
}

func (w *cellWriter) writeAll(ctx context.Context, t *trainer, cell record.Cell, seed int, run *CellRun) error {
	text, err := json.MarshalIndent(cell, "", "  ")
	if err != nil {
		return err
	}
	if err := writeFile(filepath.Join(w.dir, record.CellFile), append(text, '\n')); err != nil {
		return err
	}
	if w.trains, err = createLines(filepath.Join(w.dir, record.TrainFile)); err != nil {
		return err
	}
	if w.evals, err = createLines(filepath.Join(w.dir, record.EvalFile)); err != nil {
		return errors.Join(err, w.trains.close())
	}
	if t.eval.Keep > 0 {
		if w.pools, err = createLines(filepath.Join(w.dir, record.PoolsFile)); err != nil {
			return errors.Join(err, w.trains.close(), w.evals.close())
		}
	}
	err = t.run(ctx, seed, w, run)
	if err := cmp.Or(err, w.trains.close(), w.evals.close(), w.pools.close()); err != nil {
		return err
	}
	var checkpoint bytes.Buffer
	if err := t.policy.Save(&checkpoint); err != nil {
		return err
	}
	if err := writeFile(filepath.Join(w.dir, record.CheckpointFile), checkpoint.Bytes()); err != nil {
		return err
	}
	if err := writeFile(filepath.Join(w.dir, record.ProvenanceFile), provenance(t.keeper, &t.clock, t.policy)); err != nil {
		return err
	}
	done, err := record.HashFiles(w.dir)
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(w.dir, record.DoneFile), done)
}

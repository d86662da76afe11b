package train

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"modebench/estimators"
	"modebench/experiments/cells"
	"modebench/experiments/record"
	"modebench/experiments/spec"
)

// A cellWriter writes a cell's records into a folder that is not yet under its
// final name.
type cellWriter struct {
	dir           string
	trains, evals *lineFile
	observer      Observer
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
		w.observer.Evaluated(rec)
	}
	return err
}
func (w *cellWriter) pool(rec record.Pool) error { return w.pools.write(rec) }

// runOptions say how a run is made; none of them changes a record.
type Options struct {
	Bases *Bases // of the policies that runs start from
	// Checkpoint is how often the run writes down where it stands, in a file that the next
	// one goes on from. 0: only when the context ends.
	Checkpoint time.Duration
	// Notes is called with every line that a plug-in writes to its standard error, behind
	// the name of its run, and with what a run says without failing. nil: not wanted.
	Notes func(line string)
	// Observer hears how far the run is.
	Observer Observer
}

// An observer hears how far a run is. No record depends on it.
type Observer interface {
	// GoesOn says, before the first step, how many steps earlier runs made.
	GoesOn(steps int)
	// Reached says that so many steps are done. It is on the path of training steps, and
	// is called about once in two thousand answers.
	Reached(steps int)
	// Evaluated is called with each evaluation, which must not be changed.
	Evaluated(eval record.Eval)
}

// runCell runs one cell into cells/<id>. The records grow in a folder of
// another name; only when everything is on the disk, DONE last, does it get its
// own, so that a cell is either whole or not there. A cell that is cut short leaves
// where it stands for the next run, unless it has a plug-in.
func Run(ctx context.Context, dir string, v *spec.Variant, seed int, opt Options) (err error) {
	p, err := v.Setup()
	if err != nil {
		return err
	}
	cell := p.Cell(seed)
	id, err := cell.ID()
	if err != nil {
		return err
	}
	partial, err := os.MkdirTemp(dir, ".partial-"+id+"-")
	if err != nil {
		return err
	}
	_ = os.Remove(filepath.Join(dir, cells.FailedPrefix+id)) // it tries again
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(partial))
		}
	}()
	if err := os.Chmod(partial, 0o755); err != nil {
		return err
	}
	defer cells.Beat(partial)()
	policy, err := opt.Bases.policy(ctx, p)
	if err != nil {
		return err
	}
	if held, ok := policy.(io.Closer); ok { // memory of a device
		defer held.Close()
	}
	end, err := p.OpenPlugin(ctx, fmt.Sprintf("%s, seed %d", v.Label, seed), opt.Notes)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	t, err := newTrainer(p, policy, seed)
	if err != nil {
		return err
	}
	w := cellWriter{dir: partial, observer: opt.Observer}
	t.keeper = newKeeper(dir, id, &w, &opt)
	_, t.keeper.off = p.Method.Estimator.(*estimators.Plugin)
	if err := w.writeAll(ctx, t, cell, seed); err != nil {
		if ctx.Err() != nil && t.keeper.off {
			t.keeper.note("%s, seed %d starts over when it is run again: its plug-in may remember what it was sent", v.Label, seed)
		}
		return err
	}
	if err := cells.MoveInto(partial, filepath.Join(dir, id)); err != nil {
		return err
	}
	cells.Forget(dir, id)
	return nil
}

func (w *cellWriter) writeAll(ctx context.Context, t *trainer, cell record.Cell, seed int) error {
	text, err := json.MarshalIndent(cell, "", "  ")
	if err != nil {
		return err
	}
	if err := cells.WriteFile(filepath.Join(w.dir, record.CellFile), append(text, '\n')); err != nil {
		return err
	}
	if w.trains, err = createLines(filepath.Join(w.dir, record.TrainFile)); err != nil {
		return err
	}
	if w.evals, err = createLines(filepath.Join(w.dir, record.EvalFile)); err != nil {
		return errors.Join(err, w.trains.close())
	}
	if t.Eval.Keep > 0 {
		if w.pools, err = createLines(filepath.Join(w.dir, record.PoolsFile)); err != nil {
			return errors.Join(err, w.trains.close(), w.evals.close())
		}
	}
	err = t.run(ctx, seed, w, w.observer)
	if err := cmp.Or(err, w.trains.close(), w.evals.close(), w.pools.close()); err != nil {
		return err
	}
	var checkpoint bytes.Buffer
	if err := t.policy.Save(&checkpoint); err != nil {
		return err
	}
	if err := cells.WriteFile(filepath.Join(w.dir, record.CheckpointFile), checkpoint.Bytes()); err != nil {
		return err
	}
	if err := cells.WriteFile(filepath.Join(w.dir, record.ProvenanceFile), provenance(t.keeper, &t.clock, t.policy)); err != nil {
		return err
	}
	done, err := record.HashFiles(w.dir)
	if err != nil {
		return err
	}
	return cells.WriteFile(filepath.Join(w.dir, record.DoneFile), done)
}

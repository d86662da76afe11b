package experiments

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"modebench/estimators/plugin"
	"modebench/experiments/record"
	"modebench/internal/atomicfile"
)

// cellID names a cell: method and seed for people, and a hash of the resolved
// cell (results version included), so that equal cells have equal names
// wherever they come from.
func cellID(c record.Cell) (string, error) {
	data, err := json.Marshal(c)
	if err != nil {
		return "", err
	}
	return nameCell(&c, data), nil
}

func nameCell(c *record.Cell, data []byte) string {
	sum := sha256.Sum256(data)
	return fmt.Sprintf("%s-s%d-%s", c.Method, c.Seed, hex.EncodeToString(sum[:6]))
}

// seedIDs gives the names of cells that differ in their seed alone, which stands last in
// what is hashed: the rest is written once for all of them.
type seedIDs struct {
	cell record.Cell
	text []byte // of the cell, up to its seed
}

func newSeedIDs(c record.Cell) (*seedIDs, error) {
	c.Seed = 0
	data, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	text, ok := bytes.CutSuffix(data, []byte("0}"))
	if !ok {
		return nil, errors.New("the seed is not the last field of a cell")
	}
	return &seedIDs{c, text}, nil
}

func (s *seedIDs) at(seed int) string {
	s.cell.Seed = seed
	return nameCell(&s.cell, append(strconv.AppendInt(slices.Clip(s.text), int64(seed), 10), '}'))
}

// finished says whether dir holds the cell of that name, finished, with all of its files
// as DONE lists them. Anything less means that it is run again; what is wrong with it is
// then a text, "" where there is nothing.
func finished(dir, id string) (whole bool, damage string, err error) {
	sums, err := record.ReadDone(dir, id)
	if err == nil {
		err = sums.CheckFiles(dir)
	}
	var bad *record.DamageError
	if errors.As(err, &bad) {
		if _, none := os.Lstat(dir); errors.Is(none, fs.ErrNotExist) {
			return false, "", nil
		}
		return false, bad.File + ": " + bad.What, nil
	}
	return err == nil, "", err
}

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
	return first(l.buf.Flush(), l.file.Sync(), l.file.Close())
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
	id, err := cellID(cell)
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
	if err := first(err, w.trains.close(), w.evals.close(), w.pools.close()); err != nil {
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

// moveInto gives the finished folder its name. If the name is taken by a finished
// cell (another process was faster), that one is kept: it holds the same bytes. A
// damaged one makes way. Several processes may do so at once, so it tries again
// when another was in between.
func moveInto(partial, dir string) error {
	err := atomicfile.SyncDir(partial)
	if err != nil {
		return err
	}
	for attempt := range 10 {
		if err = os.Rename(partial, dir); err == nil {
			return atomicfile.SyncDir(filepath.Dir(dir))
		}
		whole, _, look := finished(dir, filepath.Base(dir))
		if look != nil || whole {
			return errors.Join(look, os.RemoveAll(partial))
		}
		damaged := fmt.Sprintf("%s.damaged%d", partial, attempt)
		if move := os.Rename(dir, damaged); move == nil {
			if remove := os.RemoveAll(damaged); remove != nil {
				return remove
			}
		} else if !errors.Is(move, fs.ErrNotExist) {
			return move
		}
	}
	return err
}

// writeFile writes a file and waits until it is on the disk.
func writeFile(path string, data []byte) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return first(err, f.Sync(), f.Close())
}

// first is the first error of several, of which the others follow from it: a full disk is
// told once.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// abandonedAfter is how long a folder of unfinished records must have lain
// untouched before it counts as left over from a killed run: another process may
// be writing one of the same name at this moment.
const abandonedAfter = 24 * time.Hour

// clearPartial removes what killed runs left behind.
func clearPartial(cells string) error {
	entries, err := os.ReadDir(cells)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".partial-") && !strings.HasPrefix(e.Name(), ".probe-") {
			continue
		}
		path := filepath.Join(cells, e.Name())
		if !abandoned(path) {
			continue
		}
		if err := os.RemoveAll(path); err != nil {
			return err
		}
	}
	return nil
}

// abandoned says that nobody writes to a file or folder any more, and that it is there.
func abandoned(path string) bool {
	touched, err := lastTouched(path)
	return err == nil && now().Sub(touched) >= abandonedAfter
}

// lastTouched is the latest modification of a folder or of a file in it.
func lastTouched(dir string) (time.Time, error) {
	var latest time.Time
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.ModTime().After(latest) {
			latest = info.ModTime()
		}
		return err
	})
	return latest, err
}

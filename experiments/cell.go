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
	"strings"
	"time"

	"modebench/experiments/record"
)

// cellID names a cell: method and seed for people, and a hash of the resolved
// cell (results version included), so that equal cells have equal names
// wherever they come from.
func cellID(c record.Cell) (string, error) {
	data, err := json.Marshal(c)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return fmt.Sprintf("%s-s%d-%s", c.Method, c.Seed, hex.EncodeToString(sum[:6])), nil
}

// recordFiles are the files that DONE vouches for.
var recordFiles = []string{record.CellFile, record.TrainFile, record.EvalFile, record.CheckpointFile}

// finished says whether dir holds a finished cell whose files all have the
// hashes that DONE lists. Anything less means that it is run again.
func finished(dir string) (bool, error) {
	done, err := os.ReadFile(filepath.Join(dir, record.DoneFile))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	want, err := hashes(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return bytes.Equal(done, want), err
}

// hashes is the content of DONE, in the manner of sha256sum.
func hashes(dir string) ([]byte, error) {
	var out bytes.Buffer
	for _, name := range recordFiles {
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		h := sha256.New()
		_, err = io.Copy(h, f)
		f.Close()
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&out, "%x  %s\n", h.Sum(nil), name)
	}
	return out.Bytes(), nil
}

// A cellWriter writes a cell's records into a folder that is not yet under its
// final name.
type cellWriter struct {
	dir           string
	trains, evals *lineFile
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

// close flushes to the disk itself.
func (l *lineFile) close() error {
	err := l.buf.Flush()
	return errors.Join(err, l.file.Sync(), l.file.Close())
}

func (w *cellWriter) train(rec record.Train) error { return w.trains.write(rec) }
func (w *cellWriter) eval(rec record.Eval) error   { return w.evals.write(rec) }

// runCell runs one cell into cells/<id>. The records grow in a folder of
// another name; only when everything is on the disk, DONE last, does it get its
// own, so that a cell is either whole or not there.
func runCell(ctx context.Context, cells string, v *Variant, seed int, bases *bases, notes func(string), progress func(int)) (err error) {
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
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(partial))
		}
	}()
	if err := os.Chmod(partial, 0o755); err != nil {
		return err
	}
	policy, err := p.policy.policy(ctx, p, bases)
	if err != nil {
		return err
	}
	if held, ok := policy.(io.Closer); ok { // memory of a device
		defer held.Close()
	}
	end, err := v.plugins.open(ctx, p.method, fmt.Sprintf("%s, seed %d", v.Label, seed), notes)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	t, err := newTrainer(p, policy, seed)
	if err != nil {
		return err
	}
	w := cellWriter{dir: partial}
	if err := w.writeAll(ctx, t, cell, seed, progress); err != nil {
		return err
	}
	return moveInto(partial, filepath.Join(cells, id))
}

func (w *cellWriter) writeAll(ctx context.Context, t *trainer, cell record.Cell, seed int, progress func(int)) error {
	started := now()
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
	err = t.run(ctx, seed, w, progress)
	if err := errors.Join(err, w.trains.close(), w.evals.close()); err != nil {
		return err
	}
	var checkpoint bytes.Buffer
	if err := t.policy.Save(&checkpoint); err != nil {
		return err
	}
	if err := writeFile(filepath.Join(w.dir, record.CheckpointFile), checkpoint.Bytes()); err != nil {
		return err
	}
	if err := writeFile(filepath.Join(w.dir, record.ProvenanceFile), provenance(started, &t.clock, t.policy)); err != nil {
		return err
	}
	done, err := hashes(w.dir)
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
	var err error
	for attempt := range 10 {
		if err = os.Rename(partial, dir); err == nil {
			return nil
		}
		whole, look := finished(dir)
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
	return errors.Join(err, f.Sync(), f.Close())
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

package train

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"modebench/estimators/plugin"
	"modebench/experiments/cells"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/internal/input"
	"modebench/internal/program"
	"modebench/policies"
)

// Run runs one cell, variant v under a seed, into the folder dir/<id>. The records grow in
// a folder of another name. It gets its own when everything is on the disk, DONE last, so
// a cell is either whole or not there. A cell that is cut short leaves its state for the
// next run, unless it has a plug-in that cannot give its own.
func Run(ctx context.Context, dir string, v *spec.Variant, seed int, opt Options) (err error) {
	p, err := v.SetupFor(seed)
	if err != nil {
		return err
	}
	if opt.Problems != nil {
		if err := opt.Problems.share(p); err != nil {
			return err
		}
	}
	cell := p.Cell(seed)
	id, err := cell.ID()
	if err != nil {
		return err
	}
	place, err := cells.NewPartial(dir, id)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, place.Remove()) }()
	_ = os.Remove(filepath.Join(dir, cells.FailedPrefix+id)) // it tries again
	defer cells.Beat(place.Path)()
	policy, from, err := opt.Bases.policy(ctx, p)
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
	t, err := newTrainer(ctx, p, policy, seed)
	if err != nil {
		return err
	}
	create := func(name string) (cells.File, error) { return os.Create(filepath.Join(place.Path, name)) }
	w := cellWriter{create: create, from: from, observer: opt.Observer}
	_, program := p.Method.Estimator.(*plugin.Plugin)
	started := time.Now()
	t.checkpointer = &checkpointer{
		off: program && p.Method.State() == nil, path: filepath.Join(dir, cells.ResumePrefix+id), cell: id,
		every: opt.Checkpoint, next: started.Add(opt.Checkpoint), notes: opt.Notes, w: &w, started: started,
	}
	if err := w.writeAll(ctx, t, cell, seed); err != nil {
		if ctx.Err() != nil && t.checkpointer.off {
			t.checkpointer.note("%s, seed %d starts over when it is run again: its plug-in may remember what it was sent", v.Label, seed)
		}
		return err
	}
	if err := cells.WriteDone(place.Path); err != nil {
		return err
	}
	if err := cells.MoveInto(place.Path, filepath.Join(dir, id)); err != nil {
		return err
	}
	cells.Forget(dir, id)
	return nil
}

// Files runs a cell as Run does, of a policy that is a table, without a disk. It returns the files that the cell's
// folder would have, by name. wrote gets each line of records as it is made, with the name of its file.
func Files(ctx context.Context, v *spec.Variant, seed int, wrote func(name string, line []byte)) (map[string][]byte, error) {
	p, err := v.SetupFor(seed)
	if err != nil {
		return nil, err
	}
	if _, ok := p.Policy.(*spec.TransformerPolicy); ok {
		return nil, input.Errorf("%s: a transformer reads its base policy from the disk: use bench run", v.Label)
	}
	var none *Bases
	policy, _, err := none.policy(ctx, p)
	if err != nil {
		return nil, err
	}
	t, err := newTrainer(ctx, p, policy, seed)
	if err != nil {
		return nil, err
	}
	t.checkpointer = &checkpointer{off: true, started: time.Now()}
	made := map[string]*inMemory{}
	w := cellWriter{observer: unobserved{}, create: func(name string) (cells.File, error) {
		made[name] = &inMemory{wrote: func(line []byte) { wrote(name, line) }}
		return made[name], nil
	}}
	if err := w.writeAll(ctx, t, p.Cell(seed), seed); err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for name, file := range made {
		files[name] = file.Bytes()
	}
	files[record.DoneFile], err = record.Done(func(name string) ([sha256.Size]byte, error) {
		if files[name] == nil {
			return [sha256.Size]byte{}, fs.ErrNotExist
		}
		return sha256.Sum256(files[name]), nil
	})
	return files, err
}

// unobserved is an Observer that does nothing.
type unobserved struct{}

func (unobserved) GoesOn(int)            {}
func (unobserved) Reached(int)           {}
func (unobserved) Evaluated(record.Eval) {}

func (w *cellWriter) writeAll(ctx context.Context, t *trainer, cell record.Cell, seed int) error {
	err := w.put(record.CellFile, cells.JSON(cell))
	files := map[string]**lineFile{record.TrainFile: &w.trains, record.EvalFile: &w.evals}
	if t.Eval.Keep > 0 {
		files[record.PoolsFile] = &w.pools
	}
	for name, to := range files {
		if err == nil {
			*to, err = w.createLines(name)
		}
	}
	if err == nil {
		err = t.run(ctx, seed, w)
	}
	if err := cmp.Or(err, w.trains.close(), w.evals.close(), w.pools.close()); err != nil {
		return err
	}
	save := t.policy.Save
	if !t.Train.KeepPolicy {
		save = func(to io.Writer) error { // its SHA-256 as a line
			sum := sha256.New()
			err := t.policy.Save(sum)
			if err == nil {
				_, err = fmt.Fprintf(to, "%x\n", sum.Sum(nil))
			}
			return err
		}
	}
	if err := w.put(record.CheckpointFile, save); err != nil {
		return err
	}
	return w.put(record.ProvenanceFile, cells.JSON(provenance(t.checkpointer, &t.clock, t.policy, w.from)))
}

// provenance describes how a cell came about. It lies beside the records and is not hashed.
// "seconds" are of the cell alone, "pretraining" of a base policy that this run made for it.
func provenance(k *checkpointer, c *clock, policy policies.Policy, from *beginning) map[string]any {
	host, _ := os.Hostname() // an unknown host is no reason to fail
	doc := map[string]any{
		"started":    k.started.UTC().Format(time.RFC3339), // or resumed
		"seconds":    k.seconds(),
		"host":       host,
		"go":         runtime.Version(),
		"os":         runtime.GOOS,
		"arch":       runtime.GOARCH,
		"gomaxprocs": runtime.GOMAXPROCS(0),
		"modebench":  program.Build(),
	}
	if p, ok := policy.(interface{ Device() string }); ok {
		doc["device"] = p.Device()
	}
	if from != nil {
		doc["base"] = from.base
		if from.seconds > 0 {
			doc["pretraining"] = from.seconds
		}
	}
	if timings, ok := c.timings(); ok {
		doc["timings"] = timings
	}
	return doc
}

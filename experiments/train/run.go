package train

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"modebench/estimators/plugin"
	"modebench/experiments/cells"
	"modebench/experiments/record"
	"modebench/experiments/spec"
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
	w := cellWriter{dir: place.Path, from: from, observer: opt.Observer}
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
	if err := cells.MoveInto(place.Path, filepath.Join(dir, id)); err != nil {
		return err
	}
	cells.Forget(dir, id)
	return nil
}

func (w *cellWriter) writeAll(ctx context.Context, t *trainer, cell record.Cell, seed int) error {
	err := cells.WriteJSON(filepath.Join(w.dir, record.CellFile), cell)
	files := map[string]**lineFile{record.TrainFile: &w.trains, record.EvalFile: &w.evals}
	if t.Eval.Keep > 0 {
		files[record.PoolsFile] = &w.pools
	}
	for name, to := range files {
		if err == nil {
			*to, err = createLines(filepath.Join(w.dir, name))
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
	if err := cells.WriteTo(filepath.Join(w.dir, record.CheckpointFile), save); err != nil {
		return err
	}
	if err := cells.WriteJSON(filepath.Join(w.dir, record.ProvenanceFile), provenance(t.checkpointer, &t.clock, t.policy, w.from)); err != nil {
		return err
	}
	return cells.WriteDone(w.dir)
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

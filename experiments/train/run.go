package train

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
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
	t.checkpointer = newCheckpointer(dir, id, &w, &opt)
	_, program := p.Method.Estimator.(*plugin.Plugin)
	t.checkpointer.off = program && p.Method.State() == nil
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
	text, err := json.MarshalIndent(cell, "", "  ")
	if err != nil {
		return err
	}
	if err := cells.WriteFile(filepath.Join(w.dir, record.CellFile), append(text, '\n')); err != nil {
		return err
	}
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
		err = t.run(ctx, seed, w, w.observer)
	}
	if err := cmp.Or(err, w.trains.close(), w.evals.close(), w.pools.close()); err != nil {
		return err
	}
	save := t.policy.Save
	if !t.Train.KeepPolicy {
		save = func(to io.Writer) error { return saveSum(to, t.policy) }
	}
	if err := cells.WriteTo(filepath.Join(w.dir, record.CheckpointFile), save); err != nil {
		return err
	}
	if err := cells.WriteFile(filepath.Join(w.dir, record.ProvenanceFile), provenance(t.checkpointer, &t.clock, t.policy, w.from)); err != nil {
		return err
	}
	done, err := record.HashFiles(w.dir)
	if err != nil {
		return err
	}
	return cells.WriteFile(filepath.Join(w.dir, record.DoneFile), done)
}

// saveSum writes the SHA-256 of the policy's checkpoint, in hexadecimal, as one line.
func saveSum(to io.Writer, policy policies.Policy) error {
	sum := sha256.New()
	if err := policy.Save(sum); err != nil {
		return err
	}
	_, err := fmt.Fprintf(to, "%x\n", sum.Sum(nil))
	return err
}

// provenance describes how a cell came about. It lies beside the records and is not
// hashed. "seconds" are of the cell alone; "pretraining" are those of its base policy, if this run
// made it for the cell. Nothing else reads the time of day.
func provenance(k *checkpointer, c *clock, policy policies.Policy, from *beginning) []byte {
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
	text, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return []byte("{}\n") // cannot happen: all values are texts and numbers
	}
	return append(text, '\n')
}

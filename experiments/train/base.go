package train

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sync"

	"modebench/envs"
	"modebench/experiments/cells"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/internal/atomicfile"
	"modebench/internal/input"
	"modebench/internal/params"
	"modebench/internal/rng"
	"modebench/policies/transformer"
)

// This file keeps base policies: what a transformer is after pre-training, before any
// method has trained it. One is made for each environment, form of its tasks and
// network, and kept in a file that is named by a hash of all of that, so that the
// methods and seeds of a run, and later runs, share it.

// CacheVariable names the environment variable of the folder that base policies are
// kept in, for when Options.Cache says nothing.
const CacheVariable = "MODEBENCH_CACHE"

// cacheDir is the folder where none is given: the variable's, else one of the user's.
func cacheDir() (string, error) {
	if dir := os.Getenv(CacheVariable); dir != "" {
		return dir, nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder to keep base policies in (%w); name one with --cache or %s", err, CacheVariable)
	}
	return filepath.Join(dir, "modebench"), nil
}

// Pretraining says how far the pre-training of a base policy is.
type Pretraining struct {
	Name        string // "maze, one answer"
	File        string // that it will be kept in: tells it from others of its name
	Step, Steps int    // done, of all
	Loss        float64
}

// Bases makes base policies, or finds them, each once in a run.
type Bases struct {
	dir    string // "": cacheDir
	report func(Pretraining)

	device *transformer.Device // that policies are made on; nil: the processor

	mu       sync.Mutex
	files    map[string]*keptBase  // by name
	refusals map[string]*BaseError // by their texts
}

// OpenBases opens the device that the transformers of the specs compute on. dir is the
// folder of base policies, "" the one that CacheVariable names, else one of the user's;
// report hears of pre-training, from several goroutines at once, and may be nil.
func OpenBases(specs []*spec.Spec, device, dir string, report func(Pretraining)) (*Bases, error) {
	d, err := openDevice(specs, device)
	if err != nil {
		return nil, err
	}
	return &Bases{dir: dir, report: report, device: d}, nil
}

// Close gives the device back.
func (b *Bases) Close() {
	if b.device != nil {
		b.device.Close()
	}
}

// A keptBase is held by whoever makes the file, while the others wait.
type keptBase struct {
	sync.Mutex
	err error // why it cannot be made, which each cell would find out after the same minutes
}

// A base is what a base policy depends on.
type base struct {
	config   transformer.Config
	parts    *spec.Setup
	encoding *envs.Encoding
}

// load puts the base policy into a policy that is made for it.
func (b *Bases) load(ctx context.Context, into *transformer.Policy, of *base) error {
	name, identity, err := of.fileName()
	if err != nil {
		return err
	}
	file := b.file(name)
	file.Lock()
	defer file.Unlock()
	if file.err == nil {
		err := b.find(ctx, name, identity, into, of)
		if err == nil || ctx.Err() != nil || into.Failure() != nil {
			return err // nothing is wrong with the file
		}
		file.err = &BaseError{err}
	}
	return file.err
}

// A BaseError is why a base policy cannot be had: one for all cells that need it.
type BaseError struct{ error }

// Unwrap gives the error itself.
func (e *BaseError) Unwrap() error { return e.error }

// refused is the error of all cells that are refused for the same reason.
func (b *Bases) refused(err error) *BaseError {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.refusals == nil {
		b.refusals = map[string]*BaseError{}
	}
	if b.refusals[err.Error()] == nil {
		b.refusals[err.Error()] = &BaseError{err}
	}
	return b.refusals[err.Error()]
}

// find reads the file, or makes it.
func (b *Bases) find(ctx context.Context, name, identity string, into *transformer.Policy, of *base) (err error) {
	dir := b.dir
	if dir == "" {
		if dir, err = cacheDir(); err != nil {
			return err
		}
	}
	path := filepath.Join(dir, name)
	data, err := os.ReadFile(path)
	switch {
	case err == nil:
		if err := into.LoadBase(bytes.NewReader(data), identity); err != nil {
			if into.Failure() != nil {
				return err
			}
			return input.Errorf("base policy %s: %w; delete the file, and the next run makes it again", path, err)
		}
		return nil
	case errors.Is(err, fs.ErrNotExist):
		// Minutes of work should not end at a folder that cannot be written to.
		if err = os.MkdirAll(dir, 0o755); err == nil {
			err = cells.Probe(dir)
		}
	default:
		return fmt.Errorf("a base policy cannot be read: %w; name another folder with --cache or %s", err, CacheVariable)
	}
	if err != nil {
		return fmt.Errorf("base policies cannot be kept: %w; name another folder with --cache or %s", err, CacheVariable)
	}
	clearBases(dir)
	return b.make(ctx, dir, name, identity, into, of)
}

// clearBases removes what killed runs left in the folder: files that were not written
// to their end, and probes. The folder may hold things of others, so names are matched
// as a whole and a folder goes only if it is empty. What cannot be removed is in
// nobody's way.
func clearBases(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if leftover.MatchString(e.Name()) && cells.Abandoned(path) {
			_ = os.Remove(path)
		}
	}
}

// leftover matches the temporary names of package atomicfile and of probe.
var leftover = regexp.MustCompile(`^\.(partial|probe)-[0-9]+$`)

// file is what is known of a file.
func (b *Bases) file(name string) *keptBase {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.files == nil {
		b.files = map[string]*keptBase{}
	}
	if b.files[name] == nil {
		b.files[name] = &keptBase{}
	}
	return b.files[name]
}

// make pre-trains the policy and keeps it. Another process may do the same at the
// same time: it writes the same bytes.
func (b *Bases) make(ctx context.Context, dir, name, identity string, into *transformer.Policy, of *base) error {
	if err := into.Pretrain(ctx, of.demonstration, b.progress(of, name)); err != nil {
		if ctx.Err() == nil && into.Failure() == nil {
			err = fmt.Errorf("%w; where the loss grows, pretrain_lr (%v) is too high", err, of.config.LR)
		}
		return fmt.Errorf("the base policy cannot be made: %w", err)
	}
	var file bytes.Buffer
	if err := into.SaveBase(&file, identity); err != nil {
		return err
	}
	if err := atomicfile.Write(filepath.Join(dir, name), file.Bytes()); err != nil {
		return fmt.Errorf("the base policy cannot be kept: %w; name another folder with --cache or %s", err, CacheVariable)
	}
	return nil
}

func (b *Bases) progress(of *base, file string) func(step int, loss float64) {
	if b.report == nil {
		return nil
	}
	name := of.parts.EnvName + ", " + formText(of.parts.Form())
	return func(step int, loss float64) { b.report(Pretraining{name, file, step, of.config.Steps, loss}) }
}

func (of *base) lessons() rng.Key { return rng.New(uint64(of.config.Seed)).Str("lesson") }

func (of *base) demonstration(i uint64) (d transformer.Demonstration, err error) {
	d.Task, d.Tokens, err = envs.Lesson(of.parts.Env, of.parts.Form(), of.lessons(), i)
	return d, err
}

// fileName names the file of a base policy by what it is of, for people, and by a
// hash of everything that its bits depend on. The whole of the hash is its identity,
// which stands in the file too.
func (of *base) fileName() (name, identity string, err error) {
	form := of.parts.Form()
	h := sha256.New()
	err = json.NewEncoder(h).Encode(struct {
		Version int
		Env     record.Component
		Form    envs.Form
		Policy  map[string]any
	}{
		transformer.Version, record.Component{Name: of.parts.EnvName, Params: params.Values(of.parts.EnvConfig)},
		form, params.Values(&of.config),
	})
	if err == nil {
		err = of.digestLessons(h)
	}
	if err != nil {
		return "", "", err
	}
	words := fmt.Sprintf("%s-m%d", of.parts.EnvName, form.Answers)
	if form.Stops {
		words += "s"
	}
	if form.Goals {
		words += "g"
	}
	identity = hex.EncodeToString(h.Sum(nil))
	return fmt.Sprintf("%s-%s.base", words, identity[:32]), identity, nil
}

// digested is how many demonstrations are part of the hash: enough to meet an
// encoding, a generator or a demonstrator that has changed.
const digested = 32

// digestLessons puts the first demonstrations into the hash, as the policy reads them:
// no version number says that an environment was changed.
func (of *base) digestLessons(h hash.Hash) error {
	var text []byte
	put := func(xs []int32) {
		text = binary.LittleEndian.AppendUint32(text, uint32(len(xs)))
		for _, x := range xs {
			text = binary.LittleEndian.AppendUint32(text, uint32(x))
		}
	}
	e := of.encoding
	put([]int32{int32(e.Features), int32(e.Vocabulary), int32(e.Prompt), int32(e.Rollout), int32(e.Width)})
	var prompt [][]int32
	var state []int32
	for i := range uint64(digested) {
		d, err := of.demonstration(i)
		if err != nil {
			return err
		}
		prompt = e.AppendPrompt(prompt[:0], d.Task)
		for _, position := range prompt {
			put(position)
		}
		cursor, last := d.Task.Start(), envs.Token(-1)
		for position, token := range d.Tokens {
			state = e.AppendState(state[:0], cursor, last, position)
			put(append(state, int32(token)))
			if err := cursor.Push(token); err != nil {
				return fmt.Errorf("demonstration %d of %s: %w", i, d.Task.ID(), err)
			}
			last = token
		}
	}
	h.Write(text)
	return nil
}

// formText says in words how problems are put.
func formText(f envs.Form) string {
	text := "one answer"
	switch {
	case f.Stops:
		text = fmt.Sprintf("chains of up to %d answers", f.Answers)
	case f.Answers > 1:
		text = fmt.Sprintf("chains of %d answers", f.Answers)
	}
	if f.Goals {
		text += " under a goal"
	}
	return text
}

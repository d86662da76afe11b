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
	"sync"
	"time"

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

// This file caches base policies: transformers after pre-training. The name of a file is a hash of
// environment, form of the tasks and network, so that methods, seeds and later runs share it. Fields
// of the environment that only the judge reads are not hashed.

// CacheVariable names the environment variable of the folder that base policies are
// cached in. It holds where no folder is given.
const CacheVariable = "MODEBENCH_CACHE"

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

// Pretraining states how far the pre-training of a base policy is.
type Pretraining struct {
	Name        string // "maze, one answer"
	File        string // that it will be cached in: no two base policies share one
	Step, Steps int    // done, of all
	Loss        float64
}

// HasBase reports whether the base policy of that file name is in the folder; "" is the default
// folder.
func HasBase(dir, name string) bool {
	path, err := (&Bases{opt: BaseOptions{Dir: dir}}).path(name)
	if err == nil {
		_, err = os.Stat(path)
	}
	return err == nil
}

// Bases makes base policies, or finds them, each once in a run.
type Bases struct {
	opt    BaseOptions
	device *transformer.Device // that policies are made on; nil: the processor

	files    sync.Map // *baseFile by name
	began    cells.Bases
	refusals sync.Map // *BaseError by its text
}

// BaseOptions hold the folder of base policies and the functions that report on them, which may be
// called from several goroutines at once.
type BaseOptions struct {
	Device string            // see Devices
	Dir    string            // "": named by CacheVariable, else in the user's cache
	Verify bool              // the method Verify will be called, so that no line advises to
	Report func(Pretraining) // nil: not wanted
	Notes  func(string)      // lines; nil: not wanted
}

// OpenBases opens the device that the transformers of the specs compute on.
func OpenBases(specs []*spec.Spec, opt BaseOptions) (*Bases, error) {
	d, err := openDevice(specs, opt.Device)
	if err != nil {
		return nil, err
	}
	return &Bases{opt: opt, device: d}, nil
}

func (b *Bases) note(line string) {
	if b.opt.Notes != nil {
		b.opt.Notes(line)
	}
}

// OnCard reports whether policies compute on a graphics card.
func (b *Bases) OnCard() bool { return b.device.OnCard() }

// Close gives the device back.
func (b *Bases) Close() {
	if b.device != nil {
		b.device.Close()
	}
}

// A baseFile is locked by whoever makes the file, while the others wait.
type baseFile struct {
	sync.Mutex
	err error // why it cannot be made: other cells need not spend the same minutes to find out
}

type base struct {
	config   transformer.Config
	parts    *spec.Setup
	encoding *envs.Encoding
	exposure *envs.Exposure // nil: to no problem of the split ood
	// name and identity are those of fileName; "": the transformer starts from no base policy.
	name, identity string
	seconds        float64 // that making it has taken; 0: it was there
}

// newBase collects all that the base policy of a run depends on. The exact optimum has no base
// policy, nor has a transformer that begins at random.
func newBase(p *spec.Setup, config transformer.Config) (*base, error) {
	origin := &base{config: config, parts: p}
	var err error
	if origin.encoding, err = envs.NewEncoding(p.Env, p.Form()); err != nil || p.Method.Method.Optimum || config.Steps == 0 {
		return origin, err
	}
	if config.OOD > 0 {
		if origin.exposure, err = envs.NewExposure(p.Env); err != nil {
			return nil, err
		}
	}
	origin.name, origin.identity, err = origin.fileName()
	return origin, err
}

// load puts the base policy into a policy that is made for it, and names it.
func (b *Bases) load(ctx context.Context, into *transformer.Policy, origin *base) (from record.Base, err error) {
	entry, _ := b.files.LoadOrStore(origin.name, &baseFile{})
	file := entry.(*baseFile)
	file.Lock()
	defer file.Unlock()
	if file.err == nil {
		data, err := b.find(ctx, into, origin)
		if err == nil {
			from = fileBase(origin.name, data)
			b.Began("this run", from)
			return from, nil
		}
		if ctx.Err() != nil || into.Failure() != nil {
			return from, err // nothing is wrong with the file
		}
		file.err = &BaseError{err}
	}
	return from, file.err
}

// A BaseError explains why there is no base policy. All cells that need it share the error.
type BaseError struct{ error }

// Unwrap gives the error itself.
func (e *BaseError) Unwrap() error { return e.error }

func (b *Bases) path(name string) (path string, err error) {
	dir := b.opt.Dir
	if dir == "" {
		if dir, err = cacheDir(); err != nil {
			return "", err
		}
	}
	return filepath.Join(dir, name), nil
}

func (b *Bases) find(ctx context.Context, into *transformer.Policy, origin *base) ([]byte, error) {
	path, err := b.path(origin.name)
	if err != nil {
		return nil, err
	}
	data, err := record.ReadFile(path)
	switch {
	case err == nil:
		if err := into.LoadBase(bytes.NewReader(data), origin.identity); err != nil {
			if into.Failure() != nil {
				return nil, err
			}
			return nil, input.Errorf("base policy %s: %w; delete the file, and the next run makes it again", path, err)
		}
		return data, nil
	case errors.Is(err, fs.ErrNotExist):
		// Minutes of work should not end at a folder that cannot be written to. Files that killed
		// runs left there are removed too.
		if err = os.MkdirAll(filepath.Dir(path), 0o755); err == nil {
			err = cells.Probe(filepath.Dir(path))
		}
	default:
		return nil, fmt.Errorf("a base policy cannot be read: %w; name another folder with --cache or %s", err, CacheVariable)
	}
	if err != nil {
		return nil, fmt.Errorf("base policies cannot be kept: %w; name another folder with --cache or %s", err, CacheVariable)
	}
	if data, err = b.pretrain(ctx, into, origin); err != nil {
		return nil, err
	}
	// Another process may do the same at the same time: it writes the same bytes.
	if err := atomicfile.Write(path, data); err != nil {
		return nil, fmt.Errorf("the base policy cannot be kept: %w; name another folder with --cache or %s", err, CacheVariable)
	}
	return data, nil
}

func (b *Bases) pretrain(ctx context.Context, into *transformer.Policy, origin *base) ([]byte, error) {
	begun := time.Now()
	var report func(step int, loss float64)
	if b.opt.Report != nil {
		name := origin.parts.EnvName + ", " + formText(origin.parts.Form())
		report = func(step int, loss float64) {
			b.opt.Report(Pretraining{name, origin.name, step, origin.config.Steps, loss})
		}
	}
	if err := into.Pretrain(ctx, origin.demonstration, report); err != nil {
		if ctx.Err() == nil && into.Failure() == nil {
			err = fmt.Errorf("%w; where the loss grows, pretrain_lr (%v) is too high", err, origin.config.LR)
		}
		return nil, fmt.Errorf("the base policy cannot be made: %w", err)
	}
	origin.seconds = time.Since(begun).Seconds()
	var file bytes.Buffer
	err := into.SaveBase(&file, origin.identity)
	return file.Bytes(), err
}

func (origin *base) demonstration(i uint64) (d transformer.Demonstration, err error) {
	lessons, form := rng.New(uint64(origin.config.Seed)).Str("lesson"), origin.parts.Form()
	if origin.exposure != nil && lessons.Str("ood").Int(i).Rand().Float64() < origin.config.OOD {
		d.Task, d.Tokens, err = origin.exposure.Lesson(form, lessons, i)
	} else {
		d.Task, d.Tokens, err = envs.Lesson(origin.parts.Env, form, lessons, i)
	}
	return d, err
}

// fileName names the file of a base policy by environment and form, and by a hash of all that its
// bits depend on. The whole hash is its identity, which the file holds too.
func (origin *base) fileName() (name, identity string, err error) {
	form := origin.parts.Form()
	env := envs.LessonParams(origin.parts.Env, origin.parts.EnvConfig)
	if origin.exposure != nil { // which problems are held out depends on the draw, and on all that makes problems
		env = params.Values(origin.parts.EnvConfig)
	}
	config := origin.config
	config.Tree = false // pre-training does not read it: each demonstration is a group of its own
	h := sha256.New()
	err = json.NewEncoder(h).Encode(struct {
		Version int
		Env     record.Component
		Form    envs.Form
		Policy  map[string]any
	}{
		transformer.Version, record.Component{Name: origin.parts.EnvName, Params: env}, form, params.Values(&config),
	})
	if err == nil {
		err = origin.digestLessons(h)
	}
	if err != nil {
		return "", "", err
	}
	words := fmt.Sprintf("%s-m%d", origin.parts.EnvName, form.Answers)
	if form.Stops {
		words += "s"
	}
	if form.Goals {
		words += "g"
	}
	identity = hex.EncodeToString(h.Sum(nil))
	return fmt.Sprintf("%s-%s.base", words, identity[:32]), identity, nil
}

// digested is how many demonstrations are hashed, enough to notice a changed environment.
const digested = 32

// digestLessons hashes the first demonstrations as the policy reads them, because no version number
// tells of a changed environment.
func (origin *base) digestLessons(h hash.Hash) error {
	var text []byte
	hashAll := func(xs []int32) {
		text = binary.LittleEndian.AppendUint32(text, uint32(len(xs)))
		for _, x := range xs {
			text = binary.LittleEndian.AppendUint32(text, uint32(x))
		}
	}
	e := origin.encoding
	hashAll([]int32{int32(e.Features), int32(e.Vocabulary), int32(e.Prompt), int32(e.Rollout), int32(e.Width)})
	var prompt [][]int32
	var state []int32
	for i := range uint64(digested) {
		d, err := origin.demonstration(i)
		if err != nil {
			return err
		}
		prompt = e.AppendPrompt(prompt[:0], d.Task)
		for _, position := range prompt {
			hashAll(position)
		}
		cursor, last := d.Task.Start(), envs.Token(-1)
		for position, token := range d.Tokens {
			state = e.AppendState(state[:0], cursor, last, position)
			hashAll(append(state, int32(token)))
			if err := cursor.Push(token); err != nil {
				return fmt.Errorf("demonstration %d of %s: %w", i, d.Task.ID(), err)
			}
			last = token
		}
	}
	h.Write(text)
	return nil
}

// formText describes what a prompt asks for.
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

// Began takes up which base policy a finished cell began from. The first that is not the one
// that others of the same name began from is noted.
func (b *Bases) Began(cell string, from record.Base) {
	line := b.began.Began(cell, from)
	if line == "" {
		return
	}
	if !b.opt.Verify {
		line += "; --verify-cache finds out which"
	}
	b.note(line)
}

func fileBase(name string, file []byte) record.Base {
	sum := sha256.Sum256(file)
	return record.Base{File: name, SHA256: hex.EncodeToString(sum[:])}
}

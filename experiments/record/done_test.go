package record

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// cellText is a resolved cell, and cellID the name of its folder.
const cellText = "{\n  \"version\": 2,\n  \"env\": {\"name\": \"a<b\", \"params\": null},\n  \"method\": \"grpo\",\n  \"seed\": 3\n}\n"

var cellID = func() string {
	sum := sha256.Sum256([]byte(`{"version":2,"env":{"name":"a<b","params":null},"method":"grpo","seed":3}`))
	return "grpo-s3-" + hex.EncodeToString(sum[:6])
}()

// finishedCell is an experiment of one whole cell under its name.
func finishedCell(t testing.TB) (*Run, Ref) {
	t.Helper()
	dir := t.TempDir()
	cell := filepath.Join(dir, "cells", cellID)
	for name, text := range map[string]string{
		filepath.Join(dir, "s", ManifestFile): strings.Replace(strings.Replace(manifest, `"id":"c"`, `"id":"`+cellID+`"`, 1), `"seed":0`, `"seed":3`, 1),
		filepath.Join(cell, CellFile):         cellText,
		filepath.Join(cell, TrainFile):        `{"step":0,"reward":0.5}` + "\n",
		filepath.Join(cell, EvalFile):         `{"step":0,"exact":true,"metrics":{"reward":0.5}}` + "\n",
		filepath.Join(cell, PoolsFile):        pool,
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	finish(t, cell)
	run, err := Open(filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	return run, run.Variants[0].Cells[0]
}

// readAll reads every file of a cell that has a reader; the first error.
func readAll(r *Run, ref Ref) error {
	_, err := r.Cell(ref)
	_, err1 := r.Trains(ref)
	_, err2 := r.Evals(ref)
	pools, err3 := r.Pools(ref)
	for _, err := range []error{err, err1, err2, err3} {
		if err != nil {
			return err
		}
	}
	if len(pools) != 1 {
		return errors.New("the answers are not there")
	}
	return nil
}

// TestReadersCheckDone: of a cell that is not finished, or not what it was when it was,
// nothing is read.
func TestReadersCheckDone(t *testing.T) {
	run, ref := finishedCell(t)
	if err := readAll(run, ref); err != nil {
		t.Fatal(err)
	}
	text := func(text string) func(string) error {
		return func(path string) error { return os.WriteFile(path, []byte(text), 0o644) }
	}
	folder := func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o755)) }
	flip := func(path string) error { // a digit, so that it reads as well as before
		data, err := os.ReadFile(path)
		return errors.Join(err, os.WriteFile(path, []byte(strings.Replace(string(data), "5", "7", 1)), 0o644))
	}
	rehash := func(text string) func(string) error { // with a DONE that fits
		return func(path string) error {
			err := os.WriteFile(path, []byte(text), 0o644)
			finish(t, filepath.Dir(path))
			return err
		}
	}
	for _, c := range []struct {
		reason, file string
		damage       func(path string) error
		missing      bool
		want         string
	}{
		{"no DONE", DoneFile, os.Remove, true, "DONE: it is not there, so the cell is not finished: run the experiment again"},
		{"a folder called DONE", DoneFile, folder, false, "DONE: it is not there, so the cell is not finished"},
		{"an empty DONE", DoneFile, text(""), false, "DONE: it is cut off: run"},
		{"a foreign DONE", DoneFile, text("done\n"), false, "DONE: line 1 is not what bench writes: run"},
		{"no cell", CellFile, os.Remove, true, "cell.json: it is not there, and DONE lists it: run"},
		{"another setting", CellFile, text(strings.Replace(cellText, "a<b", "a<c", 1)), false, "cell.json: it was changed or damaged after it was written, for its hash is not that in DONE: run"},
		{"another cell", CellFile, rehash(strings.Replace(cellText, "a<b", "a<c", 1)), false, "cell.json: its folder has the name of another cell: run"},
		{"a cell of another version", CellFile, rehash(strings.Replace(cellText, "2", "1", 1)), false, "cell.json: results version 1, this program reads version 2: run"},
		{"a number flipped in training", TrainFile, flip, false, "train.jsonl: it was changed or damaged"},
		{"no training", TrainFile, os.Remove, true, "train.jsonl: it is not there, and DONE lists it: run"},
		{"a folder for training", TrainFile, folder, false, "train.jsonl: it is not there"},
		{"a number flipped in an evaluation", EvalFile, flip, false, "eval.jsonl: it was changed or damaged"},
		{"the last evaluations gone", EvalFile, text(""), false, "eval.jsonl: it was changed or damaged"},
		{"no evaluations", EvalFile, os.Remove, true, "eval.jsonl: it is not there"},
		{"a number flipped in an answer", PoolsFile, flip, false, "pools.jsonl: it was changed or damaged"},
		{"no answers", PoolsFile, os.Remove, true, "pools.jsonl: it is not there, and DONE lists it: run"},
	} {
		run, ref := finishedCell(t)
		if err := c.damage(filepath.Join(run.Folder(ref), c.file)); err != nil {
			t.Fatal(err)
		}
		err := readAll(run, ref)
		var damage *DamageError
		if !errors.As(err, &damage) || !strings.HasPrefix(err.Error(), run.Folder(ref)+string(filepath.Separator)+c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s:\n got %v\nwant one line, %s", c.reason, err, c.want)
		}
		if errors.Is(err, fs.ErrNotExist) != c.missing {
			t.Errorf("%s: %v is of a missing file: %v", c.reason, err, !c.missing)
		}
		sums, whole := readDone(run.Folder(ref), ref.ID)
		if whole == nil {
			whole = sums.checkFiles(run.Folder(ref))
		}
		if whole == nil {
			t.Errorf("%s: the cell counts as whole", c.reason)
		}
	}
}

// TestAnswersThatAreNotListed: a file that DONE does not list is not the cell's.
func TestAnswersThatAreNotListed(t *testing.T) {
	run, ref := finishedCell(t)
	path := filepath.Join(run.Folder(ref), PoolsFile)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	finish(t, run.Folder(ref))
	if pools, err := run.Pools(ref); pools != nil || err != nil {
		t.Fatalf("a cell that records none: %v, %v", pools, err)
	}
	if err := os.WriteFile(path, []byte(pool), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := run.Pools(ref); err == nil || !strings.Contains(err.Error(), "pools.jsonl: DONE does not list it") {
		t.Errorf("got %v", err)
	}
}

func FuzzDone(f *testing.F) {
	run, ref := finishedCell(f)
	done, err := os.ReadFile(filepath.Join(run.Folder(ref), DoneFile))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(done)
	f.Add(done[:len(done)-1])
	f.Add(done[:strings.Index(string(done), PoolsFile)-sha256.Size*2-2])
	f.Add([]byte(strings.ToUpper(string(done))))
	f.Add(append(done, done...))
	f.Fuzz(func(t *testing.T, text []byte) {
		sums, err := parseDone(text)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("more than a line: %q", err)
			}
			return
		}
		var again strings.Builder
		for _, name := range Vouched {
			if sum, ok := sums[name]; ok {
				again.WriteString(hex.EncodeToString(sum[:]) + "  " + name + "\n")
			}
		}
		if again.String() != string(text) {
			t.Errorf("%q is read as what would be written as %q", text, again.String())
		}
	})
}

package board

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"modebench/internal/input"
	"modebench/internal/lined"
)

// MethodFile has the method of a submitted row, as ReadSubmission reads it. Beside it are TASK.json of each
// task and the files of a plug-in.
const MethodFile = "method.toml"

// A Claim is a row as its author submitted it.
type Claim struct {
	*Submission
	Hash       string    // of all its files
	Results    []*Result // in the order of tables, of the tasks that it has
	Reproduced bool      // ReproducedFile lists its hash
}

// ReadClaim reads a submitted row from its files. folder is their path, in errors and for plug-ins. Results of other
// methods or settings are errors.
func ReadClaim(files fs.FS, folder string, tasks []Task) (*Claim, error) {
	hash, err := hashOf(files, folder)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(folder, MethodFile)
	data, err := fs.ReadFile(files, MethodFile)
	if errors.Is(err, fs.ErrNotExist) {
		err = input.Errorf("%s is not there: want the file that was given to bench board add", file)
	}
	if err != nil {
		return nil, err
	}
	c := &Claim{Hash: hash}
	if c.Submission, err = ReadSubmission(file, data); err != nil {
		return nil, err
	}
	c.Results, _, err = ReadKept(files, folder, tasks, func(t Task, path string, data []byte) (*Result, error) {
		r, err := ParseTask(t, path, data)
		if err != nil {
			return nil, err
		}
		if err := c.check(t, r); err != nil {
			return nil, input.Errorf("%s: %w", path, err)
		}
		return r, nil
	})
	if err == nil && c.Results == nil {
		err = input.Errorf("%s holds no results of the board: want TASK.json, as bench board add --keep writes them", folder)
	}
	return c, err
}

// hashOf is the hash of all files in a folder, with their names.
func hashOf(files fs.FS, folder string) (string, error) {
	sum := sha256.New()
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return input.Errorf("%s does not exist", filepath.Join(folder, name))
		}
		if err != nil || d.IsDir() {
			return err
		}
		if !d.Type().IsRegular() {
			return input.Errorf("%s is a link or a device: want plain files", filepath.Join(folder, name))
		}
		text, err := fs.ReadFile(files, name)
		fmt.Fprintf(sum, "%x  %s\n", sha256.Sum256(text), name)
		return err
	})
	return fmt.Sprintf("%x", sum.Sum(nil)), err
}

// check returns the first fault of a result that the row holds.
func (c *Claim) check(t Task, r *Result) error {
	if r.Policy != t.Policy {
		return fmt.Errorf("it is of policy %s, want %s: see --policy", r.Policy, t.Policy)
	}
	want := t.NewResult(nil)
	want.Range = r.Range
	if err := want.Add(r); err != nil {
		return err
	}
	if len(r.Standings) != 1 || r.Standings[0].Method != c.Name || len(r.Unfit) > 0 {
		return fmt.Errorf("want the method %q of %s alone", c.Name, MethodFile)
	}
	if len(r.Standings[0].Rows) == 0 {
		return fmt.Errorf("the method was tuned and is not evaluated: want what bench board add --keep writes at its end")
	}
	looks := t.Protocol().Looks
	for _, row := range r.Standings[0].Rows {
		if n := len(row.Cells); n < 1 || n > len(looks) || row.N() != looks[n-1].Seeds {
			return fmt.Errorf("setting %q has %d hashes of cells and %d seeds, want a hash for each look of the board, and its seeds", row.Setting, n, row.N())
		}
	}
	return nil
}

// Differences compares the result of a submitted method with the same made anew: the seeds whose numbers at a setting
// differ, and the first difference in words; "" without one.
func (r *Result) Differences(made *Result) (seeds []int, first string) {
	for i := range r.Seeds[1] {
		differs := func(had Evaluated) bool {
			has := First(made.Standings[0].Rows, func(e *Evaluated) bool { return e.Setting == had.Setting })
			return has != nil && slices.ContainsFunc(bySeed, func(c string) bool { return !bytes.Equal(nth(had.Seeds[c], i), nth(has.Seeds[c], i)) })
		}
		if slices.ContainsFunc(r.Standings[0].Rows, differs) {
			seeds = append(seeds, r.Seeds[0]+i)
		}
	}
	return seeds, difference("", reflect.ValueOf(*r), reflect.ValueOf(*made))
}

// nth is the i-th number as a document has it; nil without one.
func nth(xs []lined.Number, i int) []byte {
	if i >= len(xs) {
		return nil
	}
	return lined.Compact(xs[i])
}

// difference names the first member in which two values of one type differ, by its path in their documents, with both
// values; "": they are the same.
func difference(place string, had, has reflect.Value) string {
	switch had.Kind() {
	case reflect.Struct:
		for i := range had.NumField() {
			name, _, _ := strings.Cut(had.Type().Field(i).Tag.Get("json"), ",")
			if d := difference(strings.TrimPrefix(place+"."+name, "."), had.Field(i), has.Field(i)); d != "" {
				return d
			}
		}
		return ""
	case reflect.Map:
		for _, key := range slices.SortedFunc(slices.Values(had.MapKeys()), func(a, b reflect.Value) int { return cmp.Compare(a.String(), b.String()) }) {
			if other := has.MapIndex(key); other.IsValid() {
				if d := difference(place+"."+key.String(), had.MapIndex(key), other); d != "" {
					return d
				}
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range min(had.Len(), has.Len()) {
			if d := difference(fmt.Sprintf("%s[%d]", place, i), had.Index(i), has.Index(i)); d != "" {
				return d
			}
		}
		if had.Len() == has.Len() { // none and an empty list are the same
			return ""
		}
	}
	if a, b := lined.Compact(had.Interface()), lined.Compact(has.Interface()); !bytes.Equal(a, b) {
		return fmt.Sprintf("%s is %s in the row, and %s here", place, a, b)
	}
	return ""
}

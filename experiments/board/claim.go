package board

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"modebench/internal/input"
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

// maxFile bounds a file of a row, in bytes: results of a task with all seeds have a tenth of it.
const maxFile = 1 << 22

// plainName matches the names of files and folders in a row. They are lines of its hash, and the program embeds them,
// which go:embed does for such names alone.
var plainName = regexp.MustCompile(`^[\w][\w.+@-]*$`)

// checkFile returns why a file cannot be in a row. Code of Go would be a package of this module.
func checkFile(d fs.DirEntry) error {
	info, err := d.Info()
	switch {
	case err != nil:
		return err
	case !plainName.MatchString(d.Name()):
		return errors.New("its name: want letters, digits and . _ - + @, the first no dot")
	case !d.IsDir() && !d.Type().IsRegular():
		return errors.New("it is a link or a device: want plain files")
	case !d.IsDir() && (strings.HasSuffix(d.Name(), ".go") || d.Name() == "go.mod"):
		return errors.New("code of Go would be a part of this program: want none")
	case !d.IsDir() && info.Size() > maxFile:
		return fmt.Errorf("it has %d bytes: want %d at most", info.Size(), maxFile)
	}
	return nil
}

// hashOf is the hash of all files in a folder, with their names.
func hashOf(files fs.FS, folder string) (string, error) {
	sum := sha256.New()
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return input.Errorf("%s does not exist", filepath.Join(folder, name))
		}
		if err != nil || name == "." {
			return err
		}
		if err := checkFile(d); err != nil {
			return input.Errorf("%q: %w", filepath.Join(folder, name), err)
		}
		if d.IsDir() {
			return nil
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
	t.Range = r.Range
	if err := t.NewResult(nil).Add(r); err != nil {
		return err
	}
	if len(r.Standings) != 1 || r.Standings[0].Method != c.Name || len(r.Unfit) > 0 {
		return fmt.Errorf("want the method %q of %s alone", c.Name, MethodFile)
	}
	if len(r.Standings[0].Rows) == 0 {
		return errors.New("the method is not evaluated yet: want what bench board add --keep writes at its end")
	}
	looks := t.Protocol().Looks
	for _, row := range r.Standings[0].Rows {
		if n := len(row.Cells); n < 1 || n > len(looks) || row.N() != looks[n-1].Seeds {
			return fmt.Errorf("setting %q has %d hashes of cells and %d seeds, want a hash for each look of the board, and its seeds", row.Setting, n, row.N())
		}
	}
	return nil
}

// Difference is the first difference of the result of a submitted method from the same made anew, in words, with the
// seeds whose numbers differ; "": both are the same.
func (r *Result) Difference(made *Result) string {
	had, has := r.Text(), made.Text()
	if bytes.Equal(had, has) {
		return ""
	}
	offset := 0
	for had[offset] == has[offset] { // both end with a closing brace on a line of its own
		offset++
	}
	before, start := had[:offset], bytes.LastIndexAny(had[:offset], ",[{:")+1
	value := func(text []byte) []byte { return text[start : offset+bytes.IndexAny(text[offset:], ",]}\n")] }
	member := lastMember.FindSubmatch(before)[1]
	words := fmt.Sprintf("%s is %s in the row, and %s here", member, value(had), value(has))
	if bytes.Equal(value(had), value(has)) {
		words = fmt.Sprintf("entries are added or missing after %s", member)
	}
	if setting := lastSetting.FindSubmatch(before); setting != nil {
		words = fmt.Sprintf("setting %s: %s", setting[1], words)
	}
	var seeds []string
	x, y := r.Standings[0].Row(Tuned), made.Standings[0].Row(Tuned)
	for i := range min(x.N(), y.N()) {
		if slices.ContainsFunc(bySeed, func(c string) bool { return fmt.Sprint(x.Seeds[c][i]) != fmt.Sprint(y.Seeds[c][i]) }) { // NaN too
			seeds = append(seeds, fmt.Sprint(r.Seeds[0]+i))
		}
	}
	if seeds != nil {
		words += "; seeds " + strings.Join(seeds, " ")
	}
	return words
}

// lastMember and lastSetting find the last member and setting of a text.
var (
	lastMember  = regexp.MustCompile(`(?s).*"([^",]+)":`)
	lastSetting = regexp.MustCompile(`(?s).*"setting":("[^"]*")`)
)

package board

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"modebench/internal/input"
)

// ReproducedFile lists the hashes of the rows that were reproduced, in the folder of all submitted rows.
const ReproducedFile = "reproduced.txt"

// ReadCommunity reads the rows that others submitted of the tasks, which are of one policy: files has POLICY/ROW, and
// ReproducedFile. folder is its path in errors. No row is an error.
func ReadCommunity(files fs.FS, folder string, tasks []Task) (out []*Claim, err error) {
	reproduced, err := fs.ReadFile(files, ReproducedFile)
	if err != nil {
		return nil, err
	}
	policy := tasks[0].Policy
	rows, err := fs.ReadDir(files, policy)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, row := range rows {
		if !row.IsDir() {
			return nil, input.Errorf("%s is no folder of a row", filepath.Join(folder, policy, row.Name()))
		}
		below, err := fs.Sub(files, path.Join(policy, row.Name()))
		if err != nil {
			return nil, err
		}
		c, err := ReadClaim(below, filepath.Join(folder, policy, row.Name()), tasks)
		if err != nil {
			return nil, err
		}
		c.Reproduced = slices.Contains(strings.Fields(string(reproduced)), c.Hash)
		out = append(out, c)
	}
	if out == nil {
		return nil, input.Errorf("%s holds no submitted row under policy %s", folder, policy)
	}
	return out, nil
}

// The answers to whether a submitted row was run again (Line.Made).
const (
	Reproduced   = "reproduced"
	SelfReported = "self-reported"
)

// NewCommunityTable ranks submitted rows, one at least, among published results, and has these rows alone. Ranks of
// reproduced rows do not depend on rows that are not reproduced.
func NewCommunityTable(published []*Result, claims []*Claim) (*Table, error) {
	var t *Table
	var lines []Line
	results := published
	for _, made := range []string{Reproduced, SelfReported} {
		var names []string
		for _, c := range claims {
			if c.Reproduced != (made == Reproduced) {
				continue
			}
			err := c.Among(results)
			if err == nil {
				results, err = Joined(results, c.Results, c.Name, nil)
			}
			if err != nil {
				return nil, err
			}
			names = append(names, c.Name)
		}
		if names == nil {
			continue
		}
		var err error
		if t, err = NewTable(results); err != nil {
			return nil, err
		}
		if err := t.Keep(names); err != nil {
			return nil, err
		}
		for _, l := range t.Rows {
			l.Made = made
			all := l.Methods() // the submitted name first, and not a published one
			l.Method = *First(all, func(name *string) bool { return slices.Contains(names, *name) })
			l.Same = slices.DeleteFunc(all, func(name string) bool { return name == l.Method })
			lines = append(lines, l)
		}
	}
	t.Rows = lines
	return t, nil
}

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"modebench/internal/atomicfile"
)

// listName is the file of a site that lists the files it was written with, a line each.
const listName = "site-files.txt"

// write leaves the site in a folder, which has to be empty, new, or an earlier site. Of an earlier
// site what this one does not have is removed, and nothing else.
func (s *site) write(out string) error {
	entries, err := os.ReadDir(out)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(entries) > 0 {
		if _, err := os.Stat(filepath.Join(out, "search-index.js")); err != nil {
			return fmt.Errorf("%s holds something else than a site: name a new or an empty folder", out)
		}
	}
	earlier, err := writtenBefore(out)
	if err != nil {
		return err
	}
	files := maps.Clone(s.files)
	for _, p := range s.pages {
		files[p.path] = s.layout(p)
	}
	names := slices.Sorted(maps.Keys(files))
	for _, name := range names {
		at := filepath.Join(out, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
			return err
		}
		if err := atomicfile.Write(at, files[name]); err != nil {
			return err
		}
	}
	for _, name := range earlier {
		if files[name] == nil {
			if err := discard(out, name); err != nil {
				return err
			}
		}
	}
	// Last, so that after an interrupt the earlier list still says what may be removed.
	return atomicfile.Write(filepath.Join(out, listName), []byte(strings.Join(names, "\n")+"\n"))
}

// writtenBefore lists the files that an earlier site in the folder was written with.
func writtenBefore(out string) ([]string, error) {
	at := filepath.Join(out, listName)
	data, err := os.ReadFile(at)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	names := strings.FieldsFunc(string(data), func(r rune) bool { return r == '\n' })
	for _, name := range names {
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return nil, fmt.Errorf("%s lists %q, which is outside of the site: name a new or an empty folder", at, name)
		}
	}
	return names, nil
}

// discard removes a file of an earlier site, and the folders that it leaves empty.
func discard(out, name string) error {
	if err := os.Remove(filepath.Join(out, filepath.FromSlash(name))); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for folder := path.Dir(name); folder != "."; folder = path.Dir(folder) {
		at := filepath.Join(out, filepath.FromSlash(folder))
		if entries, err := os.ReadDir(at); err != nil || len(entries) > 0 {
			return nil // it holds something else, or is gone already
		}
		if err := os.Remove(at); err != nil {
			return err
		}
	}
	return nil
}

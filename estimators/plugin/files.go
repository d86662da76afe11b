package plugin

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"modebench/estimators/python"
	"modebench/internal/scratch"
)

// adapterFolder makes a folder with the Python adapter in it, for PYTHONPATH.
func adapterFolder() (*scratch.Place, error) {
	folder, err := scratch.Dir(os.TempDir(), scratch.Named("plugin"))
	if err != nil {
		return nil, fmt.Errorf("no place for the Python adapter: %w", err)
	}
	for _, file := range python.Adapter {
		if err := os.WriteFile(filepath.Join(folder.Path, file.Name), file.Text, 0o666); err != nil {
			_ = folder.Remove()
			return nil, fmt.Errorf("no place for the Python adapter: %w", err)
		}
	}
	return folder, nil
}

// pythonEnv lets a Python program import the adapter, leave no compiled files beside
// the user's, and iterate its sets in the same order every time.
func pythonEnv(env []string, folder string) []string {
	path := folder
	for _, pair := range env {
		if old, ok := strings.CutPrefix(pair, "PYTHONPATH="); ok && old != "" {
			path = folder + string(filepath.ListSeparator) + old
		}
	}
	// Of two values of a name the last one counts.
	return append(slices.Clone(env), "PYTHONPATH="+path, "PYTHONDONTWRITEBYTECODE=1", "PYTHONHASHSEED=0")
}

// hash gives the SHA-256 of the files that a command and a list of files name, and of the adapter.
func hash(command, files []string, dir string) (map[string]string, error) {
	hashes := map[string]string{}
	for _, file := range python.Adapter {
		hashes[file.Name] = fmt.Sprintf("%x", sha256.Sum256(file.Text))
	}
	for _, name := range namedBy(command) {
		if regular(dir, name) { // else no file, or a file that the program will miss
			if err := addHash(hashes, dir, name); err != nil {
				return nil, err
			}
		}
	}
	for i, name := range files {
		if !regular(dir, name) {
			return nil, fmt.Errorf("files[%d]: there is no file %q in %s", i, name, orCurrent(dir))
		}
		if err := addHash(hashes, dir, name); err != nil {
			return nil, err
		}
	}
	return hashes, nil
}

// namedBy lists the files that a command may name. The word after -m names a module of Python.
func namedBy(command []string) []string {
	var names []string
	for i, name := range command {
		if i == 0 && filepath.Base(name) == name {
			continue // found through PATH, whatever lies in dir
		}
		names = append(names, name)
		if i > 0 && command[i-1] == "-m" {
			module := strings.ReplaceAll(name, ".", "/")
			names = append(names, module+".py", module+"/__main__.py")
			if module+".py" == python.AdapterName {
				names = append(names, python.StandInName)
			}
		}
	}
	return names
}

func regular(dir, name string) bool {
	info, err := os.Stat(beside(dir, name))
	return err == nil && info.Mode().IsRegular()
}

func addHash(hashes map[string]string, dir, name string) error {
	f, err := os.Open(beside(dir, name))
	if err != nil {
		return err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return err
	}
	hashes[name] = hex.EncodeToString(h.Sum(nil))
	return nil
}

// beside is the place of a file whose path is relative to dir.
func beside(dir, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}

func orCurrent(dir string) string { return cmp.Or(dir, "the current folder") }

// changed names the first file, in the order of names, that is not what it was.
func changed(before, after map[string]string) error {
	all := maps.Clone(before)
	maps.Copy(all, after)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if before[name] != after[name] {
			return fmt.Errorf("%s changed while the run was under way (SHA-256 %s, then %s): start the run again", name, shortHash(before[name]), shortHash(after[name]))
		}
	}
	return nil
}

func shortHash(hash string) string {
	hash = cmp.Or(hash, "none")
	return hash[:min(len(hash), 12)]
}

// missing is the end of a message that names arguments which look like files and are
// none: the likeliest reason for a program to end before its hello.
func missing(command []string, dir string) string {
	for _, name := range command[1:] {
		ext := filepath.Ext(name)
		looks := !strings.HasPrefix(name, "-") && len(ext) > 1 && strings.Trim(ext[1:], "0123456789") != ""
		if _, err := os.Stat(beside(dir, name)); looks && err != nil {
			return fmt.Sprintf("; there is no file %s in %s", name, orCurrent(dir))
		}
	}
	return ""
}

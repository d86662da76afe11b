package record

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestIsName(t *testing.T) {
	for _, name := range []string{"curves", "best-at-k", "a.b", "-x", "_", "quick-train.lr-0.03", "console", "com10", "nullable", "A"} {
		if !IsName(name) {
			t.Errorf("%q is refused", name)
		}
	}
	for _, name := range []string{
		"", ".", "..", ".x", "a/b", "../a", "/a", `a\b`, `..\a`, "C:a", "c:", "a b", "a\x00", "a\x1b[2J", "a\n", "ä", "a:b", "*", "$x",
		"con", "CON", "Con.x", "nul", "NUL.txt", "aux", "prn.a.b", "com1", "COM9.x", "lpt0",
	} {
		if IsName(name) {
			t.Errorf("%q is taken", name)
		}
		if isFolderName(name) {
			t.Errorf("%q is taken for a cell's folder", name)
		}
	}
	for _, id := range []string{"reinforce++-s0-0123456789ab", "grpo@vpo-s12-0123456789ab", "setpo+grpo-s0-0123456789ab"} {
		if !isFolderName(id) || !IsID(id) || IsName(id) {
			t.Errorf("%q is a cell's folder, and no name of a figure", id)
		}
	}
	for _, id := range []string{"../grpo-s0-0123456789ab", "con.x-s0-0123456789ab", "/grpo-s0-0123456789ab", `a\grpo-s0-0123456789ab`, "grpo-s0-0123456789ab\n"} {
		if isFolderName(id) || IsID(id) {
			t.Errorf("%q is taken for a cell's folder", id)
		}
	}
}

// TestBelow: files below a folder are read, by links in it too; nothing else is.
func TestBelow(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "dir")
	for name, text := range map[string]string{"secret": "secret", "dir/a/file": "text", "dir/b/other": "", "outside/file": "secret"} {
		path := filepath.Join(top, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{
		"dir/a/within": "file", "dir/b/within": "../a/file", "dir/c": "a", "dir/a/gone": "nothing",
		"dir/a/out": "../../secret", "dir/a/absolute": filepath.Join(top, "secret"), "dir/d": "../outside", "dir/a/back": "../../dir/a/file",
		"named": "dir",
	} {
		if err := os.Symlink(to, filepath.Join(top, name)); err != nil {
			t.Skip(err)
		}
	}
	for _, c := range []struct {
		folder, names string
		want          string // "": a damage of a link that leads out
	}{
		{dir, "a file", "text"}, {dir, "a within", "text"}, {dir, "b within", "text"}, {dir, "c file", "text"},
		{filepath.Join(top, "named"), "a file", "text"}, // the folder is the user's own choice
		{dir, "a out", ""}, {dir, "a absolute", ""}, {dir, "d file", ""}, {dir, "a back", ""}, {dir, ".. secret", ""},
	} {
		names := strings.Fields(c.names)
		data, err := ReadBelow(c.folder, names...)
		f, opened := OpenBelow(c.folder, names...)
		found := FindBelow(c.folder, names...)
		for _, err := range []error{err, opened, found} {
			var damage *DamageError
			if c.want == "" && (!errors.As(err, &damage) || damage.File != filepath.Join(c.folder, filepath.Join(names...)) || damage.What != "it is a link that leads out of "+c.folder) {
				t.Errorf("%s: %v", c.names, err)
			} else if c.want != "" && err != nil {
				t.Errorf("%s: %v", c.names, err)
			}
		}
		if string(data) != c.want {
			t.Errorf("%s: read %q, want %q", c.names, data, c.want)
		}
		if opened == nil {
			if data, err := io.ReadAll(f); err != nil || string(data) != c.want {
				t.Errorf("%s: opened, it holds %q (%v), want %q", c.names, data, err, c.want)
			}
			f.Close()
		}
	}
	for names, missing := range map[string]bool{"a nothing": true, "a gone": true, "nothing file": true, "a": true, "a file x": true} {
		_, err := ReadBelow(dir, strings.Fields(names)...)
		if err == nil || Missing(err) != missing || !strings.Contains(err.Error(), filepath.Join(dir, filepath.Join(strings.Fields(names)...))+": ") {
			t.Errorf("%s: %v", names, err)
		}
	}
	if _, err := ReadBelow(filepath.Join(top, "no"), "file"); !Missing(err) {
		t.Errorf("a folder that is not there: %v", err)
	}
}

package cuda

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestReleasedProgram builds the program as it is released, without cgo, and runs it on the
// substitute for the driver, which the system's loader finds by the name of
// the driver's own: on the processor it makes the same records. Without cgo the way to
// the driver is another library: its threads and stacks are those of Go alone.
func TestReleasedProgram(t *testing.T) {
	if withCgo {
		t.Skip("runs where this test is built without cgo too: CGO_ENABLED=0 go test")
	}
	library := shimLibrary(t)
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err)
	}
	folder := t.TempDir()
	program := filepath.Join(folder, "bench")
	if out, err := exec.Command("go", "build", "-trimpath", "-o", program, "modebench/cmd/bench").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	code, err := os.ReadFile(library)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, DefaultLibrary), code, 0o777); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) string {
		t.Helper()
		command := exec.Command(program, args...)
		command.Dir = folder
		command.Env = append(os.Environ(), "LD_LIBRARY_PATH="+folder)
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("bench %q: %v\n%s", args, err, out)
		}
		return string(out)
	}
	if out := run("version"); !strings.Contains(out, "device cuda:0 NVIDIA Shim 0") {
		t.Fatalf("the program does not find the card: %s", out)
	}
	for _, device := range []string{"cuda", "cpu"} {
		run("run", "bandit-collapse", "--policy", "transformer", "--seeds", "1", "--device", device, "--figure-format", "none", "--out", device,
			"--cache", device+"-cache", "--set", "train.steps=2", "--set", "policy.pretrain_steps=5", "--set", "eval.problems=4")
	}
	files := 0
	for _, kind := range []string{"cpu/cells", "cpu-cache"} {
		err := filepath.WalkDir(filepath.Join(folder, kind), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || entry.Name() == "provenance.json" { // time and place of its making
				return err
			}
			of, err := filepath.Rel(folder, path)
			if err != nil {
				return err
			}
			want, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			got, err := os.ReadFile(filepath.Join(folder, strings.Replace(of, "cpu", "cuda", 1)))
			if err != nil {
				return err
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s is another one on the card", of)
			}
			files++
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	if files < 10 {
		t.Errorf("%d files of records, want those of 8 cells", files)
	}
}

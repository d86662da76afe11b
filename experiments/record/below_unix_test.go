//go:build unix

package record

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestPipes: a pipe in a file's place holds nobody up.
func TestPipes(t *testing.T) {
	run, ref := finishedCell(t)
	if err := syscall.Mkfifo(filepath.Join(run.Folder(ref), ProvenanceFile), 0o644); err != nil {
		t.Skip(err)
	}
	var damage *DamageError
	if _, _, err := run.Timings(ref); !errors.As(err, &damage) || damage.What != "it is no file but a pipe or a device" {
		t.Errorf("got %v", err)
	}
}

// TestHugeFiles: a file with a size that no memory holds is an error. On most file systems one
// takes no place on the disk.
func TestHugeFiles(t *testing.T) {
	run, ref := finishedCell(t)
	for name, want := range map[string]string{
		DoneFile: "4294967296", ProvenanceFile: "4294967296", EvalFile: "4294967296", CheckpointFile: "68719476736",
	} {
		path := filepath.Join(run.Folder(ref), name)
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, 1<<42); err != nil {
			t.Skip(err)
		}
		var damage *DamageError
		if _, err := run.File(ref, name); !errors.As(err, &damage) || damage.File != path || damage.What != "it has 4398046511104 bytes, want at most "+want {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

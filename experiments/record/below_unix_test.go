//go:build unix

package record

import (
	"errors"
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

package cells

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"modebench/internal/scratch"
)

// TestRunningGoesByTheLock: a cell is running while its lock is held, however long ago its
// folder was touched, and not once it is given back, however short.
func TestRunningGoesByTheLock(t *testing.T) {
	dir := t.TempDir()
	const id, elsewhere = "grpo-s0-0123456789ab", "00000000x0123456789abcdef"
	place, err := NewPartial(dir, id)
	if err != nil {
		t.Fatal(err)
	}
	if _, known := scratch.InUse(place.Path); !known {
		t.Skip("no locks here")
	}
	state := func() State {
		t.Helper()
		folder, err := Look(dir)
		if err != nil {
			t.Fatal(err)
		}
		state, _, err := folder.State(id, false)
		if err != nil {
			t.Fatal(err)
		}
		return state
	}
	touch := func(path string, ago time.Duration) {
		t.Helper()
		then := time.Now().Add(-ago)
		if err := os.Chtimes(path, then, then); err != nil {
			t.Fatal(err)
		}
	}
	touch(place.Path, 25*time.Hour)
	if got := state(); got != Running {
		t.Errorf("a suspended run's cell is %v", got)
	}
	if err := place.Remove(); err != nil {
		t.Fatal(err)
	}
	if got := state(); got != Missing {
		t.Errorf("a removed cell is %v", got)
	}
	if err := os.Mkdir(place.Path, 0o755); err != nil { // as a killed run leaves it
		t.Fatal(err)
	}
	if err := os.WriteFile(place.Path+".lock", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if got := state(); got != Missing {
		t.Errorf("the cell of a run killed just now is %v", got)
	}
	// Locks of another machine are not visible here, so age has to decide.
	foreign := filepath.Join(dir, ".partial-"+id+"-"+elsewhere)
	if err := os.Mkdir(foreign, 0o755); err != nil {
		t.Fatal(err)
	}
	if got := state(); got != Running {
		t.Errorf("a cell that another machine has just touched is %v", got)
	}
	touch(foreign, time.Hour)
	if got := state(); got != Missing {
		t.Errorf("a cell that another machine touched an hour ago is %v", got)
	}
}

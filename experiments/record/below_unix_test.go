//go:build unix

package record

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// TestPipes: a pipe in a file's place does not block a reader.
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

// TestReadFileOfAPipe: nor does one where a file is named by its user, or a link to it.
func TestReadFileOfAPipe(t *testing.T) {
	dir := t.TempDir()
	pipe, link, file := filepath.Join(dir, "pipe.json"), filepath.Join(dir, "link.json"), filepath.Join(dir, "file.json")
	if err := errors.Join(syscall.Mkfifo(pipe, 0o644), os.Symlink(pipe, link), os.WriteFile(file, []byte("x"), 0o644)); err != nil {
		t.Skip(err)
	}
	done := make(chan error, 2)
	go func() {
		for _, path := range []string{pipe, link} {
			_, err := ReadFile(path)
			done <- err
		}
	}()
	for range 2 {
		select {
		case err := <-done:
			var damage *DamageError
			if !errors.As(err, &damage) || damage.What != noFile {
				t.Errorf("got %v", err)
			}
		case <-time.After(10 * time.Second):
			t.Fatal("it waits for the pipe")
		}
	}
	if data, err := ReadFile(file); string(data) != "x" || err != nil {
		t.Errorf("a file: %q, %v", data, err)
	}
}

// TestSwappedPipe: a pipe that takes the file's name at any moment does not block a reader.
func TestSwappedPipe(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(os.WriteFile(at("file"), []byte("x"), 0o644), os.Link(at("file"), at("a.json"))); err != nil {
		t.Skip(err)
	}
	if err := syscall.Mkfifo(at("pipe"), 0o644); err != nil {
		t.Skip(err)
	}
	var stop atomic.Bool
	var swaps sync.WaitGroup
	swaps.Go(func() {
		for i := 0; !stop.Load(); i++ {
			from := []string{"pipe", "file"}[i%2]
			if err := errors.Join(os.Link(at(from), at("next")), os.Rename(at("next"), at("a.json"))); err != nil {
				t.Error(err)
				return
			}
		}
	})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 20000 {
			data, err := ReadBelow(dir, "a.json")
			if damage := (*DamageError)(nil); string(data) != "x" && !errors.As(err, &damage) {
				t.Errorf("got %q, %v", data, err)
				return
			}
		}
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Error("it waits for somebody to write to the pipe")
	}
	stop.Store(true)
	swaps.Wait()
}

// TestSockets: neither does a socket, which cannot even be opened.
func TestSockets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.json")
	socket, err := net.Listen("unix", path)
	if err != nil {
		t.Skip(err)
	}
	defer socket.Close()
	var damage *DamageError
	if _, err := ReadBelow(filepath.Dir(path), "a.json"); !errors.As(err, &damage) || damage.What != "it is no file but a pipe or a device" {
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

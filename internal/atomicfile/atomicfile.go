// Package atomicfile replaces files as a whole: a reader, or a run that is
// killed in the middle, sees the old file or the new one.
package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"modebench/internal/scratch"
)

// Write writes data to path: into a temporary file beside it, onto the disk, and
// then under its name. An error names path; nothing is left behind.
func Write(path string, data []byte) error {
	if err := replace(path, data); err != nil {
		if inPath, ok := errors.AsType[*fs.PathError](err); ok {
			err = inPath.Err // its path is the temporary file's, which users do not know
		}
		return &fs.PathError{Op: "write", Path: path, Err: err}
	}
	return nil
}

// Put is Write that makes the file's folder first.
func Put(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return Write(path, data)
}

func replace(path string, data []byte) (err error) {
	place, f, err := scratch.File(filepath.Dir(path), scratch.Hidden)
	if err != nil {
		return err
	}
	defer func() {
		f.Close() // closed already, or of no use any more
		if remove := place.Remove(); err != nil {
			err = errors.Join(err, remove)
		}
	}()
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(place.Path, path); err != nil {
		return fmt.Errorf("%w", err.(*os.LinkError).Err)
	}
	// The file has its name, so nothing is wrong after this.
	_ = SyncDir(filepath.Dir(path))
	return nil
}

// SyncDir waits until the names in a folder are on the disk: after a loss of power a file that was
// given its name before is there. Some systems cannot do so for folders, which is no error.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = f.Sync()
	f.Close()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}

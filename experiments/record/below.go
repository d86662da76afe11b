package record

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"modebench/internal/input"
)

// This file is the only way to read a results folder, which may come from anybody: no name and no
// symbolic link in it leads out of it.

// ReadBelow reads the file that these names, of folders and then of the file, lead to below
// a folder. A link that leads out of the folder, a file that is no regular one (a pipe, a device)
// and a file above the limit (largest) are a *DamageError; other errors name the file too.
func ReadBelow(folder string, names ...string) (data []byte, err error) {
	f, err := OpenBelow(folder, names...)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	path := filepath.Join(folder, filepath.Join(names...))
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	limit := largest(path)
	read := bytes.NewBuffer(make([]byte, 0, min(info.Size(), limit)+bytes.MinRead))
	if _, err = read.ReadFrom(io.LimitReader(f, limit+1)); err != nil {
		return nil, named(path, err)
	}
	if int64(read.Len()) > limit { // it has grown since
		return nil, damaged(path, fmt.Sprintf("it has more than %d bytes", limit))
	}
	return read.Bytes(), nil
}

// OpenBelow opens a file as ReadBelow does. It checks the file that it opened, and opening does not
// block: if a pipe takes the file's name meanwhile, the call does not hang on it.
func OpenBelow(folder string, names ...string) (f *os.File, err error) {
	err = below(folder, names, func(root *os.Root, name string) (fs.FileInfo, error) {
		if f, err = root.OpenFile(name, os.O_RDONLY|unwaiting, 0); err == nil {
			return f.Stat()
		}
		// The system may refuse to open what is no file, a socket for one.
		if info, _ := root.Stat(name); info != nil && !readable(info) {
			return info, nil
		}
		return nil, err
	})
	if err != nil && f != nil {
		f.Close()
		f = nil
	}
	return f, err
}

// ReadFile reads a file that a program of ours writes and that its user names, wherever links
// lead. A pipe or a device is a *DamageError, without waiting for a writer.
func ReadFile(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unwaiting, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && !readable(info) {
		return nil, damaged(path, noFile)
	}
	return io.ReadAll(f)
}

// FindBelow reports whether ReadBelow would find a file: the error is nil, or its own.
func FindBelow(folder string, names ...string) error {
	return below(folder, names, (*os.Root).Stat)
}

// largest bounds the bytes of a file, far above what a run writes. A sparse file may claim more
// without taking place on the disk, and no memory would hold it.
func largest(name string) int64 {
	switch filepath.Ext(name) {
	case ".json", ".jsonl", "": // DONE has no extension
		return 4 << 30
	}
	return 64 << 30
}

// below checks the target of a name below a folder, which look finds: it has to be a file, or a
// folder, which the system refuses to read.
func below(folder string, names []string, look func(root *os.Root, name string) (fs.FileInfo, error)) error {
	name := filepath.Join(names...)
	path := filepath.Join(folder, name)
	root, err := openRoot(folder)
	if err != nil {
		return named(path, err)
	}
	defer root.Close()
	info, err := look(root, name)
	switch {
	case err == nil && !readable(info):
		return damaged(path, noFile)
	case err == nil && info.Mode().IsRegular() && info.Size() > largest(name):
		return damaged(path, fmt.Sprintf("it has %d bytes, want at most %d", info.Size(), largest(name)))
	}
	if unnumbered(err) {
		return damaged(path, "it is a link that leads out of "+folder)
	}
	return named(path, err)
}

const noFile = "it is no file but a pipe or a device"

func readable(info fs.FileInfo) bool { return info.Mode().IsRegular() || info.IsDir() }

// named makes an error one of the file of that path: that of a folder knows only what is below it.
func named(path string, err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: strings.TrimSuffix(pathErr.Op, "at"), Path: path, Err: pathErr.Err}
	}
	return err
}

// openRoot is os.OpenRoot, whose error for a path that is no folder is the system's.
func openRoot(folder string) (*os.Root, error) {
	root, err := os.OpenRoot(folder)
	if unnumbered(err) {
		return nil, &fs.PathError{Op: "open", Path: folder, Err: syscall.ENOTDIR}
	}
	return root, err
}

// unnumbered reports whether package os itself refused a name: opening a root that is no folder, or
// leaving a root. All other errors are numbers of the system's.
func unnumbered(err error) bool {
	return input.Is[*fs.PathError](err) && !input.Is[syscall.Errno](err)
}

// CheckCells is CheckFolder of the folder of all cells.
func CheckCells(out string) error { return CheckFolder(out, CellsDir) }

// CheckFolder reports whether a folder lies in its output folder, as it does if it is no link. A
// missing folder does too.
func CheckFolder(out, name string) error {
	root, err := openRoot(out)
	if Missing(err) {
		return nil // nor is there a folder in it
	}
	if err != nil {
		return err
	}
	defer root.Close()
	if _, err := root.Stat(name); unnumbered(err) {
		return input.Errorf("%s is a link that leads out of %s: give the folder that it leads to as output folder", filepath.Join(out, name), out)
	}
	return nil
}

// Folder is the files of a folder, opened as OpenBelow does: a pipe among them is refused without
// waiting.
type Folder string

// Open implements fs.FS.
func (f Folder) Open(name string) (fs.File, error) {
	file, err := OpenBelow(string(f), filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	return file, nil
}

// A DamageError reports that a cell is not finished, or has changed since it was.
type DamageError struct {
	File string // the missing or changed file
	What string // its fault
	Err  error  // why it cannot be read; nil: it can
}

// Error also states the cure: a run finds the damage and makes the cell again.
func (e *DamageError) Error() string { return e.File + ": " + e.What + ": run the experiment again" }

// Unwrap gives the error of reading the file, if that was it.
func (e *DamageError) Unwrap() error { return e.Err }

func damaged(path, fault string) *DamageError { return &DamageError{File: path, What: fault} }

// Missing reports whether a file is missing, or its name or its folder's belongs to
// something of another kind.
func Missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.EISDIR)
}

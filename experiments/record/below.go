package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"modebench/internal/input"
)

// This file is the one door to what lies in a results folder, which may come from anybody:
// no name and no symbolic link in it leads out of it.

// ReadBelow reads the file that these names, of folders and then of the file, lead to below
// a folder. A link that leads out of the folder, a file that is no regular one (a pipe, a
// device) and one that is larger than any (largest) are a *DamageError; other errors name the
// file too.
func ReadBelow(folder string, names ...string) (data []byte, err error) {
	err = below(folder, names, func(root *os.Root, name string) error {
		data, err = root.ReadFile(name)
		return err
	})
	return data, err
}

// OpenBelow opens a file as ReadBelow does.
func OpenBelow(folder string, names ...string) (f *os.File, err error) {
	err = below(folder, names, func(root *os.Root, name string) error {
		f, err = root.Open(name)
		return err
	})
	return f, err
}

// FindBelow says whether ReadBelow would find a file: the error is nil, or its own.
func FindBelow(folder string, names ...string) error {
	return below(folder, names, func(*os.Root, string) error { return nil })
}

// largest bounds the bytes of a file, far above what a run writes: 4 GiB of records, which
// are texts, and 64 GiB of what holds a policy. A file may say that it has more without taking
// any place on the disk, and no memory would hold it.
func largest(name string) int64 {
	switch filepath.Ext(name) {
	case ".json", ".jsonl", "": // DONE has none
		return 4 << 30
	}
	return 64 << 30
}

// below hands over a folder and the name below it of what is a file, or a folder, which
// the system refuses to read.
func below(folder string, names []string, use func(root *os.Root, name string) error) error {
	name := filepath.Join(names...)
	path := filepath.Join(folder, name)
	root, err := openRoot(folder)
	if err != nil {
		return named(path, err)
	}
	defer root.Close()
	info, err := root.Stat(name)
	switch {
	case err == nil && !info.Mode().IsRegular() && !info.IsDir():
		return damaged(path, "it is no file but a pipe or a device")
	case err == nil && info.Mode().IsRegular() && info.Size() > largest(name):
		return damaged(path, fmt.Sprintf("it has %d bytes, want at most %d", info.Size(), largest(name)))
	case err == nil:
		err = use(root, name)
	}
	if unnumbered(err) {
		return damaged(path, "it is a link that leads out of "+folder)
	}
	return named(path, err)
}

// named makes an error one of the file of that path: that of a folder knows only what is
// below it.
func named(path string, err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return &fs.PathError{Op: strings.TrimSuffix(at.Op, "at"), Path: path, Err: at.Err}
	}
	return err
}

// openRoot is os.OpenRoot, whose error for what is no folder is that of the system.
func openRoot(folder string) (*os.Root, error) {
	root, err := os.OpenRoot(folder)
	if unnumbered(err) {
		return nil, &fs.PathError{Op: "open", Path: folder, Err: syscall.ENOTDIR}
	}
	return root, err
}

// unnumbered says that package os has refused a name itself: to open a root that is no folder,
// or what leads out of a root. It has no errors of its own for these, but all others are
// numbers of the system's.
func unnumbered(err error) bool {
	var at *fs.PathError
	var number syscall.Errno
	return errors.As(err, &at) && !errors.As(at.Err, &number)
}

// CheckCells is CheckFolder of the folder of all cells.
func CheckCells(out string) error { return CheckFolder(out, CellsDir) }

// CheckFolder says whether a folder lies in its output folder, as it does where it is no
// link. One that is not there yet does.
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

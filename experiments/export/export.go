package export

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"modebench/experiments/record"
	"modebench/internal/scratch"
)

// Tables and Formats are the names that Options takes.
var (
	Tables  = []string{"evals", "trains", "cells", "summary"}
	Formats = []string{"csv", "parquet"}
)

// Options select what to write: an empty list selects all.
type Options struct {
	Tables  []string // of Tables
	Formats []string // of Formats
	Wide    bool     // evals_wide beside evals
}

// Write writes the tables of the runs into the folder out, which exists, and returns
// their paths: TABLE.csv, TABLE.parquet. The runs have to be of different specs. It holds
// one cell's records at a time. Files of these names are replaced when all tables are
// whole; before that, no error leaves a file changed.
func Write(ctx context.Context, out string, runs []*record.Run, opt Options) ([]string, error) {
	folderOf := map[string]string{}
	for _, run := range runs {
		if first, twice := folderOf[run.Spec]; twice {
			return nil, fmt.Errorf("%s and %s are both of spec %s, so their rows could not be told apart: export them into folders of their own", first, run.Dir, run.Spec)
		}
		folderOf[run.Spec] = run.Dir
	}
	tables, err := opt.tables(ctx, runs)
	if err != nil {
		return nil, err
	}
	chosen := opt.Formats
	if len(chosen) == 0 {
		chosen = Formats
	}
	var files []*pendingFile
	defer func() {
		for _, f := range files {
			f.discard()
		}
	}()
	var paths []string
	for i := range tables {
		first := len(files)
		for _, format := range chosen {
			if formats[format] == nil {
				return nil, fmt.Errorf("unknown format %q; formats: %v", format, Formats)
			}
			f, err := createPending(filepath.Join(out, tables[i].name+"."+format), format, &tables[i])
			if err != nil {
				return nil, err
			}
			files, paths = append(files, f), append(paths, f.path)
		}
		if err := fill(ctx, &tables[i], files[first:]); err != nil {
			return nil, err
		}
	}
	for _, f := range files {
		if err := os.Rename(f.place.Path, f.path); err != nil {
			return nil, f.failed(err)
		}
	}
	return paths, nil
}

func (o Options) tables(ctx context.Context, runs []*record.Run) ([]table, error) {
	names := o.Tables
	if len(names) == 0 {
		names = Tables
	}
	var out []table
	for _, name := range names {
		switch name {
		case "evals":
			out = append(out, evalsTable(runs))
			if !o.Wide {
				continue
			}
			t, err := wideTable(ctx, runs)
			if err != nil {
				return nil, err
			}
			out = append(out, t)
		case "trains":
			out = append(out, trainsTable(runs))
		case "cells":
			t, err := cellsTable(ctx, runs)
			if err != nil {
				return nil, err
			}
			out = append(out, t)
		case "summary":
			out = append(out, summaryTable(runs))
		default:
			return nil, fmt.Errorf("unknown table %q; tables: %v", name, Tables)
		}
	}
	if o.Wide && !slices.Contains(names, "evals") {
		return nil, errors.New("the wide table goes with evals, which is not asked for")
	}
	return out, nil
}

func fill(ctx context.Context, t *table, files []*pendingFile) error {
	err := t.rows(ctx, func(row []value) error {
		for _, f := range files {
			if err := f.sink.write(row); err != nil {
				return f.failed(err)
			}
		}
		return nil
	})
	for _, f := range files {
		if err == nil {
			err = f.finish()
		}
	}
	return err
}

// A pendingFile is written under a name of its own beside the one it is to have.
type pendingFile struct {
	path  string
	place *scratch.Place
	file  *os.File
	buf   *bufio.Writer
	sink  sink
}

func createPending(path, format string, t *table) (*pendingFile, error) {
	f := &pendingFile{path: path}
	var err error
	if f.place, f.file, err = scratch.File(filepath.Dir(path), scratch.Hidden); err != nil {
		return nil, f.failed(err)
	}
	f.buf = bufio.NewWriterSize(f.file, 1<<16)
	if f.sink, err = formats[format](f.buf, t); err != nil {
		f.discard()
		return nil, f.failed(err)
	}
	return f, nil
}

// failed is an error of writing the file, by the name that it is to have.
func (f *pendingFile) failed(err error) error {
	var pathErr *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &pathErr):
		err = pathErr.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return &fs.PathError{Op: "write", Path: f.path, Err: err}
}

func (f *pendingFile) finish() error {
	if err := cmp.Or(f.sink.close(), f.buf.Flush(), f.file.Sync(), f.file.Close()); err != nil {
		return f.failed(err)
	}
	return nil
}

// discard leaves nothing behind of a file that did not get its name.
func (f *pendingFile) discard() {
	f.file.Close() // closed already, or of no use any more
	_ = f.place.Remove()
}

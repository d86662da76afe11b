package imported

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"modebench/internal/input"
)

// MaxLine is the most bytes that a line of a log may have.
const MaxLine = 16 << 20

// A File is a log that was read.
type File struct {
	Name   string `json:"name"` // without its folder
	SHA256 string `json:"sha256"`
	Lines  int    `json:"completions"`
	Form   Form   `json:"form"`

	path, label string // label: of lines without one
}

type logs struct {
	form   Form
	fields Fields // in place of those of the form
	as     string // the label of lines without one; "": by their file
	files  []*File
}

// read hands the lines of a log to take, in order, with their numbers from 1. Blank lines
// are passed over. Errors name file and line.
func (r *logs) read(ctx context.Context, path string, take func(*File, int, *Line) error) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, untilDone{ctx, in}); err != nil {
		return err
	}
	file := &File{Name: filepath.Base(path), SHA256: hex.EncodeToString(sum.Sum(nil)), Form: r.form, path: path}
	for _, other := range r.files {
		if other.SHA256 == file.SHA256 {
			return input.Errorf("%s has the same bytes as %s: its answers would count twice", path, other.path)
		}
	}
	r.files = append(r.files, file)
	each := eachLine
	if strings.EqualFold(filepath.Ext(path), ".parquet") {
		each = func(f *os.File, take func(int, []byte) error) error { return eachRow(ctx, f, r.wants, take) }
	}
	err = each(in, func(n int, line []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(bytes.TrimSpace(line)) == 0 {
			return nil
		}
		l, err := r.parse(file, line)
		if err == nil {
			file.Lines++
			err = take(file, n, l)
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", path, n, err)
		}
		return nil
	})
	if err == nil && file.Lines == 0 {
		err = fmt.Errorf("%s holds no completions", path)
	}
	if err == nil || ctx.Err() != nil {
		return err
	}
	return &input.Error{Err: err}
}

type untilDone struct {
	ctx context.Context
	in  io.Reader
}

func (u untilDone) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.in.Read(p)
}

// parse reads a line; the first line of a file decides its form.
func (r *logs) parse(file *File, line []byte) (*Line, error) {
	doc, err := parseDocument(line)
	if err != nil {
		return nil, err
	}
	if file.Lines == 0 {
		if file.Form == Auto || file.Form == "" {
			file.Form = formOf(doc)
		}
		file.label = r.labelOf(file)
	}
	l, err := doc.read(fieldsOf[file.Form].with(r.fields))
	if err != nil {
		return nil, err
	}
	if l.Label == "" {
		l.Label = file.label
	}
	return l, nil
}

// labelOf is the label of lines without one: the name of the file without its extension.
// TRL and verl write a file for each step, so theirs is the name of the folder, which TRL
// puts a folder "completions" into.
func (r *logs) labelOf(file *File) string {
	if r.as != "" {
		return r.as
	}
	name := strings.TrimSuffix(file.Name, filepath.Ext(file.Name))
	if file.Form == JSON {
		return name
	}
	path, err := filepath.Abs(file.path)
	if err != nil {
		return name
	}
	folder := filepath.Dir(path)
	if file.Form == TRL && filepath.Base(folder) == "completions" {
		folder = filepath.Dir(folder)
	}
	if base := filepath.Base(folder); base != string(filepath.Separator) {
		return base
	}
	return name
}

func eachLine(f *os.File, take func(int, []byte) error) error {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	lines := bufio.NewScanner(f)
	lines.Buffer(make([]byte, 0, 1<<16), MaxLine)
	n := 0
	for lines.Scan() {
		n++
		line := lines.Bytes()
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if err := take(n, line); err != nil {
			return err
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("%s:%d: a line of more than %d bytes", f.Name(), n+1, MaxLine)
	}
	return lines.Err()
}

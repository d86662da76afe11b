package imported

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"

	"modebench/internal/input"
	"modebench/internal/plural"
)

// read takes the records of a log, in order. Blank lines are passed over. Errors name the file
// and the line, the row or the record, from 1 on.
func (m *importer) read(ctx context.Context, path string) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	sum := sha256.New()
	size, err := io.Copy(sum, untilDone{ctx, in})
	if err == nil {
		_, err = in.Seek(0, io.SeekStart)
	}
	if err != nil {
		return err
	}
	file := &File{Name: filepath.Base(path), SHA256: hex.EncodeToString(sum.Sum(nil)), Form: m.opt.Form, path: path}
	for _, other := range m.files {
		if other.SHA256 == file.SHA256 {
			return input.Errorf("%s has the same bytes as %s: its answers would count twice", path, other.path)
		}
	}
	m.files = append(m.files, file)
	all, first := 0, error(nil)
	each := func(place string, record []byte, err error) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err == nil && len(bytes.TrimSpace(record)) == 0 {
			return nil
		}
		all++
		var l *Line
		if err == nil {
			l, err = m.parse(file, record)
		}
		if err == nil && len(l.Texts) > 0 {
			err = m.take(file, l)
		}
		if err == nil {
			return nil
		}
		if err = fmt.Errorf("%s: %w", place, err); !m.opt.SkipBad {
			return err
		}
		first = cmp.Or(first, err)
		if file.Skipped++; file.Skipped <= 3 { // the others are alike, most often
			m.opt.Notes("skipped: " + err.Error())
		}
		return nil
	}
	if strings.EqualFold(filepath.Ext(path), ".parquet") {
		err = eachRow(ctx, in, m.wants, func(n int, row []byte) error { return each(fmt.Sprintf("%s:%d", path, n), row, nil) })
	} else {
		err = eachRecord(ctx, path, in, size, each)
	}
	if err == nil && file.Lines == 0 {
		err = fmt.Errorf("%s holds no completions", path)
		if first != nil {
			err = fmt.Errorf("%w: all of its records are bad; the first: %w", err, first)
		}
	}
	if err == nil && first != nil {
		m.opt.Notes(fmt.Sprintf("skipped: %d of %s in %s", file.Skipped, plural.Count(all, "record"), path))
	}
	if err == nil || ctx.Err() != nil {
		return err
	}
	return &input.Error{Err: err}
}

func (m *importer) wants(column string) bool {
	for _, form := range formed {
		for _, names := range form.fields.with(m.opt.Fields) {
			if slices.ContainsFunc(names, func(name string) bool { return name == column || strings.HasPrefix(name, column+".") }) {
				return true
			}
		}
	}
	return false
}

// untilDone reads until the context ends.
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

// parse reads a record. The first record of a file that can be read determines its form.
func (m *importer) parse(file *File, record []byte) (*Line, error) {
	doc, err := parseDocument(record)
	if err != nil {
		return nil, err
	}
	if file.Lines == 0 {
		if file.Form = m.opt.Form; file.Form == Auto || file.Form == "" {
			if file.Form, err = formOf(doc); err != nil {
				return nil, err
			}
		}
		file.label, file.filter = m.labelOf(file), string(doc["filter"])
	}
	// lm-eval repeats the completions of a document for each of its filters.
	if file.Form == LMEval && string(doc["filter"]) != file.filter {
		return &Line{}, nil
	}
	l, err := doc.read(file.Form, formed[file.Form].fields.with(m.opt.Fields))
	if err == nil && l.Label == "" {
		l.Label = file.label
	}
	return l, err
}

// labelOf is the label of lines without one: the name of the file without its extensions. TRL and
// verl write a file for each step, and lm-eval one for each task, so theirs is the name of the folder,
// which TRL puts a folder "completions" into.
func (m *importer) labelOf(file *File) string {
	if m.opt.As != "" {
		return m.opt.As
	}
	name := Stem(file.Name)
	folder, err := filepath.Abs(filepath.Dir(file.path))
	if err == nil && formed[file.Form].folder {
		if file.Form == TRL && filepath.Base(folder) == "completions" {
			folder = filepath.Dir(folder)
		}
		if base := filepath.Base(folder); base != string(filepath.Separator) {
			name = base
		}
	}
	return name
}

// Stem is the name of a file without its folder and its extension, and without .gz behind it.
func Stem(path string) string {
	base := strings.TrimSuffix(filepath.Base(path), ".gz")
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// eachRecord hands on the lines of a file, or the records of its list of JSON, with their places, or
// the reason why a record is missing. Either may be in gzip.
func eachRecord(ctx context.Context, path string, file io.Reader, size int64, take func(place string, record []byte, err error) error) error {
	in := bufio.NewReaderSize(untilDone{ctx, file}, 1<<16)
	if head, _ := in.Peek(2); string(head) == "\x1f\x8b" {
		unzip, err := gzip.NewReader(in)
		if err != nil {
			return fmt.Errorf("%s: gzip: %w", path, err)
		}
		in = bufio.NewReaderSize(&unzipped{in: unzip, left: minTotal + maxGrowth*size}, 1<<16)
	}
	if head, _ := in.Peek(3); string(head) == "\ufeff" {
		_, _ = in.Discard(3)
	}
	var list *lister
	split, place := bufio.ScanLines, path+":%d"
	head, _ := in.Peek(in.Size())
	if text := bytes.TrimLeft(head, " \t\r\n"); len(text) > 0 && text[0] == '[' {
		_, _ = in.Discard(len(head) - len(text) + 1)
		list = &lister{}
		split, place = list.split, path+", record %d"
	}
	records := bufio.NewScanner(in)
	records.Buffer(make([]byte, 0, 1<<16), MaxLine)
	records.Split(split)
	n := 1
	for ; records.Scan() && records.Err() == nil; n++ { // a failed read gives the beginning of a record too
		if err := take(fmt.Sprintf(place, n), records.Bytes(), nil); err != nil {
			return err
		}
	}
	err := records.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		err = fmt.Errorf("it has more than %d bytes", MaxLine)
	}
	if err != nil {
		return fmt.Errorf(place+": %w", n, err)
	}
	if list != nil && !list.ended {
		return take(fmt.Sprintf(place, n), nil, errors.New("the list has no end: the file is cut off"))
	}
	return nil
}

// unzipped is the content of gzip, up to a limit: a few bytes can represent any number of lines.
type unzipped struct {
	in   io.Reader
	left int64
}

func (u *unzipped) Read(p []byte) (int, error) {
	n, err := u.in.Read(p)
	if u.left -= int64(n); u.left < 0 {
		return 0, fmt.Errorf("its gzip holds more than %d bytes and %d times as many as the file: unpack it first", minTotal, maxGrowth)
	}
	if err != nil && err != io.EOF {
		err = fmt.Errorf("its gzip is damaged or cut off: %w", err)
	}
	return n, err
}

// A lister splits a list of JSON, behind its bracket, into records, each without breaks of lines, so
// that an error about it is one line.
type lister struct {
	looked, depth        int // in the record: bytes that were seen, and brackets that are open
	text, escaped, ended bool
}

// split is a bufio.SplitFunc.
func (l *lister) split(data []byte, atEOF bool) (int, []byte, error) {
	if l.ended {
		if len(bytes.TrimSpace(data)) > 0 {
			return 0, nil, errors.New("something follows the end of the list: want one list")
		}
		return len(data), nil, nil
	}
	for ; l.looked < len(data); l.looked++ {
		c := data[l.looked]
		switch {
		case l.escaped:
			l.escaped = false
		case l.text:
			l.text, l.escaped = c != '"', c == '\\'
		case c == '"':
			l.text = true
		case c == '\n' || c == '\r':
			data[l.looked] = ' '
		case c == '[' || c == '{':
			l.depth++
		case l.depth > 0 && (c == ']' || c == '}'):
			l.depth--
		case l.depth == 0 && (c == ',' || c == ']'):
			n := l.looked
			l.looked, l.ended = 0, c == ']'
			return n + 1, data[:n], nil
		}
	}
	if atEOF { // cut off
		return len(data), nil, nil
	}
	return 0, nil, nil
}

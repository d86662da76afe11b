package imported

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// eachRow hands on the rows of a Parquet file, as lines of JSON, with null for the columns that are
// not wanted, of which no page is read.
func eachRow(ctx context.Context, f *os.File, wanted func(column string) bool, take func(int, []byte) error) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	t := table{name: f.Name(), in: f, size: info.Size(), take: take, open: maxOpen, left: minTotal + maxGrowth*info.Size()}
	return t.read(ctx, wanted)
}

type table struct {
	name    string
	in      io.ReaderAt
	size    int64
	open    int64 // bytes that its open pages may take
	file    *parquet.File
	fields  []*field
	ignored []string // columns that are not read
	rows    int      // so far
	left    int64    // bytes of all rows to come
	take    func(int, []byte) error
	taking  bool
}

// read reads the file. The library panics on some that are damaged.
func (t *table) read(ctx context.Context, wanted func(column string) bool) (err error) {
	defer func() {
		if wrong := recover(); wrong != nil {
			if t.taking {
				panic(wrong)
			}
			err = fmt.Errorf("%s is no whole Parquet file: %.200v", t.name, wrong)
		}
	}()
	if t.file, err = openTable(t.in, t.size); err != nil {
		return fmt.Errorf("%s is no whole Parquet file: %w", t.name, err)
	}
	t.choose(wanted)
	for i := range t.file.RowGroups() {
		if err := t.check(ctx, i); err != nil {
			return err
		}
		if err := t.group(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

// A field is a column at the top of the file, with those that it is made of.
type field struct {
	name   string
	schema *parquet.Schema // of it alone
	leaves []*leaf
	row    parquet.Row // reused
}

func (t *table) choose(wanted func(string) bool) {
	for _, c := range t.file.Root().Columns() {
		// A column of no type has no value: pyarrow writes it if every value is None.
		if !wanted(c.Name()) || c.Leaf() && c.Type().Kind() < 0 {
			t.ignored = append(t.ignored, c.Name())
			continue
		}
		chosen := &field{name: c.Name(), schema: parquet.NewSchema("row", parquet.Group{c.Name(): c})}
		for i, path := range chosen.schema.Columns() {
			if found, ok := t.file.Schema().Lookup(path...); ok {
				chosen.leaves = append(chosen.leaves, &leaf{of: found, column: i, values: make([]parquet.Value, 256)})
			}
		}
		t.fields = append(t.fields, chosen)
	}
}

// check looks at the pages of a row group.
func (t *table) check(ctx context.Context, group int) error {
	meta := t.file.Metadata()
	rows := meta.RowGroups[group].NumRows
	room := t.open
	c := chunkCheck{file: t.in}
	for _, field := range t.fields {
		for _, leaf := range field.leaves {
			chunk := &meta.RowGroups[group].Columns[leaf.of.ColumnIndex].MetaData
			c.leaf, c.chunk, c.room, c.taken, c.width = leaf.of, chunk, room, 0, 0
			if kind := leaf.of.Node.Type(); kind.Kind() == parquet.FixedLenByteArray {
				c.width = int64(kind.Length())
			}
			var err error
			switch {
			case chunk.Codec != meta.RowGroups[0].Columns[leaf.of.ColumnIndex].MetaData.Codec:
				err = errors.New("its row groups are compressed in several ways, and the first one counts for all: write it in one way")
			case chunk.Type != format.Type(leaf.of.Node.Type().Kind()):
				err = errDamaged
			case rows < 0 || chunk.NumValues/maxRowValues > rows:
				err = rowErrorf("values", maxRowValues)
			default:
				err = c.look(ctx, t.size)
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				return fmt.Errorf("%s, column %q: %w", t.name, field.name, err)
			}
			room -= c.taken
		}
	}
	return nil
}

func rowErrorf(unit string, limit int) error {
	return fmt.Errorf("a row has more than %d %s in the columns that are read: leave out what is no completion", limit, unit)
}

// group hands on the rows of a row group.
func (t *table) group(ctx context.Context, number int) error {
	group := t.file.RowGroups()[number]
	chunks := group.ColumnChunks()
	for _, field := range t.fields {
		for _, leaf := range field.leaves {
			leaf.open(chunks[leaf.of.ColumnIndex])
			defer leaf.close()
		}
	}
	for range group.NumRows() {
		if err := ctx.Err(); err != nil {
			return err
		}
		t.rows++
		line, err := t.row(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("%s, row %d: %w", t.name, t.rows, err)
		}
		if t.left -= int64(len(line)) + rowBytes; t.left < 0 {
			return fmt.Errorf("%s, row %d: the rows up to here have more than %d bytes and %d times as many as the file: write it as several files, or as JSON Lines", t.name, t.rows, minTotal, maxGrowth)
		}
		t.taking = true
		err = t.take(t.rows, line)
		if t.taking = false; err != nil {
			return err
		}
	}
	return nil
}

func (t *table) row(ctx context.Context) ([]byte, error) {
	row := map[string]any{}
	for _, name := range t.ignored {
		row[name] = nil
	}
	room := room{values: maxRowValues, bytes: MaxLine}
	for _, field := range t.fields {
		field.row = field.row[:0]
		for _, leaf := range field.leaves {
			var err error
			if field.row, err = leaf.next(ctx, field.row, &room); err != nil {
				return nil, fmt.Errorf("column %q: %w", field.name, err)
			}
		}
		if len(field.row) == 0 {
			row[field.name] = nil
			continue
		}
		alone := map[string]any{}
		if err := field.schema.Reconstruct(&alone, field.row); err != nil {
			return nil, fmt.Errorf("column %q: %w", field.name, err)
		}
		row[field.name] = alone[field.name]
	}
	return json.Marshal(finite(row))
}

// room is how much of a row is still to come, at most.
type room struct{ values, bytes int }

// A leaf reads the values of a column, in the row group that is open.
type leaf struct {
	of      parquet.LeafColumn
	column  int // in the schema of the field
	pages   parquet.Pages
	page    parquet.Page
	reader  parquet.ValueReader
	values  []parquet.Value
	read, n int // of values: those that are read
}

func (l *leaf) open(chunk parquet.ColumnChunk) {
	l.pages, l.page, l.read, l.n = chunk.Pages(), nil, 0, 0
}

func (l *leaf) close() {
	if l.page != nil {
		parquet.Release(l.page)
		l.page = nil
	}
	_ = l.pages.Close()
}

// fill reads more values.
func (l *leaf) fill() (err error) {
	for {
		if l.page != nil {
			l.read = 0
			if l.n, err = l.reader.ReadValues(l.values); l.n > 0 {
				return nil
			}
			if err == nil {
				return io.ErrNoProgress
			}
			if err != io.EOF {
				return err
			}
			parquet.Release(l.page)
			l.page = nil
		}
		if l.page, err = l.pages.ReadPage(); err != nil {
			l.page = nil
			return err
		}
		l.reader = l.page.Values()
	}
}

// next appends the values of the next row.
func (l *leaf) next(ctx context.Context, row parquet.Row, left *room) (parquet.Row, error) {
	for first := true; ; first = false {
		if l.read == l.n {
			if err := ctx.Err(); err != nil {
				return row, err
			}
			if err := l.fill(); err == io.EOF && !first {
				return row, nil
			} else if err == io.EOF {
				return row, io.ErrUnexpectedEOF
			} else if err != nil {
				return row, err
			}
		}
		v := l.values[l.read]
		if begins := v.RepetitionLevel() == 0; begins != first {
			if first {
				return row, errDamaged
			}
			return row, nil
		}
		if left.values--; left.values < 0 {
			return row, rowErrorf("values", maxRowValues)
		}
		if kind := v.Kind(); !v.IsNull() && (kind == parquet.ByteArray || kind == parquet.FixedLenByteArray) {
			if left.bytes -= len(v.ByteArray()); left.bytes < 0 {
				return row, rowErrorf("bytes of text", MaxLine)
			}
		}
		row = append(row, v.Clone().Level(v.RepetitionLevel(), v.DefinitionLevel(), l.column))
		l.read++
	}
}

// finite is a value with nil for every number in it that JSON does not have.
func finite(value any) any {
	switch x := value.(type) {
	case float32:
		if finite(float64(x)) == nil {
			return nil
		}
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil
		}
	case map[string]any:
		for name, inner := range x {
			x[name] = finite(inner)
		}
	case []any:
		for i, inner := range x {
			x[i] = finite(inner)
		}
	}
	return value
}

func (r *logs) wants(column string) bool {
	for _, fields := range fieldsOf {
		for _, names := range fields.with(r.fields) {
			if slices.Contains(names, column) {
				return true
			}
		}
	}
	return false
}

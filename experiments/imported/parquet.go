package imported

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

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
	schema  *parquet.Schema // of the columns that are read
	leaves  []*leaf
	values  parquet.Row // of a row; reused
	ignored []string    // columns that are not read
	rows    int         // so far
	left    int64       // bytes of all rows to come
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

func (t *table) choose(wanted func(string) bool) {
	columns := parquet.Group{}
	for _, c := range t.file.Root().Columns() {
		// A column of no type has no value: pyarrow writes it if every value is None.
		if wanted(c.Name()) && (!c.Leaf() || c.Type().Kind() >= 0) {
			columns[c.Name()] = c
		} else {
			t.ignored = append(t.ignored, c.Name())
		}
	}
	t.schema = parquet.NewSchema("row", columns)
	for i, path := range t.schema.Columns() {
		if found, ok := t.file.Schema().Lookup(path...); ok {
			t.leaves = append(t.leaves, &leaf{of: found, column: i, values: make([]parquet.Value, 256)})
		}
	}
}

// check looks at the pages of a row group.
func (t *table) check(ctx context.Context, group int) error {
	meta := t.file.Metadata()
	rows := meta.RowGroups[group].NumRows
	room := t.open
	c := chunkCheck{file: t.in}
	for _, leaf := range t.leaves {
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
			return fmt.Errorf("%s, column %q: %w", t.name, leaf.of.Path[0], err)
		}
		room -= c.taken
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
	for _, leaf := range t.leaves {
		leaf.in, leaf.left = parquet.NewColumnChunkValueReader(chunks[leaf.of.ColumnIndex]), nil
		defer leaf.in.Close()
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
	room := room{values: maxRowValues, bytes: MaxLine}
	t.values = t.values[:0]
	for _, leaf := range t.leaves {
		var err error
		if t.values, err = leaf.next(ctx, t.values, &room); err != nil {
			return nil, fmt.Errorf("column %q: %w", leaf.of.Path[0], err)
		}
	}
	row := map[string]any{}
	if len(t.leaves) > 0 {
		if err := t.schema.Reconstruct(&row, t.values); err != nil {
			return nil, err
		}
	}
	for _, name := range t.ignored {
		row[name] = nil
	}
	return json.Marshal(finite(row))
}

// room is how much of a row is still to come, at most.
type room struct{ values, bytes int }

// A leaf reads the values of a column, in the row group that is open.
type leaf struct {
	of     parquet.LeafColumn
	column int // in the schema of the table
	in     parquet.ColumnChunkValueReader
	values []parquet.Value // that were read
	left   []parquet.Value // those of them that are to come
}

// next appends the values of the next row.
func (l *leaf) next(ctx context.Context, row parquet.Row, left *room) (parquet.Row, error) {
	for first := true; ; first = false {
		if len(l.left) == 0 {
			if err := ctx.Err(); err != nil {
				return row, err
			}
			n, err := l.in.ReadValues(l.values)
			switch {
			case n == 0 && err == io.EOF && !first:
				return row, nil
			case n == 0 && err == io.EOF:
				return row, io.ErrUnexpectedEOF
			case n == 0:
				return row, err
			}
			l.left = l.values[:n]
		}
		v := l.left[0]
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
		l.left = l.left[1:]
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

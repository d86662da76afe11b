package export

import (
	"encoding/csv"
	"io"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"

	"modebench/experiments/record"
)

type sink interface {
	write(row []value) error
	close() error // writes what is left; not the file
}

var formats = map[string]func(w io.Writer, t *table) (sink, error){
	"csv":     newCSV,
	"parquet": newParquet,
}

// csvSink writes CSV as RFC 4180 has it, with \n at the ends of lines.
type csvSink struct {
	w      *csv.Writer
	fields []string
}

func newCSV(w io.Writer, t *table) (sink, error) {
	s := &csvSink{csv.NewWriter(w), make([]string, len(t.columns))}
	for i, c := range t.columns {
		s.fields[i] = cellText(c.name)
	}
	return s, s.w.Write(s.fields)
}

func (s *csvSink) write(row []value) error {
	for i, v := range row {
		switch x := v.(type) {
		case nil:
			s.fields[i] = ""
		case int:
			s.fields[i] = strconv.Itoa(x)
		case float64:
			s.fields[i] = formatNumber(x)
		case bool:
			s.fields[i] = strconv.FormatBool(x)
		case string:
			s.fields[i] = cellText(x)
		}
	}
	return s.w.Write(s.fields)
}

// cellText is a text as a spreadsheet shows it, which would take some for formulas: an
// apostrophe makes it a text. A number stays one.
func cellText(text string) string {
	first, _ := utf8.DecodeRuneInString(text)
	if _, isNumber := parseNumber(text); text == "" || isNumber || !strings.ContainsRune("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20", first) {
		return text
	}
	return "'" + text
}

func (s *csvSink) close() error {
	s.w.Flush()
	return s.w.Error()
}

// groupValues is how many values a row group of a Parquet file holds, which all are in
// memory until it is written.
const groupValues = 1 << 20

const batchRows = 256

// parquetSink writes Parquet without compression: texts are stored once in a dictionary, and the
// output of a compressor may differ from one kind of processor to another.
type parquetSink struct {
	w       *parquet.GenericWriter[any]
	columns []column
	batch   []parquet.Row
}

func newParquet(w io.Writer, t *table) (sink, error) {
	config, err := parquet.NewWriterConfig(
		parquet.NewSchema(t.name, newSchemaRoot(t.columns)),
		// In place of the default, which names the library's version.
		parquet.CreatedBy("modebench", strconv.Itoa(record.Version), "export"),
		parquet.MaxRowsPerRowGroup(int64(max(1, groupValues/len(t.columns)))),
		parquet.Compression(&parquet.Uncompressed),
	)
	if err != nil {
		return nil, err
	}
	return &parquetSink{w: parquet.NewGenericWriter[any](w, config), columns: t.columns}, nil
}

func (s *parquetSink) write(row []value) error {
	if len(s.batch) < cap(s.batch) {
		s.batch = s.batch[:len(s.batch)+1]
	} else {
		s.batch = append(s.batch, nil)
	}
	to := &s.batch[len(s.batch)-1]
	*to = (*to)[:0]
	for i, v := range row {
		present := 1 // a required column has no level for presence
		if s.columns[i].required {
			present = 0
		}
		if v == nil {
			present = 0
		}
		*to = append(*to, parquetValue(v).Level(0, present, i))
	}
	if len(s.batch) == batchRows {
		return s.flush()
	}
	return nil
}

func parquetValue(v value) parquet.Value {
	switch x := v.(type) {
	case int:
		return parquet.Int64Value(int64(x))
	case float64:
		return parquet.DoubleValue(x)
	case bool:
		return parquet.BooleanValue(x)
	case string:
		return parquet.ByteArrayValue([]byte(x))
	}
	return parquet.NullValue()
}

func (s *parquetSink) flush() error {
	_, err := s.w.WriteRows(s.batch)
	s.batch = s.batch[:0]
	return err
}

func (s *parquetSink) close() error {
	if err := s.flush(); err != nil {
		return err
	}
	return s.w.Close()
}

// A schemaRoot is the group of the columns in their own order; that of the library's
// groups is alphabetical.
type schemaRoot struct {
	parquet.Group // for the methods of a group
	fields        []parquet.Field
}

func newSchemaRoot(columns []column) *schemaRoot {
	root := new(schemaRoot)
	for _, c := range columns {
		node := schemaNode(c.kind)
		if !c.required {
			node = parquet.Optional(node)
		}
		root.fields = append(root.fields, schemaField{node, c.name})
	}
	return root
}

func schemaNode(k kind) parquet.Node {
	switch k {
	case integer:
		return parquet.Encoded(parquet.Int(64), &parquet.RLEDictionary)
	case number:
		return parquet.Leaf(parquet.DoubleType)
	case truth:
		return parquet.Leaf(parquet.BooleanType)
	}
	return parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
}

func (r *schemaRoot) Fields() []parquet.Field { return r.fields }

// GoType is any type: rows are written as lists of values.
func (r *schemaRoot) GoType() reflect.Type { return reflect.TypeFor[map[string]any]() }

type schemaField struct {
	parquet.Node
	name string
}

func (f schemaField) Name() string { return f.name }

// Value is of no use: rows are written as lists of values.
func (f schemaField) Value(reflect.Value) reflect.Value { return reflect.Value{} }

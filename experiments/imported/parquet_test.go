package imported

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	packing "github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// rowsOf reads all rows of a file, under limits of the test's own.
func rowsOf(ctx context.Context, data []byte, open, left int64) (lines []string, err error) {
	t := table{name: "a.parquet", in: bytes.NewReader(data), size: int64(len(data)), open: open, left: left, take: func(_ int, line []byte) error {
		lines = append(lines, string(line))
		return nil
	}}
	err = t.read(ctx, func(string) bool { return true })
	return lines, err
}

// librarysRows reads all rows as the library does.
func librarysRows(t *testing.T, data []byte) (lines []string) {
	t.Helper()
	file, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	rows := parquet.NewReader(file)
	defer rows.Close()
	for {
		row := map[string]any{}
		if err := rows.Read(&row); errors.Is(err, io.EOF) {
			return lines
		} else if err != nil {
			t.Fatal(err)
		}
		line, err := json.Marshal(finite(row))
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(line))
	}
}

// TestRowsAreTheLibrarys: rows that are put together from counted values are those that the library
// makes of a whole file, however it is compressed, paged and encoded.
func TestRowsAreTheLibrarys(t *testing.T) {
	type part struct {
		Kind string  `parquet:"type"`
		Text *string `parquet:"text,optional"`
	}
	type turn struct {
		Role    string  `parquet:"role,dict"`
		Content []part  `parquet:"content,list"`
		Weights []int32 `parquet:"weights"`
	}
	type row struct {
		ID         string             `parquet:"id,dict"`
		Completion string             `parquet:"completion,delta"`
		Step       int64              `parquet:"step,delta"`
		Done       bool               `parquet:"done"`
		Score      *float64           `parquet:"score,optional"`
		Split      float32            `parquet:"split,split"`
		Hash       [5]byte            `parquet:"hash"`
		Messages   []turn             `parquet:"messages,list"`
		Parts      map[string]float64 `parquet:"parts"`
		Tokens     []int32            `parquet:"tokens,list"`
	}
	var rows []row
	for i := range 200 {
		text, score := strings.Repeat(fmt.Sprintf("<%d> ", i*i), i%40), float64(i)/3
		r := row{
			ID: fmt.Sprintf("bandit/train/%d", i%7), Completion: text, Step: int64(i) * 1e9, Done: i%3 == 0, Split: float32(i),
			Hash: [5]byte{byte(i), 1}, Parts: map[string]float64{},
		}
		for k := range i % 4 {
			r.Messages = append(r.Messages, turn{Role: "user", Weights: make([]int32, k), Content: []part{{Kind: "text", Text: &text}, {Kind: "image"}}[:k%3]})
			r.Parts[fmt.Sprint(k)] = math.Inf(k - 1)
			r.Tokens = append(r.Tokens, make([]int32, 3*i)...)
		}
		if i%5 > 0 {
			r.Score = &score
		}
		rows = append(rows, r)
	}
	for _, codec := range []compress.Codec{&parquet.Uncompressed, &parquet.Snappy, &parquet.Gzip, &parquet.Brotli, &parquet.Zstd, &parquet.Lz4Raw} {
		for version := 1; version <= 2; version++ {
			var file bytes.Buffer
			w := parquet.NewGenericWriter[row](&file, parquet.Compression(codec), parquet.DataPageVersion(version), parquet.PageBufferSize(4096), parquet.MaxRowsPerRowGroup(80))
			if _, err := w.Write(rows); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			got, err := rowsOf(t.Context(), file.Bytes(), maxOpen, minTotal)
			if err != nil {
				t.Errorf("%v, version %d: %v", codec, version, err)
			} else if d := cmp.Diff(librarysRows(t, file.Bytes()), got); d != "" || len(got) != len(rows) {
				t.Errorf("%v, version %d: %d rows, -library +ours:\n%.2000s", codec, version, len(got), d)
			}
		}
	}
}

// A planted file is written by the test byte by byte: one column in one row group.
type planted struct {
	column format.SchemaElement
	codec  format.CompressionCodec
	values int64 // as the row group claims
	rows   int64
	pages  []plantedPage
	footer []byte // in place of that of the column
}

type plantedPage struct {
	head format.PageHeader
	body []byte
}

func (p *planted) bytes(t testing.TB) []byte {
	t.Helper()
	protocol := new(thrift.CompactProtocol)
	marshal := func(v any) []byte {
		data, err := thrift.Marshal(protocol, v)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	file := []byte("PAR1")
	for _, page := range p.pages {
		page.head.CompressedPageSize = int32(len(page.body))
		file = append(append(file, marshal(&page.head)...), page.body...)
	}
	footer := p.footer
	if footer == nil {
		root := format.SchemaElement{Name: "row", NumChildren: thrift.Null[int32]{V: 1, Valid: true}}
		footer = marshal(&format.FileMetaData{
			Version: 1, NumRows: p.rows, Schema: []format.SchemaElement{root, p.column},
			RowGroups: []format.RowGroup{{NumRows: p.rows, Columns: []format.ColumnChunk{{MetaData: format.ColumnMetaData{
				Type: p.column.Type.V, Encoding: []format.Encoding{format.Plain}, PathInSchema: []string{p.column.Name}, Codec: p.codec,
				NumValues: p.values, TotalCompressedSize: int64(len(file) - 4), DataPageOffset: 4,
			}}}}},
		})
	}
	file = append(file, footer...)
	file = binary.LittleEndian.AppendUint32(file, uint32(len(footer)))
	return append(file, "PAR1"...)
}

// columnOf is a column named completion.
func columnOf(kind format.Type, repetition format.FieldRepetitionType) format.SchemaElement {
	return format.SchemaElement{
		Name: "completion", Type: thrift.Null[format.Type]{V: kind, Valid: true},
		RepetitionType: thrift.Null[format.FieldRepetitionType]{V: repetition, Valid: true},
	}
}

// dataPage is a page that states how many values and bytes it has.
func dataPage(values, size int, encoding format.Encoding, body []byte) plantedPage {
	return plantedPage{head: format.PageHeader{Type: format.DataPage, UncompressedPageSize: int32(size), DataPageHeader: thrift.New(format.DataPageHeader{
		NumValues: int32(values), Encoding: encoding, DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE,
	})}, body: body}
}

func dictionaryPage(values int, body []byte) plantedPage {
	return plantedPage{head: format.PageHeader{Type: format.DictionaryPage, UncompressedPageSize: int32(len(body)), DictionaryPageHeader: thrift.New(format.DictionaryPageHeader{
		NumValues: int32(values), Encoding: format.Plain,
	})}, body: body}
}

// run is a run of equal values of at most eight bits.
func run(n int, value byte) []byte { return append(binary.AppendUvarint(nil, uint64(n)<<1), value) }

// sized is data behind its length.
func sized(data ...[]byte) []byte {
	all := bytes.Join(data, nil)
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(all))), all...)
}

// listOfZeros is a file with one row, a list of n zeros.
func listOfZeros(t testing.TB, n int) []byte {
	body := bytes.Join([][]byte{sized(run(1, 0), run(n-1, 1)), sized(run(n, 1)), {1}, run(n, 0)}, nil)
	p := planted{column: columnOf(format.Int64, format.Repeated), values: int64(n), rows: 1, pages: []plantedPage{
		dictionaryPage(1, make([]byte, 8)), dataPage(n, len(body), format.RLEDictionary, body),
	}}
	return p.bytes(t)
}

// oneText is a file with one row, a text, under a compression.
func oneText(t testing.TB, codec format.CompressionCodec, says int, body []byte) []byte {
	p := planted{column: columnOf(format.ByteArray, format.Required), codec: codec, values: 1, rows: 1, pages: []plantedPage{dataPage(1, says, format.Plain, body)}}
	return p.bytes(t)
}

// squeezed is data of n zero bytes behind their number, compressed.
func squeezed(t testing.TB, n int, into func(io.Writer) io.WriteCloser) []byte {
	t.Helper()
	var out bytes.Buffer
	w := into(&out)
	head := binary.LittleEndian.AppendUint32(nil, uint32(n))
	for _, part := range append([][]byte{head}, slicesOf(n)...) {
		if _, err := w.Write(part); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func slicesOf(n int) (parts [][]byte) {
	zeros := make([]byte, 1<<20)
	for ; n > 0; n -= len(zeros) {
		parts = append(parts, zeros[:min(n, len(zeros))])
	}
	return parts
}

func gzipped(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }

func zstandard(w io.Writer) io.WriteCloser {
	z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err)
	}
	return z
}

// damagedLZ4 is a file of 2 kB whose page of LZ4 refers to missing bytes. The library doubles its
// memory for such a page without end.
func damagedLZ4(t testing.TB) []byte {
	return oneText(t, format.Lz4Raw, 4000, bytes.Repeat([]byte{0x0f, 0xff, 0xff, 0x00}, 450))
}

// hostile are small files that represent a lot, and their errors.
func hostile(t testing.TB) map[string]struct {
	data []byte
	want string
} {
	optional := columnOf(format.Int64, format.Optional)
	levels := planted{column: optional, values: 1, rows: 1, pages: []plantedPage{dataPage(1, 100, format.Plain, append(sized(run(1<<30, 1)), make([]byte, 8)...))}}
	indexes := planted{column: columnOf(format.Int64, format.Required), values: 1, rows: 1, pages: []plantedPage{
		dictionaryPage(1, make([]byte, 8)), dataPage(1, 100, format.RLEDictionary, append([]byte{1}, run(1<<30, 0)...)),
	}}
	// No bits for a value, so that no bytes represent any number of them.
	packed := planted{column: columnOf(format.Int64, format.Required), values: 1, rows: 1, pages: []plantedPage{
		dictionaryPage(1, make([]byte, 8)), dataPage(1, 100, format.RLEDictionary, append([]byte{0}, binary.AppendUvarint(nil, 1<<28|1)...)),
	}}
	deltas := planted{column: columnOf(format.Int64, format.Required), values: 1, rows: 1, pages: []plantedPage{
		dataPage(1, 100, format.DeltaBinaryPacked, bytes.Join([][]byte{binary.AppendUvarint(nil, 128), {4}, binary.AppendUvarint(nil, 1<<30), {0}}, nil)),
	}}
	// A thousand texts, of which each repeats the million bytes of the one before.
	repeats, others := make([]int32, 1000), make([]int32, 1000)
	for i := range repeats {
		repeats[i] = 1e6
	}
	repeats[0], others[0] = 0, 1e6
	packer := new(packing.BinaryPackedEncoding)
	head, err := packer.EncodeInt32(nil, repeats)
	if err != nil {
		t.Fatal(err)
	}
	lengths, err := packer.EncodeInt32(nil, others)
	if err != nil {
		t.Fatal(err)
	}
	texts := bytes.Join([][]byte{head, lengths, make([]byte, 1e6)}, nil)
	prefixes := planted{column: columnOf(format.ByteArray, format.Required), values: 1000, rows: 1000, pages: []plantedPage{dataPage(1000, len(texts), format.DeltaByteArray, texts)}}
	texts = append(binary.AppendUvarint(slices.Concat(head, []byte{128, 1, 4}), math.MaxInt32), 0)
	endings := planted{column: columnOf(format.ByteArray, format.Required), values: 1000, rows: 1000, pages: []plantedPage{dataPage(1000, len(texts), format.DeltaByteArray, texts)}}
	wide := columnOf(format.FixedLenByteArray, format.Required)
	wide.TypeLength = thrift.New[int32](1 << 30)
	fixed := planted{column: wide, values: 1, rows: 1, pages: []plantedPage{dictionaryPage(100, make([]byte, 8))}}
	both := dataPage(1, 8, format.RLEDictionary, make([]byte, 8))
	both.head.DictionaryPageHeader = thrift.New(format.DictionaryPageHeader{NumValues: math.MaxInt32, Encoding: format.Plain})
	two := planted{column: columnOf(format.Int64, format.Required), values: 1, rows: 1, pages: []plantedPage{both}}
	large := dataPage(1, 8, format.Plain, make([]byte, 8))
	short := (&planted{column: columnOf(format.Int64, format.Required), values: 1, rows: 1, pages: []plantedPage{large}}).bytes(t)
	// In place of the third field there is a text of 2 GB.
	long := slices.Clone(short)
	at := bytes.Index(long, []byte{0x15, 0x00, 0x15, 0x10, 0x15, 0x10})
	copy(long[at+4:], binary.AppendUvarint([]byte{0x18}, math.MaxInt32))
	deep := bytes.Repeat([]byte{0x1c}, 1<<20)
	// List 2, the schema, claims 2^31-1 structures.
	list := append([]byte{0x15, 0x02, 0x19, 0xfc}, binary.AppendUvarint(nil, math.MaxInt32)...)
	files := map[string]struct {
		data []byte
		want string
	}{
		"a page of LZ4 that is damaged":             {damagedLZ4(t), "a page is damaged, or holds more than the 4000 bytes that its header gives"},
		"a list of 5e7 zeros":                       {listOfZeros(t, 5e7), "a row has more than 1048576 values in the columns that are read"},
		"a list of a few zeros more than may be":    {listOfZeros(t, maxRowValues+1000), "a row has more than 1048576 values in the columns that are read"},
		"a page that says 900 MB":                   {oneText(t, format.Zstd, 900e6, squeezed(t, 1000, zstandard)), "its pages ask for more than 536870912 bytes at a time"},
		"a page of gzip that says less than it has": {oneText(t, format.Gzip, 1000, squeezed(t, 50e6, gzipped)), "a page holds more than the 1000 bytes that its header gives"},
		"a page of zstd that says less than it has": {oneText(t, format.Zstd, 1000, squeezed(t, 50e6, zstandard)), "a page holds more than the 1000 bytes that its header gives"},
		"a text of more than a row may have":        {oneText(t, format.Zstd, MaxLine+5, squeezed(t, MaxLine+1, zstandard)), "a row has more than 16777216 bytes of text in the columns that are read"},
		"levels of more values than the page has":   {levels.bytes(t), "a page of 1 values holds more"},
		"indexes of more values":                    {indexes.bytes(t), "a page of 1 values holds more"},
		"indexes that take no bytes":                {packed.bytes(t), "damaged"},
		"differences of more values":                {deltas.bytes(t), "a page of 1 values holds more"},
		"prefixes of a gigabyte":                    {prefixes.bytes(t), "its pages ask for more than 536870912 bytes"},
		"more texts behind as many prefixes":        {endings.bytes(t), "a page of 1000 values holds more"},
		"a hundred values of a gigabyte":            {fixed.bytes(t), "its pages ask for more than 536870912 bytes"},
		"a page that is a dictionary too":           {two.bytes(t), "it is damaged"},
		"a header of a page with a long text":       {long, "it is damaged"},
		"a footer with a list of 2^31-1":            {(&planted{footer: list}).bytes(t), "more than 1048576 items"},
		"a footer that is a million deep":           {(&planted{footer: deep}).bytes(t), "it is damaged"},
		"a footer of 4 GB":                          {[]byte("PAR1....\xff\xff\xff\xffPAR1"), "it does not end as one does"},
	}
	return files
}

// TestHostileParquet: a small file that asks for much is refused before memory is taken for it.
func TestHostileParquet(t *testing.T) {
	for name, c := range hostile(t) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		lines, err := rowsOf(t.Context(), c.data, maxOpen, minTotal)
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "a.parquet") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s, %d bytes: %v, want one line with %q", name, len(c.data), err, c.want)
		}
		if len(lines) > 0 {
			t.Errorf("%s: %d rows", name, len(lines))
		}
		bound := uint64(16 << 20)
		if strings.Contains(name, "than a row may have") { // twice its own 16 MiB, for two looks at it
			bound = 64 << 20
		}
		if strings.Contains(name, "zeros more than may be") {
			bound = 256 << 20 // a million values
		}
		if made := after.TotalAlloc - before.TotalAlloc; made > bound {
			t.Errorf("%s, %d bytes: %d MB of memory for it", name, len(c.data), made/1e6)
		} else {
			t.Logf("%s, %d bytes: %d kB of memory, %v", name, len(c.data), made/1e3, err)
		}
	}
}

// TestManySmallRows: rows that a file repeats from few bytes are counted together.
func TestManySmallRows(t *testing.T) {
	const rows = 100_000
	text := sized(bytes.Repeat([]byte("a"), 1000))
	p := planted{column: columnOf(format.ByteArray, format.Required), values: rows, rows: rows, pages: []plantedPage{
		dictionaryPage(1, text), dataPage(rows, 100, format.RLEDictionary, append([]byte{1}, run(rows, 0)...)),
	}}
	lines, err := rowsOf(t.Context(), p.bytes(t), maxOpen, 1<<20)
	if err == nil || !strings.Contains(err.Error(), "the rows up to here have more than") || len(lines) < 900 || len(lines) > 1000 {
		t.Errorf("%d rows, %v", len(lines), err)
	}
}

// TestParquetEndsWithItsContext: a file is left between its rows, and within a row.
func TestParquetEndsWithItsContext(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	data := listOfZeros(t, 500_000)
	tab := table{name: "a.parquet", in: bytes.NewReader(data), size: int64(len(data)), open: maxOpen, left: minTotal}
	var err error
	if tab.file, err = openTable(tab.in, tab.size); err != nil {
		t.Fatal(err)
	}
	tab.choose(func(string) bool { return true })
	l := tab.leaves[0]
	l.in = parquet.NewColumnChunkValueReader(tab.file.RowGroups()[0].ColumnChunks()[0])
	defer l.in.Close()
	n, err := l.in.ReadValues(l.values)
	if err != nil {
		t.Fatal(err)
	}
	l.left = l.values[:n]
	stop()
	row, err := l.next(ctx, nil, &room{values: maxRowValues, bytes: MaxLine})
	if err != context.Canceled || len(row) != len(l.values) {
		t.Errorf("%d values of a row, %v, want those that were read", len(row), err)
	}
	if lines, err := rowsOf(ctx, data, maxOpen, minTotal); err != context.Canceled || lines != nil {
		t.Errorf("%d rows, %v", len(lines), err)
	}
}

// FuzzParquet: no file takes more memory than the limits, or ends the program.
func FuzzParquet(f *testing.F) {
	for _, c := range hostile(f) {
		if len(c.data) < 4000 {
			f.Add(c.data)
		}
	}
	f.Add(listOfZeros(f, 1000))
	f.Add(oneText(f, format.Gzip, 104, squeezed(f, 100, gzipped)))
	f.Fuzz(func(t *testing.T, data []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		rows, err := rowsOf(t.Context(), data, 1<<20, 1<<20)
		runtime.ReadMemStats(&after)
		if made := after.TotalAlloc - before.TotalAlloc; made > 256<<20 {
			t.Errorf("%d rows, %v, and %d MB of memory", len(rows), err, made/1e6)
		}
	})
}

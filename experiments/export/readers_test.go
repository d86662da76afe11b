package export

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"modebench/experiments/record"
)

// readParquet reads a file by the library's own reader.
func readParquet(t testing.TB, path string) (header []string, rows [][]any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if by := f.Metadata().CreatedBy; by != fmt.Sprintf("modebench version %d(build export)", record.Version) {
		t.Errorf("%s: created by %q", path, by)
	}
	for _, column := range f.Schema().Columns() {
		header = append(header, column[0])
	}
	for _, group := range f.RowGroups() {
		reader := group.Rows()
		buffer := make([]parquet.Row, 64)
		for {
			n, err := reader.ReadRows(buffer)
			for _, r := range buffer[:n] {
				rows = append(rows, make([]any, len(header)))
				for _, v := range r {
					rows[len(rows)-1][v.Column()] = goValue(v)
				}
			}
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := reader.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return header, rows
}

func goValue(v parquet.Value) any {
	switch {
	case v.IsNull():
		return nil
	case v.Kind() == parquet.Int64:
		return v.Int64()
	case v.Kind() == parquet.Double:
		return v.Double()
	case v.Kind() == parquet.Boolean:
		return v.Boolean()
	}
	return string(v.ByteArray())
}

// hyparquet prints a table that it read: the columns and the rows, each value with its
// type before it, numbers by their bits.
const hyparquet = `
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
const [library, path] = process.argv.slice(2)
const { parquetMetadata, parquetReadObjects } = await import(pathToFileURL(library))
const data = readFileSync(path)
const file = data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength)
const columns = parquetMetadata(file).schema.slice(1).map(e => e.name)
const bits = x => { const v = new DataView(new ArrayBuffer(8)); v.setFloat64(0, x); return v.getBigUint64(0) }
const show = x => x === null || x === undefined ? '' : typeof x === 'bigint' ? 'i' + x : typeof x === 'number' ? 'f' + bits(x) : typeof x === 'boolean' ? 'b' + x : 's' + x
const rows = await parquetReadObjects({ file })
console.log(JSON.stringify({ columns, rows: rows.map(r => columns.map(c => show(r[c]))) }))
`

// TestParquetByHyparquet reads the tables by a reader that shares no code with the
// library: hyparquet, which is JavaScript throughout.
func TestParquetByHyparquet(t *testing.T) {
	root, err := exec.Command("npm", "root", "--global").Output()
	if err != nil {
		t.Skipf("no npm to ask for hyparquet: %v", err)
	}
	library := filepath.Join(strings.TrimSpace(string(root)), "hyparquet", "src", "node.js")
	if _, err := os.Stat(library); err != nil {
		t.Skipf("no hyparquet: npm install --global hyparquet brings it (%v)", err)
	}
	script := filepath.Join(t.TempDir(), "read.mjs")
	if err := os.WriteFile(script, []byte(hyparquet), 0o644); err != nil {
		t.Fatal(err)
	}
	dir, runs := openFixture(t, nil)
	out := t.TempDir()
	write(t, out, runs, Options{Wide: true, Tables: ofRecords, Formats: []string{"parquet"}})
	for table, names := range headers {
		text, err := exec.Command("node", script, library, filepath.Join(out, table+".parquet")).Output()
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("%s: %v: %s", table, err, exit.Stderr)
		}
		var doc struct {
			Columns []string
			Rows    [][]string
		}
		if err := errors.Join(err, json.Unmarshal(text, &doc)); err != nil {
			t.Fatalf("%s: %v: %s", table, err, text)
		}
		if d := cmp.Diff(strings.Fields(names), doc.Columns); d != "" {
			t.Errorf("%s: columns (-want +got):\n%s", table, d)
		}
		var rows [][]any
		for _, r := range doc.Rows {
			var values []any
			for _, s := range r {
				values = append(values, shown(t, s))
			}
			rows = append(rows, values)
		}
		same(t, table, want(t, dir, table), doc.Columns, rows, false)
	}
}

// shown reads a value as the script prints it.
func shown(t *testing.T, s string) any {
	t.Helper()
	if s == "" {
		return nil
	}
	var v any
	var err error
	switch s[0] {
	case 'i':
		v, err = strconv.ParseInt(s[1:], 10, 64)
	case 'b':
		v, err = strconv.ParseBool(s[1:])
	case 'f':
		var bits uint64
		bits, err = strconv.ParseUint(s[1:], 10, 64)
		v = math.Float64frombits(bits)
	default:
		v = s[1:]
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestCSVByPython reads the tables by the csv module of Python's standard library.
func TestCSVByPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skipf("no python3: %v", err)
	}
	dir, runs := openFixture(t, nil)
	out := t.TempDir()
	write(t, out, runs, Options{Wide: true, Tables: ofRecords, Formats: []string{"csv"}})
	const script = `import csv, json, sys; print(json.dumps(list(csv.reader(open(sys.argv[1], newline="", encoding="utf-8"), strict=True))))`
	for table := range headers {
		text, err := exec.Command(python, "-c", script, filepath.Join(out, table+".csv")).Output()
		var records [][]any
		if err := errors.Join(err, json.Unmarshal(text, &records)); err != nil {
			t.Fatalf("%s: %v: %s", table, err, text)
		}
		var header []string
		for _, name := range records[0] {
			header = append(header, name.(string))
		}
		same(t, table, want(t, dir, table), header, records[1:], true)
	}
}

// TestManyRows writes more rows than a row group holds, and more columns than rows of a
// batch.
func TestManyRows(t *testing.T) {
	const columns, rows = 2000, 3 * batchRows
	t0 := table{name: "many"}
	for c := range columns {
		t0.columns = append(t0.columns, column{fmt.Sprintf("c@%d", c), integer, c%2 == 0})
	}
	var file bytes.Buffer
	sink, err := newParquet(&file, &t0)
	if err != nil {
		t.Fatal(err)
	}
	row := make([]value, columns)
	for r := range rows {
		for c := range row {
			if row[c] = nil; c%2 == 0 || r%3 == 0 {
				row[c] = r*columns + c
			}
		}
		if err := sink.write(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := sink.close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "many.parquet")
	if err := os.WriteFile(path, file.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := parquet.OpenFile(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil || len(f.RowGroups()) < 2 {
		t.Fatalf("one row group, so this test tries nothing (%v)", err)
	}
	_, got := readParquet(t, path)
	if len(got) != rows {
		t.Fatalf("%d rows, want %d", len(got), rows)
	}
	for r := range rows {
		for c := range columns {
			var want any
			if c%2 == 0 || r%3 == 0 {
				want = int64(r*columns + c)
			}
			if got[r][c] != want {
				t.Fatalf("row %d, column %d: %v, want %v", r, c, got[r][c], want)
			}
		}
	}
}

// BenchmarkWrite exports experiments of more and more cells, each of 11 evaluations of
// 40 metrics, and prints what memory the process has ever had: it must not grow with
// the number of cells.
func BenchmarkWrite(b *testing.B) {
	var lines strings.Builder
	for step := range 11 {
		fmt.Fprintf(&lines, `{"step":%d,"exact":true,"metrics":{"reward":1`, step)
		for m := range 39 {
			fmt.Fprintf(&lines, `,"pass@%d":%v`, m+1, math.Sqrt(float64(m*11+step)))
		}
		lines.WriteString("}}\n")
	}
	for _, cells := range []int{100, 1000, 10000} {
		b.Run(fmt.Sprint(cells), func(b *testing.B) {
			if testing.Short() && cells > 1000 {
				b.Skip("writes 4.4 million rows")
			}
			_, runs := openFixture(b, map[string]string{"cells/a0/eval.jsonl": lines.String()})
			v := &runs[0].Variants[0]
			v.Cells = nil
			for seed := range cells {
				v.Cells = append(v.Cells, record.Ref{Seed: seed, ID: "a0"})
			}
			out := b.TempDir()
			for b.Loop() {
				if _, err := Write(context.Background(), out, runs[:1], Options{Tables: []string{"evals", "trains"}, Wide: true}); err != nil {
					b.Fatal(err)
				}
			}
			var memory runtime.MemStats
			runtime.ReadMemStats(&memory)
			b.ReportMetric(float64(memory.HeapSys)/(1<<20), "heap-MB")
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/float64(cells)*1e3, "ms/cell")
		})
	}
}

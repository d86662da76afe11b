package analysis

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"modebench/experiments/record"
	"modebench/internal/input"
	"modebench/internal/strictjson"
	"modebench/internal/visible"
	"modebench/metrics"
)

// A Snapshot is a digest of the records of runs, for comparison with later runs: of every cell
// the hashes of its files and of every series of numbers in them, and the last number of each.
// It takes a few hundred bytes a cell, and shows which numbers moved.
type Snapshot struct {
	Cells []CellSnapshot // in the order of their specs
}

// A CellSnapshot is one cell of a snapshot.
type CellSnapshot struct {
	Spec   string `json:"spec"`
	Label  string `json:"label"`
	Method string `json:"method"`
	Seed   int    `json:"seed"`
	ID     string `json:"id"`    // of the resolved cell: other settings have another
	Train  string `json:"train"` // digest of the training records and the trained policy
	Eval   string `json:"eval"`  // digest of the evaluations
	// Series are the numbers that are recorded again and again, by name: metrics by their
	// names, fields of training records with trainPrefix before them.
	Series map[string]Series `json:"-"`
}

// A Series is one number over a run.
type Series struct {
	Last   float64 // to six significant digits
	Digest string  // of all of its values, to the bit, and of their places
}

// snapshotJSON is the file: values lists the series of a cell in the order of names,
// as in "0.4375:9f3a - 1:02bc", with a dash for a missing series.
type snapshotJSON struct {
	Version int        `json:"version"` // results version
	Names   []string   `json:"names"`
	Cells   []cellJSON `json:"cells"`
}

type cellJSON struct {
	CellSnapshot
	Values string `json:"values"`
}

const absent = "-"

func (s Series) text() string { return strconv.FormatFloat(s.Last, 'g', 6, 64) + ":" + s.Digest }

func parseSeries(text string) (Series, error) {
	last, digest, ok := strings.Cut(text, ":")
	x, err := strconv.ParseFloat(last, 64)
	if !ok || err != nil || math.IsNaN(x) || math.IsInf(x, 0) || len(digest) != 2*seriesBytes || strings.Trim(digest, "0123456789abcdef") != "" {
		return Series{}, fmt.Errorf("%q is not a number and a digest of %d digits, as in 0.4375:9f3a", text, 2*seriesBytes)
	}
	return Series{x, digest}, nil
}

// The lengths of digests. The digest of the file detects that some numbers moved; that of a
// series only finds which.
const (
	fileBytes   = 16
	seriesBytes = 2
)

// TakeSnapshot reads the records of finished runs.
func TakeSnapshot(runs ...*record.Run) (*Snapshot, error) {
	s := &Snapshot{}
	for _, run := range runs {
		for _, v := range run.Variants {
			for _, ref := range v.Cells {
				cell, err := snapshotCell(run, ref)
				if err != nil {
					return nil, err
				}
				cell.Spec, cell.Label, cell.Method = run.Spec, v.Label, v.Method
				s.Cells = append(s.Cells, cell)
			}
		}
	}
	return s, nil
}

func snapshotCell(run *record.Run, ref record.Ref) (c CellSnapshot, err error) {
	c = CellSnapshot{Seed: ref.Seed, ID: ref.ID, Series: map[string]Series{}}
	if c.Train, err = digestFiles(run, ref, record.TrainFile, record.CheckpointFile); err != nil {
		return c, err
	}
	if c.Eval, err = digestFiles(run, ref, record.EvalFile); err != nil {
		return c, err
	}
	trains, err := run.Trains(ref)
	if err != nil {
		return c, err
	}
	evals, err := evaluations(run, ref)
	if err != nil {
		return c, err
	}
	values := map[string][]point{}
	for _, rec := range trains {
		fields, err := numbers(rec)
		if err != nil {
			return c, err
		}
		for name, x := range fields {
			if name != "step" {
				values[trainPrefix+name] = append(values[trainPrefix+name], point{rec.Step, x})
			}
		}
	}
	for _, rec := range evals {
		for name, x := range rec.Metrics {
			values[name] = append(values[name], point{rec.Step, x})
		}
	}
	if step := collapseStep(evals); finite(step) {
		values[metrics.CollapseMetric] = []point{{evals[len(evals)-1].Step, step}}
	}
	for name, points := range values {
		c.Series[name] = seriesOf(points)
	}
	return c, nil
}

// numbers lists the fields of a record by the names they have in its file.
func numbers(rec record.Train) (map[string]float64, error) {
	data, err := json.Marshal(rec)
	if err != nil {
		return nil, err
	}
	var out map[string]float64
	return out, json.Unmarshal(data, &out)
}

// trainPrefix begins the names of series that come from training records.
const trainPrefix = "train."

// A point is a value at a step.
type point struct {
	step  int
	value float64
}

func seriesOf(points []point) Series {
	var data []byte
	for _, p := range points {
		data = binary.LittleEndian.AppendUint64(data, uint64(p.step))
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(p.value))
	}
	sum := sha256.Sum256(data)
	text := strconv.FormatFloat(points[len(points)-1].value, 'g', 6, 64)
	last, _ := strconv.ParseFloat(text, 64) // it was just written
	return Series{last, hex.EncodeToString(sum[:seriesBytes])}
}

func digestFiles(run *record.Run, ref record.Ref, names ...string) (string, error) {
	h := sha256.New()
	for _, name := range names {
		data, err := run.File(ref, name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%s %d\n", name, len(data))
		h.Write(data)
	}
	return hex.EncodeToString(h.Sum(nil)[:fileBytes]), nil
}

// Text is the snapshot as a file: JSON with a line for each cell, so that a version
// history shows which moved.
func (s *Snapshot) Text() ([]byte, error) {
	file := snapshotJSON{Version: record.Version}
	all := map[string]Series{}
	for i := range s.Cells {
		maps.Copy(all, s.Cells[i].Series)
	}
	file.Names = slices.SortedFunc(maps.Keys(all), compareNames)
	names, err := json.Marshal(file.Names)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\"version\": %d, \"names\": %s, \"cells\": [\n", file.Version, names)
	for i, c := range s.Cells {
		values := make([]string, len(file.Names))
		for j, name := range file.Names {
			values[j] = absent
			if series, ok := c.Series[name]; ok {
				values[j] = series.text()
			}
		}
		line, err := json.Marshal(cellJSON{c, strings.Join(values, " ")})
		if err != nil {
			return nil, err
		}
		b.Write(line)
		if i < len(s.Cells)-1 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	b.WriteString("]}\n")
	return b.Bytes(), nil
}

// ReadSnapshot reads the output of Text, strictly. file is its name in errors. Another results
// version is an error, because records of two versions cannot be compared.
func ReadSnapshot(file string, data []byte) (*Snapshot, error) {
	var raw snapshotJSON
	if err := strictjson.CheckSyntax(data); err != nil {
		return nil, input.Errorf("%s:%w", file, err)
	}
	if err := strictjson.Decode(data, "", &raw); err != nil {
		return nil, input.Errorf("%s: %w", file, err)
	}
	if raw.Version != record.Version {
		return nil, input.Errorf("%s: a baseline of results version %d, and this program makes version %d; make the baseline again with --update", file, raw.Version, record.Version)
	}
	if len(raw.Cells) == 0 {
		return nil, input.Errorf("%s: a baseline without cells", file)
	}
	for i := range raw.Names {
		raw.Names[i] = visible.Text(raw.Names[i])
	}
	s := &Snapshot{}
	known := map[cellKey]bool{}
	for i, line := range raw.Cells {
		visible.All(&line)
		c, err := line.cell(raw.Names)
		if err == nil && known[c.key()] {
			err = fmt.Errorf("%s, %s, seed %d is there twice", c.Spec, c.Label, c.Seed)
		}
		if err != nil {
			return nil, input.Errorf("%s: cells[%d]: %w", file, i, err)
		}
		known[c.key()] = true
		s.Cells = append(s.Cells, c)
	}
	return s, nil
}

func (l *cellJSON) cell(names []string) (CellSnapshot, error) {
	c := l.CellSnapshot
	c.Series = map[string]Series{}
	if l.Spec == "" || l.Label == "" || l.Method == "" || l.ID == "" || len(l.Train) != 2*fileBytes || len(l.Eval) != 2*fileBytes {
		return c, errors.New("want spec, label, method and id, and digests of train and eval")
	}
	values := strings.Fields(l.Values)
	if len(values) != len(names) {
		return c, fmt.Errorf("values: %d of them, want %d (one per name)", len(values), len(names))
	}
	for i, text := range values {
		if text == absent {
			continue
		}
		series, err := parseSeries(text)
		if err != nil {
			return c, fmt.Errorf("values: %s: %w", names[i], err)
		}
		c.Series[names[i]] = series
	}
	return c, nil
}

// A cellKey identifies a cell, whatever its settings.
type cellKey struct {
	spec, label string
	seed        int
}

func (c *CellSnapshot) key() cellKey { return cellKey{c.Spec, c.Label, c.Seed} }

// names lists the series of two cells, in the order that they are shown: training, then
// metrics, which follow from it.
func names(a, b *CellSnapshot) []string {
	all := maps.Clone(a.Series)
	maps.Copy(all, b.Series)
	return slices.SortedFunc(maps.Keys(all), compareNames)
}

func compareNames(x, y string) int {
	a, b := strings.HasPrefix(x, trainPrefix), strings.HasPrefix(y, trainPrefix)
	switch {
	case a && !b:
		return -1
	case b && !a:
		return 1
	}
	return strings.Compare(x, y)
}

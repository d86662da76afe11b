package plots

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"modebench/experiments/record"
	"modebench/internal/strictjson"
	"modebench/internal/visible"
	"modebench/plots/forest"
	"modebench/plots/numbers"
)

// dataVersion is the version of the form of a figure's file, which is raised by hand. A
// file names it first, as modebench_figure, which other JSON does not have.
const dataVersion = 1

// Data are the numbers of a figure, without the records they come from: a few kilobytes that
// can be kept beside the drawing, and from which it is drawn again, byte for byte. Write
// gives it the form of a file, OpenData reads one.
type Data struct {
	Spec     string            // of the records
	Policy   string            // its kind of policy
	Figure   record.Figure     // as the manifest has it
	Variants []numbers.Variant // in the order of the manifest, exact optima last; empty for the kind claims
	Claims   []forest.Row      // of the kind claims
	Detail   forest.Detail     // likewise
}

// dataFile is the form of a file. Numbers that are not finite are null.
type dataFile struct {
	Version  int               `json:"modebench_figure"`
	Spec     string            `json:"spec,omitempty"`
	Policy   string            `json:"policy,omitempty"`
	Figure   figureFile        `json:"figure"`
	Variants []numbers.Variant `json:"variants,omitempty"`
	Claims   []forest.Row      `json:"claims,omitempty"`
	Detail   forest.Detail     `json:"detail,omitempty"`
}

// figureFile is record.Figure without its empty fields.
type figureFile struct {
	Name       string          `json:"name"`
	Kind       string          `json:"kind"`
	Title      string          `json:"title,omitempty"`
	Metrics    []string        `json:"metrics,omitempty"`
	Where      []record.Filter `json:"where,omitempty"`
	Rows       []string        `json:"rows,omitempty"`
	Cols       []string        `json:"cols,omitempty"`
	Panel      []string        `json:"panel,omitempty"`
	Problem    int             `json:"problem,omitempty"`
	Steps      []int           `json:"steps,omitempty"`
	Components []string        `json:"components,omitempty"`
	Width      float64         `json:"width,omitempty"`
	X          []float64       `json:"x,omitempty"`
	Y          []float64       `json:"y,omitempty"`
	Log        string          `json:"log,omitempty"`
	FreeY      bool            `json:"free_y,omitempty"`
	Without    []string        `json:"without,omitempty"`
}

// Write writes the data as JSON, a line for each variant and each of its series. Equal
// data give equal bytes, and floats have their shortest form, which reads back as the
// same number: data that were read draw the same figure.
func (d *Data) Write(w io.Writer) error {
	for _, v := range d.Variants {
		if v.Pools == nil {
			continue
		}
		if err := v.Pools.Check(); err != nil {
			return fmt.Errorf("variant %s: %w", v.Label, err)
		}
	}
	var buf bytes.Buffer
	encoder := json.NewEncoder(&buf)
	encoder.SetEscapeHTML(false)
	file := dataFile{dataVersion, d.Spec, d.Policy, figureFile(d.Figure), d.Variants, d.Claims, d.Detail}
	if err := encoder.Encode(file); err != nil {
		return err
	}
	text := buf.String()
	// Quotes within strings are escaped, so each of these begins an object.
	for _, start := range []string{`"figure":{`, `{"label":`, `{"metric":`, `{"step":`, `{"spec":`} {
		text = strings.ReplaceAll(text, start, "\n"+start)
	}
	_, err := io.WriteString(w, text)
	return err
}

// IsData reports whether the text of a file looks like that of a figure's data.
func IsData(text []byte) bool {
	rest, ok := bytes.CutPrefix(bytes.TrimSpace(text), []byte("{"))
	return ok && bytes.HasPrefix(bytes.TrimSpace(rest), []byte(`"modebench_figure"`))
}

// OpenData reads the file of a figure's data. A file of another version or kind, and one
// whose parts do not fit together, is an error that names the file and the place.
func OpenData(path string) (*Data, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	d, err := ParseData(text)
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return d, err
}

// ParseData is OpenData for the text of a file.
func ParseData(text []byte) (*Data, error) {
	if err := strictjson.CheckSyntax(text); err != nil {
		return nil, err
	}
	if !IsData(text) {
		return nil, errors.New(`not the data of a figure: it does not begin with {"modebench_figure": (bench plot --figure-format json writes them)`)
	}
	var f dataFile
	if err := strictjson.CheckMembers(text, "mean", "low", "high"); err != nil {
		return nil, err
	}
	if err := strictjson.Decode(text, "", &f); err != nil {
		return nil, err
	}
	if err := f.check(); err != nil {
		return nil, err
	}
	visible.All(&f)
	for i := range f.Variants {
		f.Variants[i].Called = f.Variants[i].Label
	}
	return &Data{f.Spec, f.Policy, record.Figure(f.Figure), f.Variants, f.Claims, f.Detail}, nil
}

func (f *dataFile) check() error {
	k, known := kinds[f.Figure.Kind]
	switch {
	case f.Version != dataVersion:
		return fmt.Errorf("modebench_figure: got version %d, want %d: draw the figure from its records again", f.Version, dataVersion)
	case !record.IsFigureName(f.Figure.Name):
		return fmt.Errorf("figure.name: got %q, want a name for files: %s", f.Figure.Name, record.FigureNameRule)
	case !known:
		return fmt.Errorf("figure.kind: got %q, want one of %s", f.Figure.Kind, strings.Join(kindNames(), ", "))
	case k.FigureKind.Claims != (len(f.Variants) == 0) || k.FigureKind.Claims != (len(f.Claims) > 0):
		return fmt.Errorf("%d variants and %d claims in a figure of kind %s, want variants alone, or claims of kind %s", len(f.Variants), len(f.Claims), f.Figure.Kind, claimsKind)
	}
	if !slices.Contains(forest.Details, f.Detail) || f.Detail != forest.FewSettings && !k.FigureKind.Claims {
		return fmt.Errorf("detail: got %q, want %q or %q in a figure of kind %s, or none", f.Detail, forest.EverySetting, forest.EveryClaim, claimsKind)
	}
	if slices.ContainsFunc(f.Figure.Steps, func(step int) bool { return step < 0 }) || f.Figure.Problem < 0 {
		return errors.New("figure: a step or problem below 0")
	}
	if err := record.Figure(f.Figure).Shape(); err != nil {
		return err
	}
	for i := range f.Variants {
		if err := f.Variants[i].Check(k.FigureKind); err != nil {
			return fmt.Errorf("variants[%d]: %w", i, err)
		}
	}
	for i := range f.Claims {
		if err := f.Claims[i].Check(); err != nil {
			return fmt.Errorf("claims[%d]: %w", i, err)
		}
	}
	return nil
}

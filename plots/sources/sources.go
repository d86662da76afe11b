// Package sources finds the figures to draw again: in the records of an experiment, in the file of a
// figure's numbers, or in a folder of such files. It sets figures of several sources side by side.
// Errors of names that no source has are *input.Usage.
package sources

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"modebench/experiments/record"
	"modebench/internal/atomicfile"
	"modebench/internal/each"
	"modebench/internal/input"
	"modebench/internal/nearest"
	"modebench/plots"
)

// DataFormat is the format of a figure's numbers.
const DataFormat = "json"

// A Source has figures: the records of an experiment, or files of figures' numbers.
type Source struct {
	Dir     string // of the figures
	name    string // as it was given
	figures []record.Figure
	run     *record.Run   // of records
	data    []*plots.Data // else, by figure
}

// Open opens the folder of an experiment, the file of a figure's numbers, or a folder of such files.
func Open(path string) (*Source, error) {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		data, err := plots.OpenData(path)
		if err != nil {
			return nil, input.UnlessFile(err)
		}
		return &Source{Dir: filepath.Dir(path), name: path, figures: []record.Figure{data.Figure}, data: []*plots.Data{data}}, nil
	}
	s := &Source{Dir: path, name: path}
	if _, err := os.Stat(filepath.Join(path, record.ManifestFile)); err != nil {
		if err := s.openData(); err != nil || s.data != nil {
			return s, err
		}
	}
	run, err := record.Open(path)
	if err != nil {
		return nil, input.UnlessFile(err)
	}
	s.run, s.figures = run, run.Figures
	return s, nil
}

// openData opens the files of figures' numbers in the folder. Other JSON is left alone.
func (s *Source) openData() error {
	entries, _ := os.ReadDir(s.Dir) // a folder that cannot be listed has no files
	for _, e := range entries {
		if filepath.Ext(e.Name()) != "."+DataFormat || e.IsDir() {
			continue
		}
		text, err := record.ReadBelow(s.Dir, e.Name())
		if record.Missing(err) {
			continue // a link to a folder, or to nothing
		}
		if err != nil {
			return input.UnlessFile(err)
		}
		if !plots.IsData(text) {
			continue
		}
		file := filepath.Join(s.Dir, e.Name())
		data, err := plots.ParseData(text)
		if err != nil {
			return input.Errorf("%s: %w", file, err)
		}
		if slices.Contains(s.names(), data.Figure.Name) {
			return input.Errorf("%s: a second figure %q in this folder", file, data.Figure.Name)
		}
		s.figures, s.data = append(s.figures, data.Figure), append(s.data, data)
	}
	return nil
}

func (s *Source) names() []string {
	return each.Map(s.figures, func(f record.Figure) string { return f.Name })
}

// Pick returns the named figures, nil for all.
func (s *Source) Pick(names []string) ([]record.Figure, error) {
	for _, name := range names {
		if known := s.names(); !slices.Contains(known, name) {
			return nil, input.Usagef("--figure %q: %sthis experiment has the figures %s", name, nearest.Hint(name, known), listed(known))
		}
	}
	figures := slices.Clone(s.figures)
	if names != nil {
		figures = slices.DeleteFunc(figures, func(f record.Figure) bool { return !slices.Contains(names, f.Name) })
	}
	return figures, nil
}

// Gather returns the numbers of one of the figures, whose fields may be changed.
func (s *Source) Gather(fig record.Figure) (*plots.Data, error) {
	if s.run != nil {
		data, err := plots.Gather(s.run, fig)
		return data, input.UnlessFile(err)
	}
	data := *s.data[slices.Index(s.names(), fig.Name)]
	data.Figure = fig
	return &data, nil
}

// Save writes a figure into dir in every format, and lists the files.
func Save(data *plots.Data, dir string, formats []string) (files []string, err error) {
	picture, err := data.Draw()
	if err != nil {
		return nil, input.UnlessFile(err)
	}
	for _, format := range formats {
		path := filepath.Join(dir, data.Figure.Name+"."+format)
		if format == DataFormat {
			err = SaveData(data, path)
		} else {
			err = picture.Save(path)
		}
		if err != nil {
			return nil, err
		}
		files = append(files, path)
	}
	return files, nil
}

// SaveData writes a figure's numbers.
func SaveData(data *plots.Data, path string) error {
	var buf bytes.Buffer
	if err := data.Write(&buf); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return atomicfile.Write(path, buf.Bytes())
}

// allMetrics are the metrics of figures, each once.
func allMetrics(figures []record.Figure) (all []string) {
	for _, f := range figures {
		all = append(all, f.Metrics...)
	}
	return each.Distinct(all)
}

// listed lists names, "none" for an empty list.
func listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

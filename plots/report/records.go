package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"modebench/experiments/record"
	"modebench/internal/visible"
)

type records struct {
	Label string
	Files []filesOf
}

// filesOf is one kind of file of all cells of a variant.
type filesOf struct {
	Kind  string
	Links []link
}

type link struct {
	Seed int
	Href string // "" where there is no such file
}

// kindsOfFiles are the files that are linked, by what they hold.
var kindsOfFiles = []struct{ kind, file string }{
	{"evaluations", record.EvalFile}, {"training", record.TrainFile}, {"answers", record.PoolsFile},
	{"settings", record.CellFile}, {"provenance", record.ProvenanceFile},
}

// newRecords links to the records of every cell. Answers are listed where some cell recorded them.
func newRecords(run *record.Run, opt Options) ([]records, error) {
	var out []records
	kept := keptAnswers(run)
	for _, v := range run.Variants {
		r := records{Label: v.Label}
		for _, k := range kindsOfFiles {
			if k.file == record.PoolsFile && !kept {
				continue
			}
			files := filesOf{Kind: k.kind}
			for _, ref := range v.Cells {
				href := "" // where there is no file
				if run.Has(ref, k.file) {
					var err error
					if href, err = opt.link(run, ref, k.file); err != nil {
						return nil, err
					}
				}
				files.Links = append(files.Links, link{ref.Seed, href})
			}
			r.Files = append(r.Files, files)
		}
		out = append(out, r)
	}
	return out, nil
}

func keptAnswers(run *record.Run) bool {
	return slices.ContainsFunc(run.Variants, func(v record.Variant) bool {
		return slices.ContainsFunc(v.Cells, func(ref record.Ref) bool { return run.Has(ref, record.PoolsFile) })
	})
}

func (o Options) link(run *record.Run, ref record.Ref, file string) (string, error) {
	if o.Link != nil {
		return o.Link(run, ref, file), nil
	}
	return relative(o.Folder, filepath.Join(run.Folder(ref), file))
}

func relative(folder, file string) (string, error) {
	from, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	to, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	path, err := filepath.Rel(from, to)
	if err != nil {
		return "", fmt.Errorf("a page in %s cannot link to %s: want a folder on the same drive", folder, file)
	}
	parts := strings.Split(filepath.ToSlash(path), "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	path = strings.Join(parts, "/")
	if !strings.HasPrefix(path, "../") {
		path = "./" + path // a colon in a name makes no scheme
	}
	return path, nil
}

// newProvenance says what made the records: every build, in alphabetical order. Host
// and time are left out: whoever is sent the page has no need of them.
func newProvenance(run *record.Run) ([]fact, error) {
	out := []fact{{"results version", fmt.Sprint(run.Version)}}
	builds := map[string][]string{}
	cells, known := 0, 0
	for _, v := range run.Variants {
		for _, ref := range v.Cells {
			cells++
			found, err := readProvenance(run, ref)
			if err != nil {
				return nil, err
			}
			if len(found) > 0 {
				known++
			}
			for _, f := range found {
				if f.Value != "" && !slices.Contains(builds[f.Name], f.Value) {
					builds[f.Name] = append(builds[f.Name], f.Value)
				}
			}
		}
	}
	for _, name := range []string{"modebench", "commit", "Go", "platform", "device"} {
		if values := builds[name]; len(values) > 0 {
			slices.Sort(values)
			out = append(out, fact{name, strings.Join(values, ", ")})
		}
	}
	count := fmt.Sprint(cells)
	if known < cells {
		count += fmt.Sprintf(", %d of them with provenance", known)
	}
	return append(out, fact{"cells", count}), nil
}

// readProvenance reads what made a cell; nothing where that is not known.
func readProvenance(run *record.Run, ref record.Ref) ([]fact, error) {
	data, err := run.File(ref, record.ProvenanceFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var doc struct {
		Go, OS, Arch, Device string
		Modebench            map[string]string
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(run.Folder(ref), record.ProvenanceFile), err)
	}
	commit := doc.Modebench["vcs.revision"]
	if commit != "" && doc.Modebench["vcs.modified"] == "true" {
		commit += " with changes"
	}
	platform := doc.OS
	if doc.Arch != "" {
		platform += "/" + doc.Arch
	}
	facts := []fact{
		{"modebench", doc.Modebench["version"]}, {"commit", commit}, {"Go", doc.Go},
		{"platform", platform}, {"device", doc.Device},
	}
	visible.All(&facts)
	return facts, nil
}

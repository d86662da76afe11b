package record

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// This file decides which names may become those of files and folders. Every name, reference
// and ID that comes from a spec or from a results folder goes through it.

// CellsDir is the folder below the output folder that holds all cells, and cellsRef is
// where a manifest has it from its own folder.
const (
	CellsDir = "cells"
	cellsRef = "../" + CellsDir
)

// NameRule describes the rule of IsName.
const NameRule = "letters, digits, '.', '_' and '-', not beginning with a dot, and no device of Windows such as con"

// IsName reports whether a text may become the name of a folder or, with an extension behind
// it, of a file, on every system. It is then one name and no path.
func IsName(name string) bool {
	stem, _, _ := strings.Cut(strings.ToLower(name), ".")
	return plain.MatchString(name) && !devices.MatchString(stem)
}

var (
	plain   = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]*$`)
	devices = regexp.MustCompile(`^(con|prn|aux|nul|com[0-9]|lpt[0-9])$`)
)

// IsSpecName is IsName for the name of an experiment, whose folder lies beside that of all
// cells.
func IsSpecName(name string) bool { return IsName(name) && name != CellsDir }

// IsFigureName is IsName for the name of a figure. With the extension .json its numbers lie
// beside the manifest and the plan of its experiment, which it must not replace.
func IsFigureName(name string) bool {
	file := name + ".json"
	return IsName(name) && !strings.EqualFold(file, ManifestFile) && !strings.EqualFold(file, PlanFile)
}

// FigureNameRule describes the rule of IsFigureName.
const FigureNameRule = NameRule + "; and not run or plan, since " + ManifestFile + " and " + PlanFile + " are other files"

// isFolderName is IsName for the name of a cell's folder, which begins with that of its
// method: some have + and @ in theirs.
func isFolderName(id string) bool { return IsName(strings.NewReplacer("+", "-", "@", "-").Replace(id)) }

// IsID reports whether Cell.ID could give a text.
func IsID(id string) bool { return isFolderName(id) && cellIDs.MatchString(id) }

var cellIDs = regexp.MustCompile(`^[a-z0-9][a-z0-9+@.-]*-s[0-9]+-[0-9a-f]{12}$`)

// checkNames returns an error if a name or reference of a manifest could lead out of its folders,
// or if its seeds cannot be nested as it claims.
func (m *Manifest) checkNames() error {
	switch {
	case !IsSpecName(m.Spec):
		return fmt.Errorf("spec: got %q, want the name of a folder: %s, and not %q", m.Spec, NameRule, CellsDir)
	case m.Cells != cellsRef:
		return fmt.Errorf("cells: got %q, want %q", m.Cells, cellsRef)
	}
	if i := slices.IndexFunc(m.Figures, func(f Figure) bool { return !IsFigureName(f.Name) }); i >= 0 {
		return fmt.Errorf("figures[%d].name: got %q, want a name for files: %s", i, m.Figures[i].Name, FigureNameRule)
	}
	if err := m.Nested.Check(); err != nil {
		return fmt.Errorf("nested: %w", err)
	}
	for i, v := range m.Variants {
		for j, ref := range v.Cells {
			if !isFolderName(ref.ID) {
				return fmt.Errorf("variants[%d].cells[%d].id: got %q, want the name of a cell's folder", i, j, ref.ID)
			}
		}
	}
	return nil
}

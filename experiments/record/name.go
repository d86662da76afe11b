package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
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

// IsSpecName is IsName for the name of an experiment, whose folder lies beside that of all cells.
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

// checkNames refuses names or references that could lead out of the manifest's folders, and bad
// nesting.
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

// ID names a cell: method and seed for people, and a hash of the resolved cell (results version
// included), so that equal cells have equal names wherever they come from.
func (c Cell) ID() (string, error) {
	data, err := json.Marshal(c)
	if err != nil {
		return "", err
	}
	return nameCell(&c, data), nil
}

func nameCell(c *Cell, data []byte) string {
	sum := sha256.Sum256(data)
	return fmt.Sprintf("%s-s%d-%s", c.Method, c.Seed, hex.EncodeToString(sum[:6]))
}

// SeedIDs give the names of cells that differ in their seed alone, which comes last in the hashed
// bytes: the rest is written once for all of them.
type SeedIDs struct {
	cell Cell
	text []byte // of the cell, up to its seed
}

// NewSeedIDs returns the names of the cells that differ from this one in their seed.
func NewSeedIDs(c Cell) (*SeedIDs, error) {
	c.Seed = 0
	data, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	text, ok := bytes.CutSuffix(data, []byte("0}"))
	if !ok {
		return nil, errors.New("the seed is not the last field of a cell")
	}
	return &SeedIDs{c, text}, nil
}

// At is the name of the cell with that seed.
func (s *SeedIDs) At(seed int) string {
	s.cell.Seed = seed
	return nameCell(&s.cell, append(strconv.AppendInt(slices.Clip(s.text), int64(seed), 10), '}'))
}

// MaxK is the largest number that the name of a metric may end in. It is far above any
// pool of answers and any length of a rollout, and far below where integers end.
const MaxK = 1 << 30

// SplitK takes the name of a metric apart: "pass" and 16 of "pass@16". ok is false for a
// name that does not end in @ and a number from 1 to MaxK, as strconv.Itoa writes it.
func SplitK(metric string) (family string, k int, ok bool) {
	index := strings.LastIndexByte(metric, '@')
	if index < 1 {
		return "", 0, false
	}
	k, err := strconv.Atoi(metric[index+1:])
	if err != nil || k < 1 || k > MaxK || strconv.Itoa(k) != metric[index+1:] {
		return "", 0, false
	}
	return metric[:index], k, true
}

// Family returns the keys by which metrics are sorted and searched: the text before the @, and the
// number of SplitK, 0 without a number.
func Family(metric string) (family string, k int) {
	if family, k, ok := SplitK(metric); ok {
		return family, k
	}
	family, _, _ = strings.Cut(metric, "@")
	return family, 0
}

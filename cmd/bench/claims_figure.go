package main

import (
	"path/filepath"
	"slices"
	"strings"

	"modebench/experiments/claims"
	"modebench/experiments/record"
	"modebench/plots"
)

// checkClaimsFile checks what --figure was given.
func checkClaimsFile(path string) error {
	known := append(slices.Clone(figureFormats), dataFormat)
	if format, name := formatOf(path); path != "" && (!slices.Contains(known, format) || name == "") {
		return usagef("--figure %q, want a file that ends in .%s", path, strings.Join(known, ", ."))
	}
	if format, name := formatOf(path); format == dataFormat && !record.IsFigureName(name) {
		return usagef("--figure %q, want %s in the name of a .%s file", path, record.FigureNameRule, dataFormat)
	}
	return nil
}

// formatOf is the format of a figure's file and its name without it.
func formatOf(path string) (format, name string) {
	ext := filepath.Ext(path)
	return strings.ToLower(strings.TrimPrefix(ext, ".")), strings.TrimSuffix(filepath.Base(path), ext)
}

// drawClaims draws verdicts into a file.
func drawClaims(path string, verdicts []claims.Verdict) error {
	format, name := formatOf(path)
	data := plots.ClaimsData(name, "Which claims reproduce", verdicts)
	if format == dataFormat {
		return saveData(data, path)
	}
	picture, err := data.Draw()
	if err != nil {
		return err
	}
	return picture.Save(path)
}

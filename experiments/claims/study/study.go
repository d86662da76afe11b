// Package study registers the claims of specs before anybody has seen the seeds that decide them,
// and decides them by these seeds alone.
package study

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"modebench/experiments/claims"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/experiments/sweep"
)

// The seeds of a study. Those that decide are far from the seeds of the pilot and from those of the
// specs, which somebody may have looked at.
var (
	pilotDesign   = spec.Design{Suffix: "-pilot", FirstSeed: 0, Seeds: 10, Nested: record.Nested{2, 2}}
	confirmDesign = spec.Design{Suffix: "-confirm", FirstSeed: 1000, Nested: record.Nested{1, 1}}
)

// deciding is the design of the seeds that decide.
func deciding(seeds int) spec.Design {
	design := confirmDesign
	design.Seeds = seeds
	return design
}

// A Source gives the spec of a study on the seeds of a design.
type Source interface {
	// Look reads the spec and starts no plug-in.
	Look(ctx context.Context, design spec.Design) (*spec.Spec, error)
	// Ready is the spec that Look returned for the design, able to run the cells that part admits;
	// nil: all.
	Ready(ctx context.Context, looked *spec.Spec, design spec.Design, part func(cell int) bool) (*spec.Spec, error)
}

// A Runner makes the missing cells of specs, as sweep.RunAll does.
type Runner func(ctx context.Context, specs []*spec.Spec, opt sweep.Options, made func(spec int, run *record.Run) error) error

// A Study is a spec whose claims are registered and decided.
type Study struct {
	Name  string
	Path  string     // of the registration
	Pilot *spec.Spec // only to look at
	limit int        // of the seeds that decide
	Source
}

// New looks at the pilot of a study with its registration in the folder. limit is the most seeds that
// decide; 0: the default for the kind of policy.
func New(ctx context.Context, source Source, folder string, limit int) (*Study, error) {
	pilot, err := source.Look(ctx, pilotDesign)
	if err != nil {
		return nil, err
	}
	if limit == 0 {
		if limit = claims.MaxTabular; pilot.Policy == "transformer" {
			limit = claims.MaxTransformer
		}
	}
	name := strings.TrimSuffix(pilot.Name, pilotDesign.Suffix)
	return &Study{Name: name, Path: filepath.Join(folder, name+".json"), Pilot: pilot, limit: limit, Source: source}, nil
}

// Registered reports whether there is a registration.
func (y *Study) Registered() (bool, error) {
	_, err := os.Stat(y.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// registration is the registration of the seeds of confirm.
func (y *Study) registration(ctx context.Context, confirm *spec.Spec, pilot claims.Pilot) (claims.Registration, error) {
	planned := record.Manifest{Claims: confirm.Claims, Nested: confirm.Nested}
	for _, v := range confirm.Variants {
		planned.Variants = append(planned.Variants, v.Record())
	}
	cell := 0
	err := sweep.CellsOf(ctx, confirm)(func(c sweep.PlannedCell) error {
		v := &planned.Variants[cell/confirm.Seeds]
		v.Cells = append(v.Cells, record.Ref{Seed: c.Seed, ID: c.ID})
		cell++
		return nil
	})
	if err != nil {
		return claims.Registration{}, err
	}
	return claims.Register(y.Name, confirm.Policy, confirm.TextSum, planned, pilot), nil
}

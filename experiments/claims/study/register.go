package study

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"

	"modebench/experiments/analysis"
	"modebench/experiments/cells"
	"modebench/experiments/claims"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/experiments/sweep"
	"modebench/internal/atomicfile"
	"modebench/internal/input"
	"modebench/internal/lined"
	"modebench/internal/table"
)

// A Plan is the registration of a study.
type Plan struct {
	claims.Registration
	Path     string
	Existing bool // it was there already, the same
}

// Register runs the pilots, plans the seeds that decide, and writes the registrations. It is an
// error if a cell of these seeds is finished in opt.Out, or another registration is there. The plan of a
// study whose pilot failed has no hash.
func Register(ctx context.Context, list []*Study, opt sweep.Options, runAll Runner) ([]Plan, error) {
	var pilots []*spec.Spec
	for _, y := range list {
		existing, err := y.Registered()
		switch {
		case err != nil:
		case existing: // a registration of another spec is found without a pilot
			_, err = y.Decision(ctx)
		default:
			err = y.unseen(ctx, opt.Out)
		}
		if err != nil {
			return nil, err
		}
		pilot, err := y.Ready(ctx, y.Pilot, pilotDesign, nil)
		if err != nil {
			return nil, err
		}
		pilots = append(pilots, pilot)
	}
	plans := make([]Plan, len(list))
	err := runAll(ctx, pilots, opt, func(i int, run *record.Run) error {
		plan, err := list[i].register(ctx, run)
		if err == nil {
			plans[i] = plan
		}
		return err
	})
	return plans, err
}

// unseen refuses a registration of cells that exist already.
func (y *Study) unseen(ctx context.Context, out string) error {
	all, err := y.Look(ctx, deciding(y.limit))
	if err != nil {
		return err
	}
	status, err := sweep.StatusOf(filepath.Join(out, record.CellsDir), sweep.CellsOf(ctx, all), false)
	if n := status.Counts[cells.Finished]; err == nil && n > 0 {
		return input.Errorf("%s: cells of the seeds that decide are finished in %s already (%d, of seeds from %d on): a registration comes before them; register with another --out, and commit the registration", y.Name, out, n, all.FirstSeed)
	}
	return err
}

// register plans by a pilot and writes the registration.
func (y *Study) register(ctx context.Context, pilot *record.Run) (Plan, error) {
	plans, seeds, err := claims.Plan(pilot, y.limit)
	if err != nil {
		return Plan{}, err
	}
	confirm, err := y.Look(ctx, deciding(seeds))
	if err != nil {
		return Plan{}, err
	}
	made := claims.Pilot{Seeds: claims.Seeds{First: y.Pilot.FirstSeed, Number: y.Pilot.Seeds, Nested: y.Pilot.Nested}, Limit: y.limit, Claims: plans}
	r, err := y.registration(ctx, confirm, made)
	if err != nil {
		return Plan{}, err
	}
	existing, err := y.Registered()
	if err != nil {
		return Plan{}, err
	}
	if existing {
		old, err := claims.ReadRegistration(y.Path)
		if err == nil && old.Hash != r.Hash {
			err = input.Errorf("%s registers something else, and is not replaced: %s", y.Path, cmp.Or(old.Match(r), old.Overruled(), "the spec's text or the pilot differs"))
		}
		return Plan{r, y.Path, true}, err
	}
	return Plan{r, y.Path, false}, atomicfile.Put(y.Path, lined.Text(r))
}

// Text is the plan for a terminal.
func (p Plan) Text() string {
	state := "registered"
	if p.Existing {
		state = "registered already"
	}
	var rows [][]string
	for _, c := range p.Pilot.Claims {
		rows = append(rows, []string{c.Claim, fmt.Sprintf("%d of %d settings testable", c.Testable, c.Settings), c.Words(p.Seeds.Number)})
	}
	return fmt.Sprintf("\n%s: %d seeds from %d on, planned from a pilot of %d (%d at least, %d at most)\n%s\n%s: %s\nhash: %s\n",
		p.Spec, p.Seeds.Number, p.Seeds.First, p.Pilot.Seeds.Number, claims.MinPlanned, p.Pilot.Limit,
		analysis.Indent(table.Grid(rows).Text()), state, p.Path, p.Hash)
}

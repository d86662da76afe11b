package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"modebench/experiments/analysis"
	"modebench/experiments/cells"
	"modebench/experiments/claims"
	"modebench/experiments/progress"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/experiments/sweep"
	"modebench/internal/atomicfile"
	"modebench/internal/table"
)

// What a study of claims runs on. The seeds that decide are far from those of the pilot and
// from those that specs have for themselves, which somebody may have looked at.
var (
	pilotDesign   = spec.Design{Suffix: "-pilot", FirstSeed: 0, Seeds: 10, Nested: record.Nested{2, 2}}
	confirmDesign = spec.Design{Suffix: "-confirm", FirstSeed: 1000, Nested: record.Nested{1, 1}}
)

// studyFlags are those of registering claims and of deciding them.
type studyFlags struct {
	flags           *pflag.FlagSet
	register, until *bool
	folder          *string
	limit           *int
	verdicts        *string
	parts           *partFlags
	plugins         *pluginFlags
}

func newStudyFlags(flags *pflag.FlagSet, plugins *pluginFlags) studyFlags {
	f := studyFlags{
		flags:    flags,
		register: flags.Bool("register", false, "run a pilot, plan the seeds that decide, and write DIR/SPEC.json: what will be run and how it will be judged"),
		until:    flags.Bool("until-decided", false, "run the registered seeds of each spec, all of them, and judge its claims by these"),
		folder:   flags.String("registered", "registered", "folder of registrations, DIR"),
		limit:    flags.Int("cap", 0, fmt.Sprintf("with --register: most seeds that decide, %d at least; default: %d, %d with transformers", claims.MinPlanned, claims.MaxTabular, claims.MaxTransformer)),
		verdicts: flags.String("verdicts", "", "with --until-decided: keep what --json prints of each spec in this folder, as SPEC.json"),
		parts:    &partFlags{}, plugins: plugins,
	}
	f.parts.AddFlags(flags)
	return f
}

// on says whether a study is asked for.
func (f studyFlags) on() bool { return *f.register || *f.until }

// folderBeside is the folder of registrations, by default the one beside a folder of verdicts.
func (f studyFlags) folderBeside(verdicts string) string {
	if f.flags.Changed("registered") {
		return *f.folder
	}
	return filepath.Join(filepath.Dir(filepath.Clean(verdicts)), "registered")
}

// check looks at what needs no spec. forms are flags of the table that is printed at the end.
func (f studyFlags) check(args int, kept bool, forms ...string) error {
	for _, name := range append(forms, "verdicts", "shard", "cells", "registered", "cap", "seeds") {
		switch given := f.flags.Changed(name); {
		case !given:
		case name == "seeds" && f.on():
			return usagef("--seeds: a registration says how many seeds there are; --cap is the most of them")
		case name == "cap" && !*f.register:
			return usagef("--cap is for --register")
		case name == "registered" && !f.on() && !kept:
			return usagef("--registered is for --register, --until-decided and --kept")
		case (name == "shard" || name == "cells") && !(*f.until && args == 1):
			return usagef("--%s is for --until-decided of one spec", name)
		case name != "seeds" && name != "cap" && name != "registered" && *f.register && !*f.until || name == "verdicts" && !*f.until:
			return usagef("--%s is for what --until-decided prints", name)
		}
	}
	if f.flags.Changed("cap") && *f.limit < claims.MinPlanned {
		return usagef("--cap is %d, want %d or more", *f.limit, claims.MinPlanned)
	}
	return f.parts.check()
}

// A study is a spec whose claims are registered and decided.
type study struct {
	arg, name string
	pilot     *spec.Spec // to look at: no plug-in is started
	path      string     // of its registration
	read      func(spec.Design, spec.LoadOptions) (*spec.Spec, error)
}

// look reads the study's spec on the seeds of a design, and starts no plug-in.
func (y *study) look(ctx context.Context, design spec.Design) (*spec.Spec, error) {
	return y.read(design, spec.LoadOptions{Context: ctx})
}

// toRun is what look gives, to run the cells that part chooses.
func (y *study) toRun(ctx context.Context, s streams, looked *spec.Spec, design spec.Design, out string, part func(int) bool, plugins *pluginFlags) (*spec.Spec, error) {
	return plugins.toRun(ctx, s, looked, out, part, func(opt spec.LoadOptions) (*spec.Spec, error) { return y.read(design, opt) })
}

// studies are those of the specs that were named, or of all built-in ones with claims.
func (f studyFlags) studies(ctx context.Context, args []string, policy string) ([]*study, error) {
	byPilot := map[*spec.Spec]*study{}
	pilots, err := claiming(args, policy, func(arg string) (*spec.Spec, error) {
		one := &study{arg: arg}
		one.read = func(design spec.Design, opt spec.LoadOptions) (*spec.Spec, error) {
			opt.Policy, opt.Design = policy, &design
			return claimingSpec(arg, opt, 0, len(args) > 0)
		}
		var err error
		if one.pilot, err = one.look(ctx, pilotDesign); err != nil {
			return nil, err
		}
		one.name = strings.TrimSuffix(one.pilot.Name, pilotDesign.Suffix)
		one.path = filepath.Join(*f.folder, one.name+".json")
		byPilot[one.pilot] = one
		return one.pilot, nil
	})
	var list []*study
	for _, pilot := range pilots {
		list = append(list, byPilot[pilot])
	}
	return list, err
}

// registered says whether a registration is there.
func (y *study) registered() (bool, error) {
	_, err := os.Stat(y.path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// most is the cap of the study's seeds.
func (f studyFlags) most(y *study) int {
	if *f.limit == 0 && y.pilot.Policy == "transformer" {
		return claims.MaxTransformer
	}
	return cmp.Or(*f.limit, claims.MaxTabular)
}

// deciding is the design of so many seeds that decide.
func deciding(seeds int) spec.Design {
	design := confirmDesign
	design.Seeds = seeds
	return design
}

// unseen refuses a registration of cells that are there already.
func (y *study) unseen(ctx context.Context, out string, most int) error {
	all, err := y.look(ctx, deciding(most))
	if err != nil {
		return err
	}
	status, err := sweep.StatusOf(filepath.Join(out, record.CellsDir), sweep.CellsOf(ctx, all), false)
	if n := status.Counts[cells.Finished]; err == nil && n > 0 {
		return inputError(fmt.Errorf("%s: cells of the seeds that decide are finished in %s already (%d, of seeds from %d on): a registration comes before them; register with another --out, and commit what it says", y.name, out, n, all.FirstSeed))
	}
	return err
}

// registerAll runs the pilots, plans, and writes what is registered.
func (f studyFlags) registerAll(ctx context.Context, s streams, list []*study, opt sweep.Options) error {
	var pilots []*spec.Spec
	for _, y := range list {
		there, err := y.registered()
		switch {
		case err != nil:
		case there: // that it is of another spec is known without a pilot
			_, err = y.now(ctx)
		default:
			err = y.unseen(ctx, opt.Out, f.most(y))
		}
		if err != nil {
			return err
		}
		pilot, err := y.toRun(ctx, s, y.pilot, pilotDesign, opt.Out, nil, f.plugins)
		if err != nil {
			return err
		}
		pilots = append(pilots, pilot)
	}
	texts := make([]string, len(list))
	finish := progress.ShowAll(ctx, s.progress(), pilots, &opt)
	err := sweep.RunAll(ctx, pilots, opt, func(i int, run *record.Run) (err error) {
		texts[i], err = f.registerOne(ctx, list[i], run)
		return err
	})
	finish()
	for _, text := range texts {
		fmt.Fprint(s.out, text)
	}
	return err
}

// registerOne registers a study by its pilot, and says what is planned.
func (f studyFlags) registerOne(ctx context.Context, y *study, pilot *record.Run) (string, error) {
	most := f.most(y)
	plans, seeds, err := claims.Plan(pilot, most)
	if err != nil {
		return "", err
	}
	confirm, err := y.look(ctx, deciding(seeds))
	if err != nil {
		return "", err
	}
	r, err := y.registration(ctx, confirm, claims.Pilot{Seeds: seedsOf(y.pilot), Limit: most, Claims: plans})
	if err != nil {
		return "", err
	}
	there, err := y.registered()
	if err != nil {
		return "", err
	}
	what := "registered"
	if there {
		old, err := claims.ReadRegistration(y.path)
		if err != nil {
			return "", err
		}
		if old.Hash != r.Hash {
			return "", inputError(fmt.Errorf("%s registers something else, and is not replaced: %s", y.path, cmp.Or(old.Match(r), old.Overruled(), "the spec's text or the pilot differs")))
		}
		what = "registered already"
	} else if err := os.MkdirAll(*f.folder, 0o755); err != nil {
		return "", err
	} else if err := atomicfile.Write(y.path, claims.RegistrationText(r)); err != nil {
		return "", err
	}
	return planText(r) + fmt.Sprintf("\n%s: %s\nhash: %s\n", what, y.path, r.Hash), nil
}

// registration is what is registered where these are the seeds that decide.
func (y *study) registration(ctx context.Context, confirm *spec.Spec, pilot claims.Pilot) (claims.Registration, error) {
	planned := record.Manifest{Claims: confirm.Claims, Nested: confirm.Nested}
	for _, v := range confirm.Variants {
		planned.Variants = append(planned.Variants, v.Record())
	}
	at := 0
	err := sweep.CellsOf(ctx, confirm)(func(c sweep.PlannedCell) error {
		v := &planned.Variants[at/confirm.Seeds]
		v.Cells = append(v.Cells, record.Ref{Seed: c.Seed, ID: c.ID})
		at++
		return nil
	})
	if err != nil {
		return claims.Registration{}, err
	}
	return claims.Register(y.name, confirm.Policy, confirm.TextSum, planned, pilot), nil
}

func seedsOf(s *spec.Spec) claims.Seeds {
	return claims.Seeds{First: s.FirstSeed, Number: s.Seeds, Nested: s.Nested}
}

// planText is the plan for a terminal.
func planText(r claims.Registration) string {
	var rows [][]string
	for _, c := range r.Pilot.Claims {
		rows = append(rows, []string{c.Claim, fmt.Sprintf("%d of %d settings testable", c.Testable, c.Settings), c.Words(r.Seeds.Number)})
	}
	return fmt.Sprintf("\n%s: %d seeds from %d on, planned from a pilot of %d (%d at least, %d at most)\n", r.Spec, r.Seeds.Number, r.Seeds.First, r.Pilot.Seeds.Number, claims.MinPlanned, r.Pilot.Limit) +
		analysis.Indent(table.Grid(rows).Text())
}

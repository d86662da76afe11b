package study

import (
	"context"
	"path/filepath"

	"modebench/experiments/claims"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/experiments/sweep"
	"modebench/internal/atomicfile"
	"modebench/internal/input"
	"modebench/internal/lined"
)

// A Decision is a study with its registration and the spec that it registers.
type Decision struct {
	*Study
	Registration claims.Registration
	Confirm      *spec.Spec
	Verdicts     []claims.Verdict // nil until they are judged
}

// Decision reads the study's registration. It is an error if the spec has other variants, cells or
// claims than were registered.
func (y *Study) Decision(ctx context.Context) (*Decision, error) {
	d := &Decision{Study: y}
	var err error
	if d.Registration, err = claims.ReadRegistration(y.Path); err != nil {
		return nil, err
	}
	if d.Confirm, err = y.Look(ctx, deciding(d.Registration.Seeds.Number)); err != nil {
		return nil, err
	}
	current, err := y.registration(ctx, d.Confirm, d.Registration.Pilot)
	if err != nil {
		return nil, err
	}
	if text := d.Registration.Match(current); text != "" {
		return nil, input.Errorf("%s differs from its registration %s: %s", y.Name, y.Path, text)
	}
	return d, nil
}

// Decide runs the seeds that decide and judges the claims by them, all specs together. A run of a
// part (opt.Part) judges nothing. A spec whose cells fail leaves the others their verdicts.
func Decide(ctx context.Context, list []*Decision, opt sweep.Options, runAll Runner) ([]claims.Verdict, error) {
	var specs []*spec.Spec
	for _, d := range list {
		ready, err := d.Ready(ctx, d.Confirm, deciding(d.Registration.Seeds.Number), opt.Part)
		if err != nil {
			return nil, err
		}
		specs = append(specs, ready)
	}
	err := runAll(ctx, specs, opt, func(i int, run *record.Run) (err error) {
		if run == nil { // of a part
			return nil
		}
		list[i].Verdicts, err = claims.Judge(run)
		for j := range list[i].Verdicts {
			list[i].Verdicts[j].Spec = list[i].Name
		}
		return err
	})
	var all []claims.Verdict
	for _, d := range list {
		all = append(all, d.Verdicts...)
	}
	claims.Together(all)
	rest := all
	for _, d := range list { // with the numbers of all claims together
		d.Verdicts, rest = rest[:len(d.Verdicts)], rest[len(d.Verdicts):]
	}
	return all, err
}

// Documents are the texts of the verdicts of each spec that was judged, of all verdicts. They are
// kept in the folder too, as SPEC.json, unless it is "".
func Documents(list []*Decision, all []claims.Verdict, folder string) (texts [][]byte, err error) {
	for _, d := range list {
		if len(d.Verdicts) == 0 {
			continue
		}
		text := lined.Text(claims.NewDocument(d.Registration, d.Verdicts, all))
		texts = append(texts, text)
		if folder == "" {
			continue
		}
		if err := atomicfile.Put(filepath.Join(folder, d.Name+".json"), text); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

package reference

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"modebench/envs"
	"modebench/internal/nearest"
	"modebench/internal/params"
)

// maxLength bounds a reference, in bytes: a problem's own is far shorter.
const maxLength = 2048

// Parse reads a reference. Its fields may be in any order and may have their default values; String
// has the canonical form. Unknown parts and values out of bounds are an error of one line. Parse
// makes no problem: Find finds settings that contradict each other.
func Parse(text string) (*Reference, error) {
	r, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("reference %.100q: %w", text, err)
	}
	return r, nil
}

func parse(text string) (*Reference, error) {
	if len(text) > maxLength {
		return nil, fmt.Errorf("%d bytes, want at most %d", len(text), maxLength)
	}
	name, query, asks := strings.Cut(text, "?")
	parts := strings.Split(name, "/")
	if len(parts) != 3 {
		return nil, fmt.Errorf("want environment/split/index, such as countdown/train/17")
	}
	d, err := envs.Lookup(parts[0])
	if err != nil {
		return nil, err
	}
	r := &Reference{Env: d.Name, Config: d.Default(), Pose: Pose{Candidates: 1}}
	if r.Split, err = envs.ParseSplit(parts[1]); err != nil {
		return nil, err
	}
	if r.Index, err = index(parts[2]); err != nil {
		return nil, err
	}
	if !asks {
		return r, nil
	}
	known := map[string]bool{}
	for pair := range strings.SplitSeq(query, "&") {
		field, value, ok := strings.Cut(pair, "=")
		switch {
		case !ok:
			return nil, fmt.Errorf("after the ? is %.40q, want field=value, with & between several", pair)
		case known[field]:
			return nil, fmt.Errorf("field %q is there twice", field)
		}
		known[field] = true
		if err := r.set(field, value); err != nil {
			return nil, err
		}
	}
	return r, r.Pose.check()
}

func index(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || strconv.Itoa(n) != text {
		return 0, fmt.Errorf("the index is %.40q, want a whole number from 0 to %d", text, math.MaxInt)
	}
	return n, nil
}

func (r *Reference) set(field, text string) error {
	posed := params.Names(&r.Pose)
	if slices.Contains(posed, field) {
		return params.SetText(&r.Pose, field, text)
	}
	names := append(params.Names(r.Config), posed...)
	if !slices.Contains(names, field) {
		return fmt.Errorf("unknown field %.40q; %sknown fields: %s", field, nearest.Hint(field, names), strings.Join(names, ", "))
	}
	return params.SetText(r.Config, field, text)
}

// check returns the first fault of a pose, whatever the environment. Errors are of
// *params.FieldError.
func (p Pose) check() error {
	sum := 0.0
	for _, w := range p.Weights {
		if sum += w; !(w >= 0 && sum <= math.MaxFloat64) {
			return params.Errorf("weights", "got %v, want numbers of at least 0 with a finite sum", w)
		}
	}
	switch {
	case p.Weights != nil && (len(p.Weights) == 0 || slices.Max(p.Weights) == 0):
		return params.Errorf("weights", "all are 0, want one at least that is more")
	case p.Candidates < 1 || p.Candidates > envs.MaxChain:
		return params.Errorf("candidates", "a chain of %d answers, want 1 to %d", p.Candidates, envs.MaxChain)
	case p.Stops && p.Candidates < 2:
		return params.Errorf("stops", "is about several answers: want candidates of 2 or more")
	}
	return nil
}

package selftest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// A DifferError is a device that gives other bits than the plain path.
type DifferError struct{ error }

// Diagnose makes the self-test of a device, prints what it finds to out, and returns a *DifferError
// if bits differ.
func Diagnose(ctx context.Context, out io.Writer, device string) error {
	test, err := New(device)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s, held to %s\n", test.Device, test.Plain)
	begun := time.Now()
	d := diagnosis{out: out}
	err = errors.Join(test.Run(ctx, d.begin, d.end), test.Close())
	fmt.Fprintf(out, "%.1f s\n", time.Since(begun).Seconds())
	if errors.Is(err, context.Canceled) {
		return err
	}
	if err != nil {
		return fmt.Errorf("%w; please open an issue with all of this output", err)
	}
	return d.verdict(test.Device)
}

// A diagnosis prints the findings of a self-test, and remembers what differs.
type diagnosis struct {
	out             io.Writer
	trial, first    string // the trial under way; the first check whose bits differ
	checks, differs int
}

func (d *diagnosis) begin(trial string) {
	d.trial = trial
	fmt.Fprintln(d.out, trial)
}

func (d *diagnosis) end(found []Finding) {
	for _, f := range found {
		d.checks++
		result := "same bits"
		if f.Differ != "" {
			d.differs++
			result = "DIFFERS: " + f.Differ
			d.first = cmp.Or(d.first, d.trial+", "+f.What)
		}
		fmt.Fprintf(d.out, "  %s: %s\n", f.What, result)
	}
}

// verdict sums up the findings, with the next step if bits differ.
func (d *diagnosis) verdict(device string) error {
	if d.differs > 0 {
		return &DifferError{fmt.Errorf(
			"%s does not give the same bits: %d of %d checks differ, the first %s; records made on it cannot be compared with others, so run with --device cpu, and please open an issue with all of this output",
			device, d.differs, d.checks, d.first)}
	}
	_, err := fmt.Fprintf(d.out, "%s gives the same bits: all %d checks\n", device, d.checks)
	return err
}

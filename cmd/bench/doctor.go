package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"modebench/experiments/record"
	"modebench/experiments/selftest"
	"modebench/experiments/train"
	"modebench/internal/program"
)

func newDoctorCommand(s streams) *cobra.Command {
	return newCommand(s, &cobra.Command{
		Use: "doctor", Short: "what there is to compute on, and whether it gives the same bits",
		Args: takes(0, 0, "no arguments (a device is named by --device)"),
		Long: `
Prints what a transformer can compute on, or why it is not there.

With --device it is a self-test. Short runs of pre-training, learning and sampling are made on the
device and on the processor's plain path, which defines the bits: a tiny transformer, sizes S and M
(M on a GPU alone) and the one of mazes. Losses, checkpoints and rollouts are compared bit by bit. A
line for each says "same bits" or where they differ first. It takes seconds on a processor and at
most two minutes on a GPU.

The exit code is 0 where all bits are the same, 5 where some differ, 1 where the device failed and 64
where it is not there.`,
	}, &doctorOptions{})
}

type doctorOptions struct {
	flags  *pflag.FlagSet
	device string
}

func (o *doctorOptions) AddFlags(flags *pflag.FlagSet) {
	o.flags = flags
	flags.StringVar(&o.device, "device", "", "hold this device to the plain path: cuda, cuda:1, auto or cpu")
}

func (o *doctorOptions) run(ctx context.Context, s streams, _ []string) error {
	fmt.Fprintf(s.out, "modebench %s, results version %d\n", program.Build()["version"], record.Version)
	for _, d := range train.Devices() {
		fmt.Fprintln(s.out, d)
	}
	if !o.flags.Changed("device") {
		_, err := fmt.Fprintln(s.out, "bench doctor --device cuda (or auto, or cpu) holds a device to the processor's plain path")
		return err
	}
	return examine(ctx, s.out, o.device)
}

// examine makes the self-test of a device.
func examine(ctx context.Context, out io.Writer, device string) error {
	test, err := selftest.New(device)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s, held to %s\n", test.Device, test.Plain)
	begun := time.Now()
	d := diagnosis{out: out}
	err = errors.Join(test.Run(ctx, d.begin, func(found []selftest.Finding) {
		for _, f := range found {
			d.line(f.What, f.Differ)
		}
	}), test.Close())
	fmt.Fprintf(out, "%.1f s\n", time.Since(begun).Seconds())
	if errors.Is(err, context.Canceled) {
		return err
	}
	if err != nil {
		return fmt.Errorf("%w; please open an issue with all of this output", err)
	}
	return d.verdict(test.Device)
}

// A diagnosis prints what a self-test finds, and remembers what differs.
type diagnosis struct {
	out             io.Writer
	trial, first    string // the one under way; where bits differ first
	checks, differs int
}

func (d *diagnosis) begin(trial string) {
	d.trial = trial
	fmt.Fprintln(d.out, trial)
}

func (d *diagnosis) line(check, differ string) {
	d.checks++
	result := "same bits"
	if differ != "" {
		d.differs++
		result = "DIFFERS: " + differ
		if d.first == "" {
			d.first = d.trial + ", " + check
		}
	}
	fmt.Fprintf(d.out, "  %s: %s\n", check, result)
}

// verdict says what it came to and what to do.
func (d *diagnosis) verdict(device string) error {
	if d.differs > 0 {
		return &verdictError{exitMoved, fmt.Errorf(
			"%s does not give the same bits: %d of %d checks differ, the first %s; records made on it cannot be compared with others, so run with --device cpu, and please open an issue with all of this output",
			device, d.differs, d.checks, d.first)}
	}
	_, err := fmt.Fprintf(d.out, "%s gives the same bits: all %d checks\n", device, d.checks)
	return err
}

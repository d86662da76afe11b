package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"modebench/experiments/record"
	"modebench/experiments/selftest"
	"modebench/experiments/train"
	"modebench/internal/atomicfile"
	"modebench/internal/cli"
	"modebench/internal/program"
)

func newVersionCommand(s streams) *cobra.Command {
	return newCommand(s, &cobra.Command{
		Use: "version", Short: "the program's version and build", Args: cli.NoArguments,
		Long: "Prints the module's version, the results version (part of every cell's identity),\nthe build settings, and the devices for a transformer (run --device).",
	}, &versionOptions{})
}

type versionOptions struct{ noFlags }

func (*versionOptions) run(_ context.Context, s streams, _ []string) error {
	build := program.Build()
	fmt.Fprintf(s.out, "modebench %s\nresults version %d\n%s %s/%s, %d threads\n",
		build["version"], record.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0))
	delete(build, "version")
	for _, key := range slices.Sorted(maps.Keys(build)) {
		fmt.Fprintf(s.out, "%s %s\n", key, build[key])
	}
	for _, d := range train.Devices() {
		fmt.Fprintln(s.out, d)
	}
	return nil
}

func newDoctorCommand(s streams) *cobra.Command {
	return newCommand(s, &cobra.Command{
		Use: "doctor", Short: "the devices to compute on, and whether they give the same bits",
		Args: cli.Takes(0, 0, "no arguments (a device is named by --device)"),
		Long: `
Prints the devices for a transformer, or why they are missing.

With --device it is a self-test. Short runs of pre-training, learning and sampling are made on the
device and on the processor's plain path, which defines the bits: a tiny transformer, sizes S and M
(M on a GPU alone) and the one of mazes. Losses, checkpoints and rollouts are compared bit by bit. A
line for each has "same bits" or the first difference. It takes seconds on a processor and at
most two minutes on a GPU.

The exit code is 0 where all bits are the same, 5 where some differ, 1 where the device failed and 64
without that device.`,
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
		fmt.Fprintln(s.out, "--device cuda (or auto, or cpu) compares a device with the processor's plain path")
		return nil
	}
	return selftest.Diagnose(ctx, s.out, o.device)
}

func newManCommand(s streams, root func(string, streams) *cobra.Command) *cobra.Command {
	return newCommand(s, &cobra.Command{
		Use: "man DIR", Short: "write the manual pages of all commands into a folder",
		Args: cli.Takes(1, 1, "the folder to write to"),
		Long: `
Writes bench.1, with all commands and exit codes, and bench-COMMAND.1 for each command: the output of
bench help, for man:

  bench man ~/.local/share/man/man1
  man bench-run

A program that was called by another name writes the pages of that name.`,
	}, &manOptions{root: root})
}

type manOptions struct {
	noFlags
	root func(name string, s streams) *cobra.Command
}

func (o *manOptions) run(_ context.Context, _ streams, args []string) error {
	pages, err := manualPages(o.root(cli.ProgramName(os.Args[0]), streams{}))
	if err != nil {
		return err
	}
	for name, page := range pages {
		if err := atomicfile.Put(filepath.Join(args[0], name), page); err != nil {
			return err
		}
	}
	return nil
}

// manualPages are the pages of the program by their file names.
func manualPages(root *cobra.Command) (map[string][]byte, error) {
	return cli.ManualPages(root, "what an RL estimator does to the diversity of a policy")
}

package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
)

// TestOptionsRunWithoutACommandLine: the options of a command begin from the defaults of its flags,
// and run under fields that are set.
func TestOptionsRunWithoutACommandLine(t *testing.T) {
	var estimate estimateOptions
	estimate.AddFlags(pflag.NewFlagSet("estimate", pflag.ContinueOnError))
	estimate.set = []string{"clip_high=0.3"}
	var out, errs bytes.Buffer
	s := streams{in: strings.NewReader(batchOfFour), out: &out, err: &errs, notes: new([]string)}
	if err := estimate.run(t.Context(), s, []string{"grpo"}); err != nil || !strings.HasPrefix(out.String(), `{"advantages":[[`) {
		t.Errorf("%q %q, %v", out.String(), errs.String(), err)
	}
	var run runOptions
	run.AddFlags(pflag.NewFlagSet("run", pflag.ContinueOnError))
	if want := []string{"svg", "png"}; !slices.Equal(run.formats, want) || run.checkpoint != time.Minute || run.making.jobs < 1 {
		t.Errorf("formats %q, a checkpoint every %v, %d jobs", run.formats, run.checkpoint, run.making.jobs)
	}
}

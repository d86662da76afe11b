package sweep

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/cells"
	"modebench/experiments/internal/exptest"
	"modebench/experiments/record"
)

// TestOutdatedStatesAreRemoved: the states of cells that the spec no longer has are removed, unless
// another experiment has the cells too.
func TestOutdatedStatesAreRemoved(t *testing.T) {
	everyStep(t)
	out := t.TempDir()
	cut := func(name, text string) {
		t.Helper()
		s := exptest.Load(t, name, text)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		_, err := Run(ctx, s, Options{Out: out, Jobs: 1, Progress: func(done, _ int) {
			if done > 0 {
				cancel()
			}
		}})
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("got %v, want a run that is cut short", err)
		}
	}
	text := strings.Replace(exptest.Minimal, "every = 10", "every = 5", 1)
	other := strings.Replace(text, "steps = 20", "steps = 20\nlr = 0.07", 1)
	cut("mine.toml", text)
	cut("shared.toml", text)
	first := besides(t, out, ".resume-")
	if len(first) != 1 {
		t.Fatalf("after a run that was cut short: %v", first)
	}
	cut("mine.toml", other)
	if both := besides(t, out, ".resume-"); len(both) != 2 {
		t.Errorf("left are %v, want the cell that shared has too and the new one", both)
	}
	cut("shared.toml", other)
	left := besides(t, out, ".resume-")
	if len(left) != 1 || left[0] == first[0] {
		t.Errorf("left are %v, want that of the one cell that a plan has", left)
	}
}

// TestUnknownStatesAreRemoved: the state of a cell that no spec here knows is removed after a day,
// unless a process works on the cell. States of cells in a plan, a manifest or the run's own spec
// stay, and all do if a plan cannot be read.
func TestUnknownStatesAreRemoved(t *testing.T) {
	out, s := t.TempDir(), exptest.Small(t)
	dir := filepath.Join(out, record.CellsDir)
	runIn(t, s, out, 1) // its own cells are finished
	ids := map[string]string{}
	write := func(reason, name string, ago time.Duration) {
		t.Helper()
		then, path := time.Now().Add(-ago), filepath.Join(dir, name)
		if err := errors.Join(os.WriteFile(path, []byte("x"), 0o644), os.Chtimes(path, then, then)); err != nil {
			t.Fatal(err)
		}
		ids[reason] = path
	}
	const day = 25 * time.Hour
	write("nobody's", ".resume-grpo-s0-000000000001", day)
	write("nobody's failure", ".failed-grpo-s0-000000000002", day)
	write("nobody's of today", ".resume-grpo-s0-000000000003", time.Hour)
	write("planned elsewhere", ".resume-grpo-s0-000000000004", day)
	write("in a manifest", ".resume-grpo-s0-000000000005", day)
	write("being run", ".resume-grpo-s0-000000000006", day)
	write("a name that is none", ".resume-me", day)
	place, err := cells.NewPartial(dir, "grpo-s0-000000000006")
	if err != nil {
		t.Fatal(err)
	}
	defer place.Remove()
	plan := filepath.Join(out, "other", record.PlanFile)
	manifest := filepath.Join(out, "third", record.ManifestFile)
	if err := errors.Join(
		os.Mkdir(filepath.Dir(plan), 0o755), os.WriteFile(plan, []byte("{"), 0o644),
		os.Mkdir(filepath.Dir(manifest), 0o755), os.WriteFile(manifest, []byte(`{"variants": [{"cells": [{"seed": 0, "id": "grpo-s0-000000000005"}]}]}`), 0o644),
	); err != nil {
		t.Fatal(err)
	}
	left := func() (reasons []string) {
		for reason, path := range ids {
			if _, err := os.Stat(path); err == nil {
				reasons = append(reasons, reason)
			}
		}
		slices.Sort(reasons)
		return reasons
	}
	runIn(t, s, out, 1)
	if got := left(); len(got) != len(ids) {
		t.Errorf("beside a plan that cannot be read are left %q, want all", got)
	}
	if err := os.WriteFile(plan, []byte(`{"version": 1, "cells": [{"cell": 0, "id": "grpo-s0-000000000004"}]}`), 0o644); err != nil {
		t.Fatal(err)
	}
	runIn(t, s, out, 1)
	want := []string{"a name that is none", "being run", "in a manifest", "nobody's of today", "planned elsewhere"}
	if d := cmp.Diff(want, left()); d != "" {
		t.Errorf("left (-want +got):\n%s", d)
	}
}

// TestShardsMakeTheirSpecKnown: a shard of an experiment without a plan writes one, so that other
// runs see which cells it needs; an existing plan stays.
func TestShardsMakeTheirSpecKnown(t *testing.T) {
	out, s := t.TempDir(), exptest.Small(t)
	shard := Options{Out: out, Jobs: 1, Part: func(cell int) bool { return cell == 0 }}
	if _, err := Run(t.Context(), s, shard); err != nil {
		t.Fatal(err)
	}
	list, err := ReadCells(filepath.Join(out, s.Name))
	if err != nil || len(list.Cells) != 2 || list.Shards != 0 {
		t.Fatalf("the plan: %+v, %v", list, err)
	}
	if _, err := SavePlan(t.Context(), s, out, 7); err != nil {
		t.Fatal(err)
	}
	shard.Part = func(cell int) bool { return cell == 1 }
	s.Seeds = 3
	if _, err := Run(t.Context(), s, shard); err != nil {
		t.Fatal(err)
	}
	if list, err := ReadCells(filepath.Join(out, s.Name)); err != nil || len(list.Cells) != 2 || list.Shards != 7 {
		t.Errorf("another plan: %+v, %v", list, err)
	}
}

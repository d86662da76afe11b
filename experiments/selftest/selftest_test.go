package selftest

import (
	"context"
	"errors"
	"testing"

	"modebench/experiments/train"
)

// TestSelfTestStops: the self-test ends with its context, and of a device that is not there.
func TestSelfTestStops(t *testing.T) {
	s, err := New("cpu")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	begun, ended := 0, 0
	err = s.Run(ctx, func(string) {
		if begun++; begun == 2 {
			stop()
		}
	}, func([]Finding) { ended++ })
	if !errors.Is(err, context.Canceled) || begun != 2 || ended != 1 {
		t.Errorf("%d runs were begun and %d ended: %v", begun, ended, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"cuda:99", "gpu", ""} {
		var device *train.DeviceError
		if _, err := New(name); !errors.As(err, &device) {
			t.Errorf("device %q: %v", name, err)
		}
	}
}

// TestSelfTestOfCardHasLargeTiles: a card of 150 multiprocessors takes its large tiles, for products
// that make twice as many of them, in the trial of size M.
func TestSelfTestOfCardHasLargeTiles(t *testing.T) {
	all, err := trials(true)
	if err != nil {
		t.Fatal(err)
	}
	m := all[len(all)-1]
	rows := 0
	for i := range m.Config.Batch {
		d, err := m.Demonstration(uint64(i))
		if err != nil {
			t.Fatal(err)
		}
		rows += m.Encoding.Prompt + len(d.Tokens)
	}
	const edge, most = 64, 150
	if tiles := (rows + edge - 1) / edge * (4 * m.Config.Width / edge); tiles < 2*most {
		t.Errorf("%d rows make %d tiles, want %d", rows, tiles, 2*most)
	}
}

package policies

import (
	"strconv"
	"strings"
	"testing"
)

func TestParseDevice(t *testing.T) {
	for _, test := range []struct {
		text, why string
		kind      string // "" for an error
		ordinal   int
	}{
		{"auto", "a kind", "auto", 0},
		{"cpu", "a kind", "cpu", 0},
		{"cuda", "the first card", "cuda", 0},
		{"cuda:0", "the first card, by its number", "cuda", 0},
		{"cuda:1", "another", "cuda", 1},
		{"cuda:12", "two digits", "cuda", 12},
		{"", "nothing", "", 0},
		{"gpu", "not a kind", "", 0},
		{"CUDA", "upper case", "", 0},
		{" cuda", "a space", "", 0},
		{"cuda ", "a space", "", 0},
		{"cuda:", "no number", "", 0},
		{"cuda:-1", "below the first", "", 0},
		{"cuda:+1", "a sign", "", 0},
		{"cuda:01", "a second spelling", "", 0},
		{"cuda:1_0", "an underscore", "", 0},
		{"cuda:1:2", "two numbers", "", 0},
		{"cuda:one", "a word", "", 0},
		{"cuda:99999999999999999999", "beyond an int", "", 0},
		{"cuda1", "no colon", "", 0},
		{"cpu:0", "the CPU has no number", "", 0},
		{"auto:1", "nor has a choice left open", "", 0},
	} {
		kind, ordinal, err := ParseDevice(test.text)
		if kind != test.kind || ordinal != test.ordinal || (err != nil) != (test.kind == "") {
			t.Errorf("%q (%s): %q, %d, %v", test.text, test.why, kind, ordinal, err)
		}
		if err != nil && (!strings.Contains(err.Error(), strconv.Quote(test.text)) || !strings.Contains(err.Error(), "want auto, cpu, cuda")) {
			t.Errorf("%q: %v, want the text and what would be right", test.text, err)
		}
	}
}

// FuzzParseDevice: each accepted device has one spelling.
func FuzzParseDevice(f *testing.F) {
	for _, s := range []string{"auto", "cpu", "cuda", "cuda:0", "cuda:7", "cuda:07", "cuda:-0", "gpu\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		kind, ordinal, err := ParseDevice(s)
		if err != nil {
			if kind != "" || ordinal != 0 || strings.Contains(err.Error(), "\n") {
				t.Errorf("%q: %q, %d, %v", s, kind, ordinal, err)
			}
			return
		}
		if s != kind && s != kind+":"+strconv.Itoa(ordinal) || ordinal < 0 || ordinal > 0 && kind != DeviceCUDA {
			t.Errorf("%q: %q, %d", s, kind, ordinal)
		}
	})
}

package report

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestNumberOfScripts: the script writes a number as this package does, digit by digit: in one page
// stand both.
func TestNumberOfScripts(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil {
		t.Skipf("no node: %v", err)
	}
	script, err := os.ReadFile("live/js/base.js")
	if err != nil {
		t.Fatal(err)
	}
	xs := []float64{0, 0.5, 0.0625, 0.1875, 0.3125, 1.0015, -0.4375, 0.00012, 0.000125, 1.2e-5, 1e-5, 9.96e-5, 0.00099999, 0.001, 0.0005, -4e-7, 999.9996, 1000, 1000.5, 1001.5, 1234.5, 999999.5, 1e6, 1.25e6, 1.35e6, 2e6, 123456789, 1e21, 5e-324}
	for i := range 4000 { // sizes from 1e-7 to 1e9, and sixteenths and halves, at which rounding is a choice
		x := math.Pow(10, -7+float64(i)*16/4000)
		xs = append(xs, x, -x, float64(i)/16, 1000+float64(i)/2, 1e6+25_000*float64(i))
	}
	given, err := json.Marshal(xs)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", "-")
	cmd.Stdin = strings.NewReader("const document = { documentElement: {} };\n" + string(script) + "\nprocess.stdout.write(JSON.stringify([[null, undefined, NaN, Infinity].map(number), " + string(given) + ".map(number)]));")
	text, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		t.Fatalf("node: %v\n%s", err, exit.Stderr)
	}
	var got [2][]string
	if err := errors.Join(err, json.Unmarshal(text, &got)); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	for i, s := range got[0] {
		if s != number(math.NaN()) {
			t.Errorf("what is no number is %q in case %d, want %q", s, i, number(math.NaN()))
		}
	}
	wrong := 0
	for i, x := range xs {
		if want := number(x); got[1][i] != want {
			if wrong++; wrong < 20 {
				t.Errorf("%v is written %s by the script, want %s", x, got[1][i], want)
			}
		}
	}
}

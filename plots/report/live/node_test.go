package live

import (
	"encoding/json"
	"errors"
	"os/exec"
	"strings"
	"testing"
)

// evaluate runs some parts of the script in node, without a page, and reads the JSON of what an
// expression gives.
func evaluate(t *testing.T, names []string, expression string, out any) {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skipf("no node: %v", err)
	}
	script := "const document = { documentElement: {}, getElementById: () => null }, addEventListener = () => {}, location = { hash: '' };\n"
	for _, name := range names {
		text, err := parts.ReadFile("js/" + name + ".js")
		if err != nil {
			t.Fatal(err)
		}
		script += string(text)
	}
	cmd := exec.Command("node", "-")
	cmd.Stdin = strings.NewReader(script + "\nprocess.stdout.write(JSON.stringify(" + expression + "));")
	text, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		t.Fatalf("node: %v\n%s", err, exit.Stderr)
	}
	if err := errors.Join(err, json.Unmarshal(text, out)); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
}

// TestLogSplits: a logarithmic axis has ticks where it is one, and else none, and comes to an end.
func TestLogSplits(t *testing.T) {
	var got [][]float64
	evaluate(t, []string{"base", "plot"}, "[[0, 10], [-1, 1], [1, Infinity], [NaN, 1], [5, 5], [1, 1000], [1, 1 + 1e-15], [2, 2.5]].map(([a, b]) => logSplits(a, b))", &got)
	for i, n := range []int{0, 0, 0, 0, 0, 4} {
		if len(got[i]) != n {
			t.Errorf("range %d has the ticks %v, want %d", i, got[i], n)
		}
	}
	if len(got[6]) > 30 || len(got[7]) < 3 {
		t.Errorf("narrow ranges have the ticks %v and %v", got[6], got[7])
	}
}

// TestRanges: of what an address or a zoom says, an axis takes what it can show.
func TestRanges(t *testing.T) {
	var got [][]float64
	evaluate(t, []string{"zoom"}, `[[[0, 10], false], [[0, 10], true], [[-3, 10], true], [[-3, 0], true], [[-3, 0.5], true],
		[[0, Infinity], false], [[NaN, 1], false], [[-1e308, 1e308], false], [[2, 1], false], [[1, 1 + 1e-12], false], [[1], false], [[1, 2, 3], false]
		].map(([r, log]) => ableRange(r, [1, 100], log))`, &got)
	want := [][]float64{{0, 10}, {1, 10}, {1, 10}, nil, nil, nil, nil, nil, nil, nil, nil, nil}
	for i := range want {
		if len(got[i]) != len(want[i]) || len(want[i]) == 2 && (got[i][0] != want[i][0] || got[i][1] != want[i][1]) {
			t.Errorf("range %d is %v, want %v", i, got[i], want[i])
		}
	}
}

// TestNamesInAddresses: names come back from an address whatever they hold, and addresses of plain
// names are as they always were.
func TestNamesInAddresses(t *testing.T) {
	var got []any
	evaluate(t, []string{"base", "view"}, `[parted(joined(["a|b", "50%", "%7C", "c"])), joined(["grpo", "rloo (k = 4)"]), parted("grpo|50%|rloo")]`, &got)
	text, err := json.Marshal(got)
	if want := `[["a|b","50%","%7C","c"],"grpo|rloo (k = 4)",["grpo","50%","rloo"]]`; err != nil || string(text) != want {
		t.Errorf("%s, want %s (%v)", text, want, err)
	}
}

// TestSliceOf: at the last step a method that ended earlier has its own last value; on the last task
// of the board it has nothing, since that of another task is none of this one.
func TestSliceOf(t *testing.T) {
	var got []int
	evaluate(t, []string{"kinds"}, `[[2, false, true], [2, false, false], [1, false, true], [2, true, true]].map(([at, still, numeric]) => sliceOf({ m: [1, 2, null] }, at, still, numeric))`, &got)
	for i, want := range []int{1, 2, 1, 0} {
		if got[i] != want {
			t.Errorf("case %d is at slice %d, want %d", i, got[i], want)
		}
	}
}

// TestRings: a pair of metrics has a ring where the chart says so, and its points say their values.
func TestRings(t *testing.T) {
	var got []struct {
		X, Y float64
		Ring bool
	}
	evaluate(t, []string{"kinds"}, `pairOf({
		data: { methods: [{ name: "a" }, { name: "b" }], numeric: true }, isOn: () => true, others: () => false, title: (m) => m,
		values: (metric, method) => ({ m: [metric === "x" ? method : 10 + method] }),
	}, { rings: [1] }, "x", "y", 0).groups.map((g) => g.points[0])`, &got)
	for i := range 2 {
		if len(got) != 2 || got[i].X != float64(i) || got[i].Y != float64(10+i) || got[i].Ring != (i == 1) {
			t.Fatalf("%+v", got)
		}
	}
}

//go:build linux && (amd64 || arm64) && !nocuda

package cuda

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"modebench/policies/internal/device/cuda/cudatest"
	"modebench/policies/internal/device/cuda/ptxcc"
	"modebench/policies/internal/device/cuda/ptxrun"
)

// A mutation changes each line of PTX that a pattern matches, one at a time.
type mutation struct {
	what    string
	pattern *regexp.Regexp
	change  func(m []string) string // of the line and the groups, to other lines
}

func line(pattern string) *regexp.Regexp { return regexp.MustCompile(`(?m)^` + pattern + `\n`) }

var (
	noBarrier = mutation{"a barrier is removed", line(`\tbar\.(?:warp\.)?sync.*`), func([]string) string { return "" }}
	otherLane = mutation{"a shuffle's lane is another", line(`(\tshfl\.sync\.bfly\.b32\s.*, )(\d+)(, 31, -1;)`), func(m []string) string {
		lane, _ := strconv.Atoi(m[2])
		return fmt.Sprintf("%s%d%s\n", m[1], lane%16+1, m[3])
	}}
	unfused = mutation{"an fma is a product and a sum", line(`(\tfma)(\.rn\.f32 \t)(%f\d+), (\S+, \S+), (\S+);`), func(m []string) string {
		return fmt.Sprintf("\tmul%s%%f9999, %s;\n\tadd%s%s, %%f9999, %s;\n", m[2], m[4], m[2], m[3], m[5])
	}}
	byOne = mutation{"a load or store is one entry further", line(`(\t(?:ld|st)\.global\.(?:nc\.)?(v4\.)?\w+ .*\[%rd\d+)(?:\+(-?\d+))?(\].*)`), func(m []string) string {
		offset, _ := strconv.Atoi(m[3])
		return fmt.Sprintf("%s+%d%s\n", m[1], offset+map[string]int{"": 4, "v4.": 16}[m[2]], m[4])
	}}
)

// A mutant is PTX with one place changed.
type mutant struct{ place, text string }

// mutants gives all of a kernel.
func (m mutation) mutants(text string) (all []mutant) {
	found := m.pattern.FindAllStringSubmatchIndex(text, -1)
	for n, at := range found {
		groups := make([]string, len(at)/2)
		for i := range groups {
			if at[2*i] >= 0 {
				groups[i] = text[at[2*i]:at[2*i+1]]
			}
		}
		changed := text[:at[0]] + m.change(groups) + text[at[1]:]
		changed = regexp.MustCompile(`%f<\d+>`).ReplaceAllString(changed, "%f<10000>") // room for one more
		all = append(all, mutant{fmt.Sprintf("%d of %d", n+1, len(found)), changed})
	}
	return all
}

// alone gives the PTX of a kernel without the others.
func alone(t *testing.T, name string) string {
	t.Helper()
	head, _, _ := strings.Cut(string(ptx), ".visible .entry ")
	return head + ".visible .entry " + strings.TrimSuffix(entries(t)[name], ".visible ")
}

// whatIsSeen interprets a kernel's cases until something is wrong, and says what.
func (w *walk) whatIsSeen(t *testing.T, name, text string) string {
	t.Helper()
	programs, err := ptxrun.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range w.cases {
		l := c.copies()
		l.Most = 4 * c.steps
		if result := programs[name].Run(l); len(result.Findings) > 0 {
			return result.Findings[0]
		}
		if where := otherBits(l.Memory, c.after); where != "" {
			return "other bits: " + where
		}
	}
	return ""
}

// TestInterpreterNotices: kernels that are wrong in one place are seen to be wrong. Each
// barrier is needed. Of the other changes some change nothing that these launches show, as
// where a lane's value is no new maximum: of a kernel they are tried in some order until two
// are seen. -v prints all that was seen.
func TestInterpreterNotices(t *testing.T) {
	longTest(t)
	all := interpret(t)
	for _, test := range []struct {
		mutation
		enough int // of a kernel; 0: each is to be seen
	}{{noBarrier, 0}, {otherLane, 2}, {unfused, 2}, {byOne, 2}} {
		tried, seen := 0, 0
		for _, name := range slices.Sorted(maps.Keys(all)) {
			mutants, ofKernel := test.mutants(alone(t, name)), 0
			for _, n := range rand.New(rand.NewPCG(1, 2)).Perm(len(mutants)) {
				m := mutants[n]
				what := all[name].whatIsSeen(t, name, m.text)
				t.Logf("%s, %s, %s: %s", test.what, name, m.place, what)
				tried++
				if what != "" {
					ofKernel++
				} else if test.enough == 0 {
					t.Errorf("%s, %s, %s: nothing is seen", test.what, name, m.place)
				}
				if ofKernel == test.enough && test.enough > 0 {
					break
				}
			}
			if len(mutants) > 0 && ofKernel == 0 {
				t.Errorf("%s, %s: nothing is seen of %d", test.what, name, len(mutants))
			}
			seen += ofKernel
		}
		t.Logf("%s: %d of %d that were tried are seen", test.what, seen, tried)
		if tried == 0 {
			t.Errorf("%s: kernels.ptx has no such line", test.what)
		}
	}
}

// TestRoundingIsRefused: what rounds otherwise is an error of all that reads the PTX.
func TestRoundingIsRefused(t *testing.T) {
	tried := 0
	for op, change := range map[string]string{
		"fma.rn.f32": "fma.rn.ftz.f32", "add.rn.f32": "add.rn.ftz.f32", "mul.rn.f32": "mul.f32", "sub.rn.f32": "sub.rz.f32",
		"rcp.rn.f32": "rcp.approx.f32", "div.rn.f32": "div.full.f32", "sqrt.rn.f32": "sqrt.approx.f32",
	} {
		before, after, ok := strings.Cut(string(ptx), "\t"+op)
		if !ok {
			continue
		}
		tried++
		text := before + "\t" + change + after
		where := fmt.Sprintf("line %d: %s", strings.Count(before, "\n")+1, change)
		_, err := ptxrun.Read(text)
		_, errCC := ptxcc.Translate(text)
		for _, err := range []error{err, errCC} {
			if err == nil || !strings.Contains(err.Error(), where) {
				t.Errorf("%s for %s: %v, want %q", change, op, err, where)
			}
		}
		if len(wrongOperations(text)) == 0 {
			t.Errorf("%s for %s is not among the operations that round otherwise", change, op)
		}
	}
	if tried < 5 {
		t.Errorf("kernels.ptx has %d of these operations", tried)
	}
}

// TestSuiteNotices runs kernels' tests on PTX that is wrong, as C++: each is to fail whose
// kernel is wrong, and no other.
func TestSuiteNotices(t *testing.T) {
	longTest(t)
	cudatest.Library(t) // or the test is skipped
	text := string(ptx)
	fails := map[string]bool{"TestPickAndSpreadRows": false, "TestAddAndAxpy": false}
	for _, wrong := range []struct {
		test, kernel string
		mutation
		which int
	}{
		{"TestMatMulStrides", "matmul_small", unfused, 60},
		{"TestMatMulChunks", "matmul_chunks", noBarrier, 0},
		{"TestLayerNorm", "layer_norm", otherLane, 0},
		{"TestSumSquares", "sum_squares", byOne, 0},
	} {
		fails[wrong.test] = true
		own := alone(t, wrong.kernel)
		_, before, _ := strings.Cut(own, ".entry ")
		_, after, _ := strings.Cut(wrong.mutants(own)[wrong.which].text, ".entry ")
		if text = strings.Replace(text, before, after, 1); !strings.Contains(text, after) {
			t.Fatalf("%s was not changed", wrong.kernel)
		}
	}
	file := filepath.Join(t.TempDir(), "wrong.ptx")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	pattern := "^(" + strings.Join(slices.Sorted(maps.Keys(fails)), "|") + ")$"
	command := exec.Command(os.Args[0], "-test.v", "-test.run", pattern)
	command.Env = append(os.Environ(), cudatest.Variable+"=ptx", cudatest.PTX+"="+file)
	out, _ := command.CombinedOutput() // it fails
	for test, fail := range fails {
		result := map[bool]string{true: "FAIL", false: "PASS"}[fail]
		if !strings.Contains(string(out), "\n--- "+result+": "+test+" ") {
			t.Errorf("%s, want %s:\n%s", test, result, out)
		}
	}
}

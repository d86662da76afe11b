package cuda

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A usage is what a kernel takes of a card.
type usage struct {
	registers int // per thread
	spilled   int // bytes per thread that went to memory for want of registers, stores and loads
}

var (
	usedBy      = regexp.MustCompile(`Compiling entry function '(\w+)'`)
	usedSpills  = regexp.MustCompile(`(\d+) bytes spill stores, (\d+) bytes spill loads`)
	usedNumbers = regexp.MustCompile(`Used (\d+) registers`)
)

// resources reads what ptxas -v prints.
func resources(log string) map[string]usage {
	number := func(s string) int { n, _ := strconv.Atoi(s); return n } // digits, by the pattern
	all, kernel := map[string]usage{}, ""
	for line := range strings.Lines(log) {
		if m := usedBy.FindStringSubmatch(line); m != nil {
			kernel = m[1]
		}
		u := all[kernel]
		if m := usedSpills.FindStringSubmatch(line); m != nil {
			u.spilled = number(m[1]) + number(m[2])
		}
		if m := usedNumbers.FindStringSubmatch(line); m != nil {
			u.registers = number(m[1])
		}
		if kernel != "" {
			all[kernel] = u
		}
	}
	return all
}

// limits are the most that each kernel may take, by kernel and card.
type limits map[string]map[string]usage

const limitsFile = "testdata/registers.txt"

// readLimits reads the committed table. Its first line that is no comment names the
// cards; the others have a kernel, and its registers on each card, with the bytes that
// it spills there behind a slash, if any.
func readLimits(t *testing.T) limits {
	t.Helper()
	text, err := os.ReadFile(limitsFile)
	if err != nil {
		t.Fatal(err)
	}
	all, cards := limits{}, []string(nil)
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(line, "#") {
			continue
		}
		if cards == nil {
			cards = fields[1:]
			if !slices.Equal(cards, architectures) {
				t.Fatalf("%s is about the cards %v, want %v", limitsFile, cards, architectures)
			}
			continue
		}
		if len(fields) != len(cards)+1 {
			t.Fatalf("%s: %q has %d limits, want %d", limitsFile, line, len(fields)-1, len(cards))
		}
		row := map[string]usage{}
		for i, field := range fields[1:] {
			registers, spilled, _ := strings.Cut(field, "/")
			var u usage
			if u.registers, err = strconv.Atoi(registers); err == nil && spilled != "" {
				u.spilled, err = strconv.Atoi(spilled)
			}
			if err != nil {
				t.Fatalf("%s: %q: %v", limitsFile, line, err)
			}
			row[cards[i]] = u
		}
		all[fields[0]] = row
	}
	return all
}

// exceeded lists the kernels that take more than they may.
func (l limits) exceeded(arch string, uses map[string]usage) (wrong []finding) {
	for kernel, u := range uses {
		limit, ok := l[kernel][arch]
		if !ok || u.registers > limit.registers {
			wrong = append(wrong, finding{checkRegisters, fmt.Sprintf("%s uses %d registers on sm_%s, want at most %d (%s)",
				kernel, u.registers, arch, limit.registers, limitsFile)})
		}
		if u.spilled > limit.spilled {
			wrong = append(wrong, finding{checkSpills, fmt.Sprintf("%s spills %d bytes on sm_%s, want at most %d (%s)",
				kernel, u.spilled, arch, limit.spilled, limitsFile)})
		}
	}
	return wrong
}

// TestLimitsOfRegisters: the table is about the kernels that there are.
func TestLimitsOfRegisters(t *testing.T) {
	limits, compiled := readLimits(t), entries(t)
	for kernel := range limits {
		if _, ok := compiled[kernel]; !ok {
			t.Errorf("%s has the kernel %s, which kernels.ptx lacks", limitsFile, kernel)
		}
	}
	for kernel := range compiled {
		if _, ok := limits[kernel]; !ok {
			t.Errorf("kernels.ptx has the kernel %s, which %s lacks", kernel, limitsFile)
		}
	}
}

// TestExceeded: a kernel may take what the table says and no more, and one that the table
// lacks nothing.
func TestExceeded(t *testing.T) {
	log := "ptxas info    : Compiling entry function 'add' for 'sm_90'\n" +
		"    8 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads\n" +
		"ptxas info    : Used 40 registers, used 1 barriers, 2048 bytes smem\n"
	uses := resources(log)
	for _, test := range []struct {
		limit usage
		want  []string
	}{
		{usage{40, 12}, nil},
		{usage{39, 12}, []string{checkRegisters}},
		{usage{40, 11}, []string{checkSpills}},
		{usage{}, []string{checkRegisters, checkSpills}},
	} {
		var got []string
		for _, w := range (limits{"add": {"90": test.limit}}).exceeded("90", uses) {
			got = append(got, w.check)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("a limit of %v: %v, want %v", test.limit, got, test.want)
		}
	}
	if len(limits{}.exceeded("90", uses)) != 2 {
		t.Error("a kernel that the table lacks goes unnoticed")
	}
}

// most is the larger of two usages.
func (u usage) most(other usage) usage {
	return usage{max(u.registers, other.registers), max(u.spilled, other.spilled)}
}

// String writes the table with registers rounded up as they are given out, by eights.
func (l limits) String() string {
	var table strings.Builder
	fmt.Fprintf(&table, "%-27s", "kernel")
	for _, arch := range architectures {
		fmt.Fprintf(&table, " %6s", arch)
	}
	kernels := []string{}
	for kernel := range l {
		kernels = append(kernels, kernel)
	}
	slices.Sort(kernels)
	for _, kernel := range kernels {
		fmt.Fprintf(&table, "\n%-27s", kernel)
		for _, arch := range architectures {
			u := l[kernel][arch]
			cell := strconv.Itoa((u.registers + 7) / 8 * 8)
			if u.spilled > 0 {
				cell += "/" + strconv.Itoa(u.spilled)
			}
			fmt.Fprintf(&table, " %6s", cell)
		}
	}
	return table.String()
}

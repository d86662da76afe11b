package cuda

import (
	"bytes"
	"debug/elf"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// toolsVariable is the environment variable with the folder in which tests look for
// ptxas and nvdisasm, at any depth. Without it they look in PATH. Each ptxas that lies
// there is tried: drivers of many versions compile the PTX.
const toolsVariable = "MODEBENCH_CUDA_TOOLS"

// architectures are the cards that the PTX is compiled for here: Turing, Ampere (two),
// Ada, Hopper, Blackwell (two).
var architectures = []string{"75", "80", "86", "89", "90", "100", "120"}

// cudaTools finds the tools. The test is skipped where there is no ptxas; disassembler is
// "" where there is no nvdisasm.
func cudaTools(t *testing.T) (assemblers []string, disassembler string) {
	t.Helper()
	folder := os.Getenv(toolsVariable)
	if folder == "" {
		disassembler, _ = exec.LookPath("nvdisasm")
		path, err := exec.LookPath("ptxas")
		if err != nil {
			t.Skipf("no ptxas in PATH, and %s names no folder that has one", toolsVariable)
		}
		return []string{path}, disassembler
	}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		switch entry.Name() {
		case "ptxas":
			assemblers = append(assemblers, path)
		case "nvdisasm":
			disassembler = path
		}
		return nil
	})
	if err != nil || len(assemblers) == 0 {
		t.Skipf("no ptxas in %s, which %s names (%v)", folder, toolsVariable, err)
	}
	return assemblers, disassembler
}

// release is the version that a ptxas says it has.
func release(t *testing.T, assembler string) string {
	t.Helper()
	out, err := exec.Command(assembler, "--version").Output()
	if err != nil {
		t.Fatalf("%s: %v", assembler, err)
	}
	m := regexp.MustCompile(`release (\d+\.\d+)`).FindSubmatch(out)
	if m == nil {
		t.Fatalf("%s does not say its version: %s", assembler, out)
	}
	return string(m[1])
}

// errUnknownCard says that a ptxas is older than a card, or no longer knows it.
var errUnknownCard = fmt.Errorf("this ptxas does not know the card")

// A build is what ptxas made of PTX.
type build struct {
	path     string            // of the file
	log      string            // what -v prints
	sections map[string][]byte // machine code and constants, by the names of sections
}

// assemble compiles PTX for a card.
func assemble(t *testing.T, assembler, arch, ptx string, flags ...string) (build, error) {
	t.Helper()
	folder := t.TempDir()
	source, target := filepath.Join(folder, "kernels.ptx"), filepath.Join(folder, "kernels.cubin")
	if err := os.WriteFile(source, []byte(ptx), 0o666); err != nil {
		t.Fatal(err)
	}
	args := append(slices.Clone(flags), "-v", "-arch=sm_"+arch, source, "-o", target)
	out, err := exec.Command(assembler, args...).CombinedOutput()
	if strings.Contains(string(out), "is not defined for option 'gpu-name'") {
		return build{}, errUnknownCard
	}
	if err != nil {
		return build{}, fmt.Errorf("ptxas: %w\n%s", err, out)
	}
	code, err := os.ReadFile(target)
	if err != nil {
		return build{}, err
	}
	if len(code) > 24 {
		// Some releases write their own number where ELF has its version, which is 1.
		copy(code[20:24], []byte{1, 0, 0, 0})
	}
	file, err := elf.NewFile(bytes.NewReader(code))
	if err != nil {
		return build{}, err
	}
	b := build{target, string(out), map[string][]byte{}}
	for _, s := range file.Sections {
		// Others hold symbols and the options of the call, which may differ.
		if !strings.HasPrefix(s.Name, ".text.") && !strings.HasPrefix(s.Name, ".nv.constant") {
			continue
		}
		if b.sections[s.Name], err = s.Data(); err != nil {
			return build{}, err
		}
	}
	return b, nil
}

// differences lists the sections in which two builds differ.
func differences(a, b build) (names []string) {
	for name, code := range a.sections {
		if other, ok := b.sections[name]; !ok || !bytes.Equal(code, other) {
			names = append(names, name)
		}
	}
	for name := range b.sections {
		if _, ok := a.sections[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// A finding is what machine code has that the contract rules out, and which check saw it.
type finding struct{ check, text string }

// The checks of machine code.
const (
	checkContraction = "contraction" // -fmad changes no byte
	checkOperations  = "operations"  // no operation that rounds otherwise, or flushes, or reduces in any order
	checkCounts      = "counts"      // as many sums, products and fused ones as the PTX has, at least
	checkRegisters   = "registers"   // within the table of testdata/registers.txt
	checkSpills      = "spills"      // the same
)

// examine compiles PTX for a card and lists what is wrong with the machine code. asked is
// the PTX that the code is held to, which tests change. disassembler may be "".
func examine(t *testing.T, assembler, disassembler, arch, ptx, asked string, limits limits) (wrong []finding, uses map[string]usage, err error) {
	t.Helper()
	fused, err := assemble(t, assembler, arch, ptx, "-fmad=true")
	if err != nil {
		return nil, nil, err
	}
	plain, err := assemble(t, assembler, arch, ptx, "-fmad=false")
	if err != nil {
		return nil, nil, err
	}
	for _, name := range differences(fused, plain) {
		wrong = append(wrong, finding{checkContraction, name + " is other machine code with -fmad=false"})
	}
	uses = resources(fused.log)
	wrong = append(wrong, limits.exceeded(arch, uses)...)
	if disassembler == "" {
		return wrong, uses, nil
	}
	functions, err := disassemble(disassembler, fused)
	if err != nil {
		return nil, nil, err
	}
	all := requests(asked)
	for name, f := range functions {
		wrong = append(wrong, f.wrong(name, all[name])...)
	}
	slices.SortFunc(wrong, func(a, b finding) int { return strings.Compare(a.check+a.text, b.check+b.text) })
	return wrong, uses, nil
}

// TestMachineCode compiles kernels.ptx as a driver would, for each card that there may be.
func TestMachineCode(t *testing.T) {
	assemblers, disassembler := cudaTools(t)
	committed, present := readLimits(t), limits{}
	var mu sync.Mutex // of present
	t.Run("of", func(t *testing.T) {
		for _, assembler := range assemblers {
			version := release(t, assembler)
			for _, arch := range architectures {
				t.Run(fmt.Sprintf("ptxas %s for sm_%s", version, arch), func(t *testing.T) {
					t.Parallel()
					wrong, uses, err := examine(t, assembler, disassembler, arch, string(ptx), string(ptx), committed)
					if err == errUnknownCard {
						t.Skip(err)
					}
					if err != nil {
						t.Fatal(err)
					}
					if len(uses) != len(entries(t)) {
						t.Errorf("%d kernels were compiled, want %d", len(uses), len(entries(t)))
					}
					for _, w := range wrong {
						t.Errorf("%s: %s", w.check, w.text)
					}
					var all usage
					mu.Lock()
					defer mu.Unlock()
					for kernel, u := range uses {
						if present[kernel] == nil {
							present[kernel] = map[string]usage{}
						}
						present[kernel][arch] = present[kernel][arch].most(u)
						all = all.most(u)
					}
					t.Logf("%d kernels, at most %d registers a thread and %d bytes spilled", len(uses), all.registers, all.spilled)
				})
			}
		}
	})
	if disassembler == "" {
		t.Log("no nvdisasm: the operations of the machine code were not looked at")
	}
	if t.Failed() {
		t.Logf("%s would be now, for these releases of ptxas:\n%v", limitsFile, present)
	}
}

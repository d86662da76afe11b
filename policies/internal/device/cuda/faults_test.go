package cuda

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"modebench/policies/internal/device/cuda/cudatest"
)

// plantedFaults are wrong places of the kernels' sources, one each in kernels that share no test.
var plantedFaults = []struct{ name, file, right, wrong, test string }{
	{"a barrier of a block is removed", "matmul.cu", "__syncthreads();", "", "TestMatMulChunks"},
	{"a barrier of a warp is removed", "attention.cu", "__syncwarp(); // the weights of all lanes are there", "", "TestDecodeSameBits"},
	{"a fused product and sum is rounded twice", "rows.cu", "squares = fma32(off, off, squares)", "squares = off * off + squares", "TestLayerNorm"},
	{"a shuffle takes another lane", "contract.cuh", "float other = __shfl_xor_sync(ALL_LANES, v, half)",
		"float other = __shfl_xor_sync(ALL_LANES, v, half % 16 + 1)", "TestLogSoftmax"},
	{"a load is one entry further", "rows.cu", "squares = fma32(x[i], x[i], squares)", "squares = fma32(x[i + 1], x[i + 1], squares)", "TestSumSquares"},
	{"a store is one entry further", "rows.cu", "m[i] = first", "m[i + 1] = first", "TestAdamW"},
}

// TestKernelTestsSeePlantedFaults runs kernels' tests on kernels that are wrong: each test fails
// whose kernel is wrong, and no other.
func TestKernelTestsSeePlantedFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the kernels' tests once more")
	}
	shimLibrary(t) // or the test is skipped
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS("kernels")); err != nil {
		t.Fatal(err)
	}
	results := map[string]string{"TestEmbedRows": "PASS", "TestAddAndAxpy": "PASS", "TestPickAndSpreadRows": "PASS"}
	for _, f := range plantedFaults {
		file := filepath.Join(folder, f.file)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		changed := strings.Replace(string(text), f.right, f.wrong, 1)
		if changed == string(text) {
			t.Fatalf("%s: %s has no %q: was the kernel changed?", f.name, f.file, f.right)
		}
		if err := os.WriteFile(file, []byte(changed), 0o666); err != nil {
			t.Fatal(err)
		}
		results[f.test] = "FAIL"
	}
	command := exec.Command(os.Args[0], "-test.v", "-test.run", "^("+strings.Join(slices.Sorted(maps.Keys(results)), "|")+")$")
	command.Env = append(os.Environ(), cudatest.Kernels+"="+folder)
	out, _ := command.CombinedOutput() // it fails
	for test, result := range results {
		if !strings.Contains(string(out), "\n--- "+result+": "+test+" ") {
			t.Errorf("%s, want %s:\n%s", test, result, out)
		}
	}
}

package sweep

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"modebench/experiments/internal/exptest"
	"modebench/experiments/record"
	"modebench/experiments/spec"
	"modebench/internal/input"
)

// pretrained is a spec of cells that start from one base policy.
func pretrained(t testing.TB, seeds string) *spec.Spec {
	t.Helper()
	return exptest.Load(t, "tiny.toml", "seeds = "+seeds+"\n[env]\nname = \"bandit\"\n"+exptest.TinyPolicy+"[train]\nsteps = 2\nproblems = 2\nbatch = 1\n[eval]\nk = [1]\nsamples = 2\nproblems = 1\n[[method]]\nname = \"grpo\"\n")
}

// alter changes a weight of a base policy and makes its checksum fit, and returns the hash
// of the file as it was and as it is.
func alter(t testing.TB, file string) (was, is string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	whole := sha256.Sum256(data)
	head := bytes.IndexByte(data, '\n') + 1
	payload := data[head+sha256.Size:]
	payload[len(payload)-2] ^= 1
	sum := sha256.Sum256(payload)
	copy(data[head:], sum[:])
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
	altered := sha256.Sum256(data)
	return hex.EncodeToString(whole[:]), hex.EncodeToString(altered[:])
}

// noted runs a spec and returns what is said.
func noted(t testing.TB, s *spec.Spec, out, cache string, verify bool) (notes []string, err error) {
	t.Helper()
	_, err = Run(t.Context(), s, Options{Out: out, Jobs: 1, Cache: cache, VerifyCache: verify, Notes: func(line string) { notes = append(notes, line) }})
	return notes, err
}

// TestAlteredBase: a base policy whose weights were altered, and its checksum with them, is
// accepted. That cells began from a different one is noted once, in a line that names both;
// pre-training finds out which is right.
func TestAlteredBase(t *testing.T) {
	out, cache := t.TempDir(), t.TempDir()
	if notes, err := noted(t, pretrained(t, "2"), out, cache, false); err != nil || len(notes) > 0 {
		t.Fatalf("before: %v, %v", notes, err)
	}
	file := baseFile(t, cache)
	was, is := alter(t, file)
	first := ""
	for _, dir := range besides(t, out, "grpo-") {
		if base, ok := record.ReadBase(dir); !ok || base != (record.Base{File: filepath.Base(file), SHA256: was}) {
			t.Errorf("%s says that it began from %+v, %v; want %s", filepath.Base(dir), base, ok, was)
		}
		if strings.HasPrefix(filepath.Base(dir), "grpo-s0-") {
			first = dir
		}
	}
	notes, err := noted(t, pretrained(t, "4"), out, cache, false)
	want := []string{"base policy " + filepath.Base(file) + ": " + first + " began from one of SHA-256 " + was + ", and this run from one of " + is + ": one of them was altered; --verify-cache finds out which"}
	if d := cmp.Diff(want, notes); d != "" || err != nil {
		t.Errorf("with an altered base policy: %v; notes (-want +got):\n%s", err, d)
	}
	// Nothing is missing now, and cells are of both.
	notes, err = noted(t, pretrained(t, "4"), out, cache, false)
	if err != nil || len(notes) != 1 || !strings.Contains(notes[0], was) || !strings.Contains(notes[0], is) {
		t.Errorf("where cells of both are there: %v; notes %q", err, notes)
	}
	// Verified, in the same folder and in a new one.
	for _, dir := range []string{out, t.TempDir()} {
		_, err = noted(t, pretrained(t, "4"), dir, cache, true)
		if err == nil || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), was) || !strings.Contains(err.Error(), is) || strings.Contains(err.Error(), "\n") {
			t.Errorf("verified: got %v, want an error of one line with the file and both hashes", err)
		}
		if bad := (*input.Error)(nil); !errors.As(err, &bad) {
			t.Errorf("not an error of what was handed in: %v", err)
		}
	}
	if cells := besides(t, out, "grpo-"); len(cells) != 4 {
		t.Errorf("verifying left %d cells, want 4", len(cells))
	}
	// Verification confirms the policy that pre-training gives, and names the cell that began from
	// the altered one.
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	for made := range 2 { // it is made, then found
		notes, err = noted(t, pretrained(t, "4"), out, cache, true)
		if err != nil || len(notes) != 1+made || !strings.Contains(notes[0], is) || made > 0 && !strings.Contains(notes[1], "pre-training gives the same again: SHA-256 "+was) {
			t.Errorf("verified and right: %v; notes %q", err, notes)
		}
	}
}

// TestVerifiedCache: a verified base policy changes no record, and a note states that there is
// nothing to verify.
func TestVerifiedCache(t *testing.T) {
	plain, verified, cache := t.TempDir(), t.TempDir(), t.TempDir()
	if _, err := noted(t, pretrained(t, "2"), plain, cache, false); err != nil {
		t.Fatal(err)
	}
	notes, err := noted(t, pretrained(t, "2"), verified, cache, true)
	if err != nil || len(notes) != 1 || !strings.Contains(notes[0], "the same again") {
		t.Errorf("%v; notes %q", err, notes)
	}
	if d := cmp.Diff(exptest.Tree(t, plain), exptest.Tree(t, verified)); d != "" {
		t.Errorf("verifying changed records:\n%.500s", d)
	}
	notes, err = noted(t, exptest.Small(t), t.TempDir(), cache, true)
	if d := cmp.Diff([]string{"no cell starts from a base policy, so there is nothing to verify"}, notes); d != "" || err != nil {
		t.Errorf("tables: %v; notes (-want +got):\n%s", err, d)
	}
}

// TestMergedBases: merging cells of machines whose base policies differ notes the difference.
func TestMergedBases(t *testing.T) {
	a, b, cache := t.TempDir(), t.TempDir(), t.TempDir()
	if _, err := noted(t, pretrained(t, "1"), a, cache, false); err != nil {
		t.Fatal(err)
	}
	if m, err := Merge(b, a); err != nil || len(m.Notes) > 0 {
		t.Fatalf("of one machine: %v, %v", m, err)
	}
	was, is := alter(t, baseFile(t, cache))
	c := t.TempDir()
	_, err := Run(t.Context(), pretrained(t, "2"), Options{Out: c, Jobs: 1, Cache: cache, Part: func(cell int) bool { return cell == 1 }})
	if err != nil {
		t.Fatal(err)
	}
	m, err := Merge(b, c)
	if err != nil || len(m.Notes) != 1 || !strings.Contains(m.Notes[0], was) || !strings.Contains(m.Notes[0], is) || strings.Contains(m.Notes[0], "\n") {
		t.Errorf("of two: %+v, %v; want a line with both hashes", m, err)
	}
}

// TestStrangeProvenance: an entry of provenance.json that is no base policy is ignored, and reaches
// no terminal.
func TestStrangeProvenance(t *testing.T) {
	dir := t.TempDir()
	sum := strings.Repeat("0f", 32)
	for text, want := range map[string]bool{
		`{"base":{"file":"maze-m1-0f.base","sha256":"` + sum + `"}}`:       true,
		`{"base":{"file":"\u001b[31m.base","sha256":"` + sum + `"}}`:       false,
		`{"base":{"file":"../x.base","sha256":"` + sum + `"}}`:             false,
		`{"base":{"file":"maze-m1-0f.base","sha256":"` + sum[1:] + `"}}`:   false,
		`{"base":{"file":"maze-m1-0f.base","sha256":"\n` + sum[1:] + `"}}`: false,
		`{"base":7}`: false, `{}`: false, `no JSON`: false, "": false,
	} {
		if err := os.WriteFile(filepath.Join(dir, record.ProvenanceFile), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if base, ok := record.ReadBase(dir); ok != want {
			t.Errorf("%s: %+v, %v", text, base, ok)
		}
	}
	if _, ok := record.ReadBase(t.TempDir()); ok {
		t.Error("a cell without provenance has a base policy")
	}
}

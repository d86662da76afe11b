package cells

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"modebench/internal/visible"
)

func FuzzFailure(f *testing.F) {
	dir := f.TempDir()
	const id = "grpo-s0-0123456789ab"
	if err := WriteFailure(dir, id, Failure{"grpo lambda=1", 3, "step 7:\nnot finite"}); err != nil {
		f.Fatal(err)
	}
	written, err := os.ReadFile(filepath.Join(dir, FailedPrefix+id))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(written)
	f.Add(written[:len(written)/2])
	f.Add([]byte(`{"label":"a","seed":0,"error":"two\nlines"}`))
	f.Add([]byte(`{"label":"a","seed":0,"error":""}`))
	f.Add([]byte(`{"label":"a","seed":0,"error":"a private character: \ue92b"}`))
	f.Add([]byte("{\"label\":\"a\",\"seed\":3,\"error\":\"ste\ue92b\xbawp 7: not finite\"}\n"))
	f.Add([]byte("{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(filepath.Join(dir, FailedPrefix+id), data, 0o644); err != nil {
			t.Fatal(err)
		}
		why, failed := readFailure(dir, id)
		if !failed || why == "" || strings.ContainsAny(why, "\n\r") {
			t.Errorf("%q is read as %q, %v", data, why, failed)
		}
		one, err := ParseFailure(data)
		if err == nil && visible.Text(one.Error) != why || err != nil && !strings.HasPrefix(why, filepath.Join(dir, FailedPrefix+id)+": ") {
			t.Errorf("%q is read as %q, and is %+v (%v)", data, why, one, err)
		}
	})
}

package countdown

import (
	"testing"

	"modebench/envs/envtest"
)

func TestLessonsArePinned(t *testing.T) {
	envtest.Lessons(t, build(t, nil), "d16f9ccaaab17489b5d3f1be4157601b3c3d13c896dd2205f6f295a731b04e61")
}

func FuzzEncoding(f *testing.F) { envtest.FuzzEncoding(f, build(f, nil)) }

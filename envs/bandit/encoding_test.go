package bandit

import (
	"testing"

	"modebench/envs/envtest"
)

func TestLessonsArePinned(t *testing.T) {
	envtest.Lessons(t, build(t, nil), "f0125e94c93c42be89130418c8a9c93a21bb5fa208e1b0a349dc1405e566bc52")
}

func FuzzEncoding(f *testing.F) { envtest.FuzzEncoding(f, build(f, nil)) }

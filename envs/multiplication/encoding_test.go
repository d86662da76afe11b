package multiplication

import (
	"testing"

	"modebench/envs/envtest"
)

func TestLessonsArePinned(t *testing.T) {
	envtest.Lessons(t, build(t, nil), "cd8aae36d403a42db6d298e597d4c26772305b20d38f1de001b4ecd56c801cf6")
}

func FuzzEncoding(f *testing.F) { envtest.FuzzEncoding(f, build(f, nil)) }

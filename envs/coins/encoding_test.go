package coins

import (
	"testing"

	"modebench/envs/envtest"
)

func TestLessonsArePinned(t *testing.T) {
	envtest.Lessons(t, build(t, nil), "6630e19ab876da8db676b42445dec10fbde4382730727e4293d173450ead6715")
}

func FuzzEncoding(f *testing.F) { envtest.FuzzEncoding(f, build(f, nil)) }

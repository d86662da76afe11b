package polynomial

import (
	"testing"

	"modebench/envs/envtest"
)

func TestLessonsArePinned(t *testing.T) {
	envtest.Lessons(t, build(t, nil), "db7d1ba3ce7f615df940e5660591de644141eb780c510f8affe758504d235042")
}

func FuzzEncoding(f *testing.F) { envtest.FuzzEncoding(f, build(f, nil)) }

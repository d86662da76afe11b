package maze

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"modebench/envs"
)

// TestReleasedMazes: the 1000 and 100 mazes of the authors' code, cell for cell. The hashes are
// of the mazes that its own functions made under Python 3.8, 3.11 and 3.13 (_make_split with
// seeds 42 and 4242, ryanboldi/vpo at 767db79f), a line each: seed, rows, budget, row and column
// of the gold and of the diamond corner.
func TestReleasedMazes(t *testing.T) {
	e := build(t, func(c *Config) { c.Source = "released" })
	for split, want := range map[envs.Split]struct {
		n    int
		hash string
	}{
		envs.Train: {1000, "10e94fdc161bd1aab1235f62b3ee16caa8d6d66b846fbf07febe43ef2d952b82"},
		envs.Test:  {100, "f1f2e6b7676202667cf49a821ff77a1ff1f646ade211050af7599aa6bc2d0c3c"},
	} {
		hash := sha256.New()
		for i := range want.n {
			p := problem(t, e, split, i)
			gold, diamond := p.geo.inside[p.corners[0]], p.geo.inside[p.corners[1]]
			fmt.Fprintf(hash, "%d %s %d %d,%d %d,%d\n", e.released[split].seeds[i], strings.Join(p.grid(), "/"),
				p.budget, gold[0], gold[1], diamond[0], diamond[1])
		}
		if got := hex.EncodeToString(hash.Sum(nil)); got != want.hash {
			t.Errorf("%s: hash %s, want %s", split, got, want.hash)
		}
	}
}

// TestReleasedMazesGoOn: past its file, and in other draws, a split has mazes of its own.
func TestReleasedMazesGoOn(t *testing.T) {
	seen := map[string]string{}
	for draw := range 2 {
		e := build(t, func(c *Config) { c.Source, c.EnvSeed = "released", draw })
		for _, split := range envs.Splits() {
			for _, i := range []int{0, 99, 100, 999, 1000, 1 << 30} {
				if draw > 0 && split == envs.Pretrain {
					continue
				}
				p := problem(t, e, split, i)
				grid := strings.Join(p.grid(), "/")
				if other := seen[grid]; other != "" {
					t.Errorf("%s is %s", p.ID(), other)
				}
				seen[grid] = p.ID()
			}
		}
	}
}

// TestPythonRandom: a seed of two words, as Python draws from it.
func TestPythonRandom(t *testing.T) {
	var r pythonRandom
	r.seed(1<<40 + 5)
	for i, want := range []int{516, 529, 275, 679, 948} {
		if got := r.below(1000); got != want {
			t.Errorf("random.Random(2**40 + 5).randrange(1000), number %d: %d, want %d", i, got, want)
		}
	}
}

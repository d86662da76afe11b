package envs

import (
	"fmt"
	"strconv"

	"modebench/internal/rng"
)

// A Draw selects the draw of its problems that an environment hands out. The Config of every
// environment embeds it.
//
// Problems of the splits train, test and ood, and all that problems share (the strategies and
// embeddings of the bandit), are another sample for each number. The split pretrain is the same in
// every draw, so that a base policy is no part of it. Where a hash deals problems to the splits, it
// is the same in every draw too: no problem of a split is in another split of another draw.
type Draw struct {
	EnvSeed int `param:"env_seed" doc:"draw of the problems: each number is another sample of those that are trained and evaluated on; 0 is the published one" min:"0" late:"0"`
}

// envSeedField is the name of Draw.EnvSeed among parameters.
const envSeedField = "env_seed"

// Key names the random streams of the parts that the problems of a draw share. Each
// environment has its own name for them.
func (d Draw) Key(name string) rng.Key { return rng.New(uint64(d.EnvSeed)).Str(name) }

// SplitKey names the random streams of a split's problems, before split and index.
func (d Draw) SplitKey(name string, split Split) rng.Key { return d.forSplit(split).Key(name) }

// ID is that of problem number index of a split: "train/0", or "draw3/train/0" where another draw
// has another problem of that name. Policies and runs name random streams by it.
func (d Draw) ID(split Split, index int) string {
	id := string(split) + "/" + strconv.Itoa(index)
	if d = d.forSplit(split); d.EnvSeed > 0 {
		id = "draw" + strconv.Itoa(d.EnvSeed) + "/" + id
	}
	return id
}

// forSplit is the draw that a split's problems are of.
func (d Draw) forSplit(split Split) Draw {
	if split == Pretrain {
		return Draw{}
	}
	return d
}

// Owner deals problems to splits by a hash: half of them to pretrain, a quarter each to train
// and to test. Its last two bits decide.
func Owner(hash uint64) Split { return [4]Split{Pretrain, Pretrain, Train, Test}[hash%4] }

// mostDraws bounds the problems drawn for each accepted problem.
const mostDraws = 10_000

// Find returns the first problem that draw accepts, from the streams of an environment, a
// split and an index; draw returns nil to refuse one. An error ends in refused: the reason, and
// the parameters that leave more.
func (d Draw) Find(env string, split Split, index int, refused string, draw func(key rng.Key) Problem) (Problem, error) {
	if err := CheckRequest(split, index); err != nil {
		return nil, err
	}
	key := d.SplitKey(env, split).Str(string(split)).Int(uint64(index))
	for i := range uint64(mostDraws) {
		if p := draw(key.Int(i)); p != nil {
			return p, nil
		}
	}
	return nil, fmt.Errorf("%s %s: none of %d %s", env, d.ID(split, index), mostDraws, refused)
}

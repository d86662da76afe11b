// Package maze is the grid maze of VPO app. A.1: a route from S to E under a step
// budget that pays for a detour to the gold or to the diamonds, but not to both.
// Rewards are vectors (completion, gold, diamond, avoid_lava), so a problem has a
// Pareto front instead of a best answer, and the front is known exactly.
//
// The rules are the paper's; its integer seeds are not. Choices that it leaves open:
//
//   - Corners and centre that carving left as walls are opened; a maze that then
//     has one of them cut off is rejected.
//   - Items lie on open cells other than S, E and the bonus tile; the gold and
//     diamond corners may hold one themselves. Too few free cells reject.
//   - The walls that may become openings (two or more open neighbours) are listed anew
//     after each opening; if they run out, there are fewer openings.
//   - Distances walk over items, lava, S and E.
//   - The length of a tour of both corners is that of the shorter order.
//   - Every move costs a step, also one into a wall or the border, which stays
//     put. Moves after E or past the budget are ignored.
//   - A way over a corner of more than 4(size-1) steps, twice the Manhattan
//     distance of S and E, rejects. This bounds the answers (Info.MaxAnswer). With
//     default openings it rejected none of 270,000 mazes; with few or none it does.
//
// The authors' code (github.com/ryanboldi/vpo at 767db79f, vpo_tasks/maze.py) draws other
// mazes and trains on another reward than the paper states; the parameters source and
// reward choose them (see released and Problem.reward).
package maze

import (
	"sync"

	"modebench/envs"
	"modebench/internal/exact"
	"modebench/internal/params"
)

// Config holds the parameters of the maze.
type Config struct {
	Size        int `param:"size" doc:"cells on a side, an odd number; split ood has two more" min:"5" max:"21"`
	OpeningsMin int `param:"openings_min" doc:"fewest openings added to the spanning tree; split ood scales them with the area" min:"0" max:"400"`
	OpeningsMax int `param:"openings_max" doc:"most openings added to the spanning tree" min:"0" max:"400"`
	ItemsMin    int `param:"items_min" doc:"fewest gold cells, and fewest diamond cells" min:"1" max:"6"`
	ItemsMax    int `param:"items_max" doc:"most gold cells, and most diamond cells" min:"1" max:"6"`
	LavaMin     int `param:"lava_min" doc:"fewest lava cells" min:"0" max:"8"`
	LavaMax     int `param:"lava_max" doc:"most lava cells" min:"0" max:"8"`
	Slack       int `param:"slack" doc:"steps of the budget beyond the longer way over one corner; 7 is the paper's, 11 gives richer Pareto fronts" min:"0" max:"100"`

	Source string `param:"source" doc:"paper: mazes by the paper's rules, of our own seeds; released: those of the paper's code, cell for cell, from train/0 to 999 and test/0 to 99" choices:"paper,released" late:"paper"`
	Reward string `param:"reward" doc:"linear: shares of gold, diamonds and lava; convex-bonus: their squares, times 1.5 if the route was on the bonus tile, at most 1, as the released data" choices:"linear,convex-bonus" late:"linear"`

	Detour float64 `param:"detour" doc:"demonstrator: probability of a walk over the gold or the diamond corner, half each" min:"0" max:"1" readers:"demonstrator"`
	Tau    float64 `param:"tau" doc:"demonstrator: temperature of its moves" min:"0.01" max:"100" readers:"demonstrator"`

	envs.Draw
}

// Bounds that the layout of an item set (see itemSet) fixes. No corner has more
// than six cells within Manhattan distance 2.
const (
	minSize  = 5
	maxSize  = 21
	maxItems = 6
	maxLava  = 8
)

func init() {
	envs.Register(envs.Definition{
		Name:        "maze",
		Summary:     "a route through a grid maze, past gold, diamonds, lava and a bonus tile; exact Pareto front",
		Source:      "VPO app. A.1 and E.3",
		Default:     func() envs.Config { return Default() },
		Transformer: envs.Transformer{Width: 32, Heads: 2, Steps: 3500, Batch: 64, LR: 4e-3},
	})
}

// Default is the paper's maze: 9x9, 18 to 28 openings, 3 to 5 of each item.
func Default() *Config {
	return &Config{
		Size: 9, OpeningsMin: 18, OpeningsMax: 28,
		ItemsMin: 3, ItemsMax: 5, LavaMin: 3, LavaMax: 5, Slack: 7,
		Source: "paper", Reward: "linear",
		Detour: 0.1, Tau: 1.1,
	}
}

// Build makes the environment. Parameters out of their bounds, and contradicting ones,
// are an error.
func (c *Config) Build() (envs.Env, error) {
	if err := params.Check(c); err != nil {
		return nil, err
	}
	switch inside := (c.Size-4)*(c.Size-4) - 1; {
	case c.Size%2 == 0:
		return nil, params.Errorf("size", "got %d, want an odd number from %d to %d: the bonus tile lies in the centre", c.Size, minSize, maxSize)
	case c.OpeningsMin > c.OpeningsMax:
		return nil, params.Errorf("openings_min", "got %d, want 0 to openings_max, %d", c.OpeningsMin, c.OpeningsMax)
	case c.ItemsMin > c.ItemsMax:
		return nil, params.Errorf("items_min", "got %d, want 1 to items_max, %d", c.ItemsMin, c.ItemsMax)
	case c.LavaMax > min(maxLava, inside):
		return nil, params.Errorf("lava_max", "got %d, want at most %d: lava lies two cells or more from the border, beside the bonus tile", c.LavaMax, min(maxLava, inside))
	case c.LavaMin > c.LavaMax:
		return nil, params.Errorf("lava_min", "got %d, want 0 to lava_max, %d", c.LavaMin, c.LavaMax)
	}
	area, larger := c.Size*c.Size, (c.Size+2)*(c.Size+2)
	scaled := func(openings int) int { return (2*openings*larger + area) / (2 * area) }
	e := &Env{
		config: *c,
		usual:  newGeometry(c.Size, c.Size+2, c.Slack),
		larger: newGeometry(c.Size+2, c.Size+2, c.Slack),
	}
	e.usual.openings = [2]int{c.OpeningsMin, c.OpeningsMax}
	e.larger.openings = [2]int{scaled(c.OpeningsMin), scaled(c.OpeningsMax)}
	e.usual.pool.New = func() any { return newGenerator(&e.config, e.usual) }
	e.larger.pool.New = func() any { return newGenerator(&e.config, e.larger) }
	e.released = newFiles()
	e.layout = newLayout(c.Size+2, e.larger.limit)
	e.ahead, e.astray = exact.Exp(1/c.Tau), exact.Exp(-1/c.Tau)
	return e, nil
}

// Env is the maze with its parameters fixed.
type Env struct {
	config Config
	usual  *geometry // of the splits pretrain, train and test
	larger *geometry // of the split ood
	search sync.Pool // *search

	released map[envs.Split]*file // under source "released"

	layout layout // of features

	ahead, astray float64 // demonstrator: weights of moves that make progress, and of others
}

// Components of the reward vector.
const components = 4

// Info implements envs.Env.
func (e *Env) Info() envs.Info {
	return envs.Info{
		Components: []string{"completion", "gold", "diamond", "avoid_lava"},
		Weights:    envs.UniformWeights(components),
		Vocabulary: vocabulary,
		MaxAnswer:  e.larger.limit,
		Word:       "route",
		Embeddings: true,
	}
}

// zero is the reward of every answer that is no route.
var zero = make([]float64, components)

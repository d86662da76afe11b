// Package problem draws the problems of environments: what there is to find, and the
// answers given marked in it, one at a time or pools of them beside each other.
//
// problem.go says which environments have a picture. A picture is in the files that begin
// with its environment's name: bandit.go, maze.go with maze_grid.go and others.
package problem

import (
	"fmt"
	"sort"
	"strings"

	"modebench/envs"
	"modebench/plots/draw"
)

// A picture is how the problems of an environment are drawn.
type picture struct {
	figure func(p envs.Problem, answers [][]envs.Token) (*draw.Figure, error)
	pools  func(s PoolSheet) (*draw.Figure, error) // nil: a picture for each pool
}

// pictures holds, by the name of the environment, how its problems are drawn.
// The drawings read a problem's truth, and its own fields (envs.Problem.Fields) as
// a reader of the JSON document would, so that they depend on no environment's
// package.
var pictures = map[string]picture{
	"bandit":         {figure: banditFigure},
	"countdown":      {figure: countdownFigure},
	"maze":           {figure: mazeFigure, pools: mazePools},
	"multiplication": {figure: multiplicationFigure},
	"polynomial":     {figure: polynomialFigure},
}

// Drawable lists the environments whose problems can be drawn, in alphabetical
// order.
func Drawable() []string {
	names := make([]string, 0, len(pictures))
	for name := range pictures {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// Draw draws a problem of the environment of that name, with the answers
// marked in it. Answers that do not parse are counted below the picture. An
// environment that cannot be drawn is an error listing those that can.
func Draw(env string, p envs.Problem, answers [][]envs.Token) (*draw.Figure, error) {
	of, known := pictures[env]
	if !known { // the place for problems that describe their own pictures
		return nil, fmt.Errorf("problems of environment %q cannot be drawn; those of %s can", env, strings.Join(Drawable(), ", "))
	}
	made, err := of.figure(p, answers)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", env, p.ID(), err)
	}
	return made, nil
}

// DrawPools draws a picture of the problem for every pool, with the pool's answers drawn
// in. All problems are of the environment of that name.
func DrawPools(env string, s PoolSheet) (*draw.Figure, error) {
	if of := pictures[env]; of.pools != nil {
		return of.pools(s)
	}
	pictures := make([][]*draw.Figure, len(s.Rows))
	for i, row := range s.Rows {
		for _, pool := range row {
			picture, err := Draw(env, pool.Problem, pool.Answers)
			if err != nil {
				return nil, fmt.Errorf("variant %s: %w", pool.Variant, err)
			}
			pictures[i] = append(pictures[i], picture)
		}
	}
	return pictureSheet(s, pictures), nil
}

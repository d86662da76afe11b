package bandit

import "modebench/envs"

// Features implements envs.Describer. There are no features: a bandit has no prompt, and
// its answers are one token long.
func (e *Env) Features() envs.Features { return envs.Features{Tokens: len(e.arms)} }

// AppendPromptFeatures implements envs.DescribedProblem.
func (p *Problem) AppendPromptFeatures(dst [][]int32) [][]int32 { return dst }

// AppendFeatures implements envs.DescribedCursor.
func (c *cursor) AppendFeatures(dst []int32) []int32 { return dst }

package spec

// The environments that come with the suite: one line each. Its methods are a list of their
// own, in estimators/all.
import (
	_ "modebench/envs/bandit"
	_ "modebench/envs/coins"
	_ "modebench/envs/countdown"
	_ "modebench/envs/derivation"
	_ "modebench/envs/maze"
	_ "modebench/envs/multiplication"
	_ "modebench/envs/polynomial"
	_ "modebench/estimators/all"
)

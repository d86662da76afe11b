package spec

// The environments that come with the suite: one line each.
import (
	_ "modebench/envs/bandit"
	_ "modebench/envs/coins"
	_ "modebench/envs/countdown"
	_ "modebench/envs/maze"
	_ "modebench/envs/multiplication"
	_ "modebench/envs/polynomial"
)

package exptest

// Resumables are specs whose cells hold something that a run has to carry on: the name of each
// states its purpose. Every step is evaluated, so that a test can stop at every one.
var Resumables = []struct{ Name, Text string }{
	{"tables, several optimisers, pools", `
env = { name = "bandit" }
eval = { every = 1, k = [1, 2], samples = 4, keep = 1 }
method = [{ name = "grpo" }, { name = "setpo+grpo" }]
[train]
steps = 7
problems = 5
batch = 2
warmup = 2
schedule = "cosine"
record_every = 2
optimizer = ["adam", "sgd", "natural"]
`},
	{"more batches drawn than steps made", `
env = { name = "bandit", start = "zipf" }
train = { steps = 12, problems = 6, batch = 2, group = 3, lr = 0.3 }
eval = { every = 1, k = [1, 2] }
method = [{ name = "dapo" }]
`},
	{"references of the policy before training", `
env = { name = "bandit" }
train = { steps = 6, problems = 3, batch = 2, epochs = 2, minibatches = 2, lr = 0.1 }
[eval]
every = 1
k = [1, 2]
measure = ["votes", "kl", "search", "boundary", "boundary_null", "law"]
[[method]]
name = "reinforce"
kl = ["k1", "k2", "k3"]
kl_coef = 0.1
[[method]]
name = "grpo"
kl = "k3"
kl_coef = 0.1
kl_in_reward = true
`},
	{"what evaluations found out: answers too many to list at first, and not later", `
env = { name = "bandit", modes = 8 }
train = { steps = 10, lr = 0.5 }
eval = { every = 1, k = [1, 2], samples = 4, top_p = 0.6, enumerate = 4, measure = ["kl"] }
method = [{ name = "grpo" }]
`},
	{"chains, goals, contexts, noise", `
env = { name = "maze" }
policy = { context = ["add", "found"], demonstrations = 20 }
train = { steps = 4, problems = 3, batch = 2, judge_noise = 0.2, reward_noise = 0.1 }
eval = { every = 1, k = [1, 2], samples = 4, enumerate = 0, draws = 8 }
method = [{ name = "vpo" }, { name = "goal-conditioned" }, { name = "remax" }]
`},
	{"votes without labels", `
env = { name = "bandit" }
train = { steps = 6, problems = 4, batch = 2 }
eval = { every = 1, k = [1, 2] }
method = [{ name = "ttrl" }, { name = "evol-rl" }]
`},
	{"rollouts of earlier policies", `
env = { name = "bandit", start = "zipf" }
train = { steps = 7, problems = 4, batch = 2, group = 3, minibatches = 2, lr = 0.3, lag = [1, 3] }
eval = { every = 1, k = [1, 2], measure = ["updates"] }
method = [{ name = "grpo" }, { name = "dapo" }, { name = "remax", kl_coef = 0.1 }]
`},
	{"tokens that run out", `
env = { name = "bandit", start = "zipf" }
eval = { every = 1, k = [1, 2], measure = ["updates", "drawn"] }
method = [{ name = "grpo" }, { name = "dapo" }, { name = "remax" }, { name = "ttrl" }]
[train]
steps = 9
tokens = 40
problems = 6
batch = 2
group = 3
minibatches = 2
lr = 0.3
lag = [0, 2]
`},
	{"a transformer and rollouts of an earlier one", `
env = { name = "bandit" }
eval = { every = 1, k = [1], samples = 1, problems = 1 }
method = [{ name = "grpo" }]
[train]
steps = 4
problems = 3
batch = 2
group = 4
minibatches = 2
lag = 2
old = "learner"
sampler_bits = 7
sampler_temperature = 1.1
` + TinyPolicy},
	{"a transformer", `
env = { name = "bandit" }
train = { steps = 3, problems = 3, batch = 2, group = 4, record_every = 1 }
eval = { every = 1, k = [1, 2], samples = 4, problems = 2, measure = ["kl"] }
method = [{ name = "grpo", kl = "k3", kl_coef = 0.1 }, { name = "vpo" }, { name = "dapo" }]
` + TinyPolicy},
	{"evaluations between the base policy and the trained one", `
env = { name = "bandit", start = "zipf" }
train = { steps = 6, problems = 3, batch = 2, group = 4, lr = 0.3, lag = 1 }
eval = { every = 1, k = [1, 2], measure = ["kl", "boundary"], interpolate = [0.5, 0] }
method = [{ name = "grpo", kl = "k3", kl_coef = 0.1 }, { name = "vpo" }]
`},
	{"a transformer's evaluations between", `
env = { name = "bandit" }
train = { steps = 3, problems = 3, batch = 2, group = 4 }
eval = { every = 1, k = [1, 2], samples = 4, problems = 2, measure = ["kl"] }
method = [{ name = "grpo", kl = "k3", kl_coef = 0.1, eval = { interpolate = 0.5, temperature = 1.5 } }]
` + TinyPolicy},
	{"a state per problem", `
env = { name = "bandit", modes = 6, arms_per_mode = 3 }
train = { steps = 8, problems = 3, batch = 2, group = 4, lr = 0.1 }
eval = { every = 1, k = [1, 2] }
method = [{ name = "outcome-ucb" }, { name = "outcome-ucb-con", generations = 3 }]
`},
	{"samples that are stored before training", `
env = { name = "bandit", rewarded = 3 }
policy = { sharing = "shared" }
train = { steps = 7, problems = 6, batch = 3, group = 4, epochs = 2, minibatches = 2, lr = 0.1 }
eval = { every = 1, k = [1, 2], measure = ["updates", "drawn"] }
method = [{ name = "dph-js", dph_rollouts = 1, dph_js = 1 }]
`},
}

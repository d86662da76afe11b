package nearest

import (
	"maps"
	"slices"
	"strings"
)

// A Place is a spec's name for something: fields of one of its tables.
type Place struct {
	Table  string // "train", "eval" or "method"
	Fields string // as a sentence names them: "group", "clip_low and clip_high"
}

// elsewhere lists the names that TRL's GRPOConfig (with transformers' TrainingArguments), verl (n is
// its rollout.n), OpenRLHF, SkyRL and others have for fields of a spec. Names on which they agree with
// ours are left out.
var elsewhere = map[Place][]string{
	{"train", "group"}:                   {"num_generations", "n", "rollout_n", "group_size", "n_samples_per_prompt", "num_rollouts"},
	{"train", "lr"}:                      {"learning_rate"},
	{"train", "steps"}:                   {"max_steps", "num_train_epochs", "total_training_steps", "total_epochs", "num_steps"},
	{"train", "epochs"}:                  {"num_iterations", "ppo_epochs"},
	{"train", "batch"}:                   {"per_device_train_batch_size", "train_batch_size", "rollout_batch_size", "batch_size"},
	{"train", "clip_norm"}:               {"max_grad_norm", "grad_clip"},
	{"train", "optimizer"}:               {"optim"},
	{"train", "beta1"}:                   {"adam_beta1"},
	{"train", "beta2"}:                   {"adam_beta2"},
	{"train", "warmup"}:                  {"warmup_steps", "warmup_ratio", "lr_warmup_steps", "lr_warmup_steps_ratio"},
	{"train", "schedule"}:                {"lr_scheduler_type", "lr_scheduler_style", "warmup_style"},
	{"train", "record_every"}:            {"logging_steps"},
	{"train", "minibatches"}:             {"ppo_mini_batch_size"},
	{"train", "max_lag"}:                 {"max_off_policy_steps"},
	{"eval", "every"}:                    {"eval_steps", "test_freq"},
	{"method", "kl_coef"}:                {"beta", "kl_loss_coef", "init_kl_coef"},
	{"method", "clip_low"}:               {"epsilon", "clip_ratio_low"},
	{"method", "clip_high"}:              {"epsilon_high", "clip_ratio_high"},
	{"method", "kl"}:                     {"use_bias_correction_kl", "kl_loss_type"},
	{"method", "aggregation"}:            {"loss_type", "loss_agg_mode"},
	{"method", "ratio"}:                  {"importance_sampling_level"},
	{"method", "name"}:                   {"adv_estimator"},
	{"method", "clip_low and clip_high"}: {"clip_ratio", "eps_clip"},
	{"method", "dual_clip"}:              {"clip_ratio_c"},
	{"method", "entropy_coef"}:           {"entropy_coeff"},
	{"method", "kl_in_reward"}:           {"use_kl_in_reward"},
	{"method", "generations"}:            {"max_num_gen_batches"},
	{"method", "entropy_delta"}:          {"entropy_coef_delta"},
	{"method", "entropy_max"}:            {"entropy_coef_max"},
}

// Ours is where a spec has what other frameworks call name.
func Ours(name string) (Place, bool) {
	for place, names := range elsewhere {
		if slices.Contains(names, name) {
			return place, true
		}
	}
	return Place{}, false
}

// Within is Hint for a field of one table, which has the known fields: it knows also what other
// frameworks call them.
func Within(table, name string, known []string) string {
	ours, ok := Ours(name)
	if !ok || ours.Table != table {
		return Hint(name, known)
	}
	for field := range strings.SplitSeq(ours.Fields, " and ") {
		if !slices.Contains(known, field) {
			return Hint(name, known)
		}
	}
	return "did you mean " + ours.Fields + "? "
}

// Elsewhere lists the names that Ours knows, in order.
func Elsewhere() []string {
	return slices.Sorted(slices.Values(slices.Concat(slices.Collect(maps.Values(elsewhere))...)))
}

// String names the fields with their table: "group in [train]".
func (p Place) String() string {
	if p.Table == "method" {
		return p.Fields + " in [[method]]"
	}
	return p.Fields + " in [" + p.Table + "]"
}

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

// elsewhere are the names that verl, TRL, OpenRLHF and their like have for fields of a
// spec. Where frameworks agree on our name there is no entry.
var elsewhere = map[string]Place{
	// TRL's GRPOConfig and the fields that it has from transformers' TrainingArguments.
	"num_generations":             {"train", "group"},
	"learning_rate":               {"train", "lr"},
	"max_steps":                   {"train", "steps"},
	"num_train_epochs":            {"train", "steps"},
	"num_iterations":              {"train", "epochs"},
	"per_device_train_batch_size": {"train", "batch"},
	"max_grad_norm":               {"train", "clip_norm"},
	"optim":                       {"train", "optimizer"},
	"adam_beta1":                  {"train", "beta1"},
	"adam_beta2":                  {"train", "beta2"},
	"warmup_steps":                {"train", "warmup"},
	"warmup_ratio":                {"train", "warmup"},
	"lr_scheduler_type":           {"train", "schedule"},
	"logging_steps":               {"train", "record_every"},
	"eval_steps":                  {"eval", "every"},
	"beta":                        {"method", "kl_coef"},
	"epsilon":                     {"method", "clip_low"},
	"epsilon_high":                {"method", "clip_high"},
	"use_bias_correction_kl":      {"method", "kl"},
	"loss_type":                   {"method", "aggregation"},
	"importance_sampling_level":   {"method", "ratio"},
	// verl.
	"n":                     {"train", "group"}, // rollout.n
	"rollout_n":             {"train", "group"},
	"train_batch_size":      {"train", "batch"},
	"ppo_epochs":            {"train", "epochs"},
	"ppo_mini_batch_size":   {"train", "minibatches"},
	"total_training_steps":  {"train", "steps"},
	"total_epochs":          {"train", "steps"},
	"lr_warmup_steps":       {"train", "warmup"},
	"lr_warmup_steps_ratio": {"train", "warmup"},
	"lr_scheduler_style":    {"train", "schedule"},
	"warmup_style":          {"train", "schedule"},
	"grad_clip":             {"train", "clip_norm"},
	"test_freq":             {"eval", "every"},
	"adv_estimator":         {"method", "name"},
	"clip_ratio":            {"method", "clip_low and clip_high"},
	"clip_ratio_low":        {"method", "clip_low"},
	"clip_ratio_high":       {"method", "clip_high"},
	"clip_ratio_c":          {"method", "dual_clip"},
	"entropy_coeff":         {"method", "entropy_coef"},
	"kl_loss_coef":          {"method", "kl_coef"},
	"kl_loss_type":          {"method", "kl"},
	"use_kl_in_reward":      {"method", "kl_in_reward"},
	"loss_agg_mode":         {"method", "aggregation"},
	"max_num_gen_batches":   {"method", "generations"},
	// OpenRLHF, SkyRL and others.
	"group_size":           {"train", "group"},
	"n_samples_per_prompt": {"train", "group"},
	"num_rollouts":         {"train", "group"},
	"rollout_batch_size":   {"train", "batch"},
	"batch_size":           {"train", "batch"},
	"num_steps":            {"train", "steps"},
	"init_kl_coef":         {"method", "kl_coef"},
	"eps_clip":             {"method", "clip_low and clip_high"},
	"max_off_policy_steps": {"train", "max_lag"},
	"entropy_coef_delta":   {"method", "entropy_delta"},
	"entropy_coef_max":     {"method", "entropy_max"},
}

// Ours is where a spec has what other frameworks call name.
func Ours(name string) (Place, bool) {
	p, ok := elsewhere[name]
	return p, ok
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
func Elsewhere() []string { return slices.Sorted(maps.Keys(elsewhere)) }

// String names the fields with their table: "group in [train]".
func (p Place) String() string {
	if p.Table == "method" {
		return p.Fields + " in [[method]]"
	}
	return p.Fields + " in [" + p.Table + "]"
}

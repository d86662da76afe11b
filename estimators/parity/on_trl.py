"""TRL's GRPOTrainer: two of its methods, called on an object that has no model.

Whatever they ask of the trainer that is not set here is a mock, which no number of the
result goes through.
"""

from unittest.mock import MagicMock

import torch
from trl.trainer.grpo_trainer import GRPOTrainer

PACKAGE = "trl"


def trainer(**attributes):
    it = MagicMock()
    it.accelerator.device, it.accelerator.process_index, it.accelerator.num_processes = torch.device("cpu"), 0, 1
    it.accelerator.gather.side_effect = it.accelerator.reduce.side_effect = lambda x, **_: x
    it.use_vllm = it.mask_truncated_completions = it.aux_loss_enabled = it._entropy_bonus_enabled = False
    it.environment_factories = it.environments = it.tools = it.pad_to_multiple_of = it.off_policy_mask_threshold = None
    it.args.steps_per_generation = it.args.gradient_accumulation_steps = it.num_iterations = it.current_gradient_accumulation_steps = 1
    it.beta, it.top_entropy_quantile, it._tokenizer.pad_token_id = 0.0, 1.0, 0
    it._pending_extra_logs, it._pending_metrics = {}, {}
    it.get_off_policy_mask, it.get_gamma_weights = GRPOTrainer.get_off_policy_mask, GRPOTrainer.get_gamma_weights
    for name, value in attributes.items():
        setattr(it, name, value)
    return it


def estimator(aggregation, scale):
    """What advantages the trainer gives rollouts that have been sampled and judged."""

    def run(batch, settings):
        rewards = batch.vectors if aggregation == "normalize_then_sum" else batch.scores[:, None]
        weights = batch.weights if aggregation == "normalize_then_sum" else [1.0]
        it = trainer(
            num_generations=batch.size, multi_objective_aggregation=aggregation, scale_rewards=scale,
            reward_funcs=weights, reward_func_names=[f"component {k}" for k in range(len(weights))], reward_weights=torch.tensor(weights, dtype=rewards.dtype),
        )
        completions = [[1] * int(length) for length in batch.lengths]
        it._generate.return_value = ([[1]] * len(completions), completions, None, completions, None, {}, None, None)
        it._calculate_rewards.return_value = rewards
        return GRPOTrainer._generate_and_score_completions(it, [{"prompt": str(p)} for p in batch.index])["advantages"].tolist()

    return run


group = estimator("sum_then_normalize", "group")
none = estimator("sum_then_normalize", "none")
batch = estimator("sum_then_normalize", "batch")
normalize_then_sum = estimator("normalize_then_sum", "group")


def sampler_weights(tokens, s):
    """The weights that the trainer gives the tokens of rollouts from vLLM, whose
    log-probabilities are the sampler's."""
    lengths = tokens.mask.sum(dim=1).int().tolist()
    completions = [[1] * length for length in lengths]
    width = max(lengths)
    it = trainer(
        num_generations=1, multi_objective_aggregation="sum_then_normalize", scale_rewards="none", use_vllm=True,
        reward_funcs=[1.0], reward_func_names=["reward"], reward_weights=torch.ones(1), vllm_importance_sampling_correction=True,
        vllm_importance_sampling_mode=s.vllm_mode, vllm_importance_sampling_clip_min=getattr(s, "vllm_min", None), vllm_importance_sampling_clip_max=s.vllm_max,
    )
    sampled = [row[:length] for row, length in zip(tokens.sampler.tolist(), lengths)]
    it._generate.return_value = ([[1]] * len(lengths), completions, None, completions, sampled, {}, None, None)
    it._get_per_token_logps_and_entropies.return_value = (tokens.old[:, :width], None, None)
    it._calculate_rewards.return_value = torch.zeros(len(lengths), 1)
    weights = GRPOTrainer._generate_and_score_completions(it, [{"prompt": str(p)} for p in range(len(lengths))])["importance_sampling_ratio"]
    if weights.shape[1] == 1:
        return weights  # of sequences
    return torch.nn.functional.pad(weights, (0, tokens.mask.shape[1] - width))


def policy_loss(name):
    def run(tokens, s):
        it = trainer(
            loss_type=name, importance_sampling_level=getattr(s, "level", "token"), epsilon_low=s.epsilon_low, epsilon_high=s.epsilon_high,
            max_completion_length=getattr(s, "max_tokens", 0), beta=getattr(s, "kl_coef", 0.0),
        )
        it.args.delta = getattr(s, "delta", None)
        it.args.use_bias_correction_kl = getattr(s, "use_bias_correction_kl", False)
        it.off_policy_mask_threshold = getattr(s, "off_policy_mask", None)
        it.args.sapo_temperature_pos, it.args.sapo_temperature_neg = getattr(s, "tau_pos", None), getattr(s, "tau_neg", None)
        it.args.vespo_k_pos, it.args.vespo_lambda_pos, it.args.vespo_k_neg, it.args.vespo_lambda_neg = 2.0, 3.0, 3.0, 2.0  # its defaults
        it._get_per_token_logps_and_entropies.return_value = (tokens.logp, torch.zeros(tokens.mask.shape), None)
        ids, weights = torch.ones(tokens.mask.shape, dtype=torch.int64), {}
        if hasattr(s, "vllm_mode"):
            it.use_vllm = it.vllm_importance_sampling_correction = True
            weights["importance_sampling_ratio"] = sampler_weights(tokens, s)
        return GRPOTrainer._compute_loss(it, None, {
            "prompt_ids": ids[:, :1], "prompt_mask": ids[:, :1], "completion_ids": ids, "completion_mask": tokens.mask,
            "advantages": tokens.advantage, "old_per_token_logps": tokens.old, "ref_per_token_logps": tokens.ref,
            "num_items_in_batch": tokens.mask.sum(), **weights,
        })

    return run


loss_grpo = policy_loss("grpo")
loss_bnpo = policy_loss("bnpo")
loss_dr_grpo = policy_loss("dr_grpo")
loss_dapo = policy_loss("dapo")
loss_cispo = policy_loss("cispo")
loss_luspo = policy_loss("luspo")
loss_sapo = policy_loss("sapo")
loss_vespo = policy_loss("vespo")

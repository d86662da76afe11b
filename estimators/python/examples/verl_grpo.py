"""GRPO as a custom advantage estimator of verl, whose signature it has: what trains a
language model there is tested here as it stands. The built-in is grpo@verl."""

import torch
from verl.trainer.ppo.core_algos import register_adv_est


@register_adv_est("my_grpo")
def my_grpo(token_level_rewards, response_mask, index, config=None, **kwargs):
    scores = token_level_rewards.sum(dim=-1)  # (rollouts,)
    advantages = torch.zeros_like(scores)
    for prompt in dict.fromkeys(index):
        group = torch.as_tensor(index == prompt)
        r = scores[group]
        if len(r) == 1:
            advantages[group] = r / (1 + 1e-6)
        elif r.max() > r.min():  # else its z-scores are rounding over 1e-6
            advantages[group] = (r - r.mean()) / (r.std() + 1e-6)
    advantages = advantages[:, None] * response_mask
    return advantages, advantages

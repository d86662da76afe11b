"""RLOO by verl's own function: it runs with verl, and without. The built-in is rloo, but
for lone rollouts, which keep their reward."""

from verl.trainer.ppo.core_algos import compute_rloo_outcome_advantage, register_adv_est


@register_adv_est("my_rloo")
def my_rloo(token_level_rewards, response_mask, index, config=None, **kwargs):
    return compute_rloo_outcome_advantage(token_level_rewards, response_mask, index)

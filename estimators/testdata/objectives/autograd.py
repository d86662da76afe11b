#!/usr/bin/env python3
"""Losses of objectives and their gradients by automatic differentiation.

Reads a JSON array of cases from standard input: the fields of an objective under
their names, and a minibatch as padded rows. Prints a JSON array of losses with their
gradients, or {"skip": reason} where PyTorch is missing. Written as RL trainers for
language models write them: matrices of tokens and a mask, detach() where something
has no gradient.
"""
import json
import sys

try:
    import torch
except ImportError as e:
    print(json.dumps({"skip": str(e)}))
    sys.exit()

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)


def aggregate(c, loss, mask):
    lengths = mask.sum(1)
    rows = int((lengths > 0).sum())
    mode = c["aggregation"]
    if mode == "token-mean":
        return (loss * mask).sum() / mask.sum()
    sums = (loss * mask).sum(1)
    if mode == "seq-mean-token-mean":
        return (sums / lengths.clamp(min=1)).sum() / rows
    if c["ratio"] == "sequence":  # one loss a sequence, not one a token
        sums = sums / lengths.clamp(min=1)
    if mode == "seq-mean-token-sum":
        return sums.sum() / rows
    if mode == "token-sum":
        return sums.sum()
    return sums.sum() / rows / c["max_tokens"]


def clamp(x, low, high):
    return torch.clamp(x, low if low is not None else -torch.inf, high if high is not None else torch.inf)


def ppo(c, a, ratio):
    low = 1 - c["clip_low"] if c["clip_low"] else None
    high = 1 + c["clip_high"] if c["clip_high"] else None
    loss = torch.maximum(-a * ratio, -a * clamp(ratio, low, high))
    if c["dual_clip"]:
        loss = torch.where(a < 0, torch.minimum(loss, -a * c["dual_clip"]), loss)
    return loss


def region(c, kind, logp, old, a):
    p, q = logp.exp(), old.exp()
    low, high = c["clip_low"] or torch.inf, c["clip_high"] or torch.inf
    up, down = p - q, q - p
    if kind == "move":
        return (up <= high) & (down <= low)
    if kind == "kl":
        kl = q * (old - logp) + (1 - q) * torch.log((1 - q + 1e-8) / (1 - p + 1e-8))
        up, down = torch.where(p > q, kl, 0), torch.where(p < q, kl, 0)
    return torch.where(a > 0, up <= high, down <= low)


def token_advantages(c, a, logp, old, entropy, mask):
    """What the fields about single tokens make of the advantages; nothing has a gradient."""
    valid = mask > 0
    if c["off_policy_mask"]:
        drift = ((old - logp) * mask).sum(1, keepdim=True) / mask.sum(1, keepdim=True).clamp(min=1)
        a = torch.where((a < 0) & (drift > c["off_policy_mask"]), 0, a)
    up, down = a * (1 - c["repo"] * logp), a * (1 + c["repo"] * logp)
    a = torch.where(a > 0, up.clamp(min=0), down.clamp(max=0))
    if c["forking"]:
        a = torch.where(entropy >= torch.quantile(entropy[valid], 1 - c["forking"]), a, 0)
    return a


def policy_loss(c, logp, old, a, mask):
    delta = (logp - old) * mask
    lengths = mask.sum(1, keepdim=True).clamp(min=1)
    kind = c["ratio"]
    if kind == "none":
        return -a * logp
    if kind == "soft":
        tau = torch.where(a > 0, c["tau_pos"], c["tau_neg"])
        return -a * torch.sigmoid(tau * (delta.exp() - 1)) * 4 / tau
    if kind in ("truncated", "tapered"):
        weight = clamp(delta.exp(), 0, 1).detach()
        if kind == "tapered":
            weight = torch.where(torch.tensor(c["correct"]).unsqueeze(1) > 0, 1, weight)
        return -weight * a * logp
    if kind == "gamma":
        log_w = delta.sum(1, keepdim=True).detach()
        power, rate = torch.where(a < 0, 3, 2), torch.where(a < 0, 2, 3)
        return -torch.exp(rate + power * log_w - rate * log_w.exp()) * a * logp
    if "-tv" in kind or "-kl" in kind or "-move" in kind:
        keep = region(c, kind.split("-")[1], logp.detach(), old, a)
        if kind.startswith("importance"):
            weight = clamp(delta.exp(), None, c["dual_clip"] or None).detach()
            return -weight * a * logp * keep
        return ppo(dict(c, clip_low=0, clip_high=0), a, delta.exp()) * keep
    if kind == "importance":
        low = 1 - c["clip_low"] if c["clip_low"] else None
        high = 1 + c["clip_high"] if c["clip_high"] else None
        return -clamp(delta.exp(), low, high).detach() * a * logp
    if kind == "sequence":
        return ppo(c, a, delta.sum(1, keepdim=True).exp().expand_as(logp))
    if kind == "sequence-norm":
        mean = delta.sum(1, keepdim=True) / lengths
        return ppo(c, a, (logp - logp.detach() + mean.detach()).exp())
    if kind == "geometric":
        sign = torch.sign(a)
        low = -c["clip_low"] if c["clip_low"] else None
        high = c["clip_high"] if c["clip_high"] else None
        clipped = sign * torch.minimum(sign * delta, sign * clamp(delta, low, high))
        ratio = ((clipped * mask).sum(1, keepdim=True) / lengths).exp().expand_as(logp)
        loss = -a * ratio
        if c["dual_clip"]:
            loss = torch.where(a < 0, torch.minimum(loss, -a * c["dual_clip"]), loss)
        return loss

    loss = ppo(c, a, delta.exp())
    valid = mask > 0
    n = int(valid.sum())
    cov = (a - a[valid].mean()) * (logp.detach() - logp.detach()[valid].mean())
    if c["clip_cov"]:  # a share of 1: every candidate, so that nothing is drawn
        high = c["clip_cov_high"] or torch.inf
        by_clip = loss.detach() > (-a * delta.exp()).detach()
        chosen = (cov > c["clip_cov_low"]) & (cov < high) & valid & ~by_clip
        loss = torch.where(chosen, torch.zeros_like(loss), loss)
    if c["kl_cov"]:
        k = max(1, int(c["kl_cov"] * n))
        top = torch.topk(torch.where(valid, cov, -torch.inf).flatten(), k).indices
        chosen = torch.zeros(cov.numel(), dtype=torch.bool)
        chosen[top] = True
        loss = torch.where(chosen.reshape(cov.shape), loss + c["kl_cov_coef"] * delta.abs(), loss)
    return loss


def divergence(c, logp, old, ref, exact):
    d = logp - ref
    if c["kl"] == "k3-ratio":
        return torch.exp(logp - old) * (torch.exp(-d) + d - 1)
    return {"k1": d, "k2": d * d / 2, "k3": torch.exp(-d) + d - 1}.get(c["kl"], exact)


def run(c):
    mask = torch.tensor(c["mask"])
    leaf = {k: torch.tensor(c[k], requires_grad=True) for k in ("logp", "entropy", "exact")}
    old, ref = torch.tensor(c["old"]), torch.tensor(c["ref"])
    a = torch.tensor(c["advantage"]).unsqueeze(1).expand_as(mask)
    logp = leaf["logp"]
    a = token_advantages(c, a, logp.detach(), old, leaf["entropy"].detach(), mask)
    loss = aggregate(c, policy_loss(c, logp, old, a, mask), mask)
    token = dict(c, ratio="token")  # the other terms are of tokens whatever the ratio
    if c["kl_coef"] and not c["kl_in_reward"]:
        loss = loss + c["kl_coef"] * aggregate(token, divergence(c, logp, old, ref, leaf["exact"]), mask)
    loss = loss + c["log_ratio_coef"] * aggregate(token, (logp - old) ** 2, mask)
    loss = loss - c["entropy_coef"] * aggregate(token, leaf["entropy"], mask)
    if c["div_coef"]:
        correct = torch.tensor(c["correct"]).unsqueeze(1)
        surprise = -correct * (logp - old).exp() * logp
        loss = loss - c["div_coef"] * aggregate(dict(token, aggregation="seq-mean-token-mean"), surprise, mask)
    loss.backward()
    out = {k: (t.grad if t.grad is not None else torch.zeros_like(t)).tolist() for k, t in leaf.items()}
    return dict(out, loss=loss.item())


print(json.dumps([run(c) for c in json.load(sys.stdin)]))

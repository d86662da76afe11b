#!/usr/bin/env python3
"""What PyTorch makes of the transformer: logits, losses, gradients, ten AdamW steps.

Prints golden.json to standard output, or {"skip": reason} where PyTorch is missing.
The model is written from its definition, one sequence at a time, with a mask for the
attention and no cache, and its gradients are by automatic differentiation. Numbers
are those of float64; "float32" says how far PyTorch's own float32 is from them.

Parameters and batch come from hashes of indices, so that they are the same bits in
every language: entry i of tensor t is base + u / 2^exponent with u in [-1, 1), a
multiple of 2^-15, taken from the top 16 bits of splitmix64(seed << 48 | t << 32 | i).
"""
import json
import math
import sys

try:
    import torch
except ImportError as e:
    print(json.dumps({"skip": str(e)}))
    sys.exit()
import torch.nn.functional as F

torch.set_num_threads(1)

LAYERS, WIDTH, HEADS, FEATURES, VOCABULARY = 2, 32, 2, 40, 11
POLICY, REFERENCE, PROJECTION, BATCH = 1, 2, 3, 4  # seeds
# Of each task the positions of its prompt and the tokens of its rollouts.
SHAPES = [(4, (5, 2, 7)), (1, (3, 3)), (6, (1, 6, 4))]
ADAMW = {"lr": 0.01, "beta1": 0.9, "beta2": 0.98, "epsilon": 1e-8, "weight_decay": 0.1, "clip_norm": 1.0}
TEMPERATURE = 0.7
FULL, FIRST = 128, 12  # gradients of so many entries are given in full, of others the first


def splitmix(x):
    mask = 2**64 - 1
    x = (x + 0x9E3779B97F4A7C15) & mask
    x = ((x ^ x >> 30) * 0xBF58476D1CE4E5B9) & mask
    x = ((x ^ x >> 27) * 0x94D049BB133111EB) & mask
    return x ^ x >> 31


def unit(seed, t, i):
    return ((splitmix(seed << 48 | t << 32 | i) >> 48) - 2**15) / 2**15


def pick(n, *parts):
    """A number from 0 to n-1 that depends on the parts."""
    x = BATCH
    for p in parts:
        x = splitmix(x ^ p)
    return (x >> 32) % n


def layout():
    """Name, shape, base and exponent of each tensor, in the order of the parameters."""
    d = WIDTH
    out = [("embed", [FEATURES, d], 0, 0)]
    for layer in range(LAYERS):
        for name, shape, exponent in (
            ("ln1.gain", [d], 2), ("ln1.bias", [d], 2),
            ("qkv.weight", [d, 3 * d], 2), ("qkv.bias", [3 * d], 1),
            ("proj.weight", [d, d], 2), ("proj.bias", [d], 2),
            ("ln2.gain", [d], 2), ("ln2.bias", [d], 2),
            ("fc.weight", [d, 4 * d], 2), ("fc.bias", [4 * d], 2),
            ("out.weight", [4 * d, d], 3), ("out.bias", [d], 2),
        ):
            out.append((f"{layer}.{name}", shape, float(name.endswith("gain")), exponent))
    return out + [("ln.gain", [d], 1.0, 2), ("ln.bias", [d], 0, 2), ("head.weight", [d, VOCABULARY], 0, 1)]


def parameters(seed, dtype):
    out = {}
    for t, (name, shape, base, exponent) in enumerate(layout()):
        entries = [base + unit(seed, t, i) / 2**exponent for i in range(math.prod(shape))]
        out[name] = torch.tensor(entries, dtype=dtype).reshape(shape).requires_grad_()
    return out


def distinct(count, *parts):
    out, i = [], 0
    while len(out) < count:
        f = pick(FEATURES, *parts, i)
        if f not in out:
            out.append(f)
        i += 1
    return out


def batch():
    """The features of a rollout's row depend on the task, the position and the last token."""
    tasks = []
    for n, (positions, lengths) in enumerate(SHAPES):
        prompt = [distinct(1 + pick(4, 0, n, i), 1, n, i) for i in range(positions)]
        rollouts = []
        for r, length in enumerate(lengths):
            tokens = [pick(VOCABULARY, 2, n, r, i) for i in range(length)]
            last = [VOCABULARY] + tokens[:-1]
            features = [distinct(1 + pick(3, 3, n, i, a), 4, n, i, a) for i, a in enumerate(last)]
            rollouts.append({
                "tokens": tokens, "features": features,
                "dlogp": [unit(BATCH, 100 * n + r, i) for i in range(length)],
                "dentropy": [unit(BATCH, 100 * n + r, 100 + i) / 2 for i in range(length)],
                "dkl": [unit(BATCH, 100 * n + r, 200 + i) / 2 for i in range(length)],
            })
        tasks.append({"prompt": prompt, "rollouts": rollouts})
    return tasks


def norm(p, name, x):
    return F.layer_norm(x, [WIDTH], p[name + ".gain"], p[name + ".bias"], 1e-5)


def logits(p, prompt, features):
    """Of one rollout, row by row. The prompt sees all of itself, a rollout what came before."""
    x = torch.stack([p["embed"][f].sum(0) for f in prompt + features])
    n, hd = len(x), WIDTH // HEADS
    row, column = torch.arange(n)[:, None], torch.arange(n)[None, :]
    seen = (column <= row) | (column < len(prompt))
    for layer in range(LAYERS):
        w = {k[len(str(layer)) + 1:]: v for k, v in p.items() if k.startswith(f"{layer}.")}
        qkv = norm(w, "ln1", x) @ w["qkv.weight"] + w["qkv.bias"]
        q, k, v = (t.reshape(n, HEADS, hd).transpose(0, 1) for t in qkv.split(WIDTH, 1))
        scores = (q @ k.transpose(1, 2) / math.sqrt(hd)).masked_fill(~seen, -math.inf)
        heads = (scores.softmax(-1) @ v).transpose(0, 1).reshape(n, WIDTH)
        x = x + heads @ w["proj.weight"] + w["proj.bias"]
        inner = F.gelu(norm(w, "ln2", x) @ w["fc.weight"] + w["fc.bias"], approximate="tanh")
        x = x + inner @ w["out.weight"] + w["out.bias"]
    return (norm(p, "ln", x) @ p["head.weight"])[len(prompt):]


def rollouts(tasks):
    return [(task["prompt"], r) for task in tasks for r in task["rollouts"]]


def imitation(p, tasks):
    """The loss of pre-training: a mean over the tokens of all rollouts."""
    losses = [F.cross_entropy(logits(p, prompt, r["features"]), torch.tensor(r["tokens"]), reduction="none")
              for prompt, r in rollouts(tasks)]
    return torch.cat(losses).mean()


def gradients(p, loss):
    for tensor in p.values():
        tensor.grad = None
    loss.backward()
    return {name: tensor.grad.flatten().double() for name, tensor in p.items()}


def project(t, g):
    return sum(unit(PROJECTION, t, i) * x for i, x in enumerate(g.tolist()))


def shown(g, g32):
    """A gradient, in full or in part, and the largest error of float32 as a share of its root mean square."""
    out = {}
    for t, (name, x) in enumerate(g.items()):
        entries = x.tolist()
        out[name] = {
            "entries": entries if len(entries) <= FULL else entries[:FIRST],
            "norm": x.norm().item(), "projection": project(t, x),
            "float32": ((g32[name] - x).abs().max() / x.pow(2).mean().sqrt()).item(),
        }
    return out


def adamw(p, tasks):
    """Losses before each of ten steps and the norms of their gradients before clipping."""
    decayed = [t for name, t in p.items() if name.endswith(".weight")]
    others = [t for name, t in p.items() if not name.endswith(".weight")]
    a = ADAMW
    optimizer = torch.optim.AdamW(
        [{"params": decayed, "weight_decay": a["weight_decay"]}, {"params": others, "weight_decay": 0.0}],
        lr=a["lr"], betas=(a["beta1"], a["beta2"]), eps=a["epsilon"])
    losses, norms = [], []
    for _ in range(10):
        loss = imitation(p, tasks)
        g = gradients(p, loss)
        size = torch.cat(list(g.values())).norm().item()
        for tensor in p.values():
            tensor.grad *= min(1.0, a["clip_norm"] / size)
        optimizer.step()
        losses.append(loss.item())
        norms.append(size)
    return losses, norms


def tempered(p, tasks):
    """Of each rollout the log-probabilities of all tokens at the temperature."""
    return [F.log_softmax(logits(p, prompt, r["features"]) / TEMPERATURE, -1) for prompt, r in rollouts(tasks)]


def reinforcement(p, reference, tasks):
    """Log-probability, entropy and KL to the reference of each token, and their weighted sum."""
    loss, tokens = 0, []
    for (_, r), all_logp, all_ref in zip(rollouts(tasks), tempered(p, tasks), tempered(reference, tasks)):
        logp = all_logp.gather(1, torch.tensor(r["tokens"])[:, None])[:, 0]
        ref = all_ref.detach().gather(1, torch.tensor(r["tokens"])[:, None])[:, 0]
        entropy = -(all_logp.exp() * all_logp).sum(1)
        kl = (all_logp.exp() * (all_logp - all_ref.detach())).sum(1)
        for weight, value in (("dlogp", logp), ("dentropy", entropy), ("dkl", kl)):
            loss = loss + (torch.tensor(r[weight], dtype=value.dtype) * value).sum()
        tokens.append({"logp": logp.tolist(), "ref": ref.tolist(), "entropy": entropy.tolist(), "kl": kl.tolist()})
    return loss, tokens


def worst(a, b):
    """The largest difference of two nested lists of numbers."""
    if isinstance(a, dict):
        return max(worst(a[k], b[k]) for k in a)
    return max(map(worst, a, b)) if isinstance(a, list) else abs(a - b)


def golden():
    tasks = batch()
    results = {}
    for dtype in (torch.float64, torch.float32):
        p, reference = parameters(POLICY, dtype), parameters(REFERENCE, dtype)
        rows = [logits(p, prompt, r["features"]).tolist() for prompt, r in rollouts(tasks)]
        loss = imitation(p, tasks)
        g = gradients(p, loss)
        rl_loss, tokens = reinforcement(p, reference, tasks)
        rl_g = gradients(p, rl_loss)
        losses, norms = adamw(p, tasks)
        results[dtype] = (rows, loss.item(), g, losses, norms, rl_loss.item(), tokens, rl_g)
    (rows, loss, g, losses, norms, rl_loss, tokens, rl_g), single = results.values()
    return {
        "model": {"layers": LAYERS, "width": WIDTH, "heads": HEADS, "features": FEATURES, "vocabulary": VOCABULARY},
        "seeds": {"policy": POLICY, "reference": REFERENCE, "projection": PROJECTION},
        "tensors": [dict(zip(("name", "shape", "base", "exponent"), t)) for t in layout()],
        "tasks": tasks,
        "imitation": {
            "logits": rows, "loss": loss, "gradient": shown(g, single[2]),
            "float32": {"logits": worst(rows, single[0]), "loss": abs(loss - single[1])},
        },
        "adamw": dict(ADAMW, losses=losses, norms=norms, float32={
            "losses": worst(losses, single[3]), "norms": worst(norms, single[4])}),
        "reinforcement": {
            "temperature": TEMPERATURE, "tokens": tokens, "loss": rl_loss, "gradient": shown(rl_g, single[7]),
            "float32": {"tokens": worst(tokens, single[6]), "loss": abs(rl_loss - single[5])},
        },
    }


def compact(x):
    """Ten digits: far more than float32 has, and no more than a sum in another order keeps."""
    if isinstance(x, dict):
        return {k: compact(v) for k, v in x.items()}
    if isinstance(x, list):
        return [compact(v) for v in x]
    return float(f"{x:.10g}") if isinstance(x, float) else x


def lines(x, depth):
    """JSON with a line for each entry of the upper levels."""
    if depth == 0 or not x or not isinstance(x, (dict, list)):
        return json.dumps(x, separators=(",", ":"))
    if isinstance(x, dict):
        return "{\n" + ",\n".join(f"{json.dumps(k)}:{lines(v, depth - 1)}" for k, v in x.items()) + "\n}"
    return "[\n" + ",\n".join(lines(v, depth - 1) for v in x) + "\n]"


if __name__ == "__main__":
    print(lines(compact(golden()), 3))

"""The transformer in PyTorch, as fast as PyTorch lets it be: what benchmark.py times.

The same model and the same work as package transformer: a prompt whose positions see
all of it, then a rollout that sees what came before; an input row is a sum of feature
vectors; the loss is over the rollout's rows alone. A training step is forward, loss,
backward, clipping and AdamW; sampling keeps keys and values, works out a prompt once
for all rollouts of it, and returns each token with its log-probability and entropy.

Where PyTorch has several ways to do something, each is a variant to be tried: Trainer
and Sampler are made from the names of one each. They compute where the batch or the
prompts are; on a card nothing of a step waits for it, and the caller does.
"""
import concurrent.futures
import copy
import math

import torch
import torch.nn.functional as F

NAMES = ("ln1", "qkv", "proj", "ln2", "fc", "out")


class Parameters:
    """Parameters and gradients, views of flat tensors: of those that decay, and of the others."""

    def __init__(self, shape, generator, device="cpu"):
        d = shape["width"]
        self.sizes = [("embed", [shape["features"], d])]
        for layer in range(shape["layers"]):
            ins = {"qkv": (d, 3 * d), "proj": (d, d), "fc": (d, 4 * d), "out": (4 * d, d)}
            for name in NAMES:
                if name in ins:
                    self.sizes += [(f"{layer}.{name}.weight", list(ins[name])), (f"{layer}.{name}.bias", [ins[name][1]])]
                else:
                    self.sizes += [(f"{layer}.{name}.gain", [d]), (f"{layer}.{name}.bias", [d])]
        self.sizes += [("ln.gain", [d]), ("ln.bias", [d]), ("head.weight", [d, shape["vocabulary"]])]
        counts = [0, 0]
        for name, size in self.sizes:
            counts[not name.endswith(".weight")] += math.prod(size)
        self.lay([torch.zeros(n) for n in counts])
        with torch.no_grad():
            for name, p in self.named.items():
                if name.endswith("gain"):
                    p.fill_(1)
                elif p.dim() == 2:
                    p.normal_(0, 0.3 if name == "embed" else len(p) ** -0.5, generator=generator)
        if torch.device(device).type != "cpu":  # drawn on the processor, to be the same everywhere
            self.lay([flat.detach().to(device) for flat, _, _ in self.groups])

    def lay(self, flats):
        """Lays the parameters into the flat tensors, with gradients of their own."""
        self.named, own, at = {}, ([], []), [0, 0]
        grads = [torch.zeros_like(flat) for flat in flats]
        for name, size in self.sizes:
            i, n = int(not name.endswith(".weight")), math.prod(size)
            p = torch.nn.Parameter(flats[i][at[i]:at[i] + n].view(size))
            p.grad = grads[i][at[i]:at[i] + n].view(size)
            self.named[name] = p
            own[i].append(p)
            at[i] += n
        self.groups = list(zip(map(torch.nn.Parameter, flats), grads, own))

    def shared(self):
        """The same parameters with other gradients."""
        other = copy.copy(self)
        other.lay([flat.detach() for flat, _, _ in self.groups])
        return other

    def list(self):
        return list(self.named.values())


def heads(t, h):
    b, n, d = t.shape
    return t.view(b, n, h, d // h).transpose(1, 2)


def split(qkv, h):
    d = qkv.shape[2] // 3
    return [heads(part, h) for part in qkv.split(d, 2)]


def attend_matmul(qkv, h, mask):
    q, k, v = split(qkv, h)
    return (torch.softmax(q @ k.transpose(-2, -1) * q.shape[3] ** -0.5 + mask, -1) @ v).transpose(1, 2)


def attend_packed(qkv, h, mask):
    """One copy makes all heads contiguous; scale and mask come with the product."""
    b, n, d = qkv.shape
    hd = d // 3 // h
    q, k, v = qkv.view(b, n, 3, h, hd).permute(2, 0, 3, 1, 4).reshape(3, b * h, n, hd).unbind(0)
    scores = torch.baddbmm(mask.expand(b * h, n, n), q, k.transpose(1, 2), alpha=hd ** -0.5)
    return torch.bmm(torch.softmax(scores, -1), v).view(b, h, n, hd).transpose(1, 2)


def attend_fused(qkv, h, mask):
    return F.scaled_dot_product_attention(*split(qkv, h), attn_mask=mask).transpose(1, 2)


ATTENTION = {"matmul": attend_matmul, "packed": attend_packed}
if hasattr(F, "scaled_dot_product_attention"):
    ATTENTION["fused"] = attend_fused


def gathered(features, table):
    return F.embedding(features, table).sum(-2)


def bagged(features, table):
    b, n, k = features.shape
    return F.embedding_bag(features.view(b * n, k), table, mode="sum").view(b, n, -1)


EMBEDDING = {"embedding": gathered, "bag": bagged}


class Model(torch.nn.Module):
    """logits(prompt features [B,P,.], rollout features [B,n,.]) -> [B*n, V]."""

    def __init__(self, shape, parameters, attention, embedding):
        super().__init__()
        self.h, self.d, self.prompt = shape["heads"], shape["width"], shape["prompt"]
        self.w = torch.nn.ParameterList(parameters.list())
        self.layers = shape["layers"]
        self.together = shape["prompt_features"] == shape["row_features"]  # one look-up for all rows
        self.attend, self.embed = ATTENTION[attention], EMBEDDING[embedding]
        t = shape["prompt"] + shape["rollout"]
        row, column = torch.arange(t)[:, None], torch.arange(t)[None, :]
        mask = torch.zeros(t, t).masked_fill(~((column <= row) | (column < self.prompt)), -math.inf)
        self.mask = mask.to(parameters.list()[0].device)

    def layer(self, layer):
        return [self.w[1 + 12 * layer + i] for i in range(12)]

    def forward(self, prompt, rollout):
        if self.together:
            x = self.embed(torch.cat([prompt, rollout], 1), self.w[0])
        else:
            x = torch.cat([self.embed(prompt, self.w[0]), self.embed(rollout, self.w[0])], 1)
        b, t, d = x.shape
        x = x.view(b * t, d)
        for layer in range(self.layers):
            g1, b1, wq, bq, wp, bp, g2, b2, wf, bf, wo, bo = self.layer(layer)
            qkv = torch.addmm(bq, F.layer_norm(x, [d], g1, b1, 1e-5), wq).view(b, t, 3 * d)
            y = self.attend(qkv, self.h, self.mask)
            x = x + torch.addmm(bp, y.reshape(b * t, d), wp)
            inner = F.gelu(torch.addmm(bf, F.layer_norm(x, [d], g2, b2, 1e-5), wf), approximate="tanh")
            x = x + torch.addmm(bo, inner, wo)
        last = x.view(b, t, d)[:, self.prompt:].reshape(-1, d)
        return F.layer_norm(last, [d], self.w[-3], self.w[-2], 1e-5) @ self.w[-1]


DECAY, RATE, BETAS, EPSILON = 0.02, 1e-3, (0.9, 0.98), 1e-8


class Trainer:
    """One training step after the other on a batch; step() returns the loss.

    Split "shards" gives each thread a part of the batch instead of a part of each
    operation: parameters are the same, gradients their own, added up at the end.
    """

    def __init__(self, shape, batch, attention, embedding, optimizer, mode, split):
        device = batch["tokens"].device
        self.card = device.type != "cpu"
        self.p = Parameters(shape, torch.Generator().manual_seed(1), device)
        self.flat = optimizer.startswith("flat")
        decayed, others = self.p.groups
        if self.flat:  # two long tensors instead of a few short ones for each layer
            for flat, grad, _ in self.p.groups:
                flat.grad = grad
            groups = [[decayed[0]], [others[0]]]
        else:
            groups = [decayed[2], others[2]]
            for p in self.p.list():
                p.grad = None
        extra = {} if optimizer in ("flat", "plain") else {optimizer.replace("flat-", ""): True}
        self.optimizer = torch.optim.AdamW(
            [{"params": groups[0], "weight_decay": DECAY}, {"params": groups[1], "weight_decay": 0.0}],
            lr=RATE, betas=BETAS, eps=EPSILON, **extra)
        self.threads = torch.get_num_threads()
        if split == "shards" and not self.flat:
            raise ValueError("shards add up flat gradients")
        count = self.threads if split == "shards" else 1
        self.pool = concurrent.futures.ThreadPoolExecutor(count) if count > 1 else None
        self.parts = []
        for i in range(count):
            part = {k: v.chunk(count)[i] for k, v in batch.items()}
            p = self.p.shared() if i > 0 else self.p
            forward = Model(shape, p, attention, embedding)
            if mode == "jit":
                forward = torch.jit.trace(forward, (part["prompt"], part["rollout"]), check_trace=False)
            elif mode == "compile":
                forward = torch.compile(forward, dynamic=False)
            elif mode == "graphs":  # compiled, and captured as CUDA graphs
                forward = torch.compile(forward, dynamic=False, mode="reduce-overhead")
            self.parts.append((p, forward, part, len(part["tokens"]) / len(batch["tokens"])))

    def backward(self, part):
        p, forward, batch, share = part
        if self.pool:
            torch.set_num_threads(1)  # of this thread
        loss = F.cross_entropy(forward(batch["prompt"], batch["rollout"]), batch["tokens"]) * share
        if self.flat:
            for _, grad, _ in p.groups:
                grad.zero_()
        loss.backward()
        return loss.detach() if self.card else loss.item()

    def step(self):
        if self.pool:
            loss = sum(self.pool.map(self.backward, self.parts))
            torch.set_num_threads(self.threads)
        else:
            if not self.flat:
                self.optimizer.zero_grad(set_to_none=True)
            loss = self.backward(self.parts[0])
        if self.flat:
            flats = [flat for flat, _, _ in self.p.groups]
            if self.card:
                torch.nn.utils.clip_grad_norm_(flats, 1.0)  # without asking the card for the norm
            with torch.no_grad():
                for other in self.parts[1:]:
                    for (_, grad, _), (_, more, _) in zip(self.p.groups, other[0].groups):
                        grad.add_(more)
                norm = 0 if self.card else math.sqrt(sum(float(grad.dot(grad)) for _, grad, _ in self.p.groups))
                if norm > 1:
                    for _, grad, _ in self.p.groups:
                        grad.mul_(1 / norm)
        else:
            torch.nn.utils.clip_grad_norm_(self.p.list(), 1.0)
        self.optimizer.step()
        return loss


def draw_multinomial(logits):
    return torch.multinomial(torch.softmax(logits, -1), 1).squeeze(1)


def draw_race(logits):
    """The first of exponential clocks with rates p, which has the distribution p."""
    return (torch.softmax(logits, -1) / torch.empty_like(logits).exponential_()).argmax(-1)


DRAW = {"multinomial": draw_multinomial, "race": draw_race}


class Decoder(torch.nn.Module):
    """One row of each rollout: from its input x [R,d] to logits [R,V], given keys and values of rows before."""

    def __init__(self, shape, w, attention):
        super().__init__()
        self.h, self.d, self.layers = shape["heads"], shape["width"], shape["layers"]
        self.scale = 1 / math.sqrt(self.d // self.h)
        self.w, self.attention = w, attention

    def forward(self, x, keys, values, at):
        r, d = x.shape
        hd = d // self.h
        for layer in range(self.layers):
            g1, b1, wq, bq, wp, bp, g2, b2, wf, bf, wo, bo = self.w[1 + 12 * layer:13 + 12 * layer]
            qkv = torch.addmm(bq, F.layer_norm(x, [d], g1, b1, 1e-5), wq).view(r, 3, self.h, hd)
            k, v = keys[layer], values[layer]  # [R,H,T,hd]
            k[:, :, at] = qkv[:, 1]
            v[:, :, at] = qkv[:, 2]
            q = qkv[:, 0] * self.scale
            if self.attention == "fused":
                y = F.scaled_dot_product_attention(q.unsqueeze(2), k[:, :, :at + 1], v[:, :, :at + 1], scale=1.0)
            elif self.attention == "matmul":
                y = torch.softmax(q.unsqueeze(2) @ k[:, :, :at + 1].transpose(2, 3), -1) @ v[:, :, :at + 1]
            elif self.attention == "bmm":
                k, v = k.view(r * self.h, -1, hd)[:, :at + 1], v.view(r * self.h, -1, hd)[:, :at + 1]
                y = torch.bmm(torch.softmax(torch.bmm(k, q.reshape(r * self.h, hd, 1)), 1).transpose(1, 2), v)
            else:  # sums of products, element by element
                scores = (k[:, :, :at + 1] * q.unsqueeze(2)).sum(-1)
                y = (torch.softmax(scores, -1).unsqueeze(3) * v[:, :, :at + 1]).sum(2)
            x = torch.addmm(bp, y.reshape(r, d), wp).add_(x)
            inner = F.gelu(torch.addmm(bf, F.layer_norm(x, [d], g2, b2, 1e-5), wf), approximate="tanh")
            x = torch.addmm(bo, inner, wo).add_(x)
        return F.layer_norm(x, [d], self.w[-3], self.w[-2], 1e-5) @ self.w[-1]


class Sampler:
    """Rollouts of each of a few prompts; sample() returns tokens, log-probabilities and entropies [n,R]."""

    def __init__(self, shape, prompt, each, row, attention, draw, mode):
        self.shape, self.prompt, self.each, self.row = shape, prompt, each, row
        device = prompt.device
        p = Parameters(shape, torch.Generator().manual_seed(1), device)
        self.w = [t.detach() for t in p.list()]
        self.table = self.w[0]
        self.draw = DRAW[draw]
        self.new = shape["new"]
        self.nothing = torch.zeros(shape["prompt"], shape["prompt"], device=device)  # masked: a prompt sees all of itself
        d, h = shape["width"], shape["heads"]
        r, t = len(prompt) * each, shape["prompt"] + self.new
        self.cache = [[torch.empty(r, h, t, d // h, device=device) for _ in range(shape["layers"])] for _ in range(2)]
        self.decode = Decoder(shape, self.w, attention)
        if mode == "jit":
            # A trace has the length of the cache at the time: one for each length.
            x = torch.zeros(r, d, device=device)
            with torch.inference_mode():
                self.decodes = [
                    torch.jit.trace(_At(self.decode, shape["prompt"] + i), (x, *self.cache[0], *self.cache[1]), check_trace=False)
                    for i in range(self.new)
                ]
        elif mode == "compile":
            self.decode = torch.compile(self.decode, dynamic=True)
        elif mode == "graphs":
            self.decode = torch.compile(self.decode, dynamic=True, mode="reduce-overhead")
        self.mode = mode

    def prefill(self):
        """Keys and values of the prompts, once each, copied to all their rollouts."""
        d, h = self.shape["width"], self.shape["heads"]
        x = EMBEDDING["embedding"](self.prompt, self.table)
        n, t, _ = x.shape
        x = x.view(n * t, d)
        for layer in range(self.shape["layers"]):
            g1, b1, wq, bq, wp, bp, g2, b2, wf, bf, wo, bo = self.w[1 + 12 * layer:13 + 12 * layer]
            qkv = torch.addmm(bq, F.layer_norm(x, [d], g1, b1, 1e-5), wq).view(n, t, 3 * d)
            for cache, part in zip(self.cache, split(qkv, h)[1:]):
                cache[layer].view(n, self.each, h, -1, d // h)[:, :, :, :t] = part.unsqueeze(1)
            if layer == self.shape["layers"] - 1:
                break  # nobody asks what the prompt's last layer has to say
            y = attend_packed(qkv, h, self.nothing)
            x = x + torch.addmm(bp, y.reshape(n * t, d), wp)
            inner = F.gelu(torch.addmm(bf, F.layer_norm(x, [d], g2, b2, 1e-5), wf), approximate="tanh")
            x = x + torch.addmm(bo, inner, wo)

    def sample(self):
        with torch.inference_mode():
            self.prefill()
            rows = len(self.prompt) * self.each
            token = torch.full((rows,), self.shape["vocabulary"], dtype=torch.long, device=self.prompt.device)  # before the first
            tokens, logits = [], []
            for i in range(self.new):
                x = self.row(self.table, token, i)
                if self.mode == "jit":
                    z = self.decodes[i](x, *self.cache[0], *self.cache[1])
                else:
                    z = self.decode(x, *self.cache, self.shape["prompt"] + i)
                    if self.mode == "graphs":
                        z = z.clone()  # the next call writes to the same place
                token = self.draw(z)
                tokens.append(token)
                logits.append(z)
            tokens = torch.stack(tokens)
            logp = torch.log_softmax(torch.stack(logits), -1)  # of all tokens at once
            return tokens, logp.gather(2, tokens.unsqueeze(2)).squeeze(2), -(logp.exp() * logp).sum(2)


class Shards:
    """Samplers of a part of the prompts each, one a thread."""

    def __init__(self, shape, prompt, *rest):
        self.threads = torch.get_num_threads()
        self.pool = concurrent.futures.ThreadPoolExecutor(self.threads)
        self.samplers = [Sampler(shape, part, *rest) for part in prompt.chunk(self.threads)]

    def one(self, sampler):
        torch.set_num_threads(1)
        return sampler.sample()

    def sample(self):
        parts = list(self.pool.map(self.one, self.samplers))
        torch.set_num_threads(self.threads)
        return [torch.cat(part, 1) for part in zip(*parts)]


class _At(torch.nn.Module):
    """A decoder at one length of the cache, whose arguments are tensors alone."""

    def __init__(self, decoder, at):
        super().__init__()
        self.decoder, self.at = decoder, at

    def forward(self, x, *cache):
        n = len(cache) // 2
        return self.decoder(x, cache[:n], cache[n:], self.at)

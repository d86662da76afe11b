#!/usr/bin/env python3
"""Times the transformer in PyTorch and here, on the same shapes, turn by turn.

Run it by benchmark.sh, which sets up the environment that PyTorch is fastest in, or, for
a card (--device cuda), by card.sh beside package cuda.
"""
import argparse
import ctypes
import math
import os
import platform
import re
import statistics
import subprocess
import sys
import time

import torch

import benchmark_torch as engine
import golden

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "..", "..", ".."))

# A row of a prompt is the sum of so many features, a row of a rollout of so many.
SHAPES = {
    "S": dict(layers=2, width=64, heads=4, vocabulary=32, prompt=16, rollout=48, new=32,
              prompt_features=2, row_features=2, batch=64, problems=8),
    "M": dict(layers=4, width=128, heads=4, vocabulary=64, prompt=16, rollout=80, new=32,
              prompt_features=2, row_features=2, batch=64, problems=8),
    "maze": dict(layers=2, width=32, heads=2, vocabulary=4, prompt=9, rollout=25, new=25,
                 prompt_features=10, row_features=13, batch=64, problems=8),
    # Rollouts of the cells in docs/specs.md, which have five tokens in the mean.
    "coins": dict(layers=2, width=32, heads=2, vocabulary=13, prompt=6, rollout=5, new=5,
                  prompt_features=8, row_features=10, batch=256, problems=16),
    "countdown": dict(layers=2, width=32, heads=2, vocabulary=103, prompt=5, rollout=5, new=5,
                      prompt_features=8, row_features=12, batch=256, problems=16),
    # Not to time anything: to see in a moment that all this runs.
    "tiny": dict(layers=2, width=32, heads=2, vocabulary=5, prompt=3, rollout=6, new=4,
                 prompt_features=2, row_features=3, batch=4, problems=2),
}
USUAL = [name for name in SHAPES if name != "tiny"]
for _s in SHAPES.values():
    _s["features"] = 512

TRAINING = [
    ("attention", list(engine.ATTENTION)),
    ("embedding", list(engine.EMBEDDING)),
    ("split", ["operations", "shards"]),
    ("optimizer", ["flat", "plain", "foreach", "fused", "flat-fused"]),
    ("mode", ["eager", "jit", "compile"]),
]
SAMPLING = [
    ("attention", ["matmul", "bmm", "products", "fused"]),
    ("draw", list(engine.DRAW)),
    ("mode", ["eager", "jit", "compile"]),
    ("split", ["operations", "shards"]),
]

# The same on a card, where one thread starts everything: of eager PyTorch, and of
# torch.compile, that with CUDA graphs being "graphs".
CARD_TRAINING = [
    ("attention", list(engine.ATTENTION)),
    ("embedding", list(engine.EMBEDDING)),
    ("split", ["operations"]),
    ("optimizer", ["flat", "plain", "foreach", "fused", "flat-fused"]),
]
CARD_SAMPLING = [
    ("attention", ["matmul", "bmm", "products", "fused"]),
    ("draw", list(engine.DRAW)),
    ("split", ["operations"]),
]
CARD_MODES = {"eager": ["eager"], "compiled": ["compile", "graphs"]}


def wait():
    """Waits for the card, where there is one: its calls return before they are done."""


def training_batch(s, device="cpu"):
    g = torch.Generator().manual_seed(2)
    draw = lambda high, *size: torch.randint(high, size, generator=g)
    batch = {
        "prompt": draw(s["features"], s["batch"], s["prompt"], s["prompt_features"]),
        "rollout": draw(s["features"], s["batch"], s["rollout"], s["row_features"]),
        "tokens": draw(s["vocabulary"], s["batch"] * s["rollout"]),
    }
    return {name: t.to(device) for name, t in batch.items()}


def sampling_input(s, device="cpu"):
    """Prompts, and the function that makes the input of a row from the last token and the position."""
    g = torch.Generator().manual_seed(3)
    prompt = torch.randint(s["features"], (s["problems"], s["prompt"], s["prompt_features"]), generator=g).to(device)
    if s["row_features"] == 2:
        first = s["vocabulary"] + 1
        return prompt, lambda table, token, i: table[token] + table[first + i]
    rows = torch.randint(s["features"], (s["new"], s["vocabulary"] + 1, s["row_features"]), generator=g).to(device)
    return prompt, lambda table, token, i: engine.F.embedding(rows[i][token], table).sum(1)


def trainer(s, batch, choice):
    return engine.Trainer(s, batch, **choice).step


def sampler(s, given, choice):
    prompt, row = given
    kind = engine.Shards if choice["split"] == "shards" else engine.Sampler
    return kind(s, prompt, s["batch"] // s["problems"], row, choice["attention"], choice["draw"], choice["mode"]).sample


def timed(call, seconds, least=3):
    """Milliseconds of calls for so many seconds."""
    out = []
    wait()
    end = time.perf_counter() + seconds
    while len(out) < least or time.perf_counter() < end:
        start = time.perf_counter()
        call()
        wait()
        out.append((time.perf_counter() - start) * 1e3)
    return out


def best(make, variants, seconds, expect):
    """Goes through the variants of one thing after the other and keeps the fastest.

    Those of one thing take turns, so that what else the machine does meets all alike.
    """
    choice, call = {name: options[0] for name, options in variants}, None
    for name, options in variants:
        found = []
        for option in options:
            candidate = dict(choice, **{name: option})
            if candidate == choice and call:
                attempt = call
            else:
                attempt = tried(make, candidate, expect)
            if attempt:
                found.append((candidate, attempt, []))
        if call and len(found) == 1:
            continue
        for _ in range(3):
            for _, attempt, times in found:
                times += timed(attempt, seconds / 3)
        for candidate, _, times in found:
            print(f"    {' '.join(candidate.values()):45s} {min(times):8.2f} ms")
        choice, call, _ = min(found, key=lambda f: min(f[2]))
    return choice, call


def tried(make, candidate, expect):
    """The call that a variant makes, or None where this PyTorch has no such thing."""
    try:
        call = make(candidate)
        for i in range(4):  # the first ones compile
            expect(i, call())
        return call
    except (RuntimeError, TypeError, AttributeError, ValueError, NotImplementedError, ImportError, OSError,
            subprocess.SubprocessError) as e:
        reason = (str(e).splitlines() or [type(e).__name__])[0]
        print(f"    {' '.join(candidate.values()):45s} not here: {reason[:60]}")
        return None


def expect_loss():
    """All variants have the same losses at their first steps."""
    losses = {}

    def check(step, loss):
        loss = float(loss)
        if abs(loss - losses.setdefault(step, loss)) > 1e-4 * losses[0]:
            raise SystemExit(f"variants disagree about the loss of step {step}: {loss}, others {losses[step]}")
    return check


def expect_sample(s):
    def check(_, result):
        tokens, logp, entropy = result
        n = s["batch"] * s["new"]
        # The mean of -log p over drawn tokens is that of the entropies.
        off = abs((-logp).mean() - entropy.mean()).item()
        if tokens.numel() != n or off > 6 * math.sqrt(2 / n):
            raise SystemExit(f"samples are not of the distribution: {off} off")
    return check


def flops(s, rows, prompts, answers, seen):
    """Of a forward pass: linear maps, head and attention, masked scores left out."""
    d, layers = s["width"], s["layers"]
    return 2 * (rows + prompts) * layers * 12 * d * d + 2 * answers * d * s["vocabulary"] + 4 * seen * d * layers


def needed(s):
    """Floating-point operations of a training step and of sampling."""
    p, n, m = s["prompt"], s["rollout"], s["new"]
    seen = lambda length: p * length + length * (length + 1) // 2
    train = 3 * flops(s, s["batch"] * n, s["batch"] * p, s["batch"] * n, s["batch"] * (p * p + seen(n)))
    sample = flops(s, s["batch"] * m, s["problems"] * p, s["batch"] * m, s["problems"] * p * p + s["batch"] * seen(m))
    return train, sample


def check_model(device="cpu"):
    """The model timed here is the one that golden.py defines."""
    least = 1e-5 if device == "cpu" else 1e-4  # TF32 would be off by more
    s = dict(layers=golden.LAYERS, width=golden.WIDTH, heads=golden.HEADS, vocabulary=golden.VOCABULARY,
             features=golden.FEATURES, prompt=5, rollout=6, prompt_features=2, row_features=3)
    want = golden.parameters(golden.POLICY, torch.float32)
    prompt = [golden.distinct(2, i) for i in range(5)]
    rollout = [golden.distinct(3, 9, i) for i in range(6)]
    expected = golden.logits(want, prompt, rollout)
    for attention in engine.ATTENTION:
        for embedding in engine.EMBEDDING:
            p = engine.Parameters(s, torch.Generator(), device)
            for name, t in p.named.items():
                t.data.copy_(want[name])
            given = [torch.tensor([rows], device=device) for rows in (prompt, rollout)]
            got = engine.Model(s, p, attention, embedding)(*given)
            if (got.cpu() - expected).abs().max() > least:
                raise SystemExit(f"{attention}, {embedding}: not the model of golden.py")


def blas():
    """What OpenBLAS says of itself."""
    with open("/proc/self/maps") as maps:
        paths = sorted({line.split()[-1] for line in maps if "openblas" in line})
    for path in paths:
        library = ctypes.CDLL(path)
        if not hasattr(library, "openblas_get_corename"):
            continue
        library.openblas_get_corename.restype = library.openblas_get_config.restype = ctypes.c_char_p
        kind = {0: "sequential", 1: "pthreads", 2: "OpenMP"}[library.openblas_get_parallel()]
        return f"{' '.join(library.openblas_get_config().decode().split()[:2])}, core {library.openblas_get_corename().decode()}, {kind}"
    return "no OpenBLAS: " + ("MKL" if torch.backends.mkl.is_available() else "unknown")


def cpu():
    with open("/proc/cpuinfo") as info:
        return re.search(r"model name\s*: (.*)", info.read()).group(1)


class Ours:
    """The benchmarks of package transformer, compiled once."""

    prefix = ""

    def __init__(self, threads, folder):
        self.threads = threads
        self.path = os.path.join(folder, "transformer.test")
        self.peak_path = os.path.join(folder, "cpu.test")
        self.build((self.path, "transformer"), (self.peak_path, "internal/device/cpu"))

    def build(self, *tests):
        for path, package in tests:
            subprocess.run(["go", "test", "-c", "-o", path, "./policies/" + package], cwd=ROOT, check=True)

    def run(self, path, pattern, times, package):
        command = [path, "-test.run=^$", f"-test.bench={pattern}", f"-test.benchtime={times}"]
        env = dict(os.environ, GOMAXPROCS=str(self.threads))
        out = subprocess.run(command, cwd=os.path.join(ROOT, "policies", package), env=env, check=True,
                             capture_output=True, text=True).stdout
        found = [(unit, float(value)) for value, unit in re.findall(r"\s([0-9.e+]+) (\S+)", out)]
        return {unit: max(value for u, value in found if u == unit) for unit, _ in found}

    def measure(self, what, shape, times):
        m = self.run(self.path, f"^Benchmark{self.prefix}{what}$/^{shape}$", f"{times}x", "transformer")
        return m["median-ms"], m["min-ms"]

    def peak(self):
        """GFLOP/s of fused multiply-adds: of one thread, as measured, times the threads."""
        found = self.run(self.peak_path, "^BenchmarkPeak$", "1s", "internal/device/cpu")
        return self.threads * max((rate for unit, rate in found.items() if unit.endswith("G/s")), default=math.nan)


class OursOnCard(Ours):
    """Those of a card; path is the compiled test where there is no Go to compile it."""

    prefix = "Card"

    def __init__(self, threads, folder, path):
        self.threads, self.path = threads, path
        if not path:
            self.path = os.path.join(folder, "transformer.test")
            self.build((self.path, "transformer"))


def arguments():
    a = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    a.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    a.add_argument("--rounds", type=int, default=5, help="turns of each side for each row of the table")
    a.add_argument("--seconds", type=float, default=1.5, help="of a side's turn, about")
    a.add_argument("--shapes", default=",".join(USUAL))
    a.add_argument("--torch-only", action="store_true")
    a.add_argument("--scratch", default=".", help="folder for compiled benchmarks")
    a.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    a.add_argument("--binary", default="", help="with --device cuda, the test of package transformer, compiled (go test -c)")
    a.add_argument("--eager", action="store_true", help="with --device cuda, leave out what PyTorch compiles, which takes minutes")
    return a.parse_args()


def main():
    a = arguments()
    unknown = [name for name in a.shapes.split(",") if name not in SHAPES]
    if unknown:
        raise SystemExit(f"no shape {unknown[0]!r}, want some of {', '.join(SHAPES)}")
    if a.device == "cpu" and not a.torch_only and not set(a.shapes.split(",")) <= set(USUAL):
        raise SystemExit("shape tiny: ours has it on a card alone, so want --device cuda or --torch-only with it")
    torch.set_num_threads(a.threads)
    if a.device == "cuda":
        if not torch.cuda.is_available():
            raise SystemExit(f"PyTorch {torch.__version__} finds no CUDA device")
        os.environ.setdefault("MODEBENCH_CUDA_TEST", "card")
        raise SystemExit(on_card(a, "cuda"))
    check_model()
    load = os.getloadavg()[0]
    busy = load > a.threads / 2
    print(f"CPU {cpu()}; {a.threads} threads; load average {load:.2f}")
    if busy:
        # PyTorch's threads wait for each other in every operation, so it suffers more.
        print("THE MACHINE IS BUSY: the ratios flatter us and say nothing")
    print(f"PyTorch {torch.__version__} (Python {platform.python_version()}); {blas()}; OPENBLAS_CORETYPE={os.environ.get('OPENBLAS_CORETYPE', '')}")
    ours = None if a.torch_only else Ours(a.threads, a.scratch)
    table = []
    for name in a.shapes.split(","):
        s = SHAPES[name]
        batch, given = training_batch(s), sampling_input(s)
        work = dict(zip(("Train", "Sample"), needed(s)))
        print(f"{name}: layers {s['layers']}, width {s['width']}, heads {s['heads']}, prompt {s['prompt']} + rollout "
              f"{s['rollout']} ({s['new']} sampled), vocabulary {s['vocabulary']}, batch {s['batch']} ({s['problems']} prompts sampled)")
        print("  variants of a training step, the fastest call")
        chosen, step = best(lambda c: trainer(s, batch, c), TRAINING, a.seconds, expect_loss())
        print("  variants of sampling, the fastest call")
        chosen2, sample = best(lambda c: sampler(s, given, c), SAMPLING, a.seconds, expect_sample(s))
        for what, call, choice in (("Train", step, chosen), ("Sample", sample, chosen2)):
            table.append(compare(a, name, what, call, " ".join(choice.values()), ours, work[what]))
    report(table, ours, busy)


def compare(a, name, what, call, choice, ours, work):
    theirs, own = [], []
    for _ in range(a.rounds):
        timed(call, 0, 2)
        theirs += timed(call, a.seconds)
        if ours:
            count = max(3, int(a.seconds * 1e3 / (own[-1][0] if own else statistics.median(theirs) / 2)))
            own.append(ours.measure(what, name, count))
    row = dict(name=name, what=what, choice=choice, work=work, torch=(statistics.median(theirs), min(theirs)))
    if own:
        row["ours"] = (statistics.median(m for m, _ in own), min(least for _, least in own))
    return row


TARGET = {"Train": 2, "Sample": 6}


def report(table, ours, busy):
    peak = ours.peak() if ours else math.nan
    print("\nmilliseconds, median (minimum); ratio of medians (of minima); GFLOP/s of the work that is needed, at the minimum")
    for r in table:
        line = f"{r['name']:5s} {r['what'].lower():6s} PyTorch {r['torch'][0]:8.2f} ({r['torch'][1]:.2f}) {r['work'] / r['torch'][1] / 1e6:6.1f} GFLOP/s"
        if "ours" in r:
            ratios = [t / o for t, o in zip(r["torch"], r["ours"])]
            rate = r["work"] / r["ours"][1] / 1e6
            met = "busy, no verdict" if busy else "met" if min(ratios) >= TARGET[r["what"]] else "MISSED"
            line += (f"   ours {r['ours'][0]:8.2f} ({r['ours'][1]:.2f}) {rate:6.1f} GFLOP/s = {rate / peak:4.0%} of peak"
                     f"   ratio {ratios[0]:5.2f} ({ratios[1]:.2f}), target {TARGET[r['what']]}: {met}")
        print(f"{line}   [{r['choice']}]")
    if ours:
        print(f"peak: {peak:.0f} GFLOP/s of fused multiply-adds on {ours.threads} threads")


CARD_TARGET = {"S": 3, "M": 3}  # times eager PyTorch, training and sampling


def on_card(a, device):
    """Everything on a card; returns 3 where a target is missed, else 0."""
    global wait
    size = (1024, 1 << 22)
    if device == "cuda":
        wait, size = torch.cuda.synchronize, (8192, 1 << 28)
        # float32 is float32, as ours is.
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
        print(f"card {torch.cuda.get_device_name()}; PyTorch {torch.__version__} for CUDA {torch.version.cuda} "
              f"(Python {platform.python_version()}); CPU {cpu()}; load average {os.getloadavg()[0]:.2f}")
    check_model(device)
    flops_ceiling, bytes_ceiling = ceilings(device, *size)
    print(f"ceilings, as measured: {flops_ceiling / 1e12:.2f} TFLOP/s (float32 matrix product of {size[0]}, no TF32), "
          f"{bytes_ceiling / 1e9:.0f} GB/s (copy of {4 * size[1] >> 20} MiB, read and written)")
    ours = None if a.torch_only else OursOnCard(a.threads, a.scratch, a.binary)
    missed = False
    for name in a.shapes.split(","):
        s = SHAPES[name]
        batch, given = training_batch(s, device), sampling_input(s, device)
        print(f"{name}: layers {s['layers']}, width {s['width']}, heads {s['heads']}, prompt {s['prompt']} + rollout "
              f"{s['rollout']} ({s['new']} sampled), vocabulary {s['vocabulary']}, batch {s['batch']} ({s['problems']} prompts sampled)")
        for what, make, variants, expect, tokens, work, moved in (
                ("Train", lambda c: trainer(s, batch, c), CARD_TRAINING, expect_loss, s["batch"] * s["rollout"], needed(s)[0], traffic(s)[0]),
                ("Sample", lambda c: sampler(s, given, c), CARD_SAMPLING, lambda: expect_sample(s), s["batch"] * s["new"], needed(s)[1], traffic(s)[1])):
            sides = {}
            for label, modes in CARD_MODES.items():
                if a.eager and label != "eager":
                    continue
                print(f"  {what.lower()}: variants of PyTorch, {label}, the fastest call")
                try:
                    choice, call = best(make, [("mode", modes)] + variants, a.seconds, expect())
                except ValueError:  # none of them runs
                    print(f"    {label}: this PyTorch has none")
                    continue
                sides[label] = dict(choice=" ".join(choice.values()), call=call, times=[])
            own = take_turns(a, name, what, sides, ours)
            missed |= not show(name, what, sides, own, tokens, work / flops_ceiling, moved / bytes_ceiling)
    return 3 if missed else 0


def ceilings(device, n, floats):
    """Floating-point operations and bytes a second of what does nothing else."""
    x, y = torch.randn(n, n, device=device), torch.randn(n, n, device=device)
    product = min(timed(lambda: torch.mm(x, y), 2, 5))
    x = torch.zeros(floats, device=device)
    y = torch.empty_like(x)
    copied = min(timed(lambda: y.copy_(x), 2, 5))
    return 2 * n ** 3 / product * 1e3, 2 * 4 * floats / copied * 1e3


def traffic(s):
    """Bytes of a training step and of sampling, if each operation reads its inputs and
    writes its output once: the caches of a processor spare some of it."""
    d, layers, p, n, m = s["width"], s["layers"], s["prompt"], s["rollout"], s["new"]
    parameters = s["features"] * d + layers * (12 * d * d + 13 * d) + 2 * d + d * s["vocabulary"]
    # Of a row and layer: x, two norms, queries, keys and values, what is mixed, the
    # middle, the inner layer before and behind its function; and the weights of attention.
    row = layers * 16 * d
    scores = s["batch"] * s["heads"] * layers * (p * p + p * n + n * (n + 1) // 2)
    # Forward each is written and read; backward it is read, and its gradient written and
    # read. Of the parameters, two reads, and three arrays of the optimiser besides.
    train = 4 * (5 * (s["batch"] * (p + n) * row + scores) + 10 * parameters)
    # A step reads the parameters, and the keys and values of what came before.
    seen = s["batch"] * (m * p + m * (m + 1) // 2)
    sample = 4 * (m * parameters + 2 * s["batch"] * m * row + 2 * d * layers * seen)
    return train, sample


def take_turns(a, name, what, sides, ours):
    """Times the sides one after the other, again and again; returns our rounds."""
    own = []
    for _ in range(a.rounds):
        for side in sides.values():
            timed(side["call"], 0, 2)
            side["times"] += timed(side["call"], a.seconds)
        if ours:
            count = max(3, int(a.seconds * 1e3 / own[-1][0])) if own else 10
            own.append(ours.measure(what, name, count))
    return own


def show(name, what, sides, own, tokens, by_flops, by_bytes):
    """Prints a row for each side, and says whether the target is met, if there is one.
    by_flops and by_bytes are the least seconds that the ceilings leave."""
    def line(side, median, least):
        return (f"{name:5s} {what.lower():6s} {side:16s} {median:9.3f} ms ({least:.3f} least) {tokens / median * 1e3:12.0f} tokens/s "
                f"  {by_flops / least * 1e3:5.1%} of FP32, {by_bytes / least * 1e3:5.1%} of bandwidth")

    mine = None
    if own:
        mine = statistics.median(m for m, _ in own), min(least for _, least in own)
        print(line("ours", *mine))
    met = True
    for label, side in sides.items():
        times = statistics.median(side["times"]), min(side["times"])
        text = line("PyTorch " + label, *times)
        if mine:
            ratios = [t / o for t, o in zip(times, mine)]
            text += f"   ratio {ratios[0]:.2f} ({ratios[1]:.2f})"
            if label == "eager" and name in CARD_TARGET:
                met = min(ratios) >= CARD_TARGET[name]
                text += f", target {CARD_TARGET[name]}: {'met' if met else 'MISSED'}"
        print(f"{text}   [{side['choice']}]")
    return met


if __name__ == "__main__":
    sys.exit(main())

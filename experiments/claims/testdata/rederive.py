"""Answers the claims of a finished run from its files, by code of its own.

    python3 rederive.py OUT/SPEC  ->  a list of claims as JSON

It shares nothing with package claims but the rule: numpy's random numbers, tests written from
their definitions, and for claims of one spec alone (those of other specs are not corrected for).
Claims about deviations are left out.
"""

import itertools
import json
import math
import os
import re
import sys

import numpy as np

ALPHA, RESAMPLES, FLIPS = 0.05, 20000, 100000
DELTA = {
    "distinct_correct": 0.25, "modes_alive": 0.25, "correct_modes_alive": 0.25, "branches": 0.25, "vendi": 0.25, "uniq": 0.25,
    "distinct_incorrect": 0.5, "distinct_variants": 0.5, "average_mode": 0.5, "strategies": 0.1, "chain_uniq": 0.1,
    "entropy_mode": 0.1, "entropy_sequence": 0.1, "kl": 0.1, "entropy_token": 0.01,
    "reward_l1": 0.05, "reward_l1_correct": 0.05, "rho_bar": 0.05, "tokens": 1.0, "collapse_step": 10.0,
}
OPTIMUM = {
    "pass": 1, "maj": 1, "accuracy": 1, "final_accuracy": 1, "strategy_accuracy": 1, "search_pass": 1,
    "coverage": 1, "front_coverage": 1, "hypervolume": 1, "regret": 0,
}


def student_tail(degrees, t):
    """P(T > t), by Simpson's rule on the density."""
    if t < 0:
        return 1 - student_tail(degrees, -t)
    log = math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2) - 0.5 * math.log(degrees * math.pi)
    x = np.linspace(0, t, 20001)
    y = np.exp(log - (degrees + 1) / 2 * np.log1p(x * x / degrees))
    return max(0.0, 0.5 - (t / 20000) / 3 * (y[0] + y[-1] + 4 * y[1:-1:2].sum() + 2 * y[2:-1:2].sum()))


class Sample:
    def __init__(self, xs):
        self.x = np.sort(np.asarray(xs, float))
        self.n, self.mean = len(xs), float(np.mean(xs))
        self.spread = self.x[-1] - self.x[0]
        values, counts = np.unique(np.round((self.x - self.mean) / (self.spread or 1) * 1e6), return_counts=True)
        most = int(np.argmax(counts))
        self.agreement = (counts[most] / self.n) ** self.n if self.spread else 1.0
        self.agreed = float(np.median(self.x[np.round((self.x - self.mean) / (self.spread or 1) * 1e6) == values[most]]))
        self.se = float(np.std(self.x, ddof=1) / math.sqrt(self.n)) if self.n > 1 else 0.0
        self.t = None
        if self.spread and float(np.sum((counts / self.n) ** self.n)) <= 0.01:
            r = np.random.default_rng(1)
            draws = self.x[r.integers(0, self.n, (RESAMPLES, self.n))]
            se = draws.std(axis=1, ddof=1) / math.sqrt(self.n)
            if np.mean(se < self.se / 20) <= 0.01:
                with np.errstate(divide="ignore", invalid="ignore"):
                    self.t = (draws.mean(axis=1) - self.mean) / se

    def flips(self, bound, sign):
        d = sign * (self.x - bound)
        seen = d.sum()
        if seen <= 1e-9 * np.abs(d).sum():
            return 1.0
        size = np.abs(d)
        seen -= 1e-9 * size.sum()
        if self.n <= 20:
            sums = np.zeros(1)
            for s in size:
                sums = np.concatenate([sums + s, sums - s])
            return float(np.mean(sums >= seen))
        r = np.random.default_rng(2)
        signs = r.integers(0, 2, (FLIPS, self.n)) * 2 - 1
        return (np.sum(signs @ size >= seen) + 1) / (FLIPS + 1)

    def beyond(self, bound, sign):
        """p of the hypothesis that the mean is not on that side of the bound."""
        distance = sign * (self.mean - bound)
        if self.spread == 0:
            student = 0.0 if distance > 0 else 1.0
        elif self.t is None:
            student = student_tail(self.n - 1, distance / self.se)
        else:
            student = (np.sum(sign * self.t >= distance / self.se) + 1) / (RESAMPLES + 1)
        return max(self.flips(bound, sign), float(student))

    def within(self, margin):
        return max(self.beyond(-margin, 1), self.beyond(margin, -1), self.agreement)


def ask(xs, claim, delta):
    """p values of supported, opposed, no difference."""
    s = Sample(xs)
    if claim["says"] == "same":
        by = claim["by"]
        return [s.within(by), min(1, 2 * min(s.beyond(by, 1), s.beyond(-by, -1))), None]
    threshold = not claim["b"] or claim.get("by", 0) != 0 or claim.get("times", 1) != 1
    guard = s.agreement if abs(s.agreed) < delta else 0.0
    above, below = (max(guard, min(1, 2 * s.beyond(0, sign))) for sign in (1, -1))
    if claim["says"] == "below":
        above, below = below, above
    return [above, below, None if threshold else s.within(delta)]


def holm(ps):
    order = sorted((i for i, p in enumerate(ps) if p is not None), key=lambda i: ps[i])
    out, running = list(ps), 0.0
    for rank, i in enumerate(order):
        running = max(running, min(1, (len(order) - rank) * ps[i]))
        out[i] = running
    return out


def hochberg(ps):
    order = sorted((i for i, p in enumerate(ps) if p is not None), key=lambda i: -ps[i])
    out, running, m = list(ps), 1.0, len(order)
    for rank, i in enumerate(order):
        running = min(running, m * ps[i] / (m - rank))
        out[i] = running
    return out


def conjunction(ps, u):
    return min(1, (len(ps) - u + 1) * sorted(ps)[u - 1])


def named(variants, name):
    for v in variants:
        if v["label"] == name:
            return [v]
    return [v for v in variants if v["name"] == name] or [v for v in variants if v["method"] == name]


def agree(a, b):
    mine = {x["field"]: x["value"] for x in a["axes"] or []}
    return all(mine.get(x["field"], x["value"]) == x["value"] for x in b["axes"] or [])


def main(folder):
    run = json.load(open(os.path.join(folder, "run.json")))
    variants = run["variants"]

    def ends(v, metric):
        out = {}
        for c in v["cells"]:
            path = os.path.join(folder, run["cells"], c["id"], "eval.jsonl")
            last = json.loads(open(path).read().strip().split("\n")[-1])
            out[c["seed"]] = last["metrics"].get(metric)
        return {s: x for s, x in out.items() if x is not None}

    answers, papers = [], {}
    for claim in run["claims"]:
        if claim.get("of") == "deviation":
            continue
        settings = []
        for metric, a in itertools.product(claim["metrics"], named(variants, claim["a"])):
            for b in [None] if not claim["b"] else [v for n in claim["b"] for v in named(variants, n) if agree(a, v)]:
                family = metric.split("@")[0]
                xa = ends(a, metric)
                xb = ends(b, metric) if b else None
                seeds = sorted(s for s in xa if b is None or s in xb)
                times, by = claim.get("times", 1), claim.get("by", 0)
                x = [xa[s] - (times * xb[s] if b else 0) - (by if claim["says"] != "same" else 0) for s in seeds]
                delta = (claim.get("delta") or DELTA.get(family, 0.02)) * max(1, times)
                best = OPTIMUM.get(family)
                for v in variants:
                    if v["method"] == "optimum" and agree(a, v) and ends(v, metric):
                        best = float(np.mean(list(ends(v, metric).values())))
                one = {"metric": metric, "a": a["label"], "b": b["label"] if b else "", "p": None, "answer": "untestable here"}
                at_best = b and best is not None and seeds and all(abs(np.mean([y[s] for s in seeds]) - best) <= 0.01 for y in (xa, xb))
                equal = b and all(abs(xa[s] - xb[s]) <= 1e-9 for s in seeds)
                if seeds and not at_best and not equal:
                    one["p"], one["answer"] = ask(x, claim, delta), "undecided"
                settings.append(one)
        tested = [s for s in settings if s["p"]]
        clean = [t["p"] for t in tested]
        adjusted = [holm([c[i] for c in clean]) for i in range(3)]
        for i, t in enumerate(tested):
            t["small"] = adjusted[2][i] is not None and adjusted[2][i] <= ALPHA
            for k, word in ((0, "supported"), (1, "opposed"), (2, "no difference")):
                if adjusted[k][i] is not None and adjusted[k][i] <= ALPHA:
                    t["answer"] = word
                    break
        m, whole = len(tested), [None, None, None]
        if m:
            u = {"most": m // 2 + 1, "any": 1}.get(claim.get("combine"), m)
            nothing = [1 if m > 1 and t["answer"] == "supported" else min(x for x in t["p"][1:] if x is not None) for t in tested]
            whole = [conjunction([c[0] for c in clean], u), conjunction([c[1] for c in clean], m - u + 1), conjunction(nothing, m - u + 1)]
            if all(t["p"][2] is None for t in tested):
                whole[2] = None  # a threshold has no such answer
        paper = re.split(r"\s+(?:figs?\.|tables?\b|secs?\.|app\.|eqs?\.)|[:,(]", claim["source"])[0].strip()
        paper = "our own" if paper in ("", "none") or paper.startswith("bench ") else paper
        papers.setdefault(paper, []).append(len(answers))
        answers.append({"claim": claim["name"], "p": whole, "settings": settings, "combine": claim.get("combine", "")})
    for places in papers.values():
        among = [hochberg([answers[i]["p"][k] for i in places]) for k in range(3)]
        for at, i in enumerate(places):
            s, o, n = (among[k][at] for k in range(3))
            tested = [t for t in answers[i]["settings"] if t["p"]]
            found = {word: [t for t in tested if t["answer"] == word] for word in ("supported", "opposed", "no difference")}
            refuted = found["opposed"] or found["no difference"]
            taken = s is not None and min(answers[i]["p"][:2]) <= ALPHA  # the sign, by the other claims
            small = [t for t in tested if t["answer"] == "no difference" or taken and t["small"] and (t["answer"] != "supported" or len(tested) == 1)]
            word = "undecided"
            if s is None:
                word = "untestable here"
            elif s <= ALPHA:
                word = "supported"
            elif answers[i]["combine"] in ("", "most") and len(tested) > 1 and found["supported"] and (refuted or o <= ALPHA):
                word = "mixed"
            elif o <= ALPHA:
                word = "opposed"
            elif n is not None and n <= ALPHA and small:
                word = "no difference"
            answers[i]["answer"] = word
            if word == "no difference" and taken:
                for t in small:
                    t["answer"] = word
    json.dump(answers, sys.stdout)


main(sys.argv[1])

"""The polynomial task in plain Python: the baseline of the benchmarks.

The same work as the suite's at its default parameters: draw relations until one
has eight writable pairs, list all writable pairs of a relation, and judge answers
(as text, with a regular expression, and as tokens) for their value, mode and
variant. Numbers are integers in hundredths.

Reads relations with answers as JSON, [{"terms": [{"x": 2, "y": 0, "coefficient":
-1}, ...], "answers": ["x=1, y=11", ...]}, ...]. Prints the pairs, their spellings
and the right answers it counted in all, for comparison, and then the rate of each
kind of work, a second.
"""
import json
import math
import random
import re
import sys
import time

DIGITS, DECIMALS, BOUND, PLANTED, FEWEST = 3, 2, 9, 9, 8
UNIT = 10 ** DECIMALS
TOP = 10 ** DIGITS
LIMIT = TOP * UNIT - 1
LITERAL = r"(-?(?:0|[1-9][0-9]{0,2})(?:\.[0-9]{1,2})?)"
PAIR = re.compile(r"\s*\(?\s*x\s*=\s*" + LITERAL + r"\s*,\s*y\s*=\s*" + LITERAL + r"\s*\)?\s*")
TAG = re.compile(r"<answer>((?:(?!<answer>).)*?)</answer>", re.DOTALL)
WORDS = "0123456789-.,;"


def draw(rng):
    """A relation as {(power of x, power of y): coefficient}, P(x, y) = 0."""
    pick = lambda: rng.randint(-BOUND, BOUND)
    some = lambda: rng.choice([-1, 1]) * rng.randint(1, BOUND)
    if rng.random() >= 0.3:
        degree = rng.randint(1, 3)
        terms = {(i, 0): -pick() for i in range(degree)}
        terms[degree, 0] = some()
        terms[0, 1] = 1
        return terms
    shape = rng.randrange(5)
    if shape == 0:
        terms = {(1, 0): rng.randint(1, BOUND), (0, 1): some()}
    elif shape == 1:
        terms = {(1, 1): rng.randint(1, BOUND), (1, 0): pick(), (0, 1): pick()}
    elif shape == 2:
        terms = {(2, 0): 1, (0, 2): 1, (1, 0): pick(), (0, 1): pick()}
    elif shape == 3:
        terms = {(2, 0): rng.randint(1, BOUND), (0, 2): rng.randint(1, BOUND)}
    else:
        terms = {(2, 0): 1, (0, 2): -1, (1, 0): pick(), (0, 1): pick()}
    x, y = rng.randint(-PLANTED, PLANTED), rng.randint(-PLANTED, PLANTED)
    terms[0, 0] = -sum(c * x ** i * y ** j for (i, j), c in terms.items())
    return terms


def useful(terms):
    """No conic that falls apart, no common factor, no line that y = p(x) could be."""
    get = lambda i, j: terms.get((i, j), 0)
    a, b, c, d, e, f = get(2, 0), get(1, 1), get(0, 2), get(1, 0), get(0, 1), get(0, 0)
    if b or c:
        if 4 * a * c * f + b * d * e - a * e * e - c * d * d - f * b * b == 0:
            return False
    elif e == 1:
        return True
    elif abs(e) < 2:
        return False
    return math.gcd(*terms.values()) == 1


class Curve:
    """A relation on the grid of writable numbers."""

    def __init__(self, terms):
        self.degree = max(i + j for i, j in terms)
        scaled = {p: c * UNIT ** (self.degree - sum(p)) for p, c in terms.items()}
        self.q0 = [scaled.get((i, 0), 0) for i in range(self.degree + 1)]
        self.q1 = scaled.get((0, 1), 0), scaled.get((1, 1), 0)
        self.q2 = scaled.get((0, 2), 0)
        self.reach = LIMIT
        a, b, c = [terms.get(p, 0) for p in [(2, 0), (1, 1), (0, 2)]]
        d, e, f = [terms.get(p, 0) for p in [(1, 0), (0, 1), (0, 0)]]
        if not b and not c and e == 1:
            self.bound([abs(terms.get((i, 0), 0)) + (i == 0) * TOP for i in range(self.degree + 1)])
        elif 4 * a * c > b * b:
            self.bound([abs(e * e - 4 * c * f), abs(2 * b * e - 4 * c * d), 4 * a * c - b * b])

    def bound(self, sizes):
        """No pair has an x at which the highest power outgrows all others."""
        x = 1
        while sizes[-1] * x ** (len(sizes) - 1) <= sum(c * x ** i for i, c in enumerate(sizes[:-1])) and x < TOP:
            x += 1
        self.reach = min(LIMIT, x * UNIT - 1)

    def at(self, x):
        q0 = 0
        for c in reversed(self.q0):
            q0 = q0 * x + c
        return q0, self.q1[0] + self.q1[1] * x

    def holds(self, x, y):
        q0, q1 = self.at(x)
        return q0 + (q1 + self.q2 * y) * y == 0

    def solve(self, x):
        q0, q1 = self.at(x)
        if not self.q2:
            if q1 and q0 % q1 == 0 and abs(q0 // q1) <= LIMIT:
                return [-(q0 // q1)]
            return []
        d = q1 * q1 - 4 * self.q2 * q0
        if d < 0:
            return []
        r = math.isqrt(d)
        if r * r != d:
            return []
        found = []
        for top in {-q1 - r, -q1 + r}:
            if top % (2 * self.q2) == 0 and abs(top // (2 * self.q2)) <= LIMIT:
                found.append(top // (2 * self.q2))
        return sorted(found)

    def has_pairs(self, n):
        step = UNIT
        while step:
            for x in range(0, self.reach + 1, step):
                if step < UNIT and x % (10 * step) == 0:
                    continue
                n -= len(self.solve(x))
                if x:
                    n -= len(self.solve(-x))
                if n <= 0:
                    return True
            step //= 10
        return False


def shortest(v):
    """The shortest literal of v hundredths."""
    sign, v = ("-", -v) if v < 0 else ("", v)
    fraction = str(v % UNIT).zfill(DECIMALS).rstrip("0")
    return sign + str(v // UNIT) + ("." + fraction if fraction else "")


def spellings(v):
    if v == 0:
        return 2 * (DECIMALS + 1)
    return 1 + sum(v % 10 ** i == 0 for i in range(1, DECIMALS + 1))


def truth(curve):
    modes, solutions = [], 0
    for x in range(-curve.reach, curve.reach + 1):
        for y in curve.solve(x):
            modes.append(f"x={shortest(x)}, y={shortest(y)}")
            solutions += spellings(x) * spellings(y)
    return modes, solutions


def value(literal):
    whole, _, fraction = literal.lstrip("-").partition(".")
    v = int(whole) * UNIT + int(fraction.ljust(DECIMALS, "0"))
    return -v if literal[0] == "-" else v


def judge_text(curve, text):
    tagged = TAG.findall(text)
    found = PAIR.fullmatch(tagged[-1] if tagged else text)
    if not found:
        return (0, 0), False, None, None
    x, y = value(found[1]), value(found[2])
    right = curve.holds(x, y)
    mode = f"x={shortest(x)}, y={shortest(y)}"
    return (int(right), 1), right, mode, f"x={found[1]}, y={found[2]}"


def judge_tokens(curve, tokens):
    text = "".join([WORDS[t] for t in tokens])
    if text[-1] != ";":
        return (0, 0), False, None, None
    return judge_text(curve, "x=" + text[:-1].replace(",", ", y="))


def problem(rng):
    while True:
        terms = draw(rng)
        if useful(terms):
            curve = Curve(terms)
            if curve.has_pairs(FEWEST):
                return curve


def rate(work, seconds=0.5):
    start, n = time.perf_counter(), 0
    while time.perf_counter() - start < seconds:
        work(n)
        n += 1
    return n / (time.perf_counter() - start)


if __name__ == "__main__":
    given = json.load(sys.stdin)
    curves = [Curve({(t["x"], t["y"]): t["coefficient"] for t in g["terms"]}) for g in given]
    texts = [(c, text) for c, g in zip(curves, given) for text in g["answers"]]
    answers = [(c, [WORDS.index(b) for b in text[2:].replace(", y=", ",") + ";"]) for c, text in texts]

    start = time.perf_counter()
    found = [truth(c) for c in curves]
    truths = len(curves) / (time.perf_counter() - start)
    print("modes", sum(len(modes) for modes, _ in found))
    print("solutions", sum(solutions for _, solutions in found))
    print("right", sum(judge_text(c, text)[1] for c, text in texts))

    rng = random.Random(0)
    problems = rate(lambda i: problem(rng), 1)
    print("problems", problems)
    print("truths", truths)
    print("known", 1 / (1 / problems + 1 / truths))
    print("tokens", rate(lambda i: judge_tokens(*answers[i % len(answers)])))
    print("texts", rate(lambda i: judge_text(*texts[i % len(texts)])))

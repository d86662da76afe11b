"""The multiplication environment in plain Python: the baseline of the benchmarks.

Reads {"problems": [{"a", "b", "texts": [...], "tokens": [[...], ...]}, ...]} from
stdin, does the work of each benchmark for about SECONDS, and prints rates per
second and what it made of the answers, so that the benchmark can hold the two
against each other.
"""
import ast
import itertools
import json
import random
import sys
import time
from collections import Counter
from math import prod

SECONDS = 0.5
SYMBOLS = "0123456789+-*()="
KINDS = ["plain", "place", "near", "factor", "split"]


def draw(rng):
    """A pair of operands of two digits that do not end in 0, of the split train."""
    while True:
        a, b = (rng.choice([x for x in range(10, 100) if x % 10]) for _ in range(2))
        if hash((min(a, b), max(a, b))) % 4 == 0:
            return a, b


def kind_of(terms):
    terms = sorted(terms, reverse=True)
    if len(terms) == 1:
        return "plain"
    if terms[-1] > 0:
        for large, small in itertools.pairwise(terms):
            if large % 10 ** len(str(small)):
                return "split"
        return "place"
    round_number = str(terms[0])
    zeros = len(round_number) - len(round_number.rstrip("0"))
    return "near" if len(terms) == 2 and -terms[1] < 10**zeros else "split"


def count_kinds(operand, most=100):
    counts = Counter(plain=1)
    for x in range(1, most + 1):
        rest = operand - x
        if rest and -most <= rest <= x:
            counts[kind_of([x, rest])] += 1
    counts["factor"] += sum(1 for x in range(2, operand) if operand % x == 0 and x * x <= operand)
    return counts


def truth(a, b):
    """The number of variants of each family."""
    first, second = count_kinds(a), count_kinds(b)
    families = {}
    for i, x in enumerate(KINDS):
        for j, y in enumerate(KINDS):
            n = first[x] * second[y]
            if a == b:
                if i > j:
                    continue
                if i == j:
                    n = first[x] * (first[x] + 1) // 2
            if n and (i or j):
                families[x + "*" + y] = n
    return families


def factors(node):
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return factors(node.left) + factors(node.right)
    return [node]


def number(node):
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        value = number(node.operand)
        return None if value is None else -value if isinstance(node.op, ast.USub) else value
    return None


def summands(node, sign=1):
    """The terms of a sum, as (sign, node)."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
        return summands(node.left, sign) + summands(node.right, sign if isinstance(node.op, ast.Add) else -sign)
    return [(sign, node)]


def expression(nodes, operand):
    """Kind, summands (each a list of factors) and normal form of what stands for an operand."""
    if len(nodes) > 1:
        numbers = [number(n) for n in nodes]
        if any(n is None or n < 2 for n in numbers) or prod(numbers) != operand:
            return None
        numbers.sort(reverse=True)
        return "factor", [numbers], "(" + "*".join(map(str, numbers)) + ")"
    terms = []
    for sign, node in summands(nodes[0]):
        value = number(node)
        if not value:
            return None
        terms.append(sign * value)
    if sum(terms) != operand or any(-x in terms for x in terms):
        return None
    terms.sort(key=lambda x: (x < 0, -abs(x)))
    text = "".join(f"{x:+d}" for x in terms)[1:]
    return kind_of(terms), [[x] for x in terms], text if len(terms) == 1 else "(" + text + ")"


def read(tree, a, b):
    if not (isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Mult)):
        return None
    left, right = factors(tree.left), factors(tree.right)
    chain = left + right
    cuts = range(1, len(chain)) if min(len(left), len(right)) == 1 else []
    for x, y, swapped in [(left, right, False), (left, right, True)] + [
        (chain[:k], chain[k:], s) for s in (False, True) for k in cuts
    ]:
        first, second = expression(x, b if swapped else a), expression(y, a if swapped else b)
        if first and second:
            pair = (second, first) if swapped else (first, second)
            return None if pair[0][0] == pair[1][0] == "plain" else pair
    return None


def terms_of(tree):
    """The signed products of a sum, as a multiset; None where it is something else."""
    out = Counter()
    for sign, node in summands(tree):
        numbers = [number(n) for n in factors(node)]
        if None in numbers:
            return None
        sign *= (-1) ** sum(n < 0 for n in numbers)
        out[sign, tuple(sorted(map(abs, numbers)))] += 1
    return out


def total(tree):
    """The value of a sum of numbers; None where it is something else."""
    terms = terms_of(tree)
    if terms is None or any(len(numbers) > 1 for _, numbers in terms):
        return None
    return sum(n * sign * numbers[0] for (sign, numbers), n in terms.items())


def judge_text(a, b, text):
    """Reward, mode and variant; None for an answer that does not parse."""
    sides = text.split("=")
    if len(sides) > 8:
        return None
    try:
        trees = [ast.parse(side.strip(), mode="eval").body for side in sides]
    except SyntaxError:
        return None
    product = number(trees[-1])
    if product is None:
        return None
    right = int(product == a * b)
    pair = read(trees[0], a, b) if len(trees) > 1 else None
    if pair is None:
        return (right, 0, 0), None, None
    if a == b and KINDS.index(pair[0][0]) > KINDS.index(pair[1][0]):
        pair = pair[::-1]
    expanded = 0
    if len(trees) > 2:
        want, values = Counter(), Counter()
        for x in pair[0][1]:
            for y in pair[1][1]:
                value = prod(x + y)
                want[1 if value > 0 else -1, tuple(sorted(map(abs, x + y)))] += 1
                values[1 if value > 0 else -1, (abs(value),)] += 1
        expanded = int(
            terms_of(trees[1]) == want
            and (len(trees) == 3 or terms_of(trees[2]) == values)
            and all(total(tree) == a * b for tree in trees[3:-1])
        )
    return (right, 1, expanded), pair[0][0] + "*" + pair[1][0], pair[0][2] + "*" + pair[1][2]


def judge_tokens(a, b, tokens):
    """Tokens have the digits of the product and of partial products in reverse."""
    sides = "".join(SYMBOLS[t] for t in tokens[:-1]).split("=")
    for i in {len(sides) - 1, 2} if len(sides) == 4 else {len(sides) - 1}:
        reversed_numbers, digits = "", ""
        for c in sides[i] + " ":
            if c.isdigit():
                digits = c + digits
            else:
                reversed_numbers, digits = reversed_numbers + digits + c, ""
        sides[i] = reversed_numbers.strip()
    return judge_text(a, b, "=".join(sides))


def rate(work, items):
    done, start = 0, time.perf_counter()
    while (spent := time.perf_counter() - start) < SECONDS:
        for item in items:
            work(*item)
        done += len(items)
    return done / spent


if __name__ == "__main__":
    problems = json.load(sys.stdin)["problems"]
    texts = [(p["a"], p["b"], t) for p in problems for t in p["texts"]]
    tokens = [(p["a"], p["b"], t) for p in problems for t in p["tokens"]]
    rng = random.Random(0)
    verdicts = [judge_text(*x) for x in texts]
    assert verdicts == [judge_tokens(*x) for x in tokens]
    print(json.dumps({
        "problems": rate(lambda: draw(rng), [()] * 100),
        "with_truth": rate(lambda: truth(*draw(rng)), [()] * 100),
        "truths": rate(truth, [(p["a"], p["b"]) for p in problems]),
        "texts": rate(judge_text, texts),
        "tokens": rate(judge_tokens, tokens),
        "rewards": [v[0] for v in verdicts],
        "variants": [v[2] or "" for v in verdicts],
        "families": [truth(p["a"], p["b"]) for p in problems],
    }))

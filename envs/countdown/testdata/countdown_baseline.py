"""Countdown in plain Python: the baseline of this package's benchmarks.

Draws problems by the same rejection (4 numbers from 2 to 25, a target from 10 to
99, at least 4 modes), solves them by trying every way to join two values, and
judges answers to them, in postfix order or as text, with their modes. A mode is a
canonical form: sums and products flattened into sorted tuples of signed parts.
Prints one line per task: its name and how many a second.
"""
import ast
import random
import sys
import time
from fractions import Fraction


def signed_sum(terms):
    """The sum of (sign, node) pairs, as a pair; sign 0 if it is its own negative."""
    terms = tuple(sorted(terms))
    negated = tuple(sorted((-s, t) for s, t in terms))
    if negated == terms:
        return 0, ("+", terms)
    return (1, ("+", terms)) if terms > negated else (-1, ("+", negated))


def terms_of(sign, x):
    s, node = x
    if node[0] == "+":
        return [((s or 1) * sign * t, n) for t, n in node[1]]
    return [(sign * s, node)]


def factors_of(node):
    return (node[1], node[2]) if node[0] == "*" else ((node,), ())


def combine(op, x, y):
    if op in "+-":
        return signed_sum(terms_of(1, x) + terms_of(1 if op == "+" else -1, y))
    above, below = factors_of(x[1])
    other, under = factors_of(y[1])
    if op == "/":
        other, under = under, other
    return x[0] * y[0], ("*", tuple(sorted(above + other)), tuple(sorted(below + under)))


def calculate(op, a, b):
    if a is None or b is None or op == "/" and b == 0:
        return None
    return a + b if op == "+" else a - b if op == "-" else a * b if op == "*" else a / b


def leaf(n):
    return Fraction(n), (1, ("n", n))


def solve(numbers, target):
    """The modes of all expressions over the numbers that make the target."""
    modes = set()

    def search(items):
        if len(items) == 1:
            if items[0][0] == target:
                modes.add(items[0][1])
            return
        for i, (a, x) in enumerate(items):
            for j, (b, y) in enumerate(items):
                if i == j:
                    continue
                rest = [item for k, item in enumerate(items) if k not in (i, j)]
                for op in "+-*/":
                    if op in "+*" and i > j:
                        continue
                    value = calculate(op, a, b)
                    if value is not None:
                        search(rest + [(value, combine(op, x, y))])

    search([leaf(n) for n in numbers])
    return modes


def draw(rng):
    while True:
        numbers = [rng.randint(2, 25) for _ in range(4)]
        target = rng.randint(10, 99)
        modes = solve(numbers, target)
        if len(modes) >= 4:
            return numbers, target, modes


def judge_tokens(numbers, target, tokens):
    stack, used = [], []
    for t in tokens:
        if isinstance(t, int):
            used.append(t)
            stack.append(leaf(t))
        else:
            b, y = stack.pop()
            a, x = stack.pop()
            stack.append((calculate(t, a, b), combine(t, x, y)))
    if sorted(used) != sorted(numbers) or len(stack) != 1:
        return 0.0, None
    value, mode = stack[0]
    return (1.0 if value == target else 0.1), mode


OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}


def judge_text(numbers, target, text):
    used = []

    def walk(node):
        if isinstance(node, ast.Constant) and type(node.value) is int:
            used.append(node.value)
            return leaf(node.value)
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            op = OPERATORS[type(node.op)]
            a, x = walk(node.left)
            b, y = walk(node.right)
            return calculate(op, a, b), combine(op, x, y)
        raise ValueError("not an expression")

    try:
        value, mode = walk(ast.parse(text, mode="eval").body)
    except (ValueError, SyntaxError):
        return 0.0, None
    if sorted(used) != sorted(numbers):
        return 0.0, None
    return (1.0 if value == target else 0.1), mode


def random_answer(rng, numbers):
    """A random expression over all numbers, in postfix order and as text."""
    items = [([n], str(n)) for n in numbers]
    while len(items) > 1:
        rng.shuffle(items)
        (a, x), (b, y) = items.pop(), items.pop()
        op = rng.choice("+-*/")
        items.append((a + b + [op], f"({x}{op}{y})"))
    return items[0]


def rate(seconds, task):
    start, n = time.perf_counter(), 0
    while time.perf_counter() - start < seconds:
        task(n)
        n += 1
    return n / (time.perf_counter() - start)


def main():
    rng = random.Random(0)
    modes = solve([54, 24, 21, 3], 63)
    if len(modes) != 2:
        sys.exit(f"the baseline finds {len(modes)} modes for 63, want 2")
    drawn = []
    print("problems", rate(8, lambda i: drawn.append(draw(rng)[:2])))
    print("truths", rate(1, lambda i: solve(*drawn[i % len(drawn)])))
    asked = [drawn[i % len(drawn)] for i in range(100)]
    answers = [random_answer(rng, numbers) for numbers, _ in asked]
    print("tokens", rate(0.5, lambda i: judge_tokens(*asked[i % 100], answers[i % 100][0])))
    print("texts", rate(0.5, lambda i: judge_text(*asked[i % 100], answers[i % 100][1])))


if __name__ == "__main__":
    main()

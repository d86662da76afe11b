"""GRPO steps on the 12-armed bandit in plain Python: the baseline of BenchmarkStep.

The same step as the suite's: softmax over 12 logits, 8 sampled arms of which the
first 4 are right, z-scored rewards, the gradient of the mean loss, Adam at 0.1.
Plain lists beat NumPy and PyTorch at this size. Prints steps per second.
"""
import math
import random
import sys
import time


def run(steps):
    rng = random.Random(0)
    arms, group, right = 12, 8, 4
    logits, first, second = [0.0] * arms, [0.0] * arms, [0.0] * arms
    power1 = power2 = 1.0
    for _ in range(steps):
        top = max(logits)
        weights = [math.exp(z - top) for z in logits]
        total = sum(weights)
        prob = [w / total for w in weights]
        picked = rng.choices(range(arms), prob, k=group)
        rewards = [1.0 if a < right else 0.0 for a in picked]
        mean = sum(rewards) / group
        sd = math.sqrt(sum((r - mean) ** 2 for r in rewards) / group)
        grad = [0.0] * arms
        if sd >= 1e-12:
            for a, r in zip(picked, rewards):
                grad[a] -= (r - mean) / (sd + 1e-6) / group
            pull = sum(grad)
            grad = [g - pull * p for g, p in zip(grad, prob)]
        power1 *= 0.9
        power2 *= 0.999
        for j, g in enumerate(grad):
            first[j] = m = 0.9 * first[j] + 0.1 * g
            second[j] = v = 0.999 * second[j] + 0.001 * g * g
            logits[j] -= 0.1 * (m / (1 - power1)) / (math.sqrt(v / (1 - power2)) + 1e-8)
    return sum(prob[:right])


if __name__ == "__main__":
    steps = int(sys.argv[1])
    run(1000)
    start = time.perf_counter()
    reward = run(steps)
    seconds = time.perf_counter() - start
    if reward < 0.9:
        sys.exit(f"the baseline did not learn: reward {reward}")
    print(steps / seconds)

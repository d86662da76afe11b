"""An advantage for each token: the built-in entropy-shaped, bit for bit.

    command = ["python3", "-m", "modebench", "entropy_shaped.py"]

Sums are made rollout by rollout, as the built-in makes them: numpy's own mean adds in
another order, which changes last digits.
"""

import numpy as np


def advantages(rewards, mask, entropy, index, alpha=0.4, kappa=2.0, epsilon=1e-6):
    z = np.zeros(len(rewards))
    for group in set(index.tolist()):
        rows = np.flatnonzero(index == group)
        r = rewards[rows].tolist()
        mean = sum(r) / len(r)
        deviation = (sum((x - mean) ** 2 for x in r) / len(r)) ** 0.5
        if deviation >= 1e-12 and len(r) > 1:
            z[rows] = [(x - mean) * (1 / (deviation + epsilon)) for x in r]
    z = z[:, None]
    return mask * (z + np.minimum(alpha * entropy, np.abs(z) / kappa))

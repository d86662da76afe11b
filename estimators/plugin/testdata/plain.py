"""RLOO as a plug-in in plain Python, without the adapter: the protocol and no more."""

import json
import sys


def rloo(group):
    rewards = [rollout["candidates"][0]["reward"][0] for rollout in group["rollouts"]]
    total = sum(rewards)
    return [r - (total - r) / (len(rewards) - 1) for r in rewards]


for line in sys.stdin:
    request = json.loads(line)
    if request["method"] == "bye":
        break
    if request["method"] == "hello":
        result = {"protocol": 1, "name": "plain", "min_group": 2}
    else:
        result = {"advantages": [rloo(group) for group in request["params"]["groups"]]}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)

"""Conversations with the adapter over pipes, each with what it has to answer."""

import importlib
import json
import os
import subprocess
import sys
import tempfile
import textwrap
import threading
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))


def imports(name):
    try:  # what is half installed is found and does not import
        importlib.import_module(name)
        return True
    except Exception:
        return False


numpy = unittest.skipUnless(imports("numpy"), "no numpy")

FAKE_TORCH = """
    import numpy
    class Tensor(numpy.ndarray):
        pass
    from_numpy = lambda array: array.view(Tensor)
"""


def candidate(reward, **fields):
    return {"reward": reward if isinstance(reward, list) else [reward], **fields}


def rollout(reward, train=True, **fields):
    own = {k: fields.pop(k) for k in list(fields) if k in ("tokens", "logprob", "entropy", "final") or k.startswith("token_")}
    return {**own, **({} if train else {"train": False}), "candidates": [candidate(reward, **fields)]}


def batch(*groups, weights=(1,), **fields):
    return {"seed": 7, "step": 3, "weights": list(weights), **fields,
            "groups": [g if isinstance(g, dict) else {"problem": f"p{i}", "rollouts": g} for i, g in enumerate(groups)]}


PAIR = batch([rollout(1, tokens=2, mode="A"), rollout(0, tokens=3, mode="B")])


class Conversation(unittest.TestCase):
    def run_adapter(self, source, lines, args=(), files=(), entry=None):
        """Exit code, lines of standard output, standard error."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {"mine.py": source, **dict(files)}.items():
                os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(textwrap.dedent(text))
            # The folder comes first, so that its torch.py or numpy.py are taken for them.
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join([folder, HERE]), "PYTHONDONTWRITEBYTECODE": "1"}
            done = subprocess.run([sys.executable, *(entry or ["-m", "modebench", *args, "mine.py"])], cwd=folder, env=environment,
                                  input="".join(line + "\n" for line in lines).encode(), capture_output=True, timeout=60)
        return done.returncode, done.stdout.decode().splitlines(), done.stderr.decode()

    def talk(self, source, *batches, args=(), **more):
        """The replies to hello and to each batch, without what is the same in all."""
        requests = [("hello", {"protocol": 1})] + [("advantage", b) for b in batches]
        lines = [json.dumps({"jsonrpc": "2.0", "id": i, "method": m, "params": p}) for i, (m, p) in enumerate(requests, 1)]
        code, out, self.stderr = self.run_adapter(source, [*lines, '{"jsonrpc":"2.0","method":"bye"}'], args, **more)
        self.assertEqual(code, 0, self.stderr)
        replies = [json.loads(line) for line in out]
        self.assertEqual([(r.pop("jsonrpc"), r.pop("id")) for r in replies], [("2.0", i + 1) for i in range(len(requests))], self.stderr)
        return [r["result"] if "protocol" in r.get("result", ()) else r["result"]["advantages"] if "result" in r else "error: " + r["error"]["message"] for r in replies]

    def answers(self, source, *batches, **more):
        return self.talk(source, *batches, **more)[1:]

    def loads_not(self, source, says, args=()):
        code, out, err = self.run_adapter(source, [], args)
        self.assertEqual((code, out, err.count("\n")), (2, [], 1), err)
        self.assertIn(says, err)


TOKENS = batch([rollout(1, tokens=2, token_logprobs=[-1, -2], token_entropies=[0.5, 3], token_squares=[0.25, 0.5]),
                rollout(5, train=False, tokens=1, token_logprobs=[-9], token_entropies=[9], token_squares=[1]),
                rollout(0, tokens=1, token_logprobs=[-4], token_entropies=[1], token_squares=[0.125])],
               [rollout(2, tokens=3, token_logprobs=[-1, -1, -1], token_entropies=[0, 1, 2], token_squares=[1, 1, 1])])


class Tokens(Conversation):
    """Functions that give every token an advantage of its own."""

    def test_of_the_batch(self):
        hello, answer, short = self.talk("""
            import modebench
            @modebench.needs("token_entropies", per_token=True)
            def advantages(batch):
                groups = [[r["token_entropies"] for r in g["rollouts"]] for g in batch["groups"]]
                return groups if batch["step"] == 3 else [[r[1:] for r in g] for g in groups]
        """, TOKENS, {**TOKENS, "step": 4})
        self.assertEqual(hello, {"protocol": 2, "name": "mine", "needs": ["token_entropies"], "min_group": 1, "chains": False, "advantages": "token"})
        self.assertEqual(answer, [[[0.5, 3], [9], [1]], [[0, 1, 2]]])
        self.assertEqual(short, "error: group 0, rollout 0: mine returned 1 entries, want one for each of 2 tokens")

    def test_lists_without_advantages_of_tokens(self):
        hello, answer = self.talk("""
            import modebench
            @modebench.needs("token_squares")
            def advantages(batch): return [[sum(r["token_squares"]) for r in g["rollouts"]] for g in batch["groups"]]
        """, TOKENS)
        self.assertEqual((hello["protocol"], hello["needs"], "advantages" in hello), (2, ["token_squares"], False))
        self.assertEqual(answer, [[0.75, 1, 0.125], [3]])

    @numpy
    def test_rows(self):
        hello, answer = self.talk("""
            def advantages(rewards, mask, entropy, old_logp, squares, index, tokens, weights):
                assert rewards.shape == index.shape == tokens.shape == (3,) and weights.shape == (3, 1)
                assert mask.tolist() == [[1, 1, 0], [1, 0, 0], [1, 1, 1]] and index.tolist() == [0, 0, 1]
                assert entropy.tolist() == [[0.5, 3, 0], [1, 0, 0], [0, 1, 2]] and squares.tolist()[1] == [0.125, 0, 0]
                return rewards[:, None] + old_logp
        """, TOKENS)
        self.assertEqual(hello, {"protocol": 2, "name": "mine", "needs": ["reward", "tokens", "token_logprobs", "token_entropies", "token_squares"],
                                 "min_group": 1, "chains": False, "advantages": "token"})
        self.assertEqual(answer, [[[0, -1], [0.0], [-4]], [[1, 1, 1]]])

    @numpy
    def test_rows_with_voters(self):
        answer, = self.answers("def advantages(mask, entropy, train): return entropy * train[:, None]", TOKENS)
        self.assertEqual(answer, [[[0.5, 3], [0], [1]], [[0, 1, 2]]])

    @numpy
    def test_rows_are_tensors_where_torch_is_imported(self):
        answer, = self.answers("""
            import torch
            def advantages(rewards, mask, ref_logp=None):
                assert type(mask) is type(rewards) is torch.Tensor
                return mask * rewards[:, None]
        """.replace("ref_logp=None", "entropy"), TOKENS, files={"torch.py": FAKE_TORCH}.items())
        self.assertEqual(answer, [[[1, 1], [0], [0]], [[2, 2, 2]]])

    @numpy
    def test_wrong_shapes(self):
        for returned, says in (("rewards", "group 0, rollout 0: mine returned 1.0, want a list or an array of 3 tokens"),
                               ("mask[:2]", "mine returned 2 entries, want one for each of 3 rollouts"),
                               ("mask[:, :2]", "group 0, rollout 0: mine returned 2 entries, want one for each of 3 tokens"),
                               ("mask / 0.0", "group 0, rollout 0: mine returned inf, want a finite number")):
            answer, = self.answers(f"def advantages(rewards, mask): return {returned}", TOKENS)
            self.assertEqual(answer, "error: " + says)

    @numpy
    def test_a_missing_list(self):
        answer, = self.answers("def advantages(ref_logp): return ref_logp", TOKENS)
        self.assertEqual(answer, "error: group 0: the batch has no token_ref_logprobs")

    @numpy
    def test_verl(self):
        hello, answer = self.talk("""
            def of_tokens(token_level_rewards, response_mask, index, old_log_probs, sum_pi_squared, rollout_is_weights=None, **kwargs):
                assert old_log_probs.shape == sum_pi_squared.shape == response_mask.shape == (3, 3)
                returns = token_level_rewards[:, ::-1].cumsum(axis=1)[:, ::-1]
                return (returns - sum_pi_squared) * response_mask, returns
        """, TOKENS, args=["--verl"])
        self.assertEqual((hello["protocol"], hello["advantages"], hello["needs"]), (2, "token", ["reward", "tokens", "token_logprobs", "token_squares"]))
        self.assertEqual(answer, [[[0.75, 0.5], [0.0], [-0.125]], [[1, 1, 1]]])


class Plain(Conversation):
    """What needs no numpy."""

    SOURCE = "def advantages(batch): return [[r['candidates'][0]['reward'][0] / 3 for r in g['rollouts']] for g in batch['groups']]"

    def test_transcript(self):
        hello = '{"jsonrpc": "2.0", "id": 1, "method": "hello", "params": {"protocol": 1}}'
        code, out, err = self.run_adapter(self.SOURCE, [hello, json.dumps({"jsonrpc": "2.0", "id": 2, "method": "advantage", "params": PAIR})])
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(out, [
            '{"jsonrpc": "2.0", "id": 1, "result": {"protocol": 1, "name": "mine", "needs": ["reward"], "min_group": 1, "chains": false}}',
            '{"jsonrpc": "2.0", "id": 2, "result": {"advantages": [[0.3333333333333333, 0.0]]}}'])

    def test_bad_requests(self):
        lines = ['{"jsonrpc":"2.0","id":1,"method":"advantage","params":{}}', '{"jsonrpc":"2.0","id":2,"method":"hello","params":{"protocol":2}}',
                 '{"jsonrpc":"2.0","id":3,"method":"shout"}', "rubbish", '{"jsonrpc":"2.0","id":5,"method":"hello","params":{"protocol":1}}']
        code, out, _ = self.run_adapter(self.SOURCE, lines)
        replies = [json.loads(line) for line in out]
        self.assertEqual((code, [r["id"] for r in replies]), (0, [1, 2, 3, None, 5]))
        messages = [r["error"]["message"] for r in replies[:4]]
        self.assertEqual(messages[:3], ["no answer to 'advantage' before hello", "speaks protocol 1, got 2", "no answer to 'shout' before hello"])
        self.assertIn("JSONDecodeError", messages[3])

    def test_declared(self):
        hello, = self.talk("""
            import modebench
            @modebench.needs("mode", "reward", "greedy", min_group=2, chains=True, objective="pass@4")
            def advantages(batch, seed): pass
        """)
        self.assertEqual(hello, {"protocol": 1, "name": "mine", "needs": ["reward", "mode", "greedy"], "min_group": 2, "chains": True, "objective": "pass@4"})

    def test_state(self):
        source = """
            import modebench
            seen = {}
            @modebench.needs(save=lambda: seen or None, load=lambda state: (seen.clear(), seen.update(state or {})))
            def advantages(batch):
                seen["steps"] = seen.get("steps", 0) + 1
                return [[seen["steps"]] * len(g["rollouts"]) for g in batch["groups"]]
        """
        requests = [("hello", {"protocol": 1}), ("save", {}), ("advantage", PAIR), ("load", {"state": {"steps": 6}}), ("advantage", PAIR), ("save", {}),
                    ("load", {"state": None}), ("save", {})]
        code, out, err = self.run_adapter(source, [json.dumps({"jsonrpc": "2.0", "id": i, "method": m, "params": p}) for i, (m, p) in enumerate(requests)])
        self.assertEqual((code, err), (0, ""))
        hello, *results = [json.loads(line)["result"] for line in out]
        self.assertIs(hello["state"], True)
        self.assertEqual(results, [{"state": None}, {"advantages": [[1.0, 1.0]]}, {}, {"advantages": [[7.0, 7.0]]}, {"state": {"steps": 7}}, {}, {"state": None}])

    def test_states_that_cannot_be_kept(self):
        for state, says in {"{1: 2}": "keys have to be str", "[(1, 2)]": "tuples lists", "{'a'}": "nothing that JSON has", "[float('nan')]": "nothing that JSON has"}.items():
            source = f"""
                import modebench
                @modebench.needs(save=lambda: {state}, load=print)
                def advantages(batch): pass
            """
            requests = [("hello", {"protocol": 1}), ("save", {})]
            _, out, _ = self.run_adapter(source, [json.dumps({"jsonrpc": "2.0", "id": i, "method": m, "params": p}) for i, (m, p) in enumerate(requests)])
            self.assertIn(says, json.loads(out[1])["error"]["message"])
        for method in ("save", "load"):
            _, out, _ = self.run_adapter(self.SOURCE, [json.dumps({"jsonrpc": "2.0", "id": i, "method": m, "params": p}) for i, (m, p) in
                                                       enumerate([("hello", {"protocol": 1}), (method, {"state": 1})])])
            self.assertEqual(json.loads(out[1])["error"]["message"], f"mine has no state to {method}")
        self.loads_not("import modebench\n@modebench.needs(save=print)\ndef advantages(batch): pass", "save and load go together")

    def test_whatever_is_printed_goes_to_standard_error(self):
        source = """
            import os, subprocess, sys
            print("while loading")
            def advantages(batch):
                print("by Python")
                os.write(1, b"below Python\\n")
                subprocess.run([sys.executable, "-c", "print('by a child')"])
                try:
                    input()
                except EOFError:
                    print("no input")
                return [[0, 0]]
        """
        self.assertEqual(self.answers(source, PAIR, PAIR), [[[0, 0]], [[0, 0]]])
        for said in ("while loading", "by Python", "below Python", "by a child", "no input"):
            self.assertIn(said, self.stderr)

    def test_one_request_at_a_time(self):
        """Each is answered before the next is sent, which the function cannot read."""
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "mine.py"), "w", encoding="utf-8") as file:
                file.write("import os\ndef advantages(batch): return [[len(os.read(0, 1)), 0]]")
            with subprocess.Popen([sys.executable, "-B", os.path.join(HERE, "modebench.py"), "mine.py"], cwd=folder, text=True,
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE) as adapter:
                timer = threading.Timer(30, adapter.kill)
                timer.start()
                for request in ({"id": 1, "method": "hello", "params": {"protocol": 1}}, {"id": 2, "method": "advantage", "params": PAIR}):
                    adapter.stdin.write(json.dumps(request) + "\n")
                    adapter.stdin.flush()
                    reply = json.loads(adapter.stdout.readline() or "{}")
                self.assertEqual(reply, {"jsonrpc": "2.0", "id": 2, "result": {"advantages": [[0, 0]]}})
                adapter.stdin.write('{"method": "bye"}\n')
                adapter.stdin.flush()  # and it stays open: bye alone ends it
                self.assertEqual(adapter.wait(), 0)
                timer.cancel()

    def test_exceptions(self):
        cases = {
            "1 / 0": "ZeroDivisionError: division by zero",
            "int('x')": "ValueError: invalid literal for int() with base 10: 'x'",
            "{}['a']": "KeyError: 'a'",
            "raises(KeyError)": "KeyError",
            "raises(ValueError('two\\nlines'))": "ValueError: two lines",
            "raises(ValueError('\\ud800'))": "ValueError: \ud800",
            "sys.exit(3)": "SystemExit: 3",
            "json.loads('[')": "JSONDecodeError: Expecting value: line 1 column 2 (char 1)",
        }
        source = "import json, sys\ndef raises(e): raise e\ndef advantages(batch): return eval(batch['answer'])"
        for body, says, answer in zip(cases, cases.values(), self.answers(source, *({**PAIR, "answer": body} for body in cases))):
            self.assertEqual(answer, f"error: {says} (mine.py:{2 if 'raises' in body else 3})")
            self.assertIn("Traceback", self.stderr)

    def test_wrong_answers(self):
        two = batch([rollout(1), rollout(0)], [rollout(1), rollout(0)])
        cases = {
            "None": "mine returned None, want a list or an array of 2 groups",
            "0.5": "mine returned 0.5, want a list or an array of 2 groups",
            "[[1, 2]]": "mine returned 1 entries, want one for each of 2 groups",
            "[[1, 2], [1]]": "group 1: mine returned 1 entries, want one for each of 2 rollouts",
            "[1, 2]": "group 0: mine returned 1, want a list or an array of 2 rollouts",
            "[[1, 2], [0, float('nan')]]": "group 1, rollout 1: mine returned nan, want a finite number",
            "[[float('-inf'), 2], [0, 0]]": "group 0, rollout 0: mine returned -inf, want a finite number",
            "[[0, None], [0, 0]]": "group 0, rollout 1: mine returned None, want a finite number",
            "[[0, '1'], [0, 0]]": "group 0, rollout 1: mine returned '1', want a finite number",
            "[[0, 0], [10 ** 400, 0]]": "group 1, rollout 0: mine returned 10000",
            "[[0, 1j], [0, 0]]": "group 0, rollout 1: mine returned 1j, want a finite number",
        }
        source = "def advantages(batch): return eval(batch['answer'])"
        for says, answer in zip(cases.values(), self.answers(source, *({**two, "answer": text} for text in cases))):
            self.assertIn("error: " + says, answer)
        self.assertEqual(self.answers("def advantages(batch): return ((True, 2), [1e-300, -0.1])", two), [[[1.0, 2.0], [1e-300, -0.1]]])

    def test_unknown_parameter(self):
        known = "there are rewards, vectors, correct, valid, answers, modes, embeddings, variants, tokens, logprobs, entropies, finals, greedy, " \
                "weights, problems, train, seed, step, batch, old_logp, entropy, ref_logp, squares, mask, index"
        self.assertEqual(self.talk("def advantages(batch, reward): pass"), ["error: mine asks for 'reward', which there is not; " + known])
        self.assertEqual(self.answers("def advantages(batch, scale=2, *rest, **more): return [[scale, len(rest) + len(more)]]", PAIR), [[[2, 0]]])

    def test_without_numpy(self):
        hello, = self.talk("def advantages(rewards): pass", files={"numpy.py": "raise ImportError"})
        self.assertEqual(hello, f"error: mine(rewards) needs numpy, and {sys.executable} has none")
        self.assertEqual(self.answers(self.SOURCE, PAIR, files={"numpy.py": "raise ImportError"}), [[[1 / 3, 0]]])

    def test_another_function_and_a_neighbour(self):
        files = {"far/own.py": "from other import zero\ndef twice(batch): return [[2, zero]]", "far/other.py": "zero = 0"}
        hello, answer = self.talk("", PAIR, files=files, entry=["-m", "modebench", "far/own.py", "twice"])
        self.assertEqual((hello["name"], answer), ("own:twice", [[2, 0]]))

    def test_as_a_library(self):
        source = "import modebench\ndef zero(batch): print('chatter'); return [[0, 0]]\nmodebench.serve(zero)"
        hello, answer = self.talk(source, PAIR, entry=["mine.py"])
        self.assertEqual((hello["name"], answer, self.stderr), ("zero", [[0, 0]], "chatter\n"))

    def test_what_does_not_load(self):
        self.loads_not("def other(batch): pass", "modebench: mine.py has no function advantages; it has other\n")
        self.loads_not("def advantages(:", "modebench: mine.py does not load: SyntaxError: ")
        self.loads_not("\nimport nowhere", "modebench: mine.py does not load: ModuleNotFoundError: No module named 'nowhere' (mine.py:2)\n")
        self.loads_not("exit(0)", "SystemExit: 0 (mine.py:1)")
        self.loads_not("import modebench\n@modebench.needs('rewards')\ndef advantages(batch): pass", "modebench: needs: there is no 'rewards'; there are reward, ")
        self.loads_not("def f(x): pass", "0 functions of token_level_rewards", args=["--verl"])
        code, _, err = self.run_adapter("", [], entry=["-m", "modebench", "no.py"])
        self.assertEqual((code, err), (2, "modebench: no.py does not load: FileNotFoundError: [Errno 2] No such file or directory: 'no.py'\n"))

    def test_hello_is_told_what_does_not_load(self):
        slow = "import atexit, time\natexit.register(time.sleep, 30)\nimport nowhere"
        code, out, err = self.run_adapter(slow, ['{"jsonrpc":"2.0","id":7,"method":"hello","params":{"protocol":1}}'])
        message = "mine.py does not load: ModuleNotFoundError: No module named 'nowhere' (mine.py:3)"
        self.assertEqual((code, [json.loads(line) for line in out], err), (2, [{"jsonrpc": "2.0", "id": 7, "error": {"code": 1, "message": message}}], ""))

    def test_traceback_begins_in_the_file(self):
        source = "def low(): raise ValueError('low')\ndef advantages(batch):\n    try: low()\n    except ValueError as e: raise KeyError('high') from e"
        self.answers(source, PAIR)
        self.assertNotIn("modebench.py", self.stderr)
        for part in ("ValueError: low", "direct cause", "in advantages", "KeyError: 'high'"):
            self.assertIn(part, self.stderr)


@numpy
class Arrays(Conversation):
    def test_every_name(self):
        fields = {"tokens": 2, "logprob": -1.5, "entropy": 0.5, "final": "x", "correct": True, "valid": False, "answer": "a", "embedding": [1, 2, 3]}
        rows = [rollout([1, 2], mode="B", variant=None, **fields), rollout([3, 4], mode=None, variant="v", **fields),
                rollout([5, 6], mode="A", variant="v", train=False, **fields), rollout([7, 8], mode="B", variant="w", **fields)]
        names = "rewards, vectors, correct, valid, answers, modes, embeddings, variants, tokens, logprobs, entropies, finals, greedy, weights, problems, train, seed, step"
        hello, answer = self.talk(f"""
            def advantages({names}):
                kinds = [x.dtype.kind for x in (rewards, correct, valid, answers, modes, tokens, finals, train)]
                assert kinds == list("fbbOiiOb"), kinds
                assert vectors.shape == (2, 4, 2) and embeddings.shape == (2, 4, 3) and embeddings[1, 2, 2] == 3
                assert rewards.tolist() == [[2.5, 5.5, 8.5, 11.5], [1, 3, 5, 7]] and weights.tolist() == [[.5, 1], [1, 0]]
                assert modes.tolist() == [[0, -1, 1, 0]] * 2 and variants.tolist() == [[-1, 0, 0, 1]] * 2, (modes, variants)
                assert correct.all() and not valid.any() and (answers == "a").all() and (finals == "x").all()
                assert (tokens == 2).all() and (logprobs == -1.5).all() and (entropies == .5).all() and greedy.tolist() == [4, .5]
                assert train.tolist() == [[True, True, False, True]] * 2 and problems == ["p", "q"] and (seed, step) == (7, 3)
                return rewards.astype("float32")
        """, batch({"problem": "p", "greedy": 4, "rollouts": rows}, {"problem": "q", "greedy": .5, "weights": [1, 0], "rollouts": rows}, weights=[.5, 1]))
        self.assertEqual(hello["needs"], ["reward", "correct", "valid", "answer", "mode", "embedding", "variant", "tokens", "logprob", "entropy", "final", "greedy"])
        self.assertEqual(answer, [[2.5, 5.5, 8.5, 11.5], [1, 3, 5, 7]])

    def test_rewards_are_added_in_order(self):
        weights, reward = [0.1, 0.2, 0.3], [1.0, 1.0, 1.0]
        total = 0.0
        for w, r in zip(weights, reward):
            total += w * r
        backwards = sum(w * r for w, r in zip(weights[::-1], reward[::-1]))
        self.assertNotEqual(total, backwards)
        answer, zero = self.answers("def advantages(rewards): return rewards", batch([rollout(reward)], weights=weights), batch([rollout(-1.0)], weights=[0]))
        self.assertEqual((answer, str(zero)), ([[total]], "[[0.0]]"), "0 + -0 is 0")

    def test_voters(self):
        voting = batch([rollout(1, train=False), rollout(2), rollout(4)], [rollout(1), rollout(5, train=False), rollout(3)])
        self.assertEqual(self.answers("def advantages(rewards): return rewards - rewards.mean(axis=1, keepdims=True)", voting), [[[0, -1, 1], [-1, 0, 1]]])
        self.assertEqual(self.answers("def advantages(rewards, train): return rewards * train", voting), [[[0, 2, 4], [1, 0, 3]]])
        self.assertEqual(self.answers("def advantages(rewards, batch): return rewards", voting), [[[1, 2, 4], [1, 5, 3]]])
        self.assertEqual(self.answers("def advantages(rewards): return [[1, 2], [1, None]]", voting), ["error: group 1, rollout 2: mine returned None, want a finite number"])

    def test_ragged(self):
        ragged = batch([rollout(1), rollout(0)], [rollout(1)])
        self.assertEqual(self.answers("def advantages(rewards): return rewards", ragged, PAIR),
                         ["error: 2 and 1 rollouts to train on make no array: take `batch` in place of arrays", [[1, 0]]])
        self.assertEqual(self.answers("def advantages(batch, greedy, weights): return [[len(g['rollouts'])] * len(g['rollouts']) for g in batch['groups']]",
                                      batch({"problem": "", "greedy": 1, "rollouts": [rollout(1)]})), [[[1]]])
        odd = batch([rollout(1, embedding=[1]), rollout(1, embedding=[1, 2])])
        self.assertEqual(self.answers("def advantages(embeddings): return embeddings", odd),
                         ["error: embeddings of different lengths make no array: take `batch` in place of arrays"])
        some = batch([rollout(1, embedding=[]), rollout(1, embedding=[1, 2])], [rollout(1, embedding=[]), rollout(1, embedding=[])])
        self.assertEqual(self.answers("def advantages(embeddings): return embeddings.sum(axis=2) + 10 * embeddings.shape[2]", some), [[[20, 23], [20, 20]]])
        none = batch([rollout(1, embedding=[])])
        self.assertEqual(self.answers("def advantages(embeddings): return [[embeddings.size]]", none), [[[0]]])
        self.assertEqual(self.answers("def advantages(logprobs): return logprobs", PAIR), ["error: group 0, rollout 0: the batch has no logprob"])

    def test_chains(self):
        chain = [{"candidates": [candidate([1, 2], mode="B"), candidate([3, 4], mode="A")]}, {"candidates": [candidate([5, 6], mode="A"), candidate([7, 8], mode=None)]}]
        source = """
            import modebench
            @modebench.needs(chains=True)
            def advantages(rewards, vectors, modes):
                assert vectors.shape == (1, 2, 2, 2) and modes.tolist() == [[[0, 1], [1, -1]]]
                return rewards.max(axis=2)
        """
        odd = batch([*chain[:1], rollout([1, 1], mode="A")], weights=[1, 0.5])
        self.assertEqual(self.answers(source, batch(chain, weights=[1, 0.5]), odd),
                         [[[5, 11]], "error: 2 and 1 candidates in a rollout make no array: take `batch` in place of arrays"])
        self.assertEqual(self.answers("def advantages(rewards): return rewards", batch(chain, weights=[1, 1])),
                         ["error: group 0, rollout 0: 2 candidates, and mine takes one: see needs(chains=True)"])

    def test_nan_of_numpy(self):
        self.assertEqual(self.answers("def advantages(rewards): return rewards / 0", PAIR), ["error: group 0, rollout 0: mine returned inf, want a finite number"])
        self.assertEqual(self.answers("def advantages(rewards): return [list(x > 0) for x in rewards]", PAIR), [[[1, 0]]])

    def test_seeds(self):
        source = "import modebench\ndef advantages(batch, seed, step, problems): return [modebench.rng(seed, step, p).random(2) for p in problems]"
        pair = PAIR["groups"][0]["rollouts"]
        once, again, step, seed = self.answers(source, batch(pair, pair), batch(pair, pair), batch(pair, pair, step=4), batch(pair, pair, seed=2 ** 64 - 1))
        self.assertEqual(once, again)
        drawn = [tuple(group) for answer in (once, step, seed) for group in answer]
        self.assertEqual(len(set(drawn)), 6, "every seed, step and problem has its own numbers")


@numpy
class Verl(Conversation):
    BATCH = batch([rollout([1, 2], tokens=2), rollout([9, 9], tokens=9, train=False), rollout([3, 4], tokens=0)],
                  {"problem": "q", "weights": [1, 0], "greedy": 2, "rollouts": [rollout([5, 6], tokens=3)]}, weights=[1, 0.5])
    SEEN = """
            assert token_level_rewards.tolist() == [[0, 2, 0], [5, 0, 0], [0, 0, 5]] and response_mask.tolist() == [[1, 1, 0], [1, 0, 0], [1, 1, 1]]
            assert index[0] == index[1] != index[2] and config.gamma == config.get("lam") == 1 and config["norm_adv_by_std_in_grpo"]
            advantages = token_level_rewards.sum(-1)[:, None] * response_mask
            return advantages, advantages
    """
    WANT = [[2, 0, 5], [5]]

    def verl(self, source, *batches, **more):
        return self.talk(source, *batches, args=["--verl"], **more)

    def test_numpy(self):
        hello, answer = self.verl(f"def mine(token_level_rewards, response_mask, index, config=None, **kwargs):\n            assert not kwargs{self.SEEN}", self.BATCH)
        self.assertEqual((hello["needs"], hello["name"], answer), (["reward", "tokens"], "mine", self.WANT))

    def test_torch(self):
        source = f"""
        import torch
        def mine(token_level_rewards, response_mask, index, config):
            assert isinstance(token_level_rewards, torch.Tensor) and isinstance(response_mask, torch.Tensor){self.SEEN}"""
        self.assertEqual(self.verl(source, self.BATCH, files={"torch.py": FAKE_TORCH})[1:], [self.WANT])
        if imports("torch"):
            grad = "token_level_rewards.requires_grad_(); advantages = token_level_rewards"
            self.assertEqual(self.verl(source.replace("advantages = token_level_rewards", grad), self.BATCH)[1:], [self.WANT])

    def test_registered(self):
        source = """
        from verl.trainer.config import AlgoConfig
        from verl.trainer.ppo import core_algos
        @core_algos.register_adv_est("mine")
        def mine(token_level_rewards, response_mask, config: AlgoConfig = None):
            return response_mask, 0
        """
        self.assertEqual(self.verl(source, self.BATCH)[1:], [[[1, 0, 1], [1]]])
        for missing, why in {
            "import verl.workers": "ModuleNotFoundError: No module named 'verl.workers'",
            "from verl.trainer.ppo import core_algos; core_algos.agg_loss":
                "AttributeError: modebench's stand-in for verl.trainer.ppo.core_algos has no agg_loss; verl is not installed",
        }.items():
            code, _, err = self.run_adapter(missing, [], ["--verl"])
            self.assertEqual((code, err), (2, f"modebench: mine.py does not load: {why} (mine.py:1)\n"))
        twice = "from verl.trainer.ppo.core_algos import register_adv_est as r\nr('a')(max)\nr('a')(max)\nr('grpo')(max)"
        code, _, err = self.run_adapter(twice, [], ["--verl"])
        self.assertEqual((code, err), (2, "modebench: mine.py does not load: ValueError: an estimator grpo has already been registered (mine.py:4)\n"))

    @unittest.skipUnless(imports("torch") and not imports("verl"), "no torch, or verl itself")
    def test_functions_of_verl(self):
        # Group 0: rewards 2 and 5 of 2 and 1 tokens; group 1: 5 of 3 tokens.
        source = """
        import torch
        import verl.utils.torch_functional as verl_F
        from verl.trainer.ppo import core_algos
        from verl.trainer.ppo.core_algos import compute_rloo_outcome_advantage, register_adv_est
        from verl.utils import as_torch_index
        from verl.utils.groupwise import group_mean_std

        @register_adv_est("mine")
        def mine(token_level_rewards, response_mask, index, config):
            def each(rows):
                return [row[0].item() for row in rows]
            given = {"token_level_rewards": token_level_rewards, "response_mask": response_mask, "index": index}
            assert each(core_algos.get_adv_estimator_fn("opo")(**given)[0]) == [-1, 2, 5]
            assert each(core_algos.get_adv_estimator_fn(core_algos.AdvantageEstimator.GPG)(**given, config=config)[0]) == [-1.5, 1.5, 5]
            assert core_algos.get_adv_estimator_fn("mine") is mine
            groups = as_torch_index(index)
            assert groups.tolist() == [0, 0, 1]
            mean, std, count = group_mean_std(token_level_rewards.sum(-1), groups)
            assert (mean.tolist(), std[1].item(), count.tolist()) == ([3.5, 0], 1, [2, 1])
            assert abs(verl_F.masked_mean(token_level_rewards, response_mask).item() - 2) < 1e-7
            assert abs(verl_F.masked_whiten(token_level_rewards, response_mask)).sum() > 1
            return compute_rloo_outcome_advantage(**given)
        """
        self.assertEqual(self.verl(source, self.BATCH)[1:], [[[-3, 0, 3], [5]]])

    def test_baselines_and_needs(self):
        greedy = batch({"problem": "", "greedy": 0.25, "rollouts": [rollout(1, tokens=1), rollout(0, tokens=2)]})
        hello, answer = self.verl("""
            import modebench
            @modebench.needs(min_group=2, objective="reward")
            def mine(token_level_rewards, reward_baselines, response_mask):
                return (token_level_rewards.sum(-1) - reward_baselines)[:, None] * response_mask, None
        """, greedy)
        self.assertEqual((hello["needs"], hello["min_group"], hello["objective"]), (["reward", "tokens", "greedy"], 2, "reward"))
        self.assertEqual(answer, [[0.75, -0.25]])

    def test_refused(self):
        cases = {
            "token_level_rewards, 0": "error: group 0, rollout 0: mine returned numbers from 0.0 to 1.0 for its tokens: modebench takes one number per rollout",
            "response_mask / 0, 0": "error: group 0, rollout 0: mine returned inf, want a finite number",
            "response_mask[:1], 0": "error: mine returned advantages of 1 entries, want one for each of 2 rollouts",
            "response_mask[:, :2], 0": "error: group 0, rollout 0: mine returned 2 entries, want one for each of 3 tokens",
            "response_mask[:, 0], 0": "error: group 0, rollout 0: mine returned 1, want a list or an array of 3 tokens",
            "response_mask": "error: mine returned array([[1, 1, 0], [1, 1, 1]]), want a pair (advantages, returns)",
        }
        source = "left = iter(" + repr(list(cases)) + ")\ndef mine(token_level_rewards, response_mask): return eval(next(left))"
        self.assertEqual(self.verl(source, *[PAIR] * len(cases))[1:], list(cases.values()))
        hello, = self.verl("def mine(token_level_rewards, values): pass")
        self.assertEqual(hello, "error: mine asks for 'values', which there is not; in verl's signature there are "
                                "token_level_rewards, response_mask, index, config, reward_baselines, old_log_probs, entropys, ref_log_prob, sum_pi_squared")

    def test_as_a_library(self):
        source = "import modebench\ndef mine(token_level_rewards, response_mask): return response_mask * 0.5, 0\nmodebench.serve_verl(mine)"
        self.assertEqual(self.talk(source, PAIR, entry=["mine.py"])[1:], [[[0.5, 0.5]]])


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Holds an implementation of advantage estimators against the conformance vectors.

    python3 check.py poly-epo.json --method poly-epo --function mymodule:poly_epo
    python3 check.py *.json --command "bench estimate {method} {set}"

A function is called as fn(batch, **set) for every case of --method, with the batch
document as a dict and the case's fields as keywords. "weights" (also of a group) and
"train" are filled in where the document leaves them out. It returns one list of
advantages per group; None says that it does not support the case, and so does a
signature that does not take one of the fields. Of a method that gives every token its own
an entry is a list, one number per token. Where a case must be refused, it
raises.

A command gets the batch document on its standard input and prints
{"advantages": [[...], ...]} or the bare lists; null says that it does not support the
case. {method} stands for the method and {set} for --set name=value, once per field.
Where a case must be refused, it ends with an exit code other than 0.

A line per case: ok, FAIL with the worst difference, or skipped. Exit code 0: nothing
failed; 1: something did; 2: there was nothing to check or it could not be done.
Python 3.8 or later, standard library only.
"""

import argparse
import copy
import glob
import importlib
import inspect
import json
import math
import os
import shlex
import subprocess
import sys
from fractions import Fraction

TIMEOUT = 60  # seconds that a command has for one case


class Unsupported(Exception):
    """The implementation does not claim to know this case."""


class Refused(Exception):
    """The implementation refuses the batch."""


class Broken(Exception):
    """The implementation answers neither with advantages nor with a refusal."""


class Usage(Exception):
    """The check itself cannot be done."""


def complete(document):
    """The batch document with what it leaves out filled in, as a new one."""
    batch = copy.deepcopy(document)
    groups = batch["groups"]
    vectors = [c["reward"] for g in groups for r in g["rollouts"] for c in r["candidates"] if c.get("reward") is not None]
    if batch.get("weights") is None and vectors:
        batch["weights"] = [1 / len(vectors[0])] * len(vectors[0])
    for group in groups:
        if group.get("weights") is None:
            group["weights"] = batch.get("weights")
        for rollout in group["rollouts"]:
            if rollout.get("train") is None:
                rollout["train"] = True
    return batch


def by_function(name):
    """An implementation that is MODULE:FUNCTION of Python."""
    module, _, function = name.partition(":")
    if not function:
        raise Usage("--function %s: want MODULE:FUNCTION" % name)
    sys.path.insert(0, os.getcwd())
    try:
        fn = getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise Usage("--function %s: %s" % (name, error))

    def run(case):
        batch, fields = complete(case["batch"]), case.get("set", {})
        try:
            inspect.signature(fn).bind(batch, **fields)
        except TypeError as error:
            raise Unsupported(str(error))
        try:
            return fn(batch, **fields)
        except Exception as error:  # whatever an implementation may raise
            raise Refused("%s: %s" % (type(error).__name__, error))

    return run


def by_command(template):
    """An implementation that is a program."""
    words = shlex.split(template)
    if not words:
        raise Usage("--command is empty")

    def run(case):
        fields = []
        for name, value in case.get("set", {}).items():
            fields += ["--set", "%s=%s" % (name, value if isinstance(value, str) else json.dumps(value))]
        argv = []
        for word in words:
            argv += fields if word == "{set}" else [word.replace("{method}", case["method"])]
        try:
            done = subprocess.run(argv, input=json.dumps(case["batch"]), stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, universal_newlines=True, timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            raise Broken("no answer after %d seconds" % TIMEOUT)
        except OSError as error:
            raise Usage("--command %s: %s" % (argv[0], error))
        if done.returncode != 0:
            raise Refused(" ".join(done.stderr.split()) or "exit code %d" % done.returncode)
        try:
            answer = json.loads(done.stdout)
            return answer["advantages"] if isinstance(answer, dict) else answer
        except (ValueError, KeyError):
            raise Broken("printed %.60r" % done.stdout)

    return run


def exact(entry):
    """An expected number: a fraction is rounded once."""
    return float(Fraction(entry)) if isinstance(entry, str) else float(entry)


def pairs(g, ours, theirs):
    """The numbers to compare of a group: one per rollout, or one per token of each."""
    for i, (a, b) in enumerate(zip(ours, theirs)):
        if isinstance(a, list) != isinstance(b, list) or isinstance(b, list) and len(a) != len(b):
            raise Broken("group %d, rollout %d has %r, want %r" % (g, i, a, b))
        yield from zip(a, b) if isinstance(b, list) else [(a, b)]


def worst(got, want):
    """The largest difference of all advantages."""
    if len(got) != len(want):
        raise Broken("%d groups, want %d" % (len(got), len(want)))
    largest = 0.0
    for g, (ours, theirs) in enumerate(zip(got, want)):
        if len(ours) != len(theirs):
            raise Broken("group %d has %d advantages, want %d" % (g, len(ours), len(theirs)))
        for a, b in pairs(g, ours, theirs):
            difference = abs(float(a) - exact(b))
            if math.isnan(difference):
                raise Broken("group %d has %r" % (g, a))
            largest = max(largest, difference)
    return largest


def judge(case, run):
    """Whether a case is ok, and why; Unsupported where it is to be skipped."""
    try:
        got = run(case)
        if got is None:
            raise Unsupported("not supported")
        if "error" in case:
            return False, "took what must be refused: %s" % case["error"]
        difference = worst(got, case["advantages"])
    except Refused as error:
        return "error" in case, "refused: %s" % error
    except Broken as error:
        return False, str(error)
    except (TypeError, ValueError) as error:
        return False, "no lists of numbers: %s" % error
    return difference <= case["tolerance"], "off by %.3g, allowed %.3g" % (difference, case["tolerance"])


def read(files):
    """The cases of the files, each with the file's name."""
    for file in files:
        try:
            with open(file, encoding="utf-8") as f:
                cases = json.load(f)
            for case in cases:
                yield os.path.basename(file), case, case["method"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise Usage("%s: %s" % (file, error))


def check(files, method, run):
    """Prints a line per case and the totals; returns the exit code."""
    totals = {"ok": 0, "FAIL": 0, "skipped": 0}
    for file, case, name in read(files):
        if method and name != method:
            continue
        try:
            good, why = judge(case, run)
            outcome = "ok" if good else "FAIL"
        except Unsupported as error:
            outcome, why = "skipped", str(error)
        if outcome == "FAIL" and case.get("set"):
            why += "; with " + ", ".join("%s=%s" % field for field in case["set"].items())
        totals[outcome] += 1
        print("%-7s %s: %s (%s)" % (outcome, file, case["name"], why))
    print("%(ok)d ok, %(FAIL)d failed, %(skipped)d skipped" % totals)
    if totals["ok"] + totals["FAIL"] == 0:
        there = sorted({name for _, _, name in read(files)})
        raise Usage("no case was checked; these files have cases of " + ", ".join(there))
    return 1 if totals["FAIL"] else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE", help="vectors; a pattern is expanded")
    parser.add_argument("--method", help="only the cases of this method; with --function the one that it implements")
    way = parser.add_mutually_exclusive_group(required=True)
    way.add_argument("--function", metavar="MODULE:FUNCTION")
    way.add_argument("--command", metavar="WORDS")
    args = parser.parse_args()
    try:
        if args.function and not args.method:
            raise Usage("--function wants --method: which cases is it for?")
        run = by_function(args.function) if args.function else by_command(args.command)
        files = [f for pattern in args.files for f in sorted(glob.glob(pattern)) or [pattern]]
        return check(files, args.method, run)
    except Usage as error:
        print("check.py: %s" % error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())

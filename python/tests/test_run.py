"""Runs: specs of every form, functions of this process, interrupts, executors."""

from __future__ import annotations

import concurrent.futures
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import modebench_rl as mb
from modebench_rl import _scratch


def records(out: Path) -> dict[str, bytes]:
    """The files of all cells, without those that say where and how long."""
    files = {}
    for path in sorted(out.glob("cells/*/*")):
        if path.name not in ("provenance.json",):
            files[f"{path.parent.name}/{path.name}"] = path.read_bytes()
    return files


def test_quick_gives_the_digits_of_the_readme(quick: mb.Result, clone: Path) -> None:
    readme = (clone / "README.md").read_text()
    table = [
        line for line in repr(quick).splitlines() if line.startswith(("base", "grpo", "rloo", "poly-epo", "setpo"))
    ]
    assert len(table) == 6
    for line in table:
        assert line.rstrip() in readme


def test_a_dict_is_the_file_that_says_the_same(spec: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(
        textwrap.dedent("""
        seeds = 2
        columns = ["reward", "coverage@4"]
        [env]
        name = "bandit"
        [train]
        steps = 30
        group = 6
        [eval]
        every = 10
        k = [1, 4]
        samples = 8
        [[method]]
        name = "grpo"
        [[method]]
        name = "poly-epo"
        n = 4
        label = "sets of four"
        [[figure]]
        name = "curves"
        kind = "curve"
        metrics = ["reward"]
        """)
    )
    of_file = mb.run(tmp_path / "small.toml", out=tmp_path / "a", progress=False)
    of_dict = mb.run(spec, out=tmp_path / "b", progress=False)
    assert records(tmp_path / "a") == records(tmp_path / "b")
    assert repr(of_file) == repr(of_dict)


def test_flags(spec: dict[str, Any], tmp_path: Path) -> None:
    result = mb.run(
        spec, out=tmp_path, seeds=1, set={"train.lr": 0.03, "eval.k": [1, 4, 8]}, name="other", progress=False
    )
    assert result.folder == tmp_path / "other"
    cells = result.cells()
    assert set(cells["train.lr"]) == {0.03} and set(cells["seed"]) == {0}


def test_what_is_wrong_is_one_line(spec: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(mb.InputError, match="did you mean quick"):
        mb.run("quik", out=tmp_path, progress=False)
    with pytest.raises(mb.InputError, match="steps"):
        mb.run({**spec, "train": {"step": 30}}, out=tmp_path, progress=False)
    with pytest.raises(mb.InputError, match="train.lr is nan, want a finite number"):
        mb.run({**spec, "train": {"lr": float("nan")}}, out=tmp_path, progress=False)
    with pytest.raises(mb.InputError, match=r"estimators holds 'grpo': want functions"):
        mb.run(spec, estimators=["grpo"], out=tmp_path, progress=False)  # type: ignore[list-item]
    for wrong in ("grpo", 3):
        with pytest.raises(mb.InputError, match=rf"estimators is {wrong!r}: want a function, or a list"):
            mb.run(spec, estimators=wrong, out=tmp_path, progress=False)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="two estimators are named twice"):

        def twice(rewards: Any) -> Any:
            return rewards

        first = twice

        def twice(rewards: Any) -> Any:  # type: ignore[no-redef]  # noqa: F811
            return -rewards

        mb.run({**spec, "method": [first, twice]}, out=tmp_path, progress=False)


def asks_for_nothing_known(nothing: Any) -> Any:
    return nothing


def returns_nothing(rewards: np.ndarray) -> Any:
    return None


@pytest.mark.parametrize("executor", [None, concurrent.futures.ThreadPoolExecutor(1)], ids=["here", "on an executor"])
def test_an_error_names_what_was_given(
    spec: dict[str, Any], executor: concurrent.futures.Executor | None, tmp_path: Path
) -> None:
    def error(given: Any, **more: Any) -> str:
        with pytest.raises(mb.BenchError) as caught:
            mb.run(given, out=tmp_path / "out", progress=False, executor=executor, **more)
        assert "modebench-" not in str(caught.value), "no file of ours"
        return str(caught.value)

    assert error({**spec, "train": {"steps": -1}}).startswith('spec small, train: field "steps": got -1')
    wrong = [*spec["method"], {"name": "poly-epo", "n": -1}]
    assert error({**spec, "method": wrong}).startswith('spec small, method 3: method poly-epo: field "n": got -1')
    assert error({**spec, "stps": 3}).startswith("spec small")
    assert error(spec, estimators=asks_for_nothing_known).startswith(
        "spec small, method 3: estimator asks_for_nothing_known: asks_for_nothing_known asks for 'nothing'"
    )
    assert error("quick", estimators=asks_for_nothing_known).startswith("spec quick, method 7: estimator asks")
    file = tmp_path / "mine.toml"
    file.write_text('[env]\nname = "bandit"\n[train]\nsteps = -1\n[[method]]\nname = "grpo"\n')
    assert error(file).startswith(f'{file}:4: field "steps": got -1')
    assert error(file, estimators=centred).startswith(f'{file}:4: field "steps": got -1')
    file.write_text(file.read_text().replace("-1", "3"))
    assert error(file, estimators=asks_for_nothing_known).startswith(f"spec {file}, method 2: estimator asks")


def test_an_estimators_error_names_it(spec: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(mb.BenchError, match="step 0: estimator returns_nothing: returns_nothing returned None, want"):
        mb.run(spec, estimators=returns_nothing, out=tmp_path, progress=False)


@pytest.mark.skipif(sys.platform == "win32", reason="the script is found as POSIX has it")
def test_the_command_completes_and_documents_itself(tmp_path: Path) -> None:
    command = str(Path(sys.executable).with_name("modebench"))
    script = subprocess.run([command, "completion", "bash"], capture_output=True, text=True, check=True).stdout
    assert script.splitlines()[-1] == "complete -o default -F _bench modebench"
    subprocess.run([command, "man", str(tmp_path)], check=True)
    assert "modebench run SPEC" in (tmp_path / "modebench-run.1").read_text()


def test_progress_is_told(spec: dict[str, Any], tmp_path: Path) -> None:
    lines: list[dict[str, int]] = []
    mb.run(spec, out=tmp_path, progress=lambda line: lines.append(dict(line)))
    assert lines[-1] == {"cells": 4, "made": 4, "steps": 120, "done": 120}


def test_a_note_is_told_once_and_what_an_estimator_prints_always(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("modebench_rl._progress._told", set())  # other tests are of this session too
    file = tmp_path / "prints.py"
    file.write_text(
        "import sys\n\ndef advantages(rewards):\n    print('I am asked', file=sys.stderr)\n    return rewards\n"
    )
    method = {"name": "plugin", "command": [sys.executable, "-m", "modebench_rl", str(file)]}
    vain = {"name": "poly-epo", "clip_high": 0.375}
    spec = {"env": {"name": "bandit"}, "train": {"steps": 2}, "eval": {"every": 2}, "method": [method, vain]}
    mb.run(spec, out=tmp_path / "silent", seeds=1, progress=False)
    for folder, notes in (("a", 1), ("b", 0)):
        mb.run(spec, out=tmp_path / folder, seeds=1, name="in-vain")
        said = capsys.readouterr().err
        assert said.count("clip_high") == notes
        assert said.count("I am asked") == 2


@mb.estimator(min_group=2)
def centred(rewards: np.ndarray) -> Any:
    # Added up one by one, as the built-in method does.
    return [[r - sum(group.tolist()) / len(group) for r in group.tolist()] for group in rewards]


def test_a_function_is_in_the_figures_of_a_spec(spec: dict[str, Any], tmp_path: Path) -> None:
    result = mb.run("quick", estimators=centred, seeds=1, set={"train.steps": 4}, out=tmp_path, progress=False)
    assert "centred" in result.plot("modes")["modes"].svg
    figure = {"name": "of-grpo", "kind": "curve", "metrics": ["reward"], "where": {"method": ["grpo"]}}
    result = mb.run({**spec, "figure": [figure]}, estimators=centred, out=tmp_path, progress=False)
    svg = result.plot()["of-grpo"].svg
    assert "centred" in svg and "grpo" in svg and "sets of four" not in svg


def test_a_function_of_this_process(spec: dict[str, Any], tmp_path: Path) -> None:
    threads = set()

    def mine(rewards: np.ndarray) -> Any:
        threads.add(threading.current_thread() is threading.main_thread())
        return centred(rewards)

    result = mb.run({**spec, "method": [{"name": "grpo", "scale": "none"}, mine]}, out=tmp_path, jobs=2, progress=False)
    assert threads == {True}, "a breakpoint stops in the thread that called run"
    trains = result.trains().set_index(["label", "seed", "step"])
    columns = ["reward", "entropy", "advantage", "loss", "grad_norm"]
    assert trains.loc["grpo"][columns].equals(trains.loc["mine"][columns])


FACTOR = 1.0


def scaled(rewards: np.ndarray) -> Any:
    return FACTOR * (rewards - rewards.mean(axis=1, keepdims=True))


def test_what_a_function_refers_to_makes_its_cells_anew(
    spec: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def made(**change: float) -> int:
        for name, value in change.items():
            monkeypatch.setattr(sys.modules[__name__], name, value)
        lines: list[dict[str, int]] = []
        mb.run({**spec, "method": [scaled]}, out=tmp_path, progress=lambda line: lines.append(dict(line)))
        return lines[-1]["made"]

    assert made() == 2
    assert made() == 0
    assert made(FACTOR=2.0) == 2


def test_a_function_that_remembers(spec: dict[str, Any], tmp_path: Path) -> None:
    memory: dict[str, int] = {}

    def load(state: Any) -> None:
        memory.clear()
        memory.update(state or {})

    @mb.estimator(save=lambda: memory, load=load)
    def counting(rewards: np.ndarray, step: int) -> Any:
        memory["calls"] = memory.get("calls", 0) + 1
        assert memory["calls"] == step + 1, "it remembers what is of this cell alone"
        return rewards - rewards.mean(axis=1, keepdims=True)

    mb.run({**spec, "method": [counting]}, out=tmp_path, jobs=2, progress=False)


def test_a_function_that_would_train_wrongly_is_refused(spec: dict[str, Any], tmp_path: Path) -> None:
    def flat(rewards: np.ndarray) -> Any:
        return rewards - rewards.mean(axis=1)  # of as many groups as rollouts this is another group's mean

    square = {**spec, "env": {"name": "maze"}, "train": {"steps": 2, "batch": 4, "problems": 4, "group": 4}}
    says = r"estimator flat: it answers one group of 3 rollouts, and not 2 groups of 3 .*keepdims=True.*\(2,3\) \(2,\)"
    with pytest.raises(mb.InputError, match=says):
        mb.run({**square, "method": [flat]}, out=tmp_path, progress=False)
    with pytest.raises(mb.InputError, match=says):
        mb.estimate(flat, rewards=np.eye(4))

    def shaky(rewards: np.ndarray) -> Any:
        return rewards + np.random.default_rng().normal(size=rewards.shape)

    with pytest.raises(mb.InputError, match="estimator shaky: it gives one batch other advantages each time"):
        mb.run({**square, "method": [shaky]}, out=tmp_path, progress=False)

    def drawn(rewards: np.ndarray, seed: int, step: int, problems: list[str]) -> Any:
        return [list(r + mb.rng(seed, step, p).normal(size=len(r))) for r, p in zip(rewards, problems, strict=True)]

    assert len(mb.run({**square, "method": [drawn]}, out=tmp_path, progress=False).trains())


def test_cells_that_failed_make_no_steps(spec: dict[str, Any], tmp_path: Path) -> None:
    def fails(rewards: np.ndarray, step: int) -> Any:
        if step >= 10:
            raise RuntimeError("after ten steps")
        return centred(rewards)

    lines: list[dict[str, int]] = []
    with pytest.raises(mb.BenchError, match="after ten steps"):
        mb.run({**spec, "method": [fails]}, out=tmp_path, progress=lambda line: lines.append(dict(line)))
    assert lines[-1] == {"cells": 2, "made": 2, "steps": 60, "done": 0}


def test_what_a_function_raises_is_the_cause(spec: dict[str, Any], tmp_path: Path) -> None:
    def broken(rewards: np.ndarray) -> Any:
        raise KeyError("no such thing")

    with pytest.raises(
        mb.BenchError, match=r"broken, seed 0: step 0: .*KeyError: 'no such thing' \(test_run.py:\d+\)"
    ) as caught:
        mb.run({**spec, "method": [broken]}, out=tmp_path, progress=False)
    assert isinstance(caught.value.__cause__, KeyError)
    assert caught.value.code == 1


@pytest.mark.skipif(sys.platform == "win32", reason="an interrupt is sent as POSIX has it")
def test_an_interrupt_keeps_what_is_done(spec: dict[str, Any], tmp_path: Path) -> None:
    script = tmp_path / "long.py"
    script.write_text(
        textwrap.dedent(f"""
        import modebench_rl as mb
        spec = { ({**spec, "train": {"steps": 400000, "group": 6}, "method": ["grpo"], "seeds": 1})!r}
        mb.run(spec, out={str(tmp_path / "out")!r}, progress=lambda line: print(line["done"], flush=True))
        """)
    )
    process = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout and process.stderr
    while int(process.stdout.readline()) == 0:
        pass
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert b"KeyboardInterrupt" in stderr
    assert list((tmp_path / "out" / "cells").glob(".resume-*")), "where the cell stands is kept"


@pytest.mark.skipif(sys.platform == "win32", reason="a lock that tells is of the kernel's flock")
def test_what_a_killed_run_left_goes_with_the_next(
    spec: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "tmp"
    scratch.mkdir()
    script = tmp_path / "long.py"
    script.write_text(
        textwrap.dedent(f"""
        import modebench_rl as mb
        def mine(rewards):
            return rewards - rewards.mean(axis=1, keepdims=True)
        spec = { ({**spec, "train": {"steps": 400000, "group": 6}, "method": [], "seeds": 1})!r}
        told = lambda line: print(line["done"], flush=True)
        mb.run(spec, estimators=mine, out={str(tmp_path / "out")!r}, progress=told)
        """)
    )
    process = subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(scratch)},
    )
    assert process.stdout
    while int(process.stdout.readline()) == 0:
        pass
    held = {path.name for path in scratch.iterdir()}
    _scratch.clean(scratch)
    assert held and {path.name for path in scratch.iterdir()} == held, "somebody holds it"
    process.kill()
    process.communicate()
    assert any(path.is_dir() for path in scratch.iterdir())
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    monkeypatch.setenv("TMPDIR", str(scratch))
    for _ in range(100):  # its program notices at its next line
        mb.run({**spec, "train": {"steps": 1}, "seeds": 1}, out=tmp_path / "other", progress=False)
        if not list(scratch.iterdir()):
            break
        time.sleep(0.1)
    assert not list(scratch.iterdir())


def test_an_executor_gives_the_bytes_of_one_machine(quick: mb.Result, tmp_path: Path) -> None:
    with concurrent.futures.ProcessPoolExecutor(2) as executor:
        result = mb.run("quick", out=tmp_path, executor=executor, shards=5, progress=False)
    assert records(tmp_path) == records(quick.folder.parent)
    assert repr(result) == repr(quick)


def test_a_function_runs_on_an_executor(spec: dict[str, Any], tmp_path: Path) -> None:
    with concurrent.futures.ProcessPoolExecutor(2) as executor:
        mb.run({**spec, "method": [centred]}, out=tmp_path / "a", executor=executor, shards=2, progress=False)
    mb.run({**spec, "method": [centred]}, out=tmp_path / "b", progress=False)
    assert records(tmp_path / "a") == records(tmp_path / "b")


def test_a_function_runs_where_its_source_is_not(spec: dict[str, Any], tmp_path: Path) -> None:
    cloudpickle = pytest.importorskip("cloudpickle", reason="cloudpickle is not installed")
    here = tmp_path / "notebook.py"
    here.write_text("def mine(rewards):\n    return rewards - rewards.mean(axis=1, keepdims=True)\n")
    script = tmp_path / "send.py"
    script.write_text(
        textwrap.dedent(f"""
        import pickle, sys, cloudpickle
        from concurrent.futures import Future
        import modebench_rl as mb
        exec(compile(open({str(here)!r}).read(), {str(here)!r}, "exec"))

        class Away:  # an executor whose workers have the function by value, and not its file
            def submit(self, call, *args):
                import os, subprocess
                job = cloudpickle.dumps((call, args))
                hidden = {str(here)!r} + ".hidden"
                os.rename({str(here)!r}, hidden)
                code = "import pickle,sys; f,a=pickle.load(sys.stdin.buffer); sys.stdout.buffer.write(f(*a))"
                done = subprocess.run([sys.executable, "-c", code], input=job, capture_output=True)
                os.rename(hidden, {str(here)!r})
                future = Future()
                if done.returncode:
                    future.set_exception(RuntimeError(done.stderr.decode()[-500:]))
                else:
                    future.set_result(done.stdout)
                return future

        spec = { ({**spec, "seeds": 1})!r}
        mb.run({{**spec, "method": [mine]}}, out={str(tmp_path / "out")!r}, executor=Away(), shards=1, progress=False)
        """)
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-800:]
    assert cloudpickle and len(list((tmp_path / "out").glob("cells/*/DONE"))) == 1


def test_dask_loses_a_worker(quick: mb.Result, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed", reason="Dask distributed is not installed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, local_directory=str(tmp_path)
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        victim = next(iter(client.run(os.getpid).values()))
        killer = threading.Timer(1.0, os.kill, (victim, signal.SIGKILL))
        killer.start()
        mb.run("quick", out=tmp_path / "out", executor=client.get_executor(), shards=8, jobs=1, progress=False)
        killer.join()
        # The scheduler may not know yet that it is gone.
        assert victim not in client.run(os.getpid, on_error="ignore").values(), "a worker was killed"
    assert records(tmp_path / "out") == records(quick.folder.parent)

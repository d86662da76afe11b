"""What a trainer is set to so that it trains a whole method."""

from __future__ import annotations

import importlib.util
import re
import warnings
from pathlib import Path

import pytest

import modebench_rl as mb
from modebench_rl import _estimate, _program
from modebench_rl._recipe import listed

# The settings under which TRL's own loss was executed and equals that of the method, as docs/parity.md lists them.
PARITY = [
    ("grpo@trl", {}, {"loss_type": "dapo", "epsilon": 0.2, "epsilon_high": 0.2}),
    ("grpo@trl", {"aggregation": "seq-mean-token-mean"}, {"loss_type": "grpo", "beta": 0.0}),
    ("grpo@trl", {"kl": "k3", "kl_coef": 0.3}, {"beta": 0.3, "use_bias_correction_kl": False}),
    ("grpo@trl", {"kl": "k3-ratio", "kl_coef": 0.3}, {"beta": 0.3, "use_bias_correction_kl": True}),
    ("grpo@trl", {"dual_clip": 1.5}, {"delta": 1.5}),
    ("cispo", {"clip_high": 0.3}, {"loss_type": "cispo", "epsilon_high": 1.3}),
    ("gspo", {}, {"loss_type": "grpo", "importance_sampling_level": "sequence"}),
    ("luspo", {}, {"loss_type": "luspo", "importance_sampling_level": "sequence"}),
    ("sapo", {}, {"loss_type": "sapo", "sapo_temperature_neg": 1.05, "sapo_temperature_pos": 1}),
    ("vespo", {}, {"loss_type": "vespo", "importance_sampling_level": "token"}),
    ("dr-grpo", {}, {"loss_type": "dr_grpo"}),
    ("opsm", {"off_policy_mask": 0.1}, {"off_policy_mask_threshold": 0.1}),
]


@pytest.mark.parametrize("method, fields, settings", PARITY, ids=lambda value: str(value))
def test_trl_has_the_loss(method: str, fields: dict, settings: dict):
    found = mb.recipe(method, "trl", **fields)
    assert {name: found.settings[name] for name in settings} == settings
    assert not found.missing


ACTOR = "actor_rollout_ref.actor"
VERL_PARITY = [
    (
        "grpo@verl",
        {"dual_clip": 3},
        {"policy_loss.loss_mode": "vanilla", "clip_ratio_c": 3, "loss_agg_mode": "token-mean"},
    ),
    ("grpo@verl", {"aggregation": "seq-mean-token-sum-norm"}, {"loss_agg_mode": "seq-mean-token-sum-norm"}),
    ("grpo@verl", {"kl": "k1", "kl_coef": 0.3}, {"use_kl_loss": True, "kl_loss_type": "kl", "kl_loss_coef": 0.3}),
    ("grpo@verl", {"kl": "k2", "kl_coef": 0.3}, {"kl_loss_type": "mse"}),
    ("grpo@verl", {"kl": "k3", "kl_coef": 0.3}, {"kl_loss_type": "low_var_kl"}),
    ("gspo", {}, {"policy_loss.loss_mode": "gspo", "loss_agg_mode": "seq-mean-token-mean"}),
    ("gmpo", {}, {"policy_loss.loss_mode": "geo_mean"}),
    ("cispo", {}, {"policy_loss.loss_mode": "cispo"}),
    ("sapo", {}, {"policy_loss.loss_mode": "sapo", "tau_neg": 1.05, "tau_pos": 1}),
    ("dppo-tv", {}, {"policy_loss.loss_mode": "dppo_tv"}),
    ("dppo-kl", {}, {"policy_loss.loss_mode": "dppo_kl"}),
    ("gpg", {}, {"policy_loss.loss_mode": "gpg"}),
    ("clip-cov", {}, {"policy_loss.loss_mode": "clip_cov", "policy_loss.clip_cov_ratio": 0.0002}),
    ("kl-cov", {}, {"policy_loss.loss_mode": "kl_cov", "policy_loss.kl_cov_ratio": 0.002}),
]


@pytest.mark.parametrize("method, fields, settings", VERL_PARITY, ids=lambda value: str(value))
def test_verl_has_the_loss(method: str, fields: dict, settings: dict):
    found = mb.recipe(method, "verl", **fields)
    assert {name: found.settings[f"{ACTOR}.{name}"] for name in settings} == settings
    assert not found.missing


# The options that estimators/parity runs OpenRLHF's own loss with, as docs/parity.md lists them.
OPENRLHF_PARITY = [
    (
        "grpo@openrlhf",
        {},
        {"actor.policy_loss_type": "ppo", "actor.loss_agg_mode": "token-mean", "algo.kl.init_coef": 0},
    ),
    ("grpo@openrlhf", {"aggregation": "seq-mean-token-mean"}, {"actor.loss_agg_mode": "seq-mean-token-mean"}),
    ("grpo@openrlhf", {"dual_clip": 1.5}, {"actor.dual_clip": 1.5, "actor.eps_clip_low_high": (0.2, 0.2)}),
    *[
        (
            "grpo@openrlhf",
            {"kl": k, "kl_coef": 0.3},
            {"algo.kl.init_coef": 0.3, "algo.kl.estimator": k, "algo.kl.use_loss": True},
        )
        for k in ("k1", "k2", "k3")
    ],
    ("gspo", {}, {"actor.policy_loss_type": "gspo", "actor.loss_agg_mode": "seq-mean-token-mean"}),
    (
        "grpo@openrlhf",
        {"tis": 2},
        {
            "algo.advantage.is_correction_level": "token",
            "algo.advantage.is_correction_mode": "clip",
            "algo.advantage.is_correction_threshold": (0, 2),
        },
    ),
    (
        "grpo@openrlhf",
        {"icepop_low": 0.5, "icepop_high": 2},
        {"algo.advantage.is_correction_mode": "mask", "algo.advantage.is_correction_threshold": (0.5, 2)},
    ),
]


@pytest.mark.parametrize("method, fields, settings", OPENRLHF_PARITY, ids=lambda value: str(value))
def test_openrlhf_has_the_loss(method: str, fields: dict, settings: dict):
    found = mb.recipe(method, "openrlhf", **fields)
    assert {name: found.settings[f"--{name}"] for name in settings} == settings
    assert not found.missing


def test_options_for_openrlhf():
    text = str(mb.recipe("poly-epo", "openrlhf", n=2, kl_coef=0.1)).splitlines()
    assert text[:2] == ["# poly-epo under OpenRLHF's command line", "MODEBENCH_METHOD='poly-epo n=2'"]
    assert "--actor.eps_clip_low_high 0.2 0.28" in text and "--algo.kl.use_loss" in text
    assert any(line.startswith("# no counterpart: aggregation = seq-mean-token-sum-norm") for line in text)


def test_openrlhf_knows_the_options():
    """OpenRLHF's own parser reads every recipe's options."""
    source = importlib.util.find_spec("openrlhf")
    if source is None or source.origin is None:
        pytest.skip("OpenRLHF is not installed")
    cli = (Path(source.origin).parent / "cli" / "train_ppo_ray.py").read_text()
    known = set(re.findall(r'"(--[\w.]+)"', cli))
    for method in ("poly-epo", "gspo", "entropy-bonus", "reinforce++", "tis@roll"):
        options = {name for name in mb.recipe(method, "openrlhf").settings if name.startswith("--")}
        assert len(options) >= 5 and options <= known


def test_words_for_verl():
    text = str(mb.recipe("poly-epo", "verl", n=2, kl="exact", kl_coef=0.1)).splitlines()
    assert text[:4] == [
        "# poly-epo under verl's command line",
        "algorithm.adv_estimator=modebench",
        "+algorithm.modebench.method=poly-epo",
        "+algorithm.modebench.n=2",
    ]
    assert "algorithm.use_kl_in_reward=false" in text and f"{ACTOR}.kl_loss_coef=0.1" in text
    assert text[-1] == "# no counterpart: kl = exact; k3 takes its place"
    reward = mb.recipe("reinforce++", "verl").settings
    assert reward["algorithm.use_kl_in_reward"] and reward["algorithm.kl_penalty"] == "kl"


@pytest.mark.parametrize(
    "method, missing",
    [
        ("dapo", "generations = 10"),
        ("gmpo", "ratio = geometric; a clipped ratio"),
        ("kl-cov", "kl_cov = 0.002"),
        ("reinforce++", "kl = k1; k3 takes its place"),
        ("gpg", "ratio = none; the gradient is the same as long as"),
    ],
)
def test_what_trl_does_not_have(method: str, missing: str):
    assert any(line.startswith(missing) for line in mb.recipe(method).missing), mb.recipe(method).missing


def test_every_method_has_a_recipe():
    """No field of a loss is passed over: it is a setting, or a line that says that TRL does not have it."""
    names = re.findall(r"^  ([a-z]\S*)", _program.call(["list", "methods"]).decode(), re.MULTILINE)
    assert len(names) > 100
    plain = listed("grpo@trl").loss
    for name in names:
        if not listed(name).loss:
            with pytest.raises(ValueError, match="no method to train by"):
                mb.recipe(name)
            continue
        found = mb.recipe(name)
        assert found.settings["loss_type"]
        unread = [f for f, value in listed(name).loss.items() if f in ("simko", "repo", "clip_cov", "votes") and value]
        assert all(any(line.startswith(f"{f} = ") for line in found.missing) for f in unread)
        if listed(name).loss == plain:
            assert not found.missing and found.settings == mb.recipe("grpo@trl").settings


def test_the_page():
    """docs/your-trainer.md shows a recipe, and counts the losses that trainers have."""
    page = (Path(__file__).resolve().parents[2] / "docs" / "your-trainer.md").read_text()
    assert str(mb.recipe("dapo")) in page
    names = re.findall(r"^  ([a-z]\S*)", _program.call(["list", "methods"]).decode(), re.MULTILINE)
    methods = [name for name in names if listed(name).loss]
    whole = {t: sum(not mb.recipe(name, t).missing for name in methods) for t in ("trl", "verl", "openrlhf")}
    counts = f"{whole['trl']}, verl of {whole['verl']} and OpenRLHF of {whole['openrlhf']}"
    assert f"Of {len(methods)} methods TRL has the whole loss of {counts}." in " ".join(page.split())


def test_its_text_says_all_of_it():
    text = str(mb.recipe("dapo"))
    assert text.splitlines()[0] == "# dapo under TRL's GRPOConfig"
    assert "epsilon_high = 0.28" in text and "# no counterpart: generations = 10" in text


def test_mistakes():
    with pytest.raises(ValueError, match="trainer is 'verk', want one of 'trl', 'verl', 'openrlhf'"):
        mb.recipe("grpo", "verk")
    with pytest.raises(ValueError, match="grpo has no field 'lambda_'"):
        mb.recipe("grpo", lambda_=1)
    with pytest.raises(mb.InputError, match="did you mean"):
        mb.recipe("poly-epoo")


def test_estimate_says_once_that_the_loss_differs():
    batch = {"rewards": [[1.0, 0.0, 1.0, 0.0]], "modes": [["a", None, "b", None]]}
    _estimate._tell_of_loss.cache_clear()
    with pytest.warns(UserWarning, match=r"its loss differs from GRPO's too, in .*clip_high = 0.28.*recipe"):
        mb.estimate("poly-epo", n=2, **batch)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mb.estimate("poly-epo", n=2, **batch)
        mb.estimate("grpo", **batch)

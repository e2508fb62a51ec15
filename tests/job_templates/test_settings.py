"""Settings: types, errors, suggestions."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from clusterwright.job_templates.settings import (
    Setting,
    SettingError,
    pairs,
    parsed,
    refuse_unknown,
)
from tests.job_templates.made import DIGEST, IMAGE


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("count", "4", 4),
        ("number", "3e-4", 3e-4),
        ("number", "0.5", 0.5),
        ("text", "llama-8b_v2", "llama-8b_v2"),
        ("path", "/fsx/data/", "/fsx/data"),
        ("image", IMAGE, IMAGE),
        ("image", f"host:5000/a/b:tag@{DIGEST}", f"host:5000/a/b:tag@{DIGEST}"),
        ("image", "/fsx/images/a.sqsh", "/fsx/images/a.sqsh"),
        ("time", "2026-12-24T11:30Z", dt.datetime(2026, 12, 24, 11, 30, tzinfo=dt.UTC)),
        ("minutes", "1-00:00:00", 1440),
        ("flag", "Yes", True),
        ("flag", "no", False),
    ],
)
def test_values(kind: Any, text: str, value: object) -> None:
    assert Setting("key", kind, "about").parse(text) == value


@pytest.mark.parametrize(
    ("kind", "text", "words"),
    [
        ("count", "0", "an integer of at least 1"),
        ("count", "4.5", "an integer of at least 1"),
        ("count", "٤", "an integer of at least 1"),
        ("number", "-1", "a number greater than 0"),
        ("number", "nan", "a number greater than 0"),
        ("number", "", "a number greater than 0"),
        ("text", "a b", "letters, digits"),
        ("text", "$(reboot)", "letters, digits"),
        ("text", "-x", "letters, digits"),
        ("text", "a\nb", "letters, digits"),
        ("path", "fsx/data", "an absolute path"),
        ("path", "/fsx/../etc", "an absolute path"),
        ("path", "/fsx/`id`", "an absolute path"),
        ("image", "nvcr.io/nvidia/pytorch:25.01-py3", "REGISTRY/REPOSITORY@sha256:DIGEST"),
        ("image", "nvcr.io/nvidia/pytorch@sha256:abc", "REGISTRY/REPOSITORY@sha256:DIGEST"),
        ("image", "/fsx/image.tar", "REGISTRY/REPOSITORY@sha256:DIGEST"),
        ("time", "tomorrow", "a time with a time zone"),
        ("time", "2026-12-24T11:30", "a time with a time zone"),
        ("minutes", "soon", "a time limit of Slurm"),
        ("minutes", "UNLIMITED", "a time limit of Slurm"),
        ("flag", "maybe", "yes or no"),
    ],
)
def test_wrong_values(kind: Any, text: str, words: str) -> None:
    with pytest.raises(SettingError, match="--set key: ") as error:
        Setting("key", kind, "about").parse(text)
    assert words in str(error.value)


def test_a_tag_is_refused_with_the_way_to_read_a_digest() -> None:
    with pytest.raises(SettingError) as error:
        Setting("image", "image", "").parse("nvcr.io/nvidia/pytorch:25.01-py3")
    assert "a tag can be moved" in str(error.value.hint)


def test_choice() -> None:
    setting = Setting("kind", "choice", "", choices=("all_reduce", "all_gather"))
    assert setting.parse("all_gather") == "all_gather"
    with pytest.raises(SettingError, match="one of all_reduce, all_gather") as error:
        setting.parse("all-gather")
    assert error.value.hint == "did you mean `all_gather`?"


def test_defaults_and_given_values() -> None:
    settings = (Setting("a", "count", "", default="3"), Setting("b", "text", ""))
    assert parsed(settings, {}) == {"a": 3}
    assert parsed(settings, {"a": "5", "b": "x"}) == {"a": 5, "b": "x"}


def test_pairs() -> None:
    assert pairs(["a=1", "b=x=y"]) == {"a": "1", "b": "x=y"}
    with pytest.raises(SettingError, match="is not KEY=VALUE"):
        pairs(["nodes"])
    with pytest.raises(SettingError, match="given twice"):
        pairs(["a=1", "a=2"])


def test_unknown_keys() -> None:
    refuse_unknown(["nodes"], ["nodes", "time"], "fsdp2")
    with pytest.raises(SettingError, match="fsdp2 has no setting 'node'") as error:
        refuse_unknown(["node"], ["nodes", "time"], "fsdp2")
    assert error.value.hint == "did you mean `nodes`?"
    with pytest.raises(SettingError, match="a, b have no setting") as error:
        refuse_unknown(["xyz"], ["nodes", "time"], "a, b")
    assert error.value.hint == "settings: nodes, time"

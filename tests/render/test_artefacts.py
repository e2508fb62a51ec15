"""Artefacts and the results of mirroring."""

from __future__ import annotations

import json
from dataclasses import replace

from clusterwright.artefacts import Artefact
from clusterwright.artefacts.mirror import Outcome
from clusterwright.render.artefacts import listed, mirrored

PINNED = Artefact(
    "enroot", "3.5.0", "x86_64", "https://example.com/a.deb", "ab" * 32, 7, "releases", ("x",)
)
UNKNOWN = replace(PINNED, name="pyxis", sha256=None, size_bytes=None)


def test_a_list() -> None:
    lines = listed([PINNED, UNKNOWN], "text").splitlines()
    assert lines[0].split() == ["enroot", "3.5.0", "x86_64", "ab" * 32]
    assert lines[1].split()[:3] == ["pyxis", "3.5.0", "x86_64"]
    assert lines[-1] == "2 artefacts, 1 with an unknown checksum"
    assert listed([], "text") == "\n0 artefacts, 0 with an unknown checksum\n"


def test_a_list_as_json() -> None:
    answer = json.loads(listed([PINNED], "json"))
    assert answer["command"] == "artefacts list"
    assert answer["artefacts"][0]["used_by"] == ["x"]
    assert answer["artefacts"][0]["size_bytes"] == 7


def test_results_of_mirroring() -> None:
    outcomes = [
        Outcome(PINNED, "pinned", "artefacts/a"),
        Outcome(UNKNOWN, "refused", None, "its checksum is unknown"),
    ]
    lines = mirrored("bucket", outcomes, None, 1, "text").splitlines()
    assert lines[0] == f"pinned    {PINNED.label}: artefacts/a"
    assert lines[1] == f"refused   {UNKNOWN.label}: its checksum is unknown"
    assert lines[-2] == "s3://bucket: 1 pinned, 1 refused"
    assert lines[-1].startswith("hint: --pin accepts unknown checksums")
    last = mirrored("bucket", outcomes[:1], None, 0, "text").splitlines()[-1]
    assert last == "hint: the list has changed; review and commit it"


def test_an_aws_error_ends_it() -> None:
    text = mirrored("bucket", [], "s3 PutObject was denied", 2, "text")
    assert text == "AWS did not answer: s3 PutObject was denied\n\ns3://bucket: nothing\n"
    answer = json.loads(mirrored("bucket", [], "denied", 2, "json"))
    assert (answer["exit_code"], answer["unanswered"], answer["artefacts"]) == (2, "denied", [])

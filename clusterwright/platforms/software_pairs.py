"""Which versions of software work together: evaluates the rows of `software.json`.

The product and the node program have the same copy of this module and of the rows
(`clusterwright/catalog/data/software.json`): `python -m clusterwright.catalog.generate` writes
the copies. Python 3.9, standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

WORKS, REFUSED, END_OF_LIFE, UNKNOWN = "works", "refused", "end-of-life", "unknown"

_ORDER = (REFUSED, END_OF_LIFE, WORKS, UNKNOWN)


@dataclass(frozen=True)
class Finding:
    """The result for one pair of components.

    `verdict` is WORKS, REFUSED, END_OF_LIFE or UNKNOWN: no row covers the two versions, or one of
    them is not known. `text` has the versions, `hint` what to do, `source` title and date.
    """

    rule: str
    verdict: str
    text: str
    source: str
    hint: str = ""
    components: tuple[str, ...] = ()


@dataclass(frozen=True)
class Surroundings:
    """What rows depend on besides versions.

    `features`: such as `efa_lustre` (a Lustre file system with EFA) and `cuda_compat` (NVIDIA's
    forward compatibility package is installed).
    """

    platform: str = ""
    features: Collection[str] = ()


def evaluate(
    model: Mapping[str, Any],
    versions: Mapping[str, str],
    surroundings: Surroundings = Surroundings(),
) -> list[Finding]:
    """Return one finding for each pair of the model, in its order.

    `model` is the content of `software.json`; `versions` maps components to versions, without
    those that are not known.
    """
    return [_pair(model["components"], pair, versions, surroundings) for pair in model["pairs"]]


def numbers(version: str) -> tuple[int, ...]:
    """`2.6.0amzn1.0` as (2, 6, 0): what the releases' own notes compare."""
    match = re.match(r"v?(\d+(?:\.\d+)*)", version)
    return tuple(int(part) for part in match.group(1).split(".")) if match else ()


def matches(versions: str, version: str, other: str = "") -> bool | None:
    """Return whether a version is in a range; None if it has too few numbers to decide.

    Ranges: `*`; `=` (the same as `other`); `2.1` (2.1 and 2.1.x); `p5.*` (begins with `p5.`);
    `>=2.1,<3` (all of them); `2.1|2.3` (one of them).
    """
    found: list[bool | None] = []
    for alternative in versions.split("|"):
        parts = [_matches(part, version, other) for part in alternative.split(",")]
        found.append(False if False in parts else None if None in parts else True)
    return True if True in found else None if None in found else False


def _matches(part: str, version: str, other: str) -> bool | None:
    if part == "*":
        return True
    if part == "=":
        return numbers(version) == numbers(other)
    if part.endswith("*"):
        return version.startswith(part[:-1])
    if part.startswith((">=", "<")):
        sign = ">=" if part.startswith(">=") else "<"
        order = _compare(numbers(version), numbers(part[len(sign) :]))
        return None if order is None else (order >= 0) == (sign == ">=")
    bare = version[1:] if re.match(r"v\d", version) else version
    return bare.startswith(part) and not bare[len(part) : len(part) + 1].isdigit()


def _compare(version: tuple[int, ...], bound: tuple[int, ...]) -> int | None:
    """-1, 0 or 1; None if the version is less precise than the bound: 2.17 and 2.17.1."""
    if not version:
        return None
    length = min(len(version), len(bound))
    if version[:length] != bound[:length]:
        return 1 if version[:length] > bound[:length] else -1
    return None if any(bound[length:]) else 0


def _pair(
    titles: Mapping[str, str],
    pair: Mapping[str, Any],
    versions: Mapping[str, str],
    surroundings: Surroundings,
) -> Finding:
    first, second = pair["components"]
    said = [f"{titles[name]} {versions.get(name, 'not found')}" for name in (second, first)]
    unknown = Finding(pair["rule"], UNKNOWN, ", ".join(said), "", "", (first, second))
    if first not in versions or second not in versions:
        return unknown
    found = [unknown]
    for row in pair["rows"]:
        verdict = _row(row, versions, surroundings)
        if verdict is not None:
            hint = "" if verdict == WORKS else _hint(titles, row, versions)
            source = f"{row['source']} ({row['date']})"
            found.append(
                Finding(pair["rule"], verdict, unknown.text, source, hint, (first, second))
            )
    return min(found, key=lambda each: _ORDER.index(each.verdict))


def _row(
    row: Mapping[str, Any], versions: Mapping[str, str], surroundings: Surroundings
) -> str | None:
    """The verdict of a row; None if it is about other versions or surroundings."""
    subject, other = versions[row["subject"]], versions[row["other"]]
    conditions = dict(_conditions(row["condition"]))
    for name, value in conditions.items():
        if name != "unless" and not _holds(name, value, versions, surroundings):
            return None
    if matches(row["versions"], subject) is not True:
        return None
    fits = matches(row["other_versions"], other, subject)
    if fits is None:
        return None
    if row["verdict"] != "requires":
        return {"works": WORKS, "fails": REFUSED, "end-of-life": END_OF_LIFE}[
            row["verdict"]
        ] if fits else None  # fmt: skip
    if fits:
        return WORKS
    return None if conditions.get("unless") in surroundings.features else REFUSED


def _conditions(text: str) -> Iterator[tuple[str, str]]:
    for word in text.split():
        name, _, value = word.partition(":")
        yield name, value


def _holds(name: str, value: str, versions: Mapping[str, str], surroundings: Surroundings) -> bool:
    if name == "type":
        return matches(value, versions.get("instance_type", "")) is True
    if name == "os":
        return versions.get("os", "").startswith(value)
    if name == "platform":
        return surroundings.platform == value
    assert name == "feature", name
    return value in surroundings.features


def _hint(titles: Mapping[str, str], row: Mapping[str, Any], versions: Mapping[str, str]) -> str:
    subject = f"{titles[row['subject']]} {versions[row['subject']]}"
    other = titles[row["other"]]
    if row["verdict"] == "requires" and row["other_versions"] == "=":
        text = "use an image with equal versions of both, or install the matching one"
    elif row["verdict"] == "requires":
        text = f"{subject} requires {other} {_words(row['other_versions'])}"
    elif row["verdict"] == "fails":
        text = f"{subject} does not work with {other} {versions[row['other']]}"
    else:
        text = f"{other} {versions[row['other']]} no longer supports {subject}"
    return f"{text}: {row['note']}" if row["note"] else text


def _words(versions: str) -> str:
    """`>=2.1,<3` as "2.1 or newer and older than 3"."""
    words = []
    for part in versions.split(","):
        if part.startswith(">="):
            words.append(f"{part[2:]} or newer")
        elif part.startswith("<"):
            words.append(f"older than {part[1:]}")
        else:
            words.append(part)
    return " and ".join(words)

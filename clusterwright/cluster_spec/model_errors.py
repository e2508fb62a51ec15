"""Translation of pydantic errors into problems with hints."""

from __future__ import annotations

import re
import typing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from clusterwright.cluster_spec import other_words
from clusterwright.cluster_spec.document import kind_of
from clusterwright.cluster_spec.keys import (
    field_at,
    fields_of,
    is_list,
    keys_at,
    models_in,
    places_of,
)
from clusterwright.cluster_spec.models.formats import ACCOUNT, DESCRIPTIONS
from clusterwright.cluster_spec.problems import Path, Problem
from clusterwright.cluster_spec.suggest import closest, did_you_mean

if TYPE_CHECKING:
    from pydantic import ValidationError

MAXIMUM_PROBLEMS = 100
"""A longer list does not help, and the search for similar keys takes time."""

_EXPECTED = {
    "string_type": "a string",
    "int_type": "an integer",
    "float_type": "a number",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "date_type": "a date, such as 2027-01-31",
}


_WITH_UNIT = re.compile(r"(\d{1,12}(?:\.\d+)?)\s*([A-Za-z%$/]+)")
_CLOCK = re.compile(r"(?:(\d{1,5})-)?(\d{1,7})(?::(\d{1,2}))?(?::(\d{1,2}))?")
_UNITS = {
    "_mbps_per_tib": "MB/s per TiB",
    "_mbps": "MB/s",
    "_gib": "GiB",
    "_mib": "MiB",
    "_percent": "percent",
    "_usd": "US dollars",
    "_seconds": "seconds",
    "_minutes": "minutes",
    "hours": "hours",
    "_days": "days",
}
"""Units by the ends of keys."""

_KEYS_SHOWN = 6
_EMPTY = "must not be empty"
_ACCOUNT_DIGITS = 12


def translate(
    error: ValidationError, data: dict[str, Any], written: dict[str, Any]
) -> list[Problem]:
    """Return one Problem per mistake, without positions.

    `data` was validated; `written` is the data of the files, without derived values.
    """
    details = error.errors(include_url=False)
    problems = [_problem(detail, data, written) for detail in details[:MAXIMUM_PROBLEMS]]
    meant = {p.other_path for p in problems if p.on_key}
    # `accont` is one mistake, not an unknown key and a missing one.
    problems = [p for p in problems if not (p.missing_key and p.path in meant)]
    if len(details) > MAXIMUM_PROBLEMS:
        first = _problem(details[MAXIMUM_PROBLEMS], data, written)
        left = len(details) - MAXIMUM_PROBLEMS
        problems.append(replace(first, message=f"and {left:,} similar problems", hint=None))
    return problems


def _problem(detail: Any, data: dict[str, Any], written: dict[str, Any]) -> Problem:
    kind, context, given = detail["type"], detail.get("ctx", {}), detail["input"]
    path = _real_path(detail["loc"], data, missing=kind in ("missing", "extra_forbidden"))
    if kind == "missing":
        return Problem(f"`{path[-1]}` is missing", path, missing_key=True)
    if kind == "extra_forbidden":
        return _unknown_key(path, keys_at(path[:-1], detail["loc"]), written)
    if kind in ("literal_error", "union_tag_invalid"):
        return _not_an_option(kind, context, given, path)
    if kind == "union_tag_not_found":
        return _no_kind(path, given, written)
    if kind == "string_pattern_mismatch":
        expected = DESCRIPTIONS.get(
            context["pattern"], f"a string that matches {context['pattern']}"
        )
        return Problem(f"{_shown(given)} is not {expected}", path, hint=_digits(given, context))
    if kind in _EXPECTED:
        return _wrong_kind(kind, given, path)
    return Problem(_out_of_range(kind, context, given) or _pydantic_message(detail), path)


def _digits(given: Any, context: Any) -> str | None:
    """An account id that is written in groups, as the console shows it."""
    digits = str(given).replace("-", "").replace(" ", "")
    is_account = context["pattern"] == ACCOUNT.pattern and len(digits) == _ACCOUNT_DIGITS
    return f'write "{digits}"' if is_account and digits.isascii() and digits.isdecimal() else None


def _no_kind(path: Path, given: Any, written: dict[str, Any]) -> Problem:
    for key in closest("kind", [str(key) for key in given], count=1):
        return _unknown_key((*path, key), ["kind"], written)
    return Problem("`kind` is missing", (*path, "kind"), missing_key=True)


def _unknown_key(path: Path, known: list[str], written: dict[str, Any]) -> Problem:
    key = str(path[-1])
    # A key that the file already has is not the intended one.
    present = _mapping_at(written, path[:-1])
    absent = [k for k in known if k not in present]
    # `throughput` is the beginning of two names: of both, the reader knows which is meant.
    begun = sorted(k for k in absent if k.startswith(f"{key}_"))
    meant = [name for name in other_words.names_in(path[:-1], key) if name in absent]
    near = meant or (begun if len(begun) > 1 else closest(key, absent, count=1))
    if near:
        # `other_path` is the intended key, which is then not reported as missing.
        return Problem(
            f"unknown key `{key}`",
            path,
            hint=f"did you mean {' or '.join(f'`{name}`' for name in near)}?",
            on_key=True,
            other_path=(*path[:-1], near[0]),
        )
    places = [place for place in places_of(key) if place != key]
    hint = other_words.hint(key)
    if hint is None and places:
        hint = f"`{key}` is a key of other mappings: {', '.join(places)}"
    if hint is None and len(path) > 1 and len(known) <= _KEYS_SHOWN:
        hint = f"the keys are {', '.join(known)}"
    return Problem(f"unknown key `{key}`", path, hint=hint, on_key=True)


def _mapping_at(data: Any, path: Path) -> dict[str, Any]:
    for part in path:
        try:
            data = data[part]
        except (KeyError, IndexError, TypeError):
            return {}
    return data if isinstance(data, dict) else {}


def _not_an_option(kind: str, context: Any, given: Any, path: Path) -> Problem:
    allowed = str(context.get("expected") or context.get("expected_tags"))
    options = [word.strip(" '") for word in allowed.replace(" or ", ", ").split(",")]
    if kind == "union_tag_invalid":
        path = (*path, "kind")
        given = context.get("tag")
    hint: str | None
    if str(given) in options:
        # The right value with the wrong type.
        hint = f"write {given} without quotes" if isinstance(given, str) else f'write "{given}"'
    else:
        hint = did_you_mean(str(given), options)
    return Problem(f"{_shown(given)} is not one of {', '.join(options)}", path, hint=hint)


def _wrong_kind(kind: str, given: Any, path: Path) -> Problem:
    hint = None
    if kind == "string_type" and isinstance(given, (int, float, bool)):
        if isinstance(given, float):
            # The original text is unknown: 1.30 and 1.3 are the same number.
            hint = f"quote it: without quotes it is the number {given}"
        else:
            hint = f'quote it: "{_shown(given)}"'
    elif kind in ("int_type", "float_type") and isinstance(given, str):
        digits = given.replace("_", "").replace(",", "")
        if digits.isascii() and digits.isdecimal():
            hint = f"write {int(digits) if len(digits) < 20 else digits} without quotes"
        else:
            hint = _without_unit(given, str(path[-1]) if path else "")
    elif kind == "int_type" and isinstance(given, float):
        unit = _unit(str(path[-1]) if path else "")
        if given.is_integer():
            hint = f"write {int(given)}"
        elif unit is not None:
            hint = f"an integer: {path[-1]} is in {unit}"
    elif kind == "bool_type" and str(given).lower() in ("yes", "no", "on", "off"):
        hint = f"write {'true' if given.lower() in ('yes', 'on') else 'false'}"
    elif _EXPECTED[kind] == "a mapping":
        hint = _key_with(given, path)
    elif kind == "list_type" and path == ("slurm", "users"):
        hint = "a list, or the path of a YAML file that holds it"
    elif kind == "list_type" and given is not None and not isinstance(given, dict):
        hint = "a list is written [a, b]"
    return Problem(f"expected {_EXPECTED[kind]}, got {kind_of(given)}", path, hint=hint)


def _without_unit(given: str, key: str) -> str | None:
    """Say which unit the key has, for a number that is written with one."""
    found, unit = _WITH_UNIT.fullmatch(given), _unit(key)
    if unit == "minutes" and (clock := _CLOCK.fullmatch(given)) is not None:
        return f"write {_minutes(clock)}: the number alone, in minutes"
    if found is None:
        return None
    number, written = found.groups()
    if unit is None:
        return f"write the number alone: {number}"
    if unit == "GiB" and written.lower() == "tib" and number.isascii() and number.isdecimal():
        return f"write {int(number) * 1024}: the number alone, in GiB"
    return f"write the number alone: {key} is in {unit}"


def _unit(key: str) -> str | None:
    return next((words for ending, words in _UNITS.items() if key.endswith(ending)), None)


def _minutes(clock: re.Match[str]) -> int:
    """Whole minutes of a time limit as Slurm writes it, rounded up: sbatch(1), --time."""
    days, first, second, third = (int(part or 0) for part in clock.groups())
    if clock.group(1) is None and clock.group(4) is None:
        return first + (second > 0)  # MINUTES:SECONDS
    return days * 1440 + first * 60 + second + (third > 0)


def _key_with(given: Any, path: Path) -> str | None:
    """Return how the value is written in the mapping at `path`, if one key takes it."""
    if not path or isinstance(given, (dict, list)) or given is None:
        return None
    field = field_at(path)
    fields = [
        (key, found.annotation)
        for model in (models_in(field.annotation) if field is not None else ())
        for key, found in fields_of(model).items()
    ]
    if isinstance(given, bool):
        takes = {key for key, annotation in fields if annotation is bool}
    else:
        takes = {k for k, kind in fields if not is_list(kind) and given in _options(kind)}
    if len(takes) == 1:
        value = _shown(given) if isinstance(given, bool) else given
        return f"{path[-1]}: {{{takes.pop()}: {value}}}"
    keys = list(dict.fromkeys(key for key, _ in fields))
    shown = [*keys[:_KEYS_SHOWN], *(["..."] if len(keys) > _KEYS_SHOWN else [])]
    return f"a mapping with the keys {', '.join(shown)}" if keys else None


def _options(annotation: Any) -> tuple[Any, ...]:
    """Return the values of a Literal, at any depth of the annotation."""
    arguments = typing.get_args(annotation)
    if typing.get_origin(annotation) is typing.Literal:
        return arguments
    return tuple(one for argument in arguments for one in _options(argument))


def _out_of_range(kind: str, context: Any, given: Any) -> str | None:
    shown = _shown(given)
    if kind == "greater_than_equal":
        return f"must be at least {_number(context['ge'])}, got {shown}"
    if kind == "greater_than":
        return f"must be greater than {_number(context['gt'])}, got {shown}"
    if kind == "less_than_equal":
        return f"must be at most {_number(context['le'])}, got {shown}"
    if kind == "string_too_long":
        return f"must be at most {context['max_length']} characters, got {shown}"
    if kind == "string_too_short":
        minimum = context["min_length"]
        return f"must be at least {minimum} characters, got {shown}" if given else _EMPTY
    if kind == "too_long":
        return f"must have at most {context['max_length']} entries, got {len(given)}"
    if kind == "too_short":
        minimum = context["min_length"]
        return f"must have at least {minimum} entries, got {len(given)}" if given else _EMPTY
    return None


def _pydantic_message(detail: Any) -> str:
    given, said = detail["input"], detail["msg"][:1].lower() + detail["msg"][1:]
    return said if isinstance(given, (dict, list)) else f"{_shown(given)}: {said}"


def _real_path(location: Path, data: Any, *, missing: bool) -> Path:
    """Return pydantic's location without parts that the data lacks (the tags of unions)."""
    path: list[str | int] = []
    here = data
    for index, part in enumerate(location):
        last = index == len(location) - 1
        if isinstance(here, dict) and part in here:
            path.append(part)
            here = here[part]
        elif isinstance(here, list) and isinstance(part, int) and part < len(here):
            path.append(part)
            here = here[part]
        elif last and missing:
            path.append(part)
    return tuple(path)


def _number(limit: float) -> str:
    return f"{int(limit):,}" if limit == int(limit) else f"{limit:g}"


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."

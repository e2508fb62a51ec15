"""What several commands are given in the same form: a second currency, a YAML file's mapping."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clusterwright.cli.errors import UserError

if TYPE_CHECKING:
    from clusterwright.cost.bill_extras import Exchange


def exchange(currency: str | None, fx: str | None, today: dt.date) -> Exchange | None:
    """The second currency of `--currency` and `--fx`.

    Raises
    ------
    UserError
        One of the two is wrong or missing.
    """
    from clusterwright.cost.exchange import WrongExchange, read_exchange

    try:
        return read_exchange(currency, fx, today=today)
    except WrongExchange as error:
        raise UserError(error.message, error.hint) from None


def read_mapping(path: str, *, of: str = "mapping", hint: str | None = None) -> dict[str, Any]:
    """A YAML file's mapping; an empty file's is empty.

    Parameters
    ----------
    of:
        What the file should hold, for the error.

    Raises
    ------
    UserError
        It cannot be read, is no YAML, or holds something else.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        data = YAML(typ="safe", pure=True).load(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UserError(f"{path} cannot be read: {reason.lower()}") from None
    except YAMLError as error:
        raise UserError(f"{path} is no YAML: {str(error).splitlines()[0]}") from None
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise UserError(f"{path} holds no {of}", hint)
    return data

"""The rules that `--only` and `--skip` name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from clusterwright.cli.errors import UserError


def rule_ids(
    named: Callable[[Iterable[str]], frozenset[str]],
    values: Sequence[str],
    option: str,
    page: str,
) -> frozenset[str]:
    """Return the ids in the values of an option, each a list separated by commas.

    Parameters
    ----------
    named:
        The function of a registry that looks names up.
    page:
        The page that lists the rules.

    Raises
    ------
    UserError
        For the first name that no rule has.
    """
    from clusterwright.preflight.rule_names import UnknownRule

    try:
        return named(part.strip() for value in values for part in value.split(","))
    except UnknownRule as error:
        hint = f"did you mean {error.near}?" if error.near else f"{page} lists all"
        raise UserError(f"{option}: there is no rule {error.name!r}", hint) from None

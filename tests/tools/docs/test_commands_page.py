"""The page of the commands shows every command and option as the command line defines it."""

from __future__ import annotations

import re

import click

from clusterwright.cli.main import COMMANDS, OPTIONAL_COMMANDS, cli
from tools.docs.commands_page import page


@click.group()
def root() -> None:
    """Build."""


@root.group()
def inner() -> None:
    """Group."""


@inner.command(
    epilog="\b\nUse:\n  tool x\n    more\n\n"
    "Examples:\n\n\b\n  tool inner act --kind a\n    continued\n\nThe end.\n"
)
@click.argument("file")
@click.option("-k", "--kind", type=click.Choice(["a", "b"]), default="a", show_default=True)
@click.option("--limit", metavar="N|all", help="At most <N>\n of them.")
@click.option("--secret", hidden=True, help="Not shown.")
def act(file: str, kind: str, limit: str, secret: str) -> None:
    """Act on FILE.

    Only once.
    \f
    For developers.
    """


def test_a_command_of_a_nested_group_is_shown_completely() -> None:
    found = page(root)
    assert "| [`clusterwright inner act`](#clusterwright-inner-act) | Act on FILE |\n" in found
    assert (
        found.partition("## ")[2]
        == """`clusterwright inner act`

```text
clusterwright inner act [OPTIONS] FILE
```

Act on FILE.

Only once.

| Option | Meaning |
|---|---|
| `-k`, `--kind [a\\|b]` | [default: a] |
| `--limit N\\|all` | At most &lt;N> of them. |

Use:

```text
tool x
  more
```

Examples:

```text
tool inner act --kind a
  continued
```

The end.
"""
    )


def test_every_command_of_the_product_has_a_section() -> None:
    sections = re.findall(r"^## `clusterwright ([a-z-]+)", page(cli), re.MULTILINE)
    assert set(sections) == {*COMMANDS, *OPTIONAL_COMMANDS}


def test_every_link_of_the_summary_has_its_section() -> None:
    found = page(cli)
    linked = re.findall(r"^\| \[`([^`]+)`\]\(#([a-z-]+)\)", found, re.MULTILINE)
    assert linked
    for path, anchor in linked:
        assert f"## `{path}`\n" in found
        assert anchor == path.replace(" ", "-")

"""Code outside the platforms' folders uses traits, and compares no platform's name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from clusterwright.platforms.registry import PLATFORMS, folder_of

ROOT: Final = Path(__file__).resolve().parents[2]
PRODUCT: Final = (
    "clusterwright",
    "stacks",
    "demo",
    "packages/localaws/clusterwright_localaws",
    "packages/rehearsal/clusterwright_rehearsal",
)
OWN: Final = tuple(
    f"{folder}/{folder_of(name)}/"
    for folder in ("clusterwright/platforms", "stacks")
    for name in PLATFORMS
)
"""Folders of one platform, which may use its name."""

MOST: Final = 40

ALLOWED: Final = {
    "clusterwright/preflight/rule_platforms.py": "the reason why a rule has nothing to check",
    "clusterwright/preflight/rules/network/n030_endpoint_policies.py": "names of endpoints",
    "demo/other_platforms.py": "the demonstration tells one story for each platform",
    "packages/localaws/clusterwright_localaws/iam/requirements.py": "services, by their names",
    "packages/localaws/clusterwright_localaws/server/client_tokens.py": "services, by their names",
    "packages/localaws/clusterwright_localaws/services/eks/versions.py": "a value of EKS's API",
    "packages/localaws/clusterwright_localaws/services/iam/linked_role_names.py": "principals",
    "packages/localaws/clusterwright_localaws/services/service_quotas/api.py": "services",
}
"""Files with such branches, each with the reason."""


def branches(path: Path) -> Iterator[tuple[int, str]]:
    """Comparisons with a platform's name, tables by name and tests of a name's prefix or suffix.

    `eks` is a service, too: comparisons of services are not counted. Nor are questions whether a
    platform has a section of the spec or a subcommand of `render`, which are traits.
    """
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Compare) and any(map(_names, (node.left, *node.comparators))):
            text = ast.unparse(node)
            traits = (".sections", ".renders", "service", "publisher", "mode")
            if not any(word in text for word in traits):
                yield node.lineno, text
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("startswith", "endswith")
            and ast.unparse(node.func.value).endswith("platform")
        ):
            yield node.lineno, ast.unparse(node)
        elif isinstance(node, ast.Dict):
            keys = [key for key in node.keys if isinstance(key, ast.Constant) and _names(key)]
            if len(keys) > 1:
                yield node.lineno, "a table by platform"


def _names(node: ast.AST) -> bool:
    """Return whether an expression is a platform's name, or a collection with one."""
    parts = node.elts if isinstance(node, ast.Tuple | ast.Set | ast.List) else [node]
    return any(isinstance(part, ast.Constant) and part.value in PLATFORMS for part in parts)


def found() -> list[tuple[str, int, str]]:
    files = (path for folder in PRODUCT for path in sorted((ROOT / folder).rglob("*.py")))
    return [
        (name, line, text)
        for path in files
        if not (name := path.relative_to(ROOT).as_posix()).startswith(OWN)
        for line, text in branches(path)
    ]


def test_platform_branches_are_few_and_have_a_reason() -> None:
    all_found = found()
    without_reason = [f"{n}:{line}: {text}" for n, line, text in all_found if n not in ALLOWED]
    assert without_reason == []
    assert len(all_found) <= MOST


def test_list_of_platforms_is_written_once() -> None:
    written = f'"{PLATFORMS[0]}", "{PLATFORMS[1]}", "{PLATFORMS[2]}"'
    places = [
        path.relative_to(ROOT).as_posix()
        for folder in PRODUCT
        for path in sorted((ROOT / folder).rglob("*.py"))
        if written in " ".join(path.read_text(encoding="utf-8").split())
    ]
    assert places == ["clusterwright/platforms/registry.py"]


def test_platform_branches_are_detected(tmp_path: Path) -> None:
    name = PLATFORMS[0]
    lines = (
        f"if platform == '{name}': pass",
        f"if platform in ('a', '{name}'): pass",
        "if cluster.platform.startswith('h'): pass",
        f"TABLE = {{'{name}': 1, '{PLATFORMS[1]}': 2}}",
        f"if '{name}' in traits.sections: pass",
        "if item.service == 'eks': pass",
        f"ONE = {{'{name}': 1}}",
    )
    file = tmp_path / "code.py"
    file.write_text("\n".join(lines))
    assert sorted(line for line, _ in branches(file)) == [1, 2, 3, 4]

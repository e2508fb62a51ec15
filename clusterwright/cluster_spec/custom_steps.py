"""The user's own steps of the node program: read, and held against what the program expects.

A node reads them twenty minutes after somebody has begun to pay, so what can be seen in the file
is looked for here: a name that is taken, syntax that the nodes' Python does not have, a missing
function, an order that cannot be kept.
"""

from __future__ import annotations

import ast
import graphlib
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from clusterwright.cluster_spec import repository_root

NODE_PYTHON = (3, 9)
FUNCTIONS = ("applies", "check", "apply")
CONSTANTS = ("AFTER", "DEADLINE_SECONDS", "RETRIES")
LONGEST_DEADLINE_SECONDS = 7200
"""As `node_steps` of cluster.json takes it."""

_OURS = f"{repository_root.SCRIPTS}/clusterwright_node/steps"
_NAME = re.compile(r"[a-z][a-z0-9_]{0,62}")


@dataclass(frozen=True)
class SiteStep:
    """One file. `after` and `before` are names of steps."""

    name: str
    text: str
    after: tuple[str, ...]
    before: tuple[str, ...]


class BadStep(Exception):
    """The file is no step; `line` is where, where that can be said."""

    def __init__(self, message: str, hint: str | None = None, line: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.line = line


def read(path: str) -> SiteStep:
    """A step of the spec.

    Raises
    ------
    BadStep
        There is no such file, or the node program could not run it.
    """
    file = repository_root.file(path)
    name = file.name.removesuffix(".py")
    if file.suffix != ".py" or not _NAME.fullmatch(name):
        raise BadStep(
            f"`{file.name}` is not the name of a step",
            "small letters, digits and underscores, then .py",
        )
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise BadStep(
            f"{path} cannot be read: {reason}", "paths are from the root of the repository"
        ) from None
    return _examined(name, path, text)


def ours() -> dict[str, tuple[str, ...]]:
    """Name to AFTER of every step of the node program; empty outside of a repository."""
    root = repository_root.root()
    if root is None:
        return {}
    found = {}
    for file in sorted((root / _OURS).glob("[!_]*.py")):
        after = _assigned(ast.parse(file.read_text(encoding="utf-8")))["AFTER"]
        # All words of it, for one that is put together of others.
        words = [n.value for n in ast.walk(after) if isinstance(n, ast.Constant)]
        found[file.stem] = tuple(word for word in words if isinstance(word, str))
    return found


def circle(steps: Mapping[str, SiteStep]) -> tuple[str, ...]:
    """Names of steps that wait for each other; empty where all can be put in order."""
    graph = {name: set(after) for name, after in ours().items()}
    for step in steps.values():
        graph.setdefault(step.name, set()).update(step.after)
        for name in step.before:
            graph.setdefault(name, set()).add(step.name)
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return tuple(reversed(error.args[1]))
    return ()


def _examined(name: str, path: str, text: str) -> SiteStep:
    try:
        tree = ast.parse(text, feature_version=NODE_PYTHON)
    except (SyntaxError, ValueError) as error:
        version = ".".join(map(str, NODE_PYTHON))
        raise BadStep(
            f"{path} is no Python {version}: {getattr(error, 'msg', error)}",
            "nodes have Python 3.9",
            getattr(error, "lineno", None),
        ) from None
    if not (ast.get_docstring(tree) or "").strip():
        raise BadStep(f"{path} has no docstring", "its first line says what the step does")
    assigned = _assigned(tree)
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    lacking = [c for c in CONSTANTS if c not in assigned]
    lacking += [f"{f}()" for f in FUNCTIONS if f not in functions]
    if lacking:
        raise BadStep(
            f"{path} has no {', '.join(lacking)}",
            "docs/how-to/own-steps.md has an example of a step",
        )
    for module, line in _imports(tree):
        if module not in sys.stdlib_module_names and not module.startswith("clusterwright_"):
            raise BadStep(
                f"{path} imports {module}, and nodes have Python's standard library only",
                "import it where it is used, if the image has it",
                line,
            )
    for constant, least, most in (
        ("DEADLINE_SECONDS", 1, LONGEST_DEADLINE_SECONDS),
        ("RETRIES", 0, 100),
    ):
        value = _literal(assigned[constant])
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise BadStep(
                f"{path}: {constant} is not an integer from {least} to {most}",
                line=assigned[constant].lineno,
            )
    return SiteStep(
        name, text, _names_of(assigned, "AFTER", path), _names_of(assigned, "BEFORE", path)
    )


def _assigned(tree: ast.Module) -> dict[str, ast.expr]:
    found: dict[str, ast.expr] = {}
    for node in tree.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            found[node.target.id] = node.value
        elif isinstance(node, ast.Assign):
            found.update({t.id: node.value for t in node.targets if isinstance(t, ast.Name)})
    return found


def _literal(node: ast.expr) -> object:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError):
        return None


def _names_of(assigned: Mapping[str, ast.expr], key: str, path: str = "") -> tuple[str, ...]:
    if key not in assigned:
        return ()
    value = _literal(assigned[key])
    if isinstance(value, (list, tuple)) and all(isinstance(name, str) for name in value):
        return tuple(value)
    raise BadStep(
        f"{path}: {key} is not a tuple of names",
        f'such as {key} = ("network",)',
        assigned[key].lineno,
    )


def _imports(tree: ast.Module) -> Iterator[tuple[str, int]]:
    for node in tree.body:
        if isinstance(node, ast.Import):
            yield from ((alias.name.partition(".")[0], node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0], node.lineno

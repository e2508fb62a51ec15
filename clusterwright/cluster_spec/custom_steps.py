"""Custom steps of the node program: reading and static checks.

Nodes run them about twenty minutes after billing has started, so static mistakes are found here:
a reserved name, syntax that Python on nodes does not support, a missing function, a cyclic order.
"""

from __future__ import annotations

import ast
import functools
import graphlib
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from clusterwright import files
from clusterwright.cluster_spec import repository_root

NODE_PYTHON = (3, 9)
FUNCTIONS = ("applies", "check", "apply")
CONSTANTS = ("AFTER", "DEADLINE_SECONDS", "RETRIES")
MAXIMUM_DEADLINE_SECONDS = 7200
"""The maximum of `node_steps` in cluster.json."""

_BUILT_IN = f"{repository_root.SCRIPTS}/clusterwright_node/steps"
_NAME = re.compile(r"[a-z][a-z0-9_]{0,62}")


@dataclass(frozen=True)
class CustomStep:
    """A step file. `after` and `before` are names of steps."""

    name: str
    text: str
    after: tuple[str, ...]
    before: tuple[str, ...]


class InvalidStepError(Exception):
    """The file is not a valid step; `line` is the position of the mistake, if known."""

    def __init__(self, message: str, hint: str | None = None, line: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.line = line


def read(path: str) -> CustomStep:
    """Read a step of the spec.

    Raises
    ------
    InvalidStepError
        The file does not exist, or the node program could not run it.
    """
    file = repository_root.file(path)
    name = file.name.removesuffix(".py")
    if file.suffix != ".py" or not _NAME.fullmatch(name):
        raise InvalidStepError(
            f"`{file.name}` is not a valid step name",
            "use lowercase letters, digits and underscores, and the suffix .py",
        )
    try:
        text = files.read_text(file)
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise InvalidStepError(
            f"{path} cannot be read: {reason}", "paths are relative to the root of the repository"
        ) from None
    return _check(name, path, text)


def built_in() -> dict[str, tuple[str, ...]]:
    """Return AFTER of every built-in step by name; empty outside a repository."""
    root = repository_root.root()
    if root is None:
        return {}
    return {
        file.stem: _after(files.read_text(file))
        for file in sorted((root / _BUILT_IN).glob("[!_]*.py"))
    }


@functools.cache
def _after(text: str) -> tuple[str, ...]:
    """Return AFTER of a built-in step; the text is kept, because a spec is loaded many times."""
    after = _assigned(ast.parse(text))["AFTER"]
    # All strings in it, because AFTER may be composed of other names.
    words = [n.value for n in ast.walk(after) if isinstance(n, ast.Constant)]
    return tuple(word for word in words if isinstance(word, str))


def cycle(steps: Mapping[str, CustomStep]) -> tuple[str, ...]:
    """Return the names of steps in a cycle, empty if all can be ordered."""
    graph = {name: set(after) for name, after in built_in().items()}
    for step in steps.values():
        graph.setdefault(step.name, set()).update(step.after)
        for name in step.before:
            graph.setdefault(name, set()).add(step.name)
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return tuple(reversed(error.args[1]))
    return ()


def _check(name: str, path: str, text: str) -> CustomStep:
    try:
        tree = ast.parse(text, feature_version=NODE_PYTHON)
    except (SyntaxError, ValueError) as error:
        version = ".".join(map(str, NODE_PYTHON))
        raise InvalidStepError(
            f"{path} is not valid Python {version}: {getattr(error, 'msg', error)}",
            "nodes run Python 3.9",
            getattr(error, "lineno", None),
        ) from None
    if not (ast.get_docstring(tree) or "").strip():
        raise InvalidStepError(
            f"{path} has no docstring", "add one whose first line describes the step"
        )
    assigned = _assigned(tree)
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    missing = [c for c in CONSTANTS if c not in assigned]
    missing += [f"{f}()" for f in FUNCTIONS if f not in functions]
    if missing:
        raise InvalidStepError(
            f"{path} has no {', '.join(missing)}",
            "see the example in docs/how-to/add-custom-steps.md",
        )
    for module, line in _imports(tree):
        if module not in sys.stdlib_module_names and not module.startswith("clusterwright_"):
            raise InvalidStepError(
                f"{path} imports {module}, but nodes have only Python's standard library",
                "import it inside a function if the image has it",
                line,
            )
    for constant, minimum, maximum in (
        ("DEADLINE_SECONDS", 1, MAXIMUM_DEADLINE_SECONDS),
        ("RETRIES", 0, 100),
    ):
        value = _literal(assigned[constant])
        if (
            isinstance(value, bool)
            or not isinstance(value, int)
            or not minimum <= value <= maximum
        ):
            raise InvalidStepError(
                f"{path}: {constant} must be an integer from {minimum} to {maximum}",
                line=assigned[constant].lineno,
            )
    return CustomStep(
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
    raise InvalidStepError(
        f"{path}: {key} must be a tuple of names",
        f'such as {key} = ("network",)',
        assigned[key].lineno,
    )


def _imports(tree: ast.Module) -> Iterator[tuple[str, int]]:
    for node in tree.body:
        if isinstance(node, ast.Import):
            yield from ((alias.name.partition(".")[0], node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0], node.lineno

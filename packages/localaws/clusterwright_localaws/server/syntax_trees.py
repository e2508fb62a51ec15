"""One thread at a time makes syntax trees.

CPython 3.11 counts the depth of the tree that it makes for all threads together, and raises
`SystemError: AST constructor recursion depth mismatch` if another thread makes one meanwhile
(python/cpython#106905). werkzeug makes trees for each service's first request.
"""

from __future__ import annotations

import ast
import functools
import threading
from collections.abc import Callable
from typing import ParamSpec, TypeVar

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


def apply() -> None:
    """Replace `ast.parse`; call it once."""
    ast.parse = one_at_a_time(ast.parse)


def one_at_a_time(function: Callable[_Given, _Result]) -> Callable[_Given, _Result]:
    """Return the function with a lock around its calls; a thread may call it within a call."""
    lock = threading.RLock()

    @functools.wraps(function)
    def locked(*given: _Given.args, **named: _Given.kwargs) -> _Result:
        with lock:
            return function(*given, **named)

    return locked

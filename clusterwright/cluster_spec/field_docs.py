"""Docstrings of model fields, read from the source."""

from __future__ import annotations

import ast
import functools
import inspect

from pydantic import BaseModel


@functools.cache
def docstrings(model: type[BaseModel]) -> dict[str, str]:
    """Field name → the docstring that stands below it in the model's class.

    Raises
    ------
    LookupError
        A field has none.
    """
    tree = ast.parse(inspect.cleandoc("\n" + inspect.getsource(model)))
    body = tree.body[0]
    assert isinstance(body, ast.ClassDef)
    found = {}
    for statement, after in zip(body.body, body.body[1:], strict=False):
        if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
            continue
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            found[statement.target.id] = " ".join(str(after.value.value).split())
    missing = sorted(set(model.model_fields) - set(found))
    if missing:
        raise LookupError(f"{model.__name__}: no docstring below {', '.join(missing)}")
    return found


def summary(model: type[BaseModel]) -> str:
    """The model's own docstring on one line."""
    return " ".join((model.__doc__ or "").split())

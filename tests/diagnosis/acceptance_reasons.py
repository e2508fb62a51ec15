"""The reasons with which checks of acceptance reject nodes, from their own source."""

from __future__ import annotations

import ast
import inspect
import json
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType

from clusterwright_acceptance import baseline, comparison, outcome, pairs, registry
from clusterwright_common import dcgm, xid

VALUE = "7"
"""What stands for a value of a format."""


@dataclass(frozen=True)
class Reason:
    """A reason as a node's record has it, with its action."""

    check: str
    text: str
    action: str

    @property
    def record(self) -> dict[str, object]:
        return {"state": "rejected", "reason": f"{self.check}: {self.text}", "action": self.action}


def every() -> list[Reason]:
    """The reasons of every check; of those that take them from elsewhere, from there."""
    found = [
        Reason(check.id, text, action)
        for check in registry.checks(scope=registry.NODE)
        for text, action in _of_module(check.load())
    ]
    hung = outcome.hung("fio", 180.0)
    of_nodes = [check.id for check in registry.checks(scope=registry.NODES)]
    found += [Reason(check, hung.reason, hung.action) for check in of_nodes]
    found += list(_of_others())
    return list(dict.fromkeys(found))


def _of_others() -> Iterator[Reason]:
    table = xid.read_table()
    lines = (
        "NVRM: Xid (PCI:0000:b9:00): 79, pid=7, GPU has fallen off the bus.",
        "NVRM: Xid (PCI:0000:b9:00): 62, pid=7, internal micro-controller halt",
        "nvidia-nvswitch0: SXid (PCI:0000:c3:00.0): 20034, Fatal, Link 30 LTSSM Fault Up",
        "NVRM: GPU 0000:b9:00.0: GPU has fallen off the bus.",
    )
    for line in lines:
        (verdict,) = xid.decide(xid.parse([line]), table)
        yield Reason("xid", verdict.label, verdict.action)
    row = {"gpu_ids": "0", "status": "Fail", "warnings": ["DCGM_FR_FAULTY_MEMORY"]}
    said = json.dumps({"tests": [{"name": "Memory", "results": [row]}]})
    action = dcgm.decide(dcgm.parse(said), dcgm.read_table())
    for check in ("dcgm-medium", "dcgm-extended"):
        yield Reason(check, action.reason, action.action)
    tests = [pairs.Test("a", "b", pairs.GOOD), pairs.Test("c", "d", pairs.BAD)]
    tests += [pairs.Test("a", "c", pairs.BAD), pairs.Test("b", "d", pairs.GOOD)]
    tests += [pairs.Test("b", "c", pairs.BAD)]
    (suspect,) = (one for one in pairs.conclude("abcd", tests).suspects if one.kind == "node")
    yield Reason("pairs", suspect.evidence, "check")
    versions = {"a": {"versions.nccl": "2.27"}, "b": {"versions.nccl": "2.27"}}
    differs = comparison.compare({**versions, "c": {"versions.nccl": "2.21"}})["c"]
    yield Reason(comparison.ID, differs.reason, differs.action)
    slow = baseline.compare(dict(zip("abcd", (480.0, 480.0, 481.0, 200.0), strict=True)), "GB/s")
    yield Reason("nvlink-allreduce", slow["d"].reason, slow["d"].action)


def _of_module(module: ModuleType) -> Iterator[tuple[str, str]]:
    """Texts and actions of the calls of `failed` and `against_floor` of a check."""
    tree = ast.parse(inspect.getsource(module))
    for function in (node for node in tree.body if isinstance(node, ast.FunctionDef)):
        for call in (node for node in ast.walk(function) if isinstance(node, ast.Call)):
            name = call.func.id if isinstance(call.func, ast.Name) else ""
            if name == "against_floor":
                what = "GPU 3, a test" if any(k.arg == "what" for k in call.keywords) else ""
                below = outcome.against_floor(10.0, "GB/s", 40.0, "a source", what=what)
                given = next(k.value for k in call.keywords if k.arg == "action")
                for action in _texts(given, function, tree):
                    yield below.reason, action
            elif name == "failed":
                for text in _texts(call.args[0], function, tree):
                    for action in _texts(call.args[1], function, tree):
                        yield text, action if action in outcome.ACTIONS else "replace"


def _texts(node: ast.expr | None, function: ast.FunctionDef, tree: ast.Module) -> list[str]:
    """The texts that an expression can be, with a value where its parts are values."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.JoinedStr):
        parts = [_texts(part, function, tree)[0] for part in node.values]
        return ["".join(parts)]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = (_texts(side, function, tree) for side in (node.left, node.right))
        return [first + second for first in left for second in right]
    if isinstance(node, ast.IfExp):
        return [*_texts(node.body, function, tree), *_texts(node.orelse, function, tree)]
    if isinstance(node, ast.Name):
        given = [
            each.value
            for each in ast.walk(function)
            if isinstance(each, ast.Assign)
            and any(isinstance(t, ast.Name) and t.id == node.id for t in each.targets)
        ]
        return [text for value in given for text in _texts(value, function, tree)] or [VALUE]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return _returned(node.func.id, tree) or [VALUE]
    return [VALUE]


def _returned(name: str, tree: ast.Module) -> list[str]:
    """The texts that a function of the module returns."""
    return [
        text
        for function in tree.body
        if isinstance(function, ast.FunctionDef) and function.name == name
        for each in ast.walk(function)
        if isinstance(each, ast.Return)
        and not (isinstance(each.value, ast.Constant) and each.value.value is None)
        for text in _texts(each.value, function, tree)
    ]

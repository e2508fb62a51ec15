"""Arguments and settings of frameworks, read from their sources without importing them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tools.setup.framework_sources import UNPACKED, UNPACKED_OF_NEURON


class Module:
    """A module of the packages in a folder: its classes, and what it imports."""

    def __init__(self, name: str, folder: Path = UNPACKED) -> None:
        self.folder = folder
        path = _path(name, folder)
        self.package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        self.tree = ast.parse(path.read_text(encoding="utf-8"))
        self.classes: dict[str, ast.ClassDef] = {}
        self.imports: dict[str, tuple[str, str]] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ClassDef):
                self.classes[node.name] = node
                for inner in node.body:
                    if isinstance(inner, ast.ClassDef):
                        self.classes[f"{node.name}.{inner.name}"] = inner
            elif isinstance(node, ast.ImportFrom):
                for one in node.names:
                    self.imports[one.asname or one.name] = (self._source(node), one.name)

    def _source(self, node: ast.ImportFrom) -> str:
        parts = self.package.split(".") if node.level else []
        parts = parts[: len(parts) - node.level + 1] if node.level else parts
        return ".".join([*parts, *([node.module] if node.module else [])])

    def calls(self, name: str) -> Iterator[ast.Call]:
        """Calls of a function or a method of that name."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call) and _last(node.func) == name:
                yield node

    def fields(self, name: str, depth: int = 0) -> dict[str, tuple[Module, ast.AnnAssign]]:
        """The fields of a dataclass and of its bases, here or where it is imported from."""
        node = self.classes.get(name)
        if depth > 12:
            return {}
        if node is None:
            outer, dot, inner_name = name.partition(".")
            source, original = self.imports.get(outer, ("", ""))
            if not source or not _path(source, self.folder).is_file():
                return {}
            return module(source, self.folder).fields(f"{original}{dot}{inner_name}", depth + 1)
        found: dict[str, tuple[Module, ast.AnnAssign]] = {}
        for base in reversed(node.bases):
            found |= self.fields(_last(base), depth + 1) if _last(base) != name else {}
        for inner in node.body:
            if isinstance(inner, ast.AnnAssign) and isinstance(inner.target, ast.Name):
                found[inner.target.id] = (self, inner)
        return found

    def sections(self, name: str) -> set[str]:
        """`section.field` of a dataclass whose fields are dataclasses, or a union of some."""
        found = set()
        for section, (where, field) in self.fields(name).items():
            found.add(section)
            for node in ast.walk(field.annotation):
                found |= {f"{section}.{inner}" for inner in where.fields(_dotted(node))}
        return found


@cache
def module(name: str, folder: Path = UNPACKED) -> Module:
    """A module, read once."""
    return Module(name, folder)


def _path(name: str, packages: Path) -> Path:
    folder = packages.joinpath(*name.split("."))
    return folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")


def megatron() -> set[str]:
    """The arguments of pretrain_gpt.py: of argparse, and of the dataclasses that it reads."""
    source = module("megatron.training.arguments")
    added = [word for call in source.calls("add_argument") for word in call.args]
    found = {text for word in added for text in _constants(word) if text.startswith("--")}
    for call in source.calls("ArgumentGroupFactory"):
        left_out = {text for word in call.keywords for text in _constants(word.value)}
        for name, (_, field) in source.fields(_last(call.args[0])).items():
            if name not in left_out:
                found |= set(_names_of(name, field))
    return found


def _names_of(name: str, field: ast.AnnAssign) -> Iterator[str]:
    """As ArgumentGroupFactory forms them: a flag that is on by default is turned off."""
    stated = {text for text in _constants(field.value) if text.startswith("--")}
    words = name.replace("_", "-")
    on = isinstance(field.value, ast.Constant) and field.value.value is True
    yield from stated or ({f"--no-{words}", f"--disable-{words}"} if on else {f"--{words}"})


def trl() -> set[str]:
    """The arguments of `trl sft`: the fields of the dataclasses of its parser."""
    classes = {
        "trl.scripts.utils": ("ScriptArguments", "DatasetMixtureConfig"),
        "trl.trainer.sft_config": ("SFTConfig",),
        "trl.trainer.model_config": ("ModelConfig",),
    }
    return {
        f"--{field}"
        for name, names in classes.items()
        for one in names
        for field in module(name).fields(one)
    }


def torchtitan() -> set[str]:
    """The settings of its TOML file."""
    return module("torchtitan.config.job_config").sections("JobConfig")


def torchtitan_command() -> set[str]:
    """The arguments of its command line since 0.3.0, which has no TOML file."""
    manager = module("torchtitan.config.manager", UNPACKED_OF_NEURON)
    found = {text for text in _constants(manager.tree) if text in ("--module", "--config")}
    trainer = module("torchtitan.trainer", UNPACKED_OF_NEURON)
    return found | {f"--{name}" for name in trainer.sections("Trainer.Config")}


def vllm() -> set[str]:
    """The arguments of `vllm serve`: of argparse, and the fields of FrontendArgs."""
    engine, server = (
        module(f"vllm.{name}") for name in ("engine.arg_utils", "entrypoints.launchers.cli_args")
    )
    words = [
        word
        for one in (engine, server)
        for call in one.calls("add_argument")
        for word in call.args
    ]
    found = {text for word in words for text in _constants(word) if text.startswith("--")}
    return found | {f"--{name.replace('_', '-')}" for name in server.fields("FrontendArgs")}


def bridge() -> set[str]:
    """The fields of Megatron-Bridge's ConfigContainer, and of Megatron-LM's classes in it."""
    return module("megatron.bridge.training.config").sections("ConfigContainer")


def bridge_precisions() -> set[str]:
    """The functions whose names `mixed_precision` takes."""
    tree = module("megatron.bridge.training.mixed_precision").tree
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def _dotted(node: ast.AST) -> str:
    """`A.B` of an attribute of a name; else the last name."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return _last(node)


def _last(node: ast.AST) -> str:
    return str(getattr(node, "attr", getattr(node, "id", "")))


def _constants(node: ast.AST | None) -> Iterator[str]:
    for inner in ast.walk(node) if node is not None else ():
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
            yield inner.value

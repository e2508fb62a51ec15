"""Import-linter contracts for the import table: which package may import which.

The built-in contract types name modules that must exist, and state what is forbidden. The table
states what is allowed, and must have a row for every package; both contracts here read the table
itself, and a package without a row breaks them.
"""

from __future__ import annotations

from dataclasses import dataclass

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output


@dataclass(frozen=True)
class Import:
    """One import statement that no row allows."""

    importer: str
    imported: str
    line: int


class PackagesContract(Contract):
    """Each package imports only the packages in its row.

    `packages` has one row per package: `cost: spec catalog platforms`. Names are relative to
    `within`; an entry may be a module of a package (`preflight.finding`), which allows that
    module alone, and a row may be a package outside `within` (`stacks`). `everything` allows all
    packages.
    Only direct imports count: a package may use the results of another without importing what
    produced them. A `__main__` may import what the command line may.
    """

    within = fields.StringField()
    packages = fields.ListField(subfield=fields.StringField())

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:  # noqa: ARG002
        root = str(self.within)
        table = parse_rows(list(self.packages))  # type: ignore[call-overload]
        packages = {child.removeprefix(f"{root}.") for child in graph.find_children(root)}
        missing = sorted(packages - table.keys() - {"__main__"})
        broken = [
            found
            for package, allowed in table.items()
            if "everything" not in allowed
            for own in (f"{root}.{package}" if package in packages else package,)
            if own in graph.modules
            for found in _imports_out_of(graph, root, own, allowed)
        ]
        return ContractCheck(
            kept=not (missing or broken), metadata={"missing": missing, "broken": broken}
        )

    def render_broken_contract(self, check: ContractCheck) -> None:
        for package in check.metadata["missing"]:
            output.print_error(f"{self.within}.{package} has no row in the import table")
        _render(check.metadata["broken"])


class OutsideContract(Contract):
    """Each outside package is imported only by those in its row.

    `users` has one row per outside package: `aws_cdk: stacks clusterwright.preflight.cdk_plugin`.
    """

    users = fields.ListField(subfield=fields.StringField())

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:  # noqa: ARG002
        broken = [
            Import(importer, module, detail["line_number"])
            for outside, allowed in parse_rows(list(self.users)).items()  # type: ignore[call-overload]
            for module in sorted(_package(graph, outside))
            for importer in sorted(graph.find_modules_that_directly_import(module))
            if not any(_is_within(importer, user) for user in (outside, *allowed))
            for detail in graph.get_import_details(importer=importer, imported=module)
        ]
        return ContractCheck(kept=not broken, metadata={"broken": broken})

    def render_broken_contract(self, check: ContractCheck) -> None:
        _render(check.metadata["broken"])


class InterfaceContract(Contract):
    """Other packages import only the public modules of a distribution.

    `interfaces` has one row per distribution: `clusterwright_localaws: drivers command`. The
    package itself (its `__init__`) is always public.
    """

    interfaces = fields.ListField(subfield=fields.StringField())

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:  # noqa: ARG002
        broken = [
            Import(importer, module, detail["line_number"])
            for package, public in parse_rows(list(self.interfaces)).items()  # type: ignore[call-overload]
            for module in sorted(graph.find_descendants(package))
            if module not in {f"{package}.{name}" for name in public}
            for importer in sorted(graph.find_modules_that_directly_import(module))
            if not _is_within(importer, package)
            for detail in graph.get_import_details(importer=importer, imported=module)
        ]
        return ContractCheck(kept=not broken, metadata={"broken": broken})

    def render_broken_contract(self, check: ContractCheck) -> None:
        _render(check.metadata["broken"])


def parse_rows(rows: list[str]) -> dict[str, tuple[str, ...]]:
    """`"cost: spec catalog"` becomes `{"cost": ("spec", "catalog")}`."""
    table = {}
    for row in rows:
        name, _, allowed = row.partition(":")
        table[name.strip()] = tuple(allowed.split())
    return table


def _imports_out_of(
    graph: ImportGraph, root: str, own: str, allowed: tuple[str, ...]
) -> list[Import]:
    permitted = [own, *(f"{root}.{name}" for name in allowed)]
    return [
        Import(importer, imported, detail["line_number"])
        for importer in sorted({own} | graph.find_descendants(own))
        if not importer.endswith(".__main__")
        for imported in sorted(graph.find_modules_directly_imported_by(importer))
        if imported.startswith(f"{root}.") and not any(_is_within(imported, p) for p in permitted)
        for detail in graph.get_import_details(importer=importer, imported=imported)
    ]


def _package(graph: ImportGraph, name: str) -> set[str]:
    if name not in graph.modules:
        return set()
    # An outside package is one module of the graph, with no inside.
    return {name} if graph.is_module_squashed(name) else {name} | graph.find_descendants(name)


def _is_within(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def _render(broken: list[Import]) -> None:
    for found in broken:
        output.print_error(
            f"{found.importer}:{found.line} imports {found.imported}, which its row does not allow"
        )

"""The CDK app from the command line: its spec, context and output directory."""

from __future__ import annotations

import gc
import json
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from clusterwright import files
from clusterwright.cluster_spec import LoadedSpec, SpecErrors
from clusterwright.cluster_spec.problems import printable
from clusterwright.platforms.loading import load_cluster, validate_for_synthesis

if TYPE_CHECKING:
    import aws_cdk as cdk
    from constructs import Construct

EXIT_INVALID = 3
"""Exit code for an invalid spec or an invalid name of a spec."""

ROOT = Path(__file__).resolve().parent.parent
DEFAULT_OUTPUT = "cdk.out"

REPORTS = ("validation-report.json", "policy-validation-report.json")
"""The CDK's command line prints such a file even if an earlier run wrote it."""

_LINES = "\n\t"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


class UnnamedSpec(Exception):
    """No spec is named, or more than one; the message has the options."""


def read_spec() -> LoadedSpec:
    """The spec that `-c env=`, `-c config=` or the environment names.

    It is read before the app is created, because an app creates its output directory at once.
    Problems of the spec go to stderr with their positions, and the process exits with 3.

    As the first function of a synthesis it also disables garbage collection: the process runs for
    seconds, of which garbage collection of the CDK's classes would take a tenth.
    """
    gc.disable()
    context = command_line_context(os.environ)
    try:
        loaded = load_cluster(spec_path(context, os.environ))
        _check_name(loaded, environment_name(context, os.environ))
        validate_for_synthesis(loaded)
    except SpecErrors as errors:
        _refuse(str(problem) for problem in errors)
    except UnnamedSpec as error:
        _refuse([str(error)])
    return loaded


def open_app(
    outdir: str | os.PathLike[str] | None = None,
    context: Mapping[str, Any] | None = None,
    **options: Any,
) -> cdk.App:
    """An app with the context of `cdk.json`, so that `python app.py` equals `cdk synth`.

    `context` overrides it; `options` are those of `aws_cdk.App`. Without `outdir` the output
    directory is the one of the CDK's command line, else `cdk.out`.
    """
    import aws_cdk as cdk

    where = outdir or os.environ.get("CDK_OUTDIR") or DEFAULT_OUTPUT
    return cdk.App(
        context=context_of_cdk_json() | dict(context or {}), outdir=os.fspath(where), **options
    )


def build(scope: Construct, loaded: LoadedSpec) -> list[cdk.Stack]:
    """Every stack of the cluster, in the order of deployment."""
    from clusterwright.pricing.plan_files import InvalidPlan
    from stacks import cluster_app

    try:
        return cluster_app.build(scope, loaded)
    except files.FileTooLargeError as error:
        _refuse([f"{error.filename}: {error.strerror}"])
    except InvalidPlan as error:
        _refuse([str(error)])


def add_policies(app: cdk.App) -> None:
    """Add the rules that a synthesis must pass (cdk-nag), unless they are disabled."""
    from stacks.base import nag

    nag.add(app)


def write(app: cdk.App) -> None:
    """Write the assembly, and delete reports of an earlier run.

    With policy findings the process exits with 1; cdk-nag has printed them on stderr.
    """
    for name in REPORTS:
        (Path(app.outdir) / name).unlink(missing_ok=True)
    try:
        app.synth()
    except RuntimeError as error:
        if "ValidationFailed" not in str(error) and "Validation failed" not in str(error):
            raise
        print(f"error: {printable(str(error).strip().splitlines()[0])}", file=sys.stderr)
        raise SystemExit(1) from None


def context_of_cdk_json() -> dict[str, Any]:
    """The context of `cdk.json`, such as feature flags, as the CDK's command line passes it."""
    text = (ROOT / "cdk.json").read_text(encoding="utf-8")
    context: dict[str, Any] = json.loads(text)["context"]
    return context


def command_line_context(environment: Mapping[str, str]) -> dict[str, Any]:
    """The context from the CDK's command line; empty without it."""
    context: dict[str, Any] = json.loads(environment.get("CDK_CONTEXT_JSON") or "{}")
    overflow = environment.get("CONTEXT_OVERFLOW_LOCATION_ENV")
    if overflow:
        # If the context exceeds an environment variable, the rest is in a file.
        context |= json.loads(files.read_text(overflow))
    return context


def spec_path(context: Mapping[str, Any], environment: Mapping[str, str]) -> Path:
    """The file of the spec: `-c env=` or `-c config=`, else the environment's variables.

    Raises
    ------
    UnnamedSpec
        None is named, or both kinds are.
    """
    for how, env, config in (
        ("-c env=NAME or -c config=PATH", context.get("env"), context.get("config")),
        (
            "CLUSTERWRIGHT_ENV=NAME or CLUSTERWRIGHT_CONFIG=PATH",
            environment.get("CLUSTERWRIGHT_ENV"),
            environment.get("CLUSTERWRIGHT_CONFIG"),
        ),
    ):
        if env and config:
            raise UnnamedSpec(
                f"the spec is named twice: {env} and {config}\n\nhint: {how}, not both"
            )
        if config:
            return Path(str(config))
        if env:
            return _path_of(str(env))
    raise UnnamedSpec(
        "no spec is named\n\n"
        "hint: `cdk synth -c env=dev`, or `CLUSTERWRIGHT_ENV=dev python app.py`"
    )


def environment_name(context: Mapping[str, Any], environment: Mapping[str, str]) -> str | None:
    """The name of `-c env=` or CLUSTERWRIGHT_ENV; None if the spec is named by its path."""
    if context.get("env") or context.get("config"):
        name = context.get("env")
    elif environment.get("CLUSTERWRIGHT_CONFIG"):
        name = None
    else:
        name = environment.get("CLUSTERWRIGHT_ENV")
    return str(name) if name else None


def _check_name(loaded: LoadedSpec, name: str | None) -> None:
    """Refuse a file of another environment: its stacks are not those that were asked for."""
    environment = loaded.cluster.environment
    if name is None or name == environment:
        return
    position = loaded.position(("environment",))
    where = f"{position.file}:{position.line}: " if position is not None else ""
    raise UnnamedSpec(
        f"{where}env={name} selects the stacks of `{environment}`\n\n"
        f"hint: rename the file to {environment}.yaml, or `environment: {name}`"
    )


def _path_of(name: str) -> Path:
    if not _NAME.fullmatch(name):
        raise UnnamedSpec(
            f"env takes a name, not {name!r}\n\nhint: for any other file: -c config=PATH"
        )
    # Errors show the path: use the short one in the repository's root.
    folder = Path("configs") if Path.cwd() == ROOT else ROOT / "configs"
    return folder / f"{name}.yaml"


def _refuse(messages: Any) -> NoReturn:
    for message in messages:
        print(f"error: {printable(message, keep=_LINES)}", file=sys.stderr)
    raise SystemExit(EXIT_INVALID) from None

"""The list of comparisons."""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path

from benchmarks.acceptance import acceptance_comparisons
from benchmarks.accepted_nodes import accepted_nodes_comparisons
from benchmarks.compare import ROOT, Comparison, Timed, command
from benchmarks.gate import gate_comparisons
from benchmarks.load import load_comparisons
from benchmarks.local_aws import LocalAws, start_to_ready
from benchmarks.local_calls import call_comparisons
from benchmarks.monitoring import monitoring_comparisons
from benchmarks.operations import naming_comparisons, status_comparisons
from benchmarks.planner import planner_comparisons
from benchmarks.rehearsals import rehearsal_comparisons
from benchmarks.slurm import slurm_comparisons

_PROD = "configs/prod.yaml"
_EXAMPLE = "configs/examples/p5-512.yaml"
_EMPTY_APP = "benchmarks/empty_app.py"
_NO_VALIDATION = {"CDK_VALIDATION": "false"}
_NO_NAG = {"CLUSTERWRIGHT_NAG": "false"}
_NO_CHECKS = {"CLUSTERWRIGHT_CHECKS": "false"}


def comparisons(folder: Path) -> list[Comparison]:
    """All comparisons; `folder` is an empty folder for the output of the commands."""
    return [
        *quick_comparisons(folder),
        *gate_comparisons(folder),
        *status_comparisons(folder),
        *_deployments(folder),
        *rehearsal_comparisons(folder),
        *slurm_comparisons(folder),
        *accepted_nodes_comparisons(folder),
    ]


def quick_comparisons(folder: Path) -> list[Comparison]:
    """The comparisons without deployments, booted nodes and other provisioners."""
    outputs = (folder / f"assembly-{number}" for number in itertools.count())

    def app(script: str, *switches: dict[str, str]) -> Timed:
        environment = {"CLUSTERWRIGHT_CONFIG": _PROD, "CDK_OUTDIR": str(next(outputs))}
        for switch in switches:
            environment |= switch
        return command("python", script, environment=environment)

    nothing = command("python", "-c", "pass")
    empty = "an empty one-stack app"
    return [
        Comparison(
            "clusterwright --help",
            command("clusterwright", "--help"),
            nothing,
            "python -c pass",
            target_seconds=0.25,
        ),
        Comparison(
            f"clusterwright check --offline {_EXAMPLE}",
            # A finding is an answer too; what counts here is how long it takes.
            command("clusterwright", "check", "--offline", _EXAMPLE, exit_codes=(0, 1, 2)),
            nothing,
            "python -c pass",
            target_seconds=0.6,
        ),
        Comparison(
            "python app.py, prod",
            app("app.py", _NO_VALIDATION, _NO_NAG, _NO_CHECKS),
            app(_EMPTY_APP, _NO_VALIDATION),
            f"{empty}, validation off",
            target_ratio=3.5,
        ),
        Comparison(
            "python app.py, prod, with cdk-nag",
            app("app.py", _NO_VALIDATION, _NO_CHECKS),
            app("app.py", _NO_VALIDATION, _NO_NAG, _NO_CHECKS),
            "the same without",
        ),
        Comparison(
            "python app.py, prod, with our own rules",
            app("app.py", _NO_VALIDATION, _NO_NAG),
            app("app.py", _NO_VALIDATION, _NO_NAG, _NO_CHECKS),
            "the same without",
        ),
        Comparison(
            "python app.py, prod, with CDK validation",
            app("app.py", _NO_NAG, _NO_CHECKS),
            app(_EMPTY_APP),
            f"{empty}, validation on",
            most_runs=3,
        ),
        Comparison(
            "clusterwright localaws, start to ready",
            start_to_ready("clusterwright", "localaws", "--port", "0"),
            command("python", "-c", "import moto.server"),
            "python -c 'import moto.server'",
        ),
        *planner_comparisons(),
        *call_comparisons(),
        *load_comparisons(),
        *naming_comparisons(),
        *acceptance_comparisons(),
        *monitoring_comparisons(folder),
    ]


def _deployments(folder: Path) -> list[Comparison]:
    """Deploy, update and destroy dev and prod, each beside the same with an empty app."""
    output = ("--output", str(folder / "deployment"))
    deploy = ("cdk", "deploy", "--all", "--require-approval", "never", *output)
    destroy = ("cdk", "destroy", "--all", "--force", *output)
    empty = ("--app", f"python {ROOT / _EMPTY_APP}")
    aws = LocalAws()
    comparisons: list[Comparison] = []
    for name, account, unprotected, grown in (
        ("dev", "111122223333", {}, {"    count: 2\n": "    count: 4\n"}),
        # Termination protection would refuse prod's destruction.
        (
            "prod",
            "777788889999",
            {"protection: retain ": "protection: destroy ", "    count: 64 ": "    count: 62 "},
            {"    count: 62 ": "    count: 64 "},
        ),
    ):
        mine = LocalAws(account)
        before, after = (
            ("-c", f"config={_specs(folder / f'{name}-{kind}', f'{name}.yaml', changes)}")
            for kind, changes in (("before", unprotected), ("after", {**unprotected, **grown}))
        )
        comparisons += [
            Comparison(
                f"cdk deploy --all to the local AWS, {name}",
                mine.deployment(*deploy, *before),
                aws.deployment(*deploy, *empty),
                "cdk deploy of an empty one-stack app",
                most_runs=3,
            ),
            Comparison(
                f"cdk deploy again with two more nodes, {name}",
                mine.deployment(*deploy, *after, before=(*deploy, *before)),
                aws.deployment(*deploy, *empty, before=(*deploy, *empty)),
                "cdk deploy again of an empty one-stack app",
                most_runs=3,
            ),
            Comparison(
                f"cdk destroy --all, {name}",
                mine.deployment(*destroy, *before, before=(*deploy, *before)),
                aws.deployment(*destroy, *empty, before=(*deploy, *empty)),
                "cdk destroy of an empty one-stack app",
                most_runs=3,
            ),
        ]
    return comparisons


def _specs(folder: Path, name: str, more: dict[str, str]) -> Path:
    """A copy of the examples in which texts of one spec are replaced."""
    shutil.copytree(ROOT / "configs", folder)
    spec = folder / name
    text = spec.read_text(encoding="utf-8")
    for old, new in more.items():
        if old not in text:
            raise RuntimeError(f"configs/{name} no longer has {old.strip()!r}")
        text = text.replace(old, new)
    spec.write_text(text, encoding="utf-8")
    return spec

"""The story of one platform: check, cost, deploy, change, look at the difference, take down."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from clusterwright.cluster_spec import load_spec
from demo.shell import ROOT, Shell, StepFailed
from tools.setup import clients

MORE_NODES: Final = 2


@dataclass(frozen=True)
class Platform:
    """What differs from platform to platform.

    Attributes
    ----------
    config:
        The environment that is deployed; it can be thrown away.
    group:
        The group that grows.
    lister:
        The program that lists the nodes, and prints `<cluster>: <number> nodes`.
    shown:
        What the CDK's diff says of more nodes.
    """

    config: str
    group: str
    lister: str
    shown: str


PLATFORMS: Final = {
    "parallelcluster": Platform(
        "configs/dev-parallelcluster.yaml", "workers", "demo/list_instances.py", "MaxCount"
    ),
    "hyperpod-eks": Platform(
        "configs/dev-hyperpod-eks.yaml", "workers", "demo/list_nodes.py", "InstanceCount"
    ),
    "eks": Platform("configs/dev-eks.yaml", "workers", "demo/list_instances.py", "DesiredSize"),
}
"""HyperPod with Slurm has a story of its own, in `story`."""


def tell_of(platform: str, shell: Shell, folder: Path) -> None:
    """Tell the story of a platform; `folder` is empty and may be written to.

    Raises StepFailed at the first step that does not do what it should.
    """
    about = PLATFORMS[platform]
    cluster = load_spec(ROOT / about.config).cluster
    counts = {group.name: group.count for group in cluster.compute}
    nodes = sum(counts.values())

    if platform == "parallelcluster":
        _name_the_judge(shell)
    shell.section("A local AWS with quotas and capacity to spare")
    aws = shell.serve("clusterwright localaws --port 0 --world generous")
    shell.export(
        AWS_ENDPOINT_URL=aws.url,
        AWS_ACCESS_KEY_ID=cluster.account,
        AWS_SECRET_ACCESS_KEY="local",
        AWS_DEFAULT_REGION=cluster.region,
        CDK_OUTPUT=str(folder / "cdk.out"),
    )

    shell.section("Check the file before anything is built")
    shell.run(f"clusterwright check {about.config}")

    shell.section("What it will cost")
    # 2 when no public source has a price of something in the file: said, and not guessed.
    shell.run(f"clusterwright cost {about.config}", exit_code=(0, 2))

    shell.section("Deploy with the ordinary CDK command line")
    name = Path(about.config).stem
    shell.run(f"cdk bootstrap -c env={name}")
    shell.run(f"cdk deploy -c env={name} --all --require-approval never")
    shell.run(f"python {about.lister}", contains=[f"{nodes} nodes"])

    shell.section(f"{MORE_NODES} nodes more: change the file, look at the difference, deploy")
    changed = _with_more_nodes(shell, folder, about, counts[about.group])
    shell.run(f"clusterwright diff {changed} --base {about.config}", exit_code=(0, 2))
    shell.run(f"cdk diff -c config={changed}", contains=[about.shown])
    shell.run(f"cdk deploy -c config={changed} --all --require-approval never")
    shell.run(f"python {about.lister}", contains=[f"{nodes + MORE_NODES} nodes"])

    shell.section("Take it down")
    shell.run(f"cdk destroy -c config={changed} --all --force")
    shell.run(f"python {about.lister}", contains=["no clusters"])
    shell.stop(aws)


def _name_the_judge(shell: Shell) -> None:
    """ParallelCluster's own package judges what is deployed, where its environment is built."""
    if not clients.is_current("pcluster"):
        shell.say("aws-parallelcluster is not here, so nothing judges the configuration but the")
        shell.say("stacks' own checks: `python -m tools.setup.clients` builds its environment.")
        return
    shell.section("ParallelCluster's own package is to judge what is deployed")
    python = clients.program("pcluster").with_name("python")
    shell.export(CLUSTERWRIGHT_PCLUSTER_PYTHON=str(python))


def _with_more_nodes(shell: Shell, folder: Path, about: Platform, count: int) -> Path:
    copy = folder / "configs"
    shell.say("On a copy, so that the demo never changes a file of yours.")
    shell.run(f"cp -r configs {copy}")
    changed = copy / Path(about.config).name
    more = count + MORE_NODES
    lines = f"/name: {about.group}$/,/count:/"
    shell.run(f"sed -i.before '{lines}s/count: {count}$/count: {more}/' {changed}")
    shell.run(f"diff {changed}.before {changed}", exit_code=1, contains=["count"])
    after = {group.name: group.count for group in load_spec(changed).cluster.compute}
    if after[about.group] != more:
        raise StepFailed(f"the count of {about.group} in {changed} is {after[about.group]}")
    return changed

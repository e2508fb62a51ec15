"""The steps of the demo for other platforms: check, cost, deploy, change, review, delete."""

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
    """The differences between platforms.

    Attributes
    ----------
    config:
        The environment that is deployed and deleted.
    group:
        The group to which nodes are added.
    lister:
        The program that lists the nodes, and prints `<cluster>: <number> nodes`.
    shown:
        The property in the CDK's diff that changes with the number of nodes.
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
    "pcs": Platform(
        "configs/dev-pcs.yaml", "workers", "demo/list_instances.py", "MinInstanceCount"
    ),
    "eks": Platform("configs/dev-eks.yaml", "workers", "demo/list_instances.py", "DesiredSize"),
}
"""The steps for HyperPod with Slurm are in `hyperpod_slurm`."""


def run_demo(platform: str, shell: Shell, folder: Path) -> None:
    """Run all steps for a platform; `folder` is an empty folder for files.

    Raises StepFailed at the first step with an unexpected result.
    """
    about = PLATFORMS[platform]
    cluster = load_spec(ROOT / about.config).cluster
    counts = {group.name: group.count for group in cluster.compute}
    nodes = sum(counts.values())

    if platform == "parallelcluster":
        _enable_pcluster_validation(shell)
    shell.section("Start a local AWS with ample quotas and capacity")
    aws = shell.serve("clusterwright localaws --port 0 --world generous")
    shell.export(
        AWS_ENDPOINT_URL=aws.url,
        AWS_ACCESS_KEY_ID=cluster.account,
        AWS_SECRET_ACCESS_KEY="local",
        AWS_DEFAULT_REGION=cluster.region,
        CDK_OUTPUT=str(folder / "cdk.out"),
    )

    shell.section("Check the file before the deployment")
    shell.run(f"clusterwright check {about.config}")

    shell.section("Estimate the cost")
    # 2 if no public source has a price for a component: it is reported as unknown.
    shell.run(f"clusterwright cost {about.config}", exit_code=(0, 2))

    shell.section("Deploy with the ordinary CDK command line")
    name = Path(about.config).stem
    shell.run(f"cdk bootstrap -c env={name}")
    shell.run(f"cdk deploy -c env={name} --all --require-approval never")
    shell.run(f"python {about.lister}", contains=[f"{nodes} nodes"])

    shell.section(f"Add {MORE_NODES} nodes: change the file, review the difference, deploy")
    changed = _with_more_nodes(shell, folder, about, counts[about.group])
    shell.run(f"clusterwright diff {changed} --base {about.config}", exit_code=(0, 2))
    shell.run(f"cdk diff -c config={changed}", contains=[about.shown])
    shell.run(f"cdk deploy -c config={changed} --all --require-approval never")
    shell.run(f"python {about.lister}", contains=[f"{nodes + MORE_NODES} nodes"])

    shell.section("Delete the cluster")
    shell.run(f"cdk destroy -c config={changed} --all --force")
    shell.run(f"python {about.lister}", contains=["no clusters"])
    shell.stop(aws)


def _enable_pcluster_validation(shell: Shell) -> None:
    """Validate deployments with ParallelCluster's own package, if it is installed."""
    if not clients.is_current("pcluster"):
        shell.say("aws-parallelcluster is not installed: only the stacks' checks validate the")
        shell.say("configuration. `python -m tools.setup.clients` installs it.")
        return
    shell.section("Validate deployments with ParallelCluster's own package")
    python = clients.program("pcluster").with_name("python")
    shell.export(CLUSTERWRIGHT_PCLUSTER_PYTHON=str(python))


def _with_more_nodes(shell: Shell, folder: Path, about: Platform, count: int) -> Path:
    copy = folder / "configs"
    shell.say("On a copy, so that the demo changes none of your files.")
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

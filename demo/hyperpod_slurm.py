"""The steps of the demo for HyperPod with Slurm; each step is a command line."""

from __future__ import annotations

from pathlib import Path

from clusterwright.cluster_spec import load_spec
from clusterwright_rehearsal.prerequisites import nodes_unavailable
from demo.shell import ROOT, Shell, StepFailed

_CONFIG = "configs/dev.yaml"
_PRICED = "configs/examples/p5-8.yaml"
_GOAL = "--model llama3-70b --tokens 15T --deadline 90d --region us-east-1"
_GROUP = "workers"
_MORE_NODES = 2
_SCENARIOS = ("first-boot", "two-groups", "node-lost")


def run_demo(shell: Shell, folder: Path) -> None:
    """Run all steps; `folder` is an empty folder for files.

    Raises StepFailed at the first step with an unexpected result.
    """
    cluster = load_spec(ROOT / _CONFIG).cluster
    count = {group.name: group.count for group in cluster.compute}
    nodes = sum(count.values())

    shell.section("Start a local AWS with ample quotas and capacity")
    aws = shell.serve("clusterwright localaws --port 0 --world generous")
    shell.say("Every client uses it through the standard variable; the key is not a secret.")
    shell.export(
        AWS_ENDPOINT_URL=aws.url,
        AWS_ACCESS_KEY_ID=cluster.account,
        AWS_SECRET_ACCESS_KEY="local",
        AWS_DEFAULT_REGION=cluster.region,
        CDK_OUTPUT=str(folder / "cdk.out"),
    )

    shell.section("From a training goal to a file")
    shell.run(f"cp -r configs {folder / 'plans'}")
    planned = folder / "plans" / "llama3-70b.yaml"
    shell.run(f"clusterwright plan {_GOAL} --write {planned}", contains=["options (USD"])
    shell.run(f"clusterwright check {planned} --offline")

    shell.section("Check the file before the deployment")
    shell.run(f"clusterwright check {_CONFIG}")

    shell.section("The same file in an account with AWS's default quotas: refused, with reasons")
    new = shell.serve("clusterwright localaws --port 0 --world new-account")
    shell.say("Two rules end as unknown: AWS documents no default for their quotas, so")
    shell.say("this account has none, and the rules do not guess.")
    shell.run(
        f"clusterwright check {_CONFIG}",
        exit_code=1,
        contains=["error[CW-"],
        environment={"AWS_ENDPOINT_URL": new.url},
    )
    _review(shell, folder, new.url)
    shell.stop(new)

    shell.section("Estimate the cost")
    # 2 if no public source has a price for a component: it is reported as unknown.
    shell.run(f"clusterwright cost {_CONFIG}", exit_code=(0, 2))
    shell.say("Most prices of this small cluster are in no public source: they are unknown, not")
    shell.say("zero. With an account they are read from AWS. For a larger cluster:")
    shell.run(f"clusterwright cost {_PRICED}", exit_code=(0, 2))

    shell.section("Deploy with the ordinary CDK command line")
    shell.run(f"cdk bootstrap -c env={cluster.environment}")
    shell.run(f"cdk deploy -c env={cluster.environment} --all --require-approval never")
    shell.run("python demo/list_nodes.py", contains=[f"InService, {nodes} nodes"])

    shell.section(f"Add {_MORE_NODES} nodes: change the file, review the difference, deploy")
    changed = _with_more_nodes(shell, folder, count[_GROUP])
    shell.run(f"cdk diff -c config={changed}", contains=["InstanceCount"])
    shell.run(f"cdk deploy -c config={changed} --all --require-approval never")
    shell.run("python demo/list_nodes.py", contains=[f"InService, {nodes + _MORE_NODES} nodes"])

    shell.section("Delete the cluster")
    shell.run(f"cdk destroy -c config={changed} --all --force")
    shell.run("python demo/list_nodes.py", contains=["no clusters"])
    shell.stop(aws)

    _rehearse(shell)


def _review(shell: Shell, folder: Path, url: str) -> None:
    """The comment on a pull request that exceeds the quotas of a new account."""
    shell.section("A pull request there: 64 nodes instead of 8, and a smaller file system")
    changed = folder / Path(_PRICED).name
    shell.run(f"cp {_PRICED} {changed}")
    shell.run(f"sed -i.before 's/count: 8$/count: 64/; s/gib: 9600$/gib: 4800/' {changed}")
    shell.run(f"diff {changed}.before {changed}", exit_code=1, contains=["count: 64"])
    shell.say("The pull request comment. In a clone the base is a branch: --base origin/main.")
    shell.run(
        f"clusterwright diff {changed} --base {_PRICED} --format markdown",
        exit_code=1,
        contains=[
            "<!-- clusterwright-diff:p5-8 -->",
            "**fail**",
            "cannot be reduced from 9,600 to 4,800",
            "64 × ml.p5.48xlarge need 64",
        ],
        environment={"AWS_ENDPOINT_URL": url},
    )


def _rehearse(shell: Shell) -> None:
    """Rehearse with emulated nodes, if this machine supports them."""
    shell.section("Rehearse it: emulated nodes with real Slurm, a job, and the loss of its node")
    command = " ".join(
        [f"clusterwright rehearse {_CONFIG}", *(f"--scenario {name}" for name in _SCENARIOS)]
    )
    reason = nodes_unavailable()
    if reason is not None:
        shell.say(f"Not run here: {reason}. As root on Linux:")
        shell.say(f"  {command}")
        return
    shell.say("Each node is an emulated machine with its own systemd. The first time, its image")
    shell.say("is built from Debian packages, which takes a minute.")
    shell.run(command, contains=["node-lost", "Promises: "])


def _with_more_nodes(shell: Shell, folder: Path, count: int) -> Path:
    copy = folder / "configs"
    shell.say("On a copy, so that the demo changes none of your files.")
    shell.run(f"cp -r configs {copy}")
    changed = copy / Path(_CONFIG).name
    shell.run(f"sed -i.before 's/count: {count}$/count: {count + _MORE_NODES}/' {changed}")
    shell.run(f"diff {changed}.before {changed}", exit_code=1, contains=["count"])
    after = {group.name: group.count for group in load_spec(changed).cluster.compute}
    if after[_GROUP] != count + _MORE_NODES:
        raise StepFailed(f"the count of {_GROUP} in {changed} is {after[_GROUP]}")
    return changed

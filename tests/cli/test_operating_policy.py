"""`--iam-policy` of the operating commands, where the local AWS enforces IAM."""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from clusterwright.json_output.schemas import schemas
from tests.support.command_line import Answer, clusterwright
from tests.support.deployed_cluster import Controller, Deployed, deployed_cluster, node_name
from tests.support.rich_specs import ACCOUNT, MINIMAL, changed
from tests.support.sole_policy import SolePolicy
from tests.support.synthesis import Assembly

LIFECYCLE = Path(__file__).resolve().parents[2] / "lifecycle_scripts"
CALLED_BY_DRIFT = (
    ("cloudformation:DescribeStacks",),
    ("cloudformation:GetTemplate",),
    ("cloudformation:DescribeStackResourceDrifts", "iam:ListAttachedRolePolicies"),
    ("iam:ListRolePolicies",),
    ("iam:GetRolePolicy",),
    ("cloudformation:DetectStackDrift", "cloudformation:ListStackResources"),
    (
        "cloudformation:DescribeStackDriftDetectionStatus",
        "ec2:DescribeInternetGateways",
        "ec2:DescribeNatGateways",
        "ec2:DescribeNetworkAcls",
        "ec2:DescribeRouteTables",
        "ec2:DescribeSecurityGroups",
        "ec2:DescribeSubnets",
        "ec2:DescribeVpcEndpoints",
        "ec2:DescribeVpcPeeringConnections",
        "ec2:DescribeVpcs",
        "iam:GetRole",
        "kms:GetKeyPolicy",
        "s3:GetObject",
        "sagemaker:DescribeCluster",
    ),
)
READ_BY_DETECTION = ("ec2:DescribeVpcAttribute", "iam:GetRole", "kms:DescribeKey")
PLATFORMS = ("hyperpod-slurm", "hyperpod-eks", "parallelcluster", "eks")


class Operator:
    """A user with one policy; the deployment is the account's."""

    def __init__(self, deployed: Deployed) -> None:
        self.deployed = deployed
        self.iam = deployed.account.client("iam")
        self.iam.create_user(UserName="operator")
        key = self.iam.create_access_key(UserName="operator")["AccessKey"]
        self._key = (key["AccessKeyId"], key["SecretAccessKey"])
        self._policy = SolePolicy(self.iam, "operator")

    def run(self, document: dict[str, Any], *words: str | os.PathLike[str]) -> Answer:
        self._policy.replace(document)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("AWS_ACCESS_KEY_ID", self._key[0])
            patch.setenv("AWS_SECRET_ACCESS_KEY", self._key[1])
            return clusterwright(*words)

    def status(self, document: dict[str, Any]) -> dict[str, Any]:
        answer = self.run(document, "status", self.deployed.path, "--format", "json")
        found: dict[str, Any] = json.loads(answer.out)
        return found


@pytest.fixture(scope="module")
def operator(
    tmp_path_factory: pytest.TempPathFactory, synth: Callable[[str | Path], Assembly]
) -> Iterator[Operator]:
    path = tmp_path_factory.mktemp("deployed") / "test.yaml"
    path.write_text(json.dumps(changed(MINIMAL, protection="destroy", acceptance={"hold": False})))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ACCESS_KEY_ID", ACCOUNT)
        patch.setenv("AWS_SECRET_ACCESS_KEY", "local")
        folder = tmp_path_factory.getbasetemp() / "policy-cache"
        patch.setenv("CLUSTERWRIGHT_CACHE", os.fspath(folder))
        with deployed_cluster(path, synth(path), iam="enforced") as found:
            yield Operator(found)


def policy(path: Path, *words: str) -> dict[str, Any]:
    answer = clusterwright(*words, path)
    assert answer.exit_code == 0, answer.err
    found: dict[str, Any] = json.loads(answer.out)
    return found


def actions(document: dict[str, Any]) -> set[str]:
    return {action for statement in document["Statement"] for action in statement["Action"]}


def without(document: dict[str, Any], *missing: str) -> dict[str, Any]:
    statements = [
        {**statement, "Action": [name for name in statement["Action"] if name not in missing]}
        for statement in document["Statement"]
    ]
    return {**document, "Statement": [part for part in statements if part["Action"]]}


def test_the_readers_policy_is_enough_and_each_action_is_needed(operator: Operator) -> None:
    operator.deployed.publish()
    document = policy(operator.deployed.path, "status", "--iam-policy")
    found = operator.status(document)
    assert (found["exit_code"], found["unknown"]) == (0, [])
    # Without ListBucket only the answer about a missing object differs: the next test.
    for action in sorted(actions(document) - {"s3:ListBucket"}):
        unknown = operator.status(without(document, action))["unknown"]
        assert {part["iam_action"] for part in unknown} == {action}


def test_a_missing_state_is_not_a_denied_one(operator: Operator) -> None:
    client = operator.deployed.account.client("s3")
    client.delete_object(Bucket=operator.deployed.bucket, Key="state/scheduler.json")
    document = policy(operator.deployed.path, "status", "--iam-policy")
    (unknown,) = operator.status(document)["unknown"]
    assert "has not published its state" in unknown["reason"]


def test_a_reader_does_not_act(operator: Operator) -> None:
    operator.deployed.publish(running=[])
    name = node_name(operator.deployed.nodes()[-1])
    document = policy(operator.deployed.path, "status", "--iam-policy")
    words = ("node", "drain", operator.deployed.path, name, "--because", "xid 79", "--yes")
    answer = operator.run(document, *words, "--format", "json")
    data = json.loads(answer.out)
    jsonschema.validate(data, schemas()["node-output.schema.json"])
    (result,) = data["nodes"]
    assert (answer.exit_code, result["outcome"]) == (1, "refused")
    assert "s3:PutObject" in result["reason"]


@pytest.mark.parametrize("verb", ["drain", "reboot", "replace"])
def test_the_policy_of_a_verb_is_enough(
    operator: Operator, verb: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(LIFECYCLE))
    program = importlib.import_module("clusterwright_state.requests")
    controller = Controller(operator.deployed, program)
    controller.acceptance = {}
    monkeypatch.setattr("clusterwright.cli.node_follow.time", controller)
    controller.publish()
    worker = next(n for n in operator.deployed.nodes() if n["InstanceGroupName"] == "workers")
    document = policy(operator.deployed.path, "node", verb, "--iam-policy")
    more = actions(document) - actions(policy(operator.deployed.path, "status", "--iam-policy"))
    assert more == {"s3:PutObject"} | (
        {f"sagemaker:Batch{verb.capitalize()}ClusterNodes"} if verb != "drain" else set()
    )
    words = ("node", verb, operator.deployed.path, node_name(worker), "--because", "xid 79")
    answer = operator.run(document, *words, "--yes")
    assert answer.exit_code == 0, answer.out
    if verb != "drain":
        denied = f"sagemaker:Batch{verb.capitalize()}ClusterNodes"
        answer = operator.run(without(document, denied), *words, "--yes")
        assert answer.exit_code == 1
        assert denied in answer.out
        assert controller.drained == {}
        sagemaker = operator.deployed.account.client("sagemaker")
        arn = sagemaker.describe_cluster(ClusterName="test")["ClusterArn"]
        tag = {"Key": "clusterwright:environment", "Value": "another"}
        sagemaker.add_tags(ResourceArn=arn, Tags=[tag])
        answer = operator.run(document, *words, "--yes")
        sagemaker.add_tags(ResourceArn=arn, Tags=[{**tag, "Value": "test"}])
        assert answer.exit_code == 1
        assert denied in answer.out
    else:
        assert (
            operator.run(
                policy(operator.deployed.path, "node", "resume", "--iam-policy"),
                *("node", "resume", *words[2:]),
                "--yes",
            ).exit_code
            == 0
        )


@pytest.mark.parametrize("command", ["capacity", "topology"])
def test_what_else_only_reads(operator: Operator, command: str) -> None:
    operator.deployed.publish()
    path = operator.deployed.path
    document = policy(path, command, "--iam-policy")
    assert actions(document) < actions(policy(path, "status", "--iam-policy"))
    answer = operator.run(document, command, path, "--format", "json")
    found = json.loads(answer.out)
    assert [part["iam_action"] for part in found["unknown"]] in ([], [None])
    for action in sorted(actions(document) - {"s3:ListBucket"}):
        answer = operator.run(without(document, action), command, path, "--format", "json")
        missing = {part["iam_action"] for part in json.loads(answer.out)["unknown"]}
        # HyperPod reports no network nodes here: unknown, whatever may be read.
        assert missing - {None} == {action}


def test_the_policy_of_drift(operator: Operator) -> None:
    """The same report as with every permission; without one of them, it names what it lacks."""
    operator.deployed.publish()
    path = operator.deployed.path
    words = ("drift", path, "--format", "json")
    document = policy(path, "drift", "--iam-policy")
    whole = json.loads(clusterwright(*words).out)
    assert json.loads(operator.run(document, *words).out) == whole
    assert whole["not_compared"]
    for missing in CALLED_BY_DRIFT:
        found = json.loads(operator.run(without(document, *missing), *words).out)
        new = [part for part in found["not_compared"] if part not in whole["not_compared"]]
        named = " ".join(f"{part['reason']} {part['hint']}" for part in new)
        assert {action for action in missing if action not in named} == set()
    # CloudFormation reads resources with the caller's permissions.
    found = json.loads(operator.run(without(document, *READ_BY_DETECTION), *words).out)
    reasons = {part["what"]: part["reason"] for part in found["not_compared"]}
    for part in ("cluster", "identity", "lifecycle", "network"):
        assert reasons[f"the drift of test-{part}"].startswith("Failed to detect drift on")


class Accepting(Controller):
    """Publishes the report of a run at once."""

    def turn(self) -> None:
        super().turn()
        s3 = self.deployed.account.client("s3")
        for key in self._keys():
            run = Path(key).stem
            report = {"schema_version": 1, "run": run, "level": "quick", "status": "ended"}
            node = {"name": "n1", "group": "workers", "verdict": "accepted", "action": "none"}
            report |= {"reason": "", "started_at": "2026-11-23T08:00:00Z", "nodes": [node]}
            s3.put_object(
                Bucket=self.deployed.bucket,
                Key=f"state/acceptance/runs/{run}.json",
                Body=json.dumps(report).encode(),
            )


def test_the_policy_of_accept(operator: Operator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(LIFECYCLE))
    program = importlib.import_module("clusterwright_state.requests")
    controller = Accepting(operator.deployed, program)
    monkeypatch.setattr("clusterwright.cli.accept_follow.time", controller)
    controller.publish()
    path = operator.deployed.path
    document = policy(path, "accept", "--iam-policy")
    read = actions(policy(path, "topology", "--iam-policy"))
    results = {"logs:DescribeLogGroups", "logs:FilterLogEvents"}
    assert actions(document) == read | results | {"s3:PutObject"}
    worker = next(n for n in operator.deployed.nodes() if n["InstanceGroupName"] == "workers")
    words = ("accept", path, "--nodes", worker["InstanceId"], "--format", "json")
    answer = operator.run(document, *words)
    assert answer.exit_code == 0, answer.out
    assert controller.verbs == [("accept", [node_name(worker)])]
    # Without ListBucket S3 denies an answer that does not exist yet; the local AWS does not.
    for action in sorted(actions(document) - {"s3:ListBucket"}):
        answer = operator.run(without(document, action), *words)
        assert answer.exit_code == 2, action
        (unknown,) = json.loads(answer.out)["unknown"]
        assert unknown["iam_action"] == action


def test_all_verbs_together(operator: Operator) -> None:
    path = operator.deployed.path
    whole = actions(policy(path, "node", "--iam-policy"))
    assert whole == {
        action
        for verb in ("drain", "resume", "reboot", "replace")
        for action in actions(policy(path, "node", verb, "--iam-policy"))
    }
    answer = clusterwright("node", "--iam-policy", path, "drain", path)
    assert (answer.exit_code, answer.out) == (3, "")


@pytest.mark.parametrize("platform", PLATFORMS)
def test_json_and_platforms(platform: str, tmp_path: Path) -> None:
    made = clusterwright("init", "--output", tmp_path / "test.yaml", "--platform", platform)
    assert made.exit_code == 0, made.err
    others = [("capacity",), ("topology",), ("drift",), ("diagnose",)]
    if platform in ("hyperpod-slurm", "parallelcluster"):
        others.append(("accept",))
    for words in (("status",), ("node", "replace"), *others):
        answer = clusterwright(*words, tmp_path / "test.yaml", "--iam-policy", "--format", "json")
        data = json.loads(answer.out)
        jsonschema.validate(data, schemas()[f"{words[0]}-output.schema.json"])
        assert data["command"] == words[0]
        names = {permission["action"] for permission in data["permissions"]}
        assert names == actions(data["policy"])
        assert not {name for name in names if "*" in name}
        assert ("s3:GetObject" in names) == (platform in ("hyperpod-slurm", "parallelcluster"))
        if words[0] in ("status", "node", "drift", "diagnose"):
            assert ("sagemaker:DescribeCluster" in names) == platform.startswith("hyperpod")
        acts = names & {"sagemaker:BatchReplaceClusterNodes", "ec2:TerminateInstances"}
        on_hyperpod = platform.startswith("hyperpod")
        replacing = (
            "sagemaker:BatchReplaceClusterNodes" if on_hyperpod else "ec2:TerminateInstances"
        )
        assert acts == ({replacing} if words[0] == "node" else set())
        limited = [each["Action"] for each in data["policy"]["Statement"] if "Condition" in each]
        assert limited == [[*acts]] * bool(acts)

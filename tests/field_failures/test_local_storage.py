"""Failures of file systems and buckets, each in a separate local AWS."""

from __future__ import annotations

import pytest
from botocore.exceptions import ClientError

from tests.field_failures import deployment
from tests.field_failures.parts import account, client
from tests.support import specs
from tests.support.synthesis import Build

pytestmark = pytest.mark.slow

LUSTRE = {"mount_path": "/fsx", "deployment_type": "SCRATCH_2", "capacity_gib": 1200}
SPEC = specs.changed({"storage.lustre": [LUSTRE], "protection": "destroy"})


def test_awsome_839_file_system_is_created_after_the_security_group_rules(build: Build) -> None:
    assembly = build(SPEC)
    rules = {
        name: resource["Properties"]
        for name, resource in assembly.templates["test-network"]["Resources"].items()
        if resource["Type"] == "AWS::EC2::SecurityGroupIngress"
    }
    lustre = [name for name, rule in rules.items() if rule.get("FromPort") in (988, 1018)]
    assert len(lustre) == 6
    base = ("test-identity", "test-network")
    with account():
        # The rules are missing when the file system is created, as in the report.
        network = deployment.without(assembly.templates["test-network"], *lustre)
        templates = {"test-network": network}
        outcomes = deployment.deploy(assembly, *base, "test-storage", templates=templates)
        assert outcomes["test-network"].ok
        failed = outcomes["test-storage"]
        assert failed.status == "ROLLBACK_COMPLETE"
        (reason,) = [text for text in failed.reasons if "Lustre" in text]
        assert "do not permit Lustre LNET network traffic on port 988" in reason
        # In the stacks, the rules are in a stack that is deployed before it.
        deployment.delete("test-storage")
        outcomes = deployment.deploy(assembly, *base, "test-storage", assets=False)
        assert all(outcome.ok for outcome in outcomes.values()), outcomes
    names = deployment.order(assembly)
    assert names.index("test-network") < names.index("test-storage")


def test_parallelcluster_6211_storage_survives_its_stack(build: Build) -> None:
    retain = specs.changed({"protection": "retain"}, base=SPEC)
    archive = {**LUSTRE, "mount_path": "/archive"}
    both = build(specs.changed({"storage.lustre": [LUSTRE, archive]}, base=retain))
    with account():
        names = ("test-identity", "test-network", "test-storage")
        outcomes = deployment.deploy(both, *names)
        assert all(outcome.ok for outcome in outcomes.values()), outcomes
        fsx, cloudformation = client("fsx"), client("cloudformation")

        def present() -> set[str]:
            found = fsx.describe_file_systems()["FileSystems"]
            assert {entry["Lifecycle"] for entry in found} == {"AVAILABLE"}
            return {entry["FileSystemId"] for entry in found}

        before = present()
        assert len(before) == 2
        # One file system is removed from the spec, and the stack is updated.
        outcome = deployment.deploy(build(retain), "test-storage", assets=False)["test-storage"]
        assert outcome.ok
        resources = cloudformation.describe_stack_resources(StackName="test-storage")
        kinds = [resource["ResourceType"] for resource in resources["StackResources"]]
        assert kinds.count("AWS::FSx::FileSystem") == 1
        assert present() == before
        # The stack refuses deletion; after a forced deletion, the data still exists.
        with pytest.raises(ClientError, match="TerminationProtection is enabled"):
            cloudformation.delete_stack(StackName="test-storage")
        cloudformation.update_termination_protection(
            StackName="test-storage", EnableTerminationProtection=False
        )
        assert deployment.delete("test-storage").status == "DELETE_COMPLETE"
        assert present() == before


def test_found_existing_bucket_is_kept_when_stacks_are_deleted(build: Build) -> None:
    """Everything is deleted with `protection: destroy`; resources of other users are unchanged."""
    repositories = [
        {"s3": "s3://acme-somebody-elses/tokens", "path": "/data", "import": ["NEW"]},
        {"s3": "s3://acme-out", "path": "/out", "export": ["NEW"], "create": True},
    ]
    lustre = {**LUSTRE, "repositories": repositories}
    assembly = build(specs.changed({"storage.lustre": [lustre]}, base=SPEC))
    names = [name for name in deployment.order(assembly) if name != "test-cluster"]
    with account():
        s3 = client("s3")
        s3.create_bucket(Bucket="acme-somebody-elses")
        s3.put_object(Bucket="acme-somebody-elses", Key="tokens/0001", Body=b"data")
        policy = s3.get_bucket_versioning(Bucket="acme-somebody-elses")
        outcomes = deployment.deploy(assembly, *names)
        assert all(outcome.ok for outcome in outcomes.values()), outcomes
        s3.put_object(Bucket="acme-out", Key="checkpoint", Body=b"data")
        for name in reversed(names):
            assert deployment.delete(name).status == "DELETE_COMPLETE", name
        buckets = {bucket["Name"] for bucket in s3.list_buckets()["Buckets"]}
        assert "acme-somebody-elses" in buckets
        assert "acme-out" not in buckets
        assert (
            s3.get_object(Bucket="acme-somebody-elses", Key="tokens/0001")["Body"].read()
            == b"data"
        )
        after = s3.get_bucket_versioning(Bucket="acme-somebody-elses")
        assert after.get("Status") == policy.get("Status")

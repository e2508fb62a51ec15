"""What takes time passes through its states, and refuses what AWS refuses meanwhile."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from clusterwright_localaws import local_aws
from clusterwright_localaws.cloudformation import store as stacks_store
from clusterwright_localaws.cloudformation.store import Settings
from clusterwright_localaws.core.runtime import Clock, Runtime
from clusterwright_localaws.core.timers import Timers
from packages.localaws.tests.cloudformation.stacks import (
    aws,
    cloudformation,
    described,
    parameter,
    settled,
    template,
)
from packages.localaws.tests.delays import WAITED

SLOW = {"database": 60, "nat_gateway": 60, "endpoint": 60, "workspace": 60}
DB = {
    "DBInstanceIdentifier": "db",
    "DBInstanceClass": "db.t4g.medium",
    "Engine": "mysql",
    "AllocatedStorage": 20,
    "MasterUsername": "slurm",
    "MasterUserPassword": "not-a-secret-1",
}


@pytest.fixture
def slow() -> Iterator[Runtime]:
    with local_aws(delays=SLOW) as runtime:
        yield runtime


def refusal(call: Callable[..., Any], **parameters: Any) -> tuple[str, str]:
    with pytest.raises(ClientError) as caught:
        call(**parameters)
    error = caught.value.response["Error"]
    return error["Code"], error["Message"]


class TestAgenda:
    def test_what_is_due_is_done_in_the_order_of_time(self) -> None:
        clock, done = Clock(), []
        timers = Timers(clock)
        for seconds in (20, 0, 10):
            timers.after(seconds, lambda seconds=seconds: done.append(seconds))  # type: ignore[misc]
        timers.advance()
        assert done == [0]
        clock.advance(30)
        timers.advance()
        assert done == [0, 10, 20]

    def test_what_is_done_may_ask_for_more(self) -> None:
        timers, done = Timers(Clock()), []
        timers.after(0, lambda: timers.after(0, lambda: done.append("second")))
        timers.advance()
        assert done == ["second"]


class TestDatabases:
    def state(self) -> str:
        found = aws("rds").describe_db_instances(DBInstanceIdentifier="db")["DBInstances"]
        return str(found[0]["DBInstanceStatus"])

    def test_an_instance_is_created_changed_and_deleted(self, slow: Runtime) -> None:
        rds = aws("rds")
        made = rds.create_db_instance(**DB)["DBInstance"]
        assert made["DBInstanceStatus"] == self.state() == "creating"
        slow.clock.advance(61)
        assert self.state() == "available"
        rds.modify_db_instance(DBInstanceIdentifier="db", AllocatedStorage=30)
        assert self.state() == "modifying"
        slow.clock.advance(61)
        assert self.state() == "available"
        rds.delete_db_instance(DBInstanceIdentifier="db", SkipFinalSnapshot=True)
        assert self.state() == "deleting"
        slow.clock.advance(61)
        assert rds.describe_db_instances()["DBInstances"] == []

    def test_meanwhile_it_refuses_changes(self, slow: Runtime) -> None:
        rds = aws("rds")
        rds.create_db_instance(**DB)
        changed = {"DBInstanceIdentifier": "db", "AllocatedStorage": 30}
        assert refusal(rds.modify_db_instance, **changed) == (
            "InvalidDBInstanceState",
            "Database instance is not in available state.",
        )
        code, message = refusal(
            rds.delete_db_instance,
            DBInstanceIdentifier="db",
            FinalDBSnapshotIdentifier="last",
        )
        assert code == "InvalidDBInstanceState"
        assert "is not currently in the available state" in message
        rds.delete_db_instance(DBInstanceIdentifier="db", SkipFinalSnapshot=True)
        again = refusal(rds.delete_db_instance, DBInstanceIdentifier="db", SkipFinalSnapshot=True)
        assert again == ("InvalidDBInstanceState", "Instance db is already being deleted.")

    def test_without_delays_only_the_answer_says_so(self) -> None:
        with local_aws():
            made = aws("rds").create_db_instance(**DB)["DBInstance"]
            assert made["DBInstanceStatus"] == "creating"
            assert self.state() == "available"

    def test_boto3s_waiter_waits(self) -> None:
        with local_aws(delays={"database": 0.3}):
            rds = aws("rds")
            rds.create_db_instance(**DB)
            waiter = rds.get_waiter("db_instance_available")
            waiter.wait(DBInstanceIdentifier="db", WaiterConfig={"Delay": 1, "MaxAttempts": 3})
            assert self.state() == "available"


class TestGateways:
    def test_a_nat_gateway(self, slow: Runtime) -> None:
        ec2 = aws("ec2")
        vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
        subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.0.0/24")["Subnet"]["SubnetId"]
        address = ec2.allocate_address(Domain="vpc")["AllocationId"]
        made = ec2.create_nat_gateway(SubnetId=subnet, AllocationId=address)["NatGateway"]
        item = made["NatGatewayId"]

        def state() -> str:
            found = ec2.describe_nat_gateways(NatGatewayIds=[item])["NatGateways"]
            return str(found[0]["State"])

        assert made["State"] == state() == "pending"
        slow.clock.advance(61)
        assert state() == "available"
        ec2.delete_nat_gateway(NatGatewayId=item)
        assert state() == "deleting"
        # Its interface and its address are its own until it is gone.
        assert refusal(ec2.delete_subnet, SubnetId=subnet)[0] == "DependencyViolation"
        slow.clock.advance(61)
        assert state() == "deleted"
        ec2.delete_subnet(SubnetId=subnet)
        ec2.release_address(AllocationId=address)
        assert refusal(ec2.delete_nat_gateway, NatGatewayId=item)[0] == "NatGatewayNotFound"

    def test_an_interface_endpoint_waits_and_a_gateway_one_does_not(self, slow: Runtime) -> None:
        ec2 = aws("ec2")
        vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
        subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.0.0/24")["Subnet"]["SubnetId"]
        interface = ec2.create_vpc_endpoint(
            VpcId=vpc,
            VpcEndpointType="Interface",
            ServiceName="com.amazonaws.us-east-1.ssm",
            SubnetIds=[subnet],
        )["VpcEndpoint"]
        gateway = ec2.create_vpc_endpoint(
            VpcId=vpc, VpcEndpointType="Gateway", ServiceName="com.amazonaws.us-east-1.s3"
        )["VpcEndpoint"]
        assert (interface["State"], gateway["State"]) == ("pending", "available")
        slow.clock.advance(61)
        ids = [interface["VpcEndpointId"]]
        (found,) = ec2.describe_vpc_endpoints(VpcEndpointIds=ids)["VpcEndpoints"]
        assert found["State"] == "available"
        ec2.delete_vpc_endpoints(VpcEndpointIds=ids)
        (found,) = ec2.describe_vpc_endpoints(VpcEndpointIds=ids)["VpcEndpoints"]
        assert found["State"] == "deleting"
        slow.clock.advance(61)
        ec2.delete_subnet(SubnetId=subnet)


class TestWorkspaces:
    def test_a_workspace(self, slow: Runtime) -> None:
        amp = aws("amp")
        made = amp.create_workspace(alias="a")
        assert made["status"]["statusCode"] == "CREATING"
        item = made["workspaceId"]
        assert refusal(amp.delete_workspace, workspaceId=item)[0] == "ConflictException"
        slow.clock.advance(61)
        amp.update_workspace_alias(workspaceId=item, alias="b")
        amp.delete_workspace(workspaceId=item)
        state = amp.describe_workspace(workspaceId=item)["workspace"]["status"]["statusCode"]
        assert state == "DELETING"
        slow.clock.advance(61)
        assert amp.list_workspaces()["workspaces"] == []


class TestKeys:
    def test_a_key_that_waits_for_its_deletion(self) -> None:
        with local_aws() as runtime:
            kms = aws("kms")
            key = kms.create_key()["KeyMetadata"]
            kms.create_alias(AliasName="alias/a", TargetKeyId=key["KeyId"])
            kms.schedule_key_deletion(KeyId=key["Arn"], PendingWindowInDays=7)
            assert refusal(kms.enable_key, KeyId=key["KeyId"])[0] == "KMSInvalidStateException"
            runtime.clock.advance(6 * 86_400)
            assert kms.describe_key(KeyId=key["KeyId"])["KeyMetadata"]["KeyState"] == (
                "PendingDeletion"
            )
            runtime.clock.advance(2 * 86_400)
            assert refusal(kms.describe_key, KeyId=key["KeyId"])[0] == "NotFoundException"
            aliases = kms.list_aliases()["Aliases"]
            assert [alias for alias in aliases if alias["AliasName"] == "alias/a"] == []

    def test_a_deletion_that_is_cancelled(self) -> None:
        with local_aws() as runtime:
            kms = aws("kms")
            key = kms.create_key()["KeyMetadata"]["KeyId"]
            kms.schedule_key_deletion(KeyId=key, PendingWindowInDays=7)
            kms.cancel_key_deletion(KeyId=key)
            runtime.clock.advance(8 * 86_400)
            assert kms.describe_key(KeyId=key)["KeyMetadata"]["KeyState"] == "Disabled"


class TestStacks:
    @pytest.fixture(autouse=True)
    def _answers_at_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(stacks_store, "settings", Settings(settle_s=0.0))

    def follow(self, name: str) -> set[str]:
        """The states of the stack's resources on its way to the end."""
        seen = set()
        while described(name)["StackStatus"].endswith("_IN_PROGRESS"):
            found = cloudformation().describe_stack_resources(StackName=name)["StackResources"]
            seen |= {f"{item['LogicalResourceId']} {item['ResourceStatus']}" for item in found}
            time.sleep(0.02)
        return seen

    def test_a_stack_waits_for_what_takes_time_side_by_side(self) -> None:
        delays = dict.fromkeys(SLOW, 0.5)
        with local_aws(delays=delays):
            started = time.monotonic()
            cloudformation().create_stack(StackName="s", TemplateBody=template(WAITED))
            stack_id = described("s")["StackId"]
            seen = self.follow(stack_id)
            took_s = time.monotonic() - started
            assert described(stack_id)["StackStatus"] == "CREATE_COMPLETE"
            for name in ("Nat", "Endpoint", "Db", "Metrics"):
                assert f"{name} CREATE_IN_PROGRESS" in seen
            assert 0.5 <= took_s < 2.5
            changed = {**WAITED, "Db": {**WAITED["Db"]}}
            changed["Db"]["Properties"] = {**WAITED["Db"]["Properties"], "AllocatedStorage": "30"}
            cloudformation().update_stack(StackName="s", TemplateBody=template(changed))
            assert "Db UPDATE_IN_PROGRESS" in self.follow(stack_id)
            cloudformation().delete_stack(StackName="s")
            seen = self.follow(stack_id)
            for name in ("Nat", "Endpoint", "Db", "Metrics"):
                assert f"{name} DELETE_IN_PROGRESS" in seen
            assert described(stack_id)["StackStatus"] == "DELETE_COMPLETE"
            assert aws("rds").describe_db_instances()["DBInstances"] == []
            assert aws("amp").list_workspaces()["workspaces"] == []
            assert aws("ec2").describe_addresses()["Addresses"] == []

    def test_a_failure_beside_them_rolls_all_of_them_back(self) -> None:
        broken = parameter("x", DependsOn="Vpc")
        broken["Properties"]["Name"] = "aws/not-allowed"
        with local_aws(delays=dict.fromkeys(SLOW, 0.3)):
            body = template({**WAITED, "Broken": broken})
            cloudformation().create_stack(StackName="s", TemplateBody=body)
            assert settled("s")["StackStatus"] == "ROLLBACK_COMPLETE"
            assert aws("rds").describe_db_instances()["DBInstances"] == []
            assert aws("amp").list_workspaces()["workspaces"] == []
            assert aws("ec2").describe_addresses()["Addresses"] == []

    def test_a_stack_in_progress_refuses_an_update(self) -> None:
        with local_aws(delays={"workspace": 0.5}):
            body = template({"Metrics": WAITED["Metrics"]})
            cloudformation().create_stack(StackName="s", TemplateBody=body)
            code, message = refusal(
                cloudformation().update_stack,
                StackName="s",
                TemplateBody=template({"Metrics": WAITED["Metrics"], "P": parameter("x")}),
            )
            assert code == "ValidationError"
            assert "CREATE_IN_PROGRESS state and can not be updated" in message
            assert settled("s")["StackStatus"] == "CREATE_COMPLETE"


def test_many_callers_see_one_timers_object() -> None:
    """Clients on several threads move the time on together; nothing happens twice."""
    done: list[int] = []
    timers = Timers(Clock())
    for number in range(200):
        timers.after(0, lambda number=number: done.append(number))  # type: ignore[misc]
    threads = [threading.Thread(target=timers.advance) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert done == list(range(200))

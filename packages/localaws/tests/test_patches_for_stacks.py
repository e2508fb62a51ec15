"""What is mended in moto, and added to it, because stacks need it."""

from __future__ import annotations

import io
import json
import time
import zipfile
from typing import Any

import pytest

from clusterwright_localaws import local_aws
from clusterwright_localaws.core import boto_clients
from packages.localaws.tests.parts import Site, client, refusal

ACCOUNT = "123456789012"
ANYBODY = "*"


class TestManagedInterfaces:
    """ec2_managed_interfaces"""

    def endpoint(self, site: Site, **more: Any) -> dict[str, Any]:
        request = {
            "VpcId": site.vpc_id,
            "ServiceName": "com.amazonaws.us-east-1.ssm",
            "VpcEndpointType": "Interface",
            "SubnetIds": [site.subnet_id],
            **more,
        }
        made: dict[str, Any] = client("ec2").create_vpc_endpoint(**request)["VpcEndpoint"]
        return made

    def interfaces(self, endpoint_id: str) -> dict[str, dict[str, Any]]:
        (vpc_endpoint,) = client("ec2").describe_vpc_endpoints(VpcEndpointIds=[endpoint_id])[
            "VpcEndpoints"
        ]
        found = client("ec2").describe_network_interfaces(
            NetworkInterfaceIds=vpc_endpoint["NetworkInterfaceIds"]
        )["NetworkInterfaces"]
        return {each["SubnetId"]: each for each in found}

    def test_an_endpoints_interfaces_have_its_groups(self, site: Site) -> None:
        made = self.endpoint(site, SecurityGroupIds=[site.group_id])
        eni = self.interfaces(made["VpcEndpointId"])[site.subnet_id]
        assert [group["GroupId"] for group in eni["Groups"]] == [site.group_id]
        found, _ = refusal(client("ec2").delete_security_group, GroupId=site.group_id)
        assert found == "DependencyViolation"
        client("ec2").delete_vpc_endpoints(VpcEndpointIds=[made["VpcEndpointId"]])
        client("ec2").delete_security_group(GroupId=site.group_id)

    def test_without_a_group_it_has_the_default_one(self, site: Site) -> None:
        made = self.endpoint(site)
        (eni,) = self.interfaces(made["VpcEndpointId"]).values()
        assert [group["GroupName"] for group in eni["Groups"]] == ["default"]

    def test_interfaces_come_and_go_with_subnets(self, site: Site) -> None:
        ec2 = client("ec2")
        other = ec2.create_subnet(
            VpcId=site.vpc_id, CidrBlock="10.0.200.0/24", AvailabilityZoneId="use1-az4"
        )["Subnet"]["SubnetId"]
        made = self.endpoint(site)["VpcEndpointId"]
        ec2.modify_vpc_endpoint(VpcEndpointId=made, AddSubnetIds=[other])
        assert set(self.interfaces(made)) == {site.subnet_id, other}
        ec2.modify_vpc_endpoint(VpcEndpointId=made, RemoveSubnetIds=[site.subnet_id])
        assert set(self.interfaces(made)) == {other}
        ec2.modify_vpc_endpoint(VpcEndpointId=made, PrivateDnsEnabled=True)
        (vpc_endpoint,) = ec2.describe_vpc_endpoints(VpcEndpointIds=[made])["VpcEndpoints"]
        assert vpc_endpoint["PrivateDnsEnabled"]

    def test_a_gateway_endpoint_follows_its_route_tables(self, site: Site) -> None:
        ec2 = client("ec2")
        first, second = (
            ec2.create_route_table(VpcId=site.vpc_id)["RouteTable"]["RouteTableId"]
            for _ in range(2)
        )

        def routed() -> set[str]:
            tables = ec2.describe_route_tables(RouteTableIds=[first, second])["RouteTables"]
            return {
                table["RouteTableId"]
                for table in tables
                if any(route.get("GatewayId") == made for route in table["Routes"])
            }

        made = self.endpoint(
            site,
            ServiceName="com.amazonaws.us-east-1.s3",
            VpcEndpointType="Gateway",
            SubnetIds=[],
            RouteTableIds=[first],
        )["VpcEndpointId"]
        assert routed() == {first}
        ec2.modify_vpc_endpoint(
            VpcEndpointId=made, AddRouteTableIds=[second], RemoveRouteTableIds=[first]
        )
        assert routed() == {second}

    def test_a_nat_gateway_gives_up_its_interface_and_address(self, site: Site) -> None:
        ec2 = client("ec2")
        free = site.free_addresses()
        address = ec2.allocate_address(Domain="vpc")["AllocationId"]
        gateway = ec2.create_nat_gateway(SubnetId=site.subnet_id, AllocationId=address)
        assert site.free_addresses() == free - 1
        ec2.delete_nat_gateway(NatGatewayId=gateway["NatGateway"]["NatGatewayId"])
        assert site.free_addresses() == free
        ec2.release_address(AllocationId=address)


@pytest.mark.usefixtures("aws")
class TestManagedPolicies:
    """iam_managed_policies"""

    def test_awss_own_policies_exist(self) -> None:
        iam = client("iam")
        found = iam.get_policy(PolicyArn="arn:aws:iam::aws:policy/AdministratorAccess")
        assert found["Policy"]["PolicyName"] == "AdministratorAccess"
        assert iam.list_policies(Scope="Local")["Policies"] == []
        code, _ = refusal(iam.get_policy, PolicyArn="arn:aws:iam::aws:policy/NoSuchThing")
        assert code == "NoSuchEntity"


@pytest.mark.usefixtures("aws")
class TestBuckets:
    """s3_access_logs, s3_directory_buckets, s3_policy_conditions"""

    def test_no_access_logs_are_delivered(self) -> None:
        s3 = client("s3")
        s3.create_bucket(Bucket="access-logs", ObjectOwnership="BucketOwnerPreferred")
        s3.put_bucket_acl(Bucket="access-logs", ACL="log-delivery-write")
        s3.create_bucket(Bucket="data")
        s3.put_bucket_logging(
            Bucket="data",
            BucketLoggingStatus={
                "LoggingEnabled": {"TargetBucket": "access-logs", "TargetPrefix": ""}
            },
        )
        s3.put_object(Bucket="data", Key="k", Body=b"1")
        assert s3.list_objects_v2(Bucket="access-logs")["KeyCount"] == 0

    def directory(self, name: str, zone: str = "use1-az6") -> Any:
        # As stacks do it: botocore's own host for directory buckets is not served.
        return boto_clients.client("s3", account=ACCOUNT, region="us-east-1").create_bucket(
            Bucket=name,
            CreateBucketConfiguration={
                "Location": {"Type": "AvailabilityZone", "Name": zone},
                "Bucket": {"Type": "Directory", "DataRedundancy": "SingleAvailabilityZone"},
            },
        )

    def test_a_directory_bucket(self) -> None:
        self.directory("fast--use1-az6--x-s3")
        assert [bucket["Name"] for bucket in client("s3").list_buckets()["Buckets"]] == [
            "fast--use1-az6--x-s3"
        ]

    @pytest.mark.parametrize(
        ("name", "zone"),
        [
            ("fast", "use1-az6"),
            ("fast--use1-az4--x-s3", "use1-az6"),
            ("fast--use1-az99--x-s3", "use1-az99"),
            ("fast--use2-az1--x-s3", "use2-az1"),
        ],
    )
    def test_its_name_must_end_in_a_zone_of_the_region(self, name: str, zone: str) -> None:
        assert refusal(lambda **_: self.directory(name, zone))[0] == "InvalidBucketName"

    @pytest.mark.parametrize(
        ("statement", "denied"),
        [
            ({"Condition": {"Bool": {"aws:SecureTransport": "false"}}}, False),
            ({"Condition": {"Bool": {"aws:SecureTransport": "true"}}}, True),
            ({"Condition": {"StringNotEquals": {"aws:SourceVpc": "vpc-1"}}}, False),
            ({"Principal": {"AWS": f"arn:aws:iam::{ACCOUNT}:role/other"}}, False),
            ({}, True),
        ],
    )
    def test_a_policys_conditions_are_heard(self, statement: dict[str, Any], denied: bool) -> None:
        s3 = client("s3")
        s3.create_bucket(Bucket="data")
        s3.put_object(Bucket="data", Key="k", Body=b"1")
        policy = {
            "Version": "2012-10-17",
            "Statement": [
                {
                    "Effect": "Deny",
                    "Principal": ANYBODY,
                    "Action": "s3:GetObject",
                    "Resource": "arn:aws:s3:::data/*",
                    **statement,
                }
            ],
        }
        s3.put_bucket_policy(Bucket="data", Policy=json.dumps(policy))
        if denied:
            assert refusal(s3.get_object, Bucket="data", Key="k")[0] == "403"
        else:
            assert s3.get_object(Bucket="data", Key="k")["Body"].read() == b"1"


class TestFunctions:
    """lambda_not_run, secretsmanager_rotation"""

    @pytest.fixture
    def function(self, site: Site) -> str:
        code = io.BytesIO()
        with zipfile.ZipFile(code, "w") as archive:
            archive.writestr("index.py", "def handler(event, context): return 1\n")
        iam = client("iam")
        trust = {"Version": "2012-10-17", "Statement": []}
        role = iam.create_role(RoleName="f", AssumeRolePolicyDocument=json.dumps(trust))
        made = client("lambda").create_function(
            FunctionName="f",
            Runtime="python3.13",
            Role=role["Role"]["Arn"],
            Handler="index.handler",
            Code={"ZipFile": code.getvalue()},
        )
        return str(made["FunctionArn"])

    def test_a_function_is_kept_and_not_run(self, function: str) -> None:
        start = time.monotonic()
        answer = client("lambda").invoke(FunctionName=function)
        assert time.monotonic() - start < 10
        assert answer["FunctionError"]
        assert json.load(answer["Payload"])["errorType"] == "NotRun"

    def test_a_rotation_is_kept_and_not_done(self, function: str) -> None:
        secrets = client("secretsmanager")
        secret = secrets.create_secret(Name="s", SecretString="before")["ARN"]
        secrets.rotate_secret(
            SecretId=secret,
            RotationLambdaARN=function,
            RotationRules={"AutomaticallyAfterDays": 30},
        )
        about = secrets.describe_secret(SecretId=secret)
        assert (about["RotationEnabled"], about["RotationLambdaARN"]) == (True, function)
        assert secrets.get_secret_value(SecretId=secret)["SecretString"] == "before"
        stages = [stage for item in about["VersionIdsToStages"].values() for stage in item]
        assert stages == ["AWSCURRENT"]

    def test_a_function_that_is_not_there_cannot_rotate(self, site: Site) -> None:
        secrets = client("secretsmanager")
        secret = secrets.create_secret(Name="s", SecretString="x")["ARN"]
        absent = f"arn:aws:lambda:us-east-1:{ACCOUNT}:function:absent"
        code, _ = refusal(
            secrets.rotate_secret,
            SecretId=secret,
            RotationLambdaARN=absent,
            RotationRules={"AutomaticallyAfterDays": 30},
        )
        assert code == "ResourceNotFoundException"


@pytest.mark.usefixtures("aws")
class TestDashboardTags:
    """cloudwatch_dashboard_tags"""

    def test_a_dashboard_has_tags(self) -> None:
        cloudwatch = client("cloudwatch")
        tags = [{"Key": "team", "Value": "ml"}]
        cloudwatch.put_dashboard(DashboardName="d", DashboardBody="{}", Tags=tags)
        arn = cloudwatch.get_dashboard(DashboardName="d")["DashboardArn"]
        assert cloudwatch.list_tags_for_resource(ResourceARN=arn)["Tags"] == tags
        more = {"Key": "stage", "Value": "dev"}
        cloudwatch.tag_resource(ResourceARN=arn, Tags=[more])
        # An existing dashboard keeps its tags, whatever PutDashboard says.
        cloudwatch.put_dashboard(DashboardName="d", DashboardBody='{"widgets": []}', Tags=[])
        assert cloudwatch.list_tags_for_resource(ResourceARN=arn)["Tags"] == [*tags, more]


@pytest.mark.usefixtures("aws")
class TestQueuePolicy:
    """sqs_policy_stays"""

    def test_a_policy_stays_whatever_else_is_set(self) -> None:
        sqs = client("sqs")
        url = sqs.create_queue(QueueName="q")["QueueUrl"]

        def policy() -> str | None:
            answer = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])
            return answer["Attributes"].get("Policy")

        assert policy() is None
        statement = {"Effect": "Allow", "Principal": "*", "Action": "sqs:SendMessage"}
        text = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
        sqs.set_queue_attributes(QueueUrl=url, Attributes={"Policy": text})
        sqs.set_queue_attributes(QueueUrl=url, Attributes={"DelaySeconds": "5"})
        assert policy() == text
        # Without words it is taken away.
        sqs.set_queue_attributes(QueueUrl=url, Attributes={"Policy": ""})
        assert policy() is None


@pytest.mark.usefixtures("aws")
class TestAdded:
    """services/logs_keys.py, services/budgets_update.py, services/rds_parameters.py"""

    def test_a_log_groups_key_comes_and_goes(self) -> None:
        logs = client("logs")
        logs.create_log_group(logGroupName="/a")

        def key() -> str | None:
            return logs.describe_log_groups()["logGroups"][0].get("kmsKeyId")

        kms = client("kms")
        arn = kms.create_key()["KeyMetadata"]["Arn"]
        for call in (logs.associate_kms_key, logs.create_log_group):
            name = "/a" if call == logs.associate_kms_key else "/c"
            code, message = refusal(call, logGroupName=name, kmsKeyId=arn)
            assert code == "InvalidParameterException"
            assert f"not allowed to be used with Arn 'arn:aws:logs:us-east-1:{ACCOUNT}" in message
        statement: dict[str, Any] = {
            "Effect": "Allow",
            "Principal": {"Service": "logs.us-east-1.amazonaws.com"},
            "Action": ["kms:Encrypt*", "kms:Decrypt*", "kms:GenerateDataKey*", "kms:Describe*"],
            "Resource": "*",
        }
        for group in ("/b", "/?"):
            condition = {
                "kms:EncryptionContext:aws:logs:arn": f"arn:aws:logs:*:*:log-group:{group}"
            }
            statement["Condition"] = {"ArnLike": condition}
            text = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
            kms.put_key_policy(KeyId=arn, PolicyName="default", Policy=text)
            if group == "/b":
                assert refusal(logs.associate_kms_key, logGroupName="/a", kmsKeyId=arn)
        logs.associate_kms_key(logGroupName="/a", kmsKeyId=arn)
        logs.create_log_group(logGroupName="/c", kmsKeyId=arn)
        logs.delete_log_group(logGroupName="/c")
        assert key() == arn
        logs.disassociate_kms_key(
            resourceIdentifier=f"arn:aws:logs:us-east-1:{ACCOUNT}:log-group:/a"
        )
        assert key() is None
        code, _ = refusal(logs.associate_kms_key, logGroupName="/b", kmsKeyId=arn)
        assert code == "ResourceNotFoundException"
        code, _ = refusal(logs.associate_kms_key, kmsKeyId=arn)
        assert code == "InvalidParameterException"

    def test_a_budget_changes(self) -> None:
        budgets = client("budgets")

        def budget(name: str, usd: str | None) -> dict[str, Any]:
            limit = {"BudgetLimit": {"Amount": usd, "Unit": "USD"}} if usd else {}
            return {"BudgetName": name, "TimeUnit": "MONTHLY", "BudgetType": "COST", **limit}

        budgets.create_budget(AccountId=ACCOUNT, Budget=budget("b", "10"))
        before = budgets.describe_budget(AccountId=ACCOUNT, BudgetName="b")["Budget"]
        budgets.update_budget(AccountId=ACCOUNT, NewBudget=budget("b", "20"))
        after = budgets.describe_budget(AccountId=ACCOUNT, BudgetName="b")["Budget"]
        assert after["BudgetLimit"]["Amount"] == "20"
        assert after["TimePeriod"] == before["TimePeriod"]
        update = budgets.update_budget
        absent = refusal(update, AccountId=ACCOUNT, NewBudget=budget("c", "1"))
        assert absent[0] == "NotFoundException"
        endless = refusal(update, AccountId=ACCOUNT, NewBudget=budget("b", None))
        assert endless[0] == "InvalidParameterException"

    def test_a_database_parameter_is_set_back(self) -> None:
        rds = client("rds")
        rds.create_db_parameter_group(
            DBParameterGroupName="p", DBParameterGroupFamily="mysql8.0", Description="d"
        )
        rds.modify_db_parameter_group(
            DBParameterGroupName="p",
            Parameters=[
                {"ParameterName": name, "ParameterValue": "1", "ApplyMethod": "pending-reboot"}
                for name in ("a", "b")
            ],
        )

        def names() -> list[str]:
            found = rds.describe_db_parameters(DBParameterGroupName="p")["Parameters"]
            return [item["ParameterName"] for item in found]

        assert names() == ["a", "b"]
        item = {"ParameterName": "a", "ApplyMethod": "pending-reboot"}
        rds.reset_db_parameter_group(DBParameterGroupName="p", Parameters=[item])
        assert names() == ["b"]
        rds.reset_db_parameter_group(DBParameterGroupName="p", ResetAllParameters=True)
        assert names() == []
        code, _ = refusal(rds.reset_db_parameter_group, DBParameterGroupName="q")
        assert code == "DBParameterGroupNotFound"


def test_without_a_local_aws_moto_is_as_it_was() -> None:
    """The patches stay installed in the process; outside of a local AWS they do nothing."""
    import moto

    with local_aws():
        client("iam").list_policies()
    with moto.mock_aws():
        code, _ = refusal(
            client("iam").get_policy, PolicyArn="arn:aws:iam::aws:policy/AdministratorAccess"
        )
        assert code == "NoSuchEntity"


class TestInterfacesOfInstances:
    """ec2_interfaces_end"""

    def launched(self, site: Site, **interface: Any) -> tuple[str, str]:
        """An instance and its interface."""
        spec = {"DeviceIndex": 0, "SubnetId": site.subnet_id, **interface}
        if "NetworkInterfaceId" in interface:
            del spec["SubnetId"]
        image = client("ec2").describe_images(Owners=["amazon"])["Images"][0]["ImageId"]
        (instance,) = client("ec2").run_instances(
            ImageId=image,
            InstanceType="m5.large",
            MinCount=1,
            MaxCount=1,
            NetworkInterfaces=[spec],
        )["Instances"]
        return instance["InstanceId"], instance["NetworkInterfaces"][0]["NetworkInterfaceId"]

    def left(self, instance_id: str) -> list[str]:
        client("ec2").terminate_instances(InstanceIds=[instance_id])
        found = client("ec2").describe_network_interfaces()["NetworkInterfaces"]
        return [item["NetworkInterfaceId"] for item in found]

    def test_what_came_with_it_goes_with_it(self, site: Site) -> None:
        instance, _ = self.launched(site)
        assert self.left(instance) == []

    def test_what_the_launch_keeps_stays(self, site: Site) -> None:
        instance, interface = self.launched(site, DeleteOnTermination=False)
        assert self.left(instance) == [interface]

    def test_what_was_there_before_stays(self, site: Site) -> None:
        made = client("ec2").create_network_interface(SubnetId=site.subnet_id)
        existing = made["NetworkInterface"]["NetworkInterfaceId"]
        instance, interface = self.launched(site, NetworkInterfaceId=existing)
        assert interface == existing
        assert self.left(instance) == [existing]


def test_an_instance_has_the_processors_of_its_type(site: Site) -> None:
    """ec2_cpu_options: `clusterwright check` counts the vCPUs that run."""
    image = client("ec2").describe_images(Owners=["amazon"])["Images"][0]["ImageId"]
    client("ec2").run_instances(
        ImageId=image, InstanceType="m5.2xlarge", MinCount=2, MaxCount=2, SubnetId=site.subnet_id
    )
    found = client("ec2").describe_instances()["Reservations"][0]["Instances"]
    assert [item["CpuOptions"] for item in found] == [{"CoreCount": 4, "ThreadsPerCore": 2}] * 2

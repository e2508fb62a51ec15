"""Effects of CloudFormation updates on resources, from two templates."""

from __future__ import annotations

from typing import Any

import pytest

from tests.review.templates import analysis, app, changes, export, resource, stack

FILE_SYSTEM = "AWS::FSx::FileSystem"


def lustre(**attributes: Any) -> dict[str, Any]:
    return resource(
        FILE_SYSTEM,
        **{
            "FileSystemType": "LUSTRE",
            "StorageCapacity": 4800,
            "SubnetIds": ["subnet-1"],
            **attributes,
        },
    )


def test_nothing_changes() -> None:
    same = app(a=stack({"Fs": lustre()}))
    assert changes(same, same) == {}


def test_create_only_property_replaces_and_reports_the_loss() -> None:
    before, after = lustre(), lustre(SubnetIds=["subnet-2"])
    change = changes(app(a=stack({"Fs": before})), app(a=stack({"Fs": after})))["a/Fs"]
    assert (change.effect, change.action, change.certainty) == ("replace", "replace", "certain")
    assert change.data_loss
    assert change.outcome == "lost: files"
    assert "SubnetIds" in change.reasons[0]


def test_retained_resource_is_not_lost_but_the_new_one_is_empty() -> None:
    keep = {"UpdateReplacePolicy": "Retain", "DeletionPolicy": "RetainExceptOnCreate"}
    before, after = lustre(**keep), lustre(SubnetIds=["subnet-2"], **keep)
    change = changes(app(a=stack({"Fs": before})), app(a=stack({"Fs": after})))["a/Fs"]
    assert change.effect == "replace"
    assert not change.data_loss
    assert change.outcome is not None
    assert "empty" in change.outcome


def test_removed_retention_policy_does_not_retain() -> None:
    before = lustre(UpdateReplacePolicy="Retain")
    after = lustre(SubnetIds=["subnet-2"], UpdateReplacePolicy="Delete")
    assert changes(app(a=stack({"Fs": before})), app(a=stack({"Fs": after})))["a/Fs"].data_loss


def test_weaker_retention_policy_is_reported() -> None:
    before, after = lustre(DeletionPolicy="Retain"), lustre()
    change = changes(app(a=stack({"Fs": before})), app(a=stack({"Fs": after})))["a/Fs"]
    assert change.effect == "none"
    assert change.reasons == ("DeletionPolicy: Retain becomes Delete",)


@pytest.mark.parametrize(
    ("policy", "lost", "outcome"),
    [
        (None, False, "a snapshot is retained"),
        ("Delete", True, "lost: a database"),
        ("Retain", False, "it is retained outside the stack"),
    ],
)
def test_deletion_of_a_database_is_reported(policy: str | None, lost: bool, outcome: str) -> None:
    attributes = {"DeletionPolicy": policy} if policy else {}
    database = resource("AWS::RDS::DBInstance", DBInstanceClass="db.t3.large", **attributes)
    topic = resource("AWS::SNS::Topic")
    change = changes(app(a=stack({"Db": database, "T": topic})), app(a=stack({"T": topic})))[
        "a/Db"
    ]
    assert (change.effect, change.data_loss, change.outcome) == ("delete", lost, outcome)


def test_mutable_property_updates_and_interrupting_one_restarts() -> None:
    before = resource("AWS::RDS::DBInstance", DBInstanceClass="db.t3.large", AllocatedStorage=20)
    larger = resource("AWS::RDS::DBInstance", DBInstanceClass="db.t3.large", AllocatedStorage=40)
    faster = resource("AWS::RDS::DBInstance", DBInstanceClass="db.m5.large", AllocatedStorage=20)
    one = app(a=stack({"Db": before}))
    assert changes(one, app(a=stack({"Db": larger})))["a/Db"].effect == "update"
    assert changes(one, app(a=stack({"Db": faster})))["a/Db"].effect == "restart"


def test_conditional_property_counts_as_replacement_unless_documented() -> None:
    def instance(**properties: Any) -> dict[str, Any]:
        return resource("AWS::RDS::DBInstance", DBInstanceClass="db.t3.large", **properties)

    one = app(a=stack({"Db": instance(Engine="mysql", MultiAZ=False)}))
    engine = changes(one, app(a=stack({"Db": instance(Engine="mariadb", MultiAZ=False)})))["a/Db"]
    assert (engine.effect, engine.certainty) == ("replace", "possible")
    zones = changes(one, app(a=stack({"Db": instance(Engine="mysql", MultiAZ=True)})))["a/Db"]
    assert zones.effect == "restart"


def test_documented_replacements_without_schema_entry() -> None:
    def efa(on: bool) -> dict[str, Any]:
        return lustre(LustreConfiguration={"EfaEnabled": on, "DataCompressionType": "LZ4"})

    change = changes(app(a=stack({"Fs": efa(False)})), app(a=stack({"Fs": efa(True)})))["a/Fs"]
    assert change.effect == "replace"


def test_replacement_follows_references_across_stacks() -> None:
    def network(zone: str) -> dict[str, Any]:
        subnet = resource("AWS::EC2::Subnet", AvailabilityZoneId=zone, VpcId="vpc-1")
        value = {"Fn::GetAtt": ["Subnet", "SubnetId"]}
        return stack({"Subnet": subnet}, Outputs={"S": export("net:subnet", value)})

    storage = stack(
        {
            "Fs": lustre(SubnetIds=[{"Fn::ImportValue": "net:subnet"}]),
            "Link": resource(
                "AWS::FSx::DataRepositoryAssociation",
                FileSystemId={"Ref": "Fs"},
                FileSystemPath="/",
            ),
        }
    )
    found = changes(app(n=network("use1-az6"), s=storage), app(n=network("use1-az4"), s=storage))
    assert {name: change.effect for name, change in found.items()} == {
        "n/Subnet": "replace",
        "s/Fs": "replace",
        "s/Link": "replace",
    }


def test_update_in_place_keeps_ids_and_arns() -> None:
    def both(capacity: int) -> dict[str, Any]:
        return stack(
            {
                "Fs": lustre(StorageCapacity=capacity),
                "Link": resource(
                    "AWS::FSx::DataRepositoryAssociation",
                    FileSystemId={"Fn::GetAtt": ["Fs", "Id"]},
                ),
            }
        )

    assert list(changes(app(a=both(4800)), app(a=both(9600)))) == ["a/Fs"]


def test_attribute_that_may_change_may_replace_its_users() -> None:
    def both(text: str) -> dict[str, Any]:
        return stack(
            {
                "Inner": resource("AWS::CloudFormation::Stack", TemplateURL=text),
                "Fs": lustre(SubnetIds=[{"Fn::GetAtt": ["Inner", "Outputs.Subnet"]}]),
            }
        )

    change = changes(app(a=both("https://one")), app(a=both("https://two")))["a/Fs"]
    assert (change.effect, change.certainty) == ("replace", "possible")


def test_equivalent_value_is_unchanged() -> None:
    before = lustre(SubnetIds=["subnet-1"], StorageCapacity=4800)
    after = lustre(
        SubnetIds=[{"Fn::Sub": "subnet-${Number}"}], StorageCapacity={"Fn::Join": ["", ["4800"]]}
    )
    parameters = {"Number": {"Type": "String", "Default": "1"}}
    assert (
        changes(app(a=stack({"Fs": before})), app(a=stack({"Fs": after}, Parameters=parameters)))
        == {}
    )


def test_parameter_default_is_part_of_the_value() -> None:
    def one(number: str) -> dict[str, Any]:
        return stack(
            {"Fs": lustre(SubnetIds=[{"Ref": "Subnet"}])},
            Parameters={"Subnet": {"Type": "String", "Default": number}},
        )

    assert changes(app(a=one("s-1")), app(a=one("s-2")))["a/Fs"].effect == "replace"


def test_ssm_parameter_may_have_changed() -> None:
    def one(capacity: int) -> dict[str, Any]:
        kind = "AWS::SSM::Parameter::Value<String>"
        return stack(
            {"Fs": lustre(SubnetIds=[{"Ref": "Subnet"}], StorageCapacity=capacity)},
            Parameters={"Subnet": {"Type": kind, "Default": "/subnet"}},
        )

    change = changes(app(a=one(4800)), app(a=one(9600)))["a/Fs"]
    assert (change.effect, change.certainty) == ("replace", "possible")
    assert changes(app(a=one(4800)), app(a=one(4800))) == {}


def test_mappings_and_conditions_are_resolved() -> None:
    def one(zone: str, switch: str) -> dict[str, Any]:
        value = {"Fn::FindInMap": ["Zones", {"Ref": "AWS::Region"}, "id"]}
        chosen = {"Fn::If": ["On", value, "none"]}
        return stack(
            {"Subnet": resource("AWS::EC2::Subnet", AvailabilityZoneId=chosen, VpcId="v")},
            Mappings={"Zones": {"us-east-1": {"id": zone}}},
            Conditions={"On": {"Fn::Equals": [switch, "yes"]}},
        )

    assert changes(app(a=one("a", "yes")), app(a=one("a", "yes"))) == {}
    assert changes(app(a=one("a", "yes")), app(a=one("b", "yes")))["a/Subnet"].effect == "replace"
    assert changes(app(a=one("a", "yes")), app(a=one("a", "no")))["a/Subnet"].effect == "replace"
    assert changes(app(a=one("a", "no")), app(a=one("b", "no"))) == {}


def test_false_condition_deletes() -> None:
    def one(switch: str) -> dict[str, Any]:
        return stack(
            {"Fs": lustre(Condition="On"), "T": resource("AWS::SNS::Topic")},
            Conditions={"On": {"Fn::Equals": [switch, "yes"]}},
        )

    assert changes(app(a=one("yes")), app(a=one("no")))["a/Fs"].effect == "delete"


def test_removed_stack_deletes_its_resources() -> None:
    topic = stack({"T": resource("AWS::SNS::Topic")})
    change = changes(app(a=stack({"Fs": lustre()}), b=topic), app(b=topic))["a/Fs"]
    assert (change.effect, change.action, change.data_loss) == ("delete", "leave", True)


def test_changed_logical_id_is_an_addition_and_a_deletion() -> None:
    found = changes(app(a=stack({"Old": lustre()})), app(a=stack({"New": lustre()})))
    assert found["a/Old"].effect == "delete"
    assert (found["a/New"].effect, found["a/New"].action) == ("none", "create")


def test_unknown_custom_resources_may_be_replaced() -> None:
    def one(kind: str, value: str) -> dict[str, Any]:
        return stack({"C": resource(kind, ServiceToken="arn:x", Value=value)})

    own = changes(app(a=one("Custom::Mine", "1")), app(a=one("Custom::Mine", "2")))["a/C"]
    assert (own.effect, own.certainty) == ("replace", "possible")
    assert own.holds is not None
    kind = "Custom::CDKBucketDeployment"
    assert changes(app(a=one(kind, "1")), app(a=one(kind, "2")))["a/C"].effect == "update"


def test_type_without_a_schema_may_be_replaced() -> None:
    def one(value: str) -> dict[str, Any]:
        return stack({"C": resource("Vendor::Thing::Made", Value=value)})

    change = changes(app(a=one("1")), app(a=one("2")))["a/C"]
    assert (change.effect, change.certainty) == ("replace", "possible")


def test_deleted_cluster_ends_its_jobs() -> None:
    cluster = resource("AWS::SageMaker::Cluster", ClusterName="c", VpcConfig={"Subnets": ["a"]})
    other = resource("AWS::SageMaker::Cluster", ClusterName="c", VpcConfig={"Subnets": ["b"]})
    change = changes(app(a=stack({"C": cluster})), app(a=stack({"C": other})))["a/C"]
    assert (change.effect, change.job_loss) == ("replace", True)


def test_transformed_template_is_unknown() -> None:
    body = stack({"Fs": lustre()}, Transform="AWS::Serverless-2016-10-31")
    loops = stack({"Fn::ForEach::Many": ["X", ["a"], {}], "Fs": lustre()})
    assert analysis(app(a=body), app(a=body)).unresolved
    assert analysis(app(a=loops), app(a=loops)).unresolved


RETAINED = {"DeletionPolicy": "RetainExceptOnCreate", "UpdateReplacePolicy": "Retain"}
DELETED = {"DeletionPolicy": "Delete", "UpdateReplacePolicy": "Delete"}


@pytest.mark.parametrize(
    ("before", "after", "lost"),
    [
        (RETAINED, DELETED, True),
        (RETAINED, RETAINED | {"DeletionPolicy": "Delete"}, True),
        (RETAINED, RETAINED | {"UpdateReplacePolicy": "Delete"}, True),
        ({"DeletionPolicy": "Snapshot"}, {"DeletionPolicy": "Delete"}, True),
        (RETAINED, {"DeletionPolicy": "Snapshot", "UpdateReplacePolicy": "Snapshot"}, False),
        (DELETED, RETAINED, False),
        (RETAINED, {"DeletionPolicy": "Retain", "UpdateReplacePolicy": "Retain"}, False),
        (DELETED, DELETED | {"Metadata": {"a": "b"}}, False),
    ],
)
def test_data_that_deleting_the_stack_would_delete(
    before: dict[str, Any], after: dict[str, Any], lost: bool
) -> None:
    found = changes(app(a=stack({"Fs": lustre(**before)})), app(a=stack({"Fs": lustre(**after)})))
    change = found["a/Fs"]
    assert (change.effect, change.data_loss, change.protection_loss) == ("none", False, lost)
    assert (change.holds is not None) is lost


def test_deletion_protection_that_is_switched_off() -> None:
    def one(on: bool) -> dict[str, Any]:
        return stack({"Db": resource("AWS::RDS::DBInstance", DeletionProtection=on)})

    assert changes(app(a=one(True)), app(a=one(False)))["a/Db"].protection_loss
    assert not changes(app(a=one(False)), app(a=one(True)))["a/Db"].protection_loss


def test_policies_of_what_holds_nothing_lose_no_data() -> None:
    def one(policy: str) -> dict[str, Any]:
        return stack({"T": resource("AWS::SNS::Topic", DeletionPolicy=policy)})

    assert not changes(app(a=one("Retain")), app(a=one("Delete")))["a/T"].protection_loss

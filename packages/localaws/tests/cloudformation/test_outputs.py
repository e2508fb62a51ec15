from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from packages.localaws.tests.cloudformation.stacks import (
    Pretend,
    cloudformation,
    create,
    delete,
    described,
    history,
    outputs,
    parameter,
    reason,
    template,
    update,
)


def exporting(value: Any = "v", name: Any = "net:Vpc") -> str:
    return template(
        {"A": parameter(value)},
        Outputs={"O": {"Value": {"Fn::GetAtt": ["A", "Value"]}, "Export": {"Name": name}}},
    )


IMPORTING = template(
    {"B": parameter({"Fn::ImportValue": {"Fn::Sub": "net:${P}"}})},
    Parameters={"P": {"Type": "String", "Default": "Vpc"}},
)


@pytest.fixture
def _two_stacks(local: None) -> None:
    create("net", exporting())
    create("app", IMPORTING)


@pytest.mark.usefixtures("_two_stacks")
def test_exported_value_is_imported() -> None:
    from packages.localaws.tests.cloudformation.stacks import aws, resources_of

    name = resources_of("app")["B"]["PhysicalResourceId"]
    assert aws("ssm").get_parameter(Name=name)["Parameter"]["Value"] == "v"
    exports = cloudformation().list_exports()["Exports"]
    assert [(export["Name"], export["Value"]) for export in exports] == [("net:Vpc", "v")]
    assert exports[0]["ExportingStackId"] == described("net")["StackId"]
    assert cloudformation().list_imports(ExportName="net:Vpc")["Imports"] == ["app"]


@pytest.mark.usefixtures("_two_stacks")
def test_an_export_in_use_cannot_be_deleted() -> None:
    cloudformation().delete_stack(StackName="net")
    stack = described("net")
    assert stack["StackStatus"] == "CREATE_COMPLETE"
    assert stack["StackStatusReason"] == "Export net:Vpc cannot be deleted as it is in use by app"
    delete("app")
    assert delete("net")["StackStatus"] == "DELETE_COMPLETE"
    assert cloudformation().list_exports()["Exports"] == []


@pytest.mark.usefixtures("_two_stacks")
def test_export_in_use_cannot_be_removed_from_the_template() -> None:
    stack = update("net", template({"A": parameter("other")}))
    assert stack["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert (
        reason("net", "net", "UPDATE_ROLLBACK_IN_PROGRESS")
        == "Export net:Vpc cannot be deleted as it is in use by app"
    )
    assert ("A", "UPDATE_IN_PROGRESS") not in history("net")


@pytest.mark.usefixtures("_two_stacks")
def test_an_export_in_use_cannot_change() -> None:
    create("third", IMPORTING)
    stack = update("net", exporting("other"))
    assert stack["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert (
        reason("net", "net", "UPDATE_ROLLBACK_IN_PROGRESS")
        == "Export net:Vpc cannot be updated as it is in use by app and third"
    )
    assert outputs(described("net")) == {"O": "v"}


def test_an_unused_export_may_change(local: None) -> None:
    create("net", exporting())
    assert outputs(update("net", exporting("w"))) == {"O": "w"}
    update("net", exporting("w", "net:Other"))
    assert [export["Name"] for export in cloudformation().list_exports()["Exports"]] == [
        "net:Other"
    ]


def test_a_missing_export_fails_the_stack(local: None) -> None:
    stack = create("app", IMPORTING)
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert (
        reason("app", "app", "ROLLBACK_IN_PROGRESS")
        == "No export named net:Vpc found. Rollback requested by user."
    )


def test_duplicate_export_name_is_refused(local: None) -> None:
    create("net", exporting())
    stack = create("net2", exporting())
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert "Export with name net:Vpc is already exported by stack net." in reason(
        "net2", "net2", "ROLLBACK_IN_PROGRESS"
    )


@pytest.mark.usefixtures("_two_stacks")
def test_removed_import_releases_the_export() -> None:
    update("app", template({"B": parameter("mine")}))
    with pytest.raises(ClientError, match="is not imported by any stack"):
        cloudformation().list_imports(ExportName="net:Vpc")
    assert delete("net")["StackStatus"] == "DELETE_COMPLETE"


def test_failed_update_keeps_its_imports(pretend: Pretend) -> None:
    create("net", exporting())
    create("app", IMPORTING)
    pretend.fail = lambda operation, name, _: "no" if name == "C" else None
    body = template({"B": parameter("mine"), "C": parameter("c")})
    assert update("app", body)["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert cloudformation().list_imports(ExportName="net:Vpc")["Imports"] == ["app"]


def test_exports_are_regional(local: None) -> None:
    from packages.localaws.tests.cloudformation.stacks import aws

    create("net", exporting())
    assert aws("cloudformation", "us-west-2").list_exports()["Exports"] == []

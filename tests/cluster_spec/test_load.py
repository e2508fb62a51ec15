"""Loading: layers, the users file, origins, and validators of other packages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from clusterwright.cluster_spec import Problem, SpecErrors, load_spec
from clusterwright.cluster_spec.models import Cluster
from clusterwright.cluster_spec.validation import spec_validators
from clusterwright.cluster_spec.validation.validator import Validator
from tests.support.rich_specs import BUILT, with_value

BASE = """\
region: us-east-1
platform: hyperpod-slurm
network:
  cidr: 10.0.0.0/16
  availability_zone_id: use1-az6
tags: {owner: us, centre: "1"}
"""
DEV = """\
environment: dev
account: "111122223333"
network:
  egress: nat
compute:
  - {name: controller, role: controller, instance_type: m5.4xlarge, count: 1}
  - {name: workers, role: compute, instance_type: p5.48xlarge, count: 2}
storage:
  lustre:
    - {mount_path: /fsx/data, capacity_gib: 1200, throughput_mbps_per_tib: 125}
slurm: {users: users/dev.yaml}
tags: {centre: null}
"""
USERS = """\
user_groups:
  - {name: research, gid: 20000}
users:
  - {name: ada, uid: 20001, groups: [research]}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "users").mkdir()
    (tmp_path / "base.yaml").write_text(BASE)
    (tmp_path / "dev.yaml").write_text(DEV)
    (tmp_path / "users" / "dev.yaml").write_text(USERS)
    return tmp_path


def messages(path: Path) -> list[str]:
    with pytest.raises(SpecErrors) as refused:
        load_spec(path)
    return [str(problem).removeprefix(f"{path.parent}/") for problem in refused.value]


def test_layers_users_and_derived_values_are_combined(folder: Path) -> None:
    cluster = load_spec(folder / "dev.yaml").cluster
    assert (cluster.region, cluster.environment, cluster.partition) == ("us-east-1", "dev", "aws")
    assert (cluster.network.cidr, cluster.network.egress) == ("10.0.0.0/16", "nat")
    assert cluster.tags == {"owner": "us"}
    assert cluster.storage.lustre[0].name == "fsx-data"
    assert [(u.name, u.uid) for u in cluster.slurm.users] == [("ada", 20001)]
    assert [(g.name, g.gid) for g in cluster.slurm.user_groups] == [("research", 20000)]
    assert [(p.name, p.groups) for p in cluster.slurm.partitions] == [("training", ["workers"])]


@pytest.mark.parametrize(
    ("path", "origin"),
    [
        (("region",), "base.yaml:1"),
        (("network", "cidr"), "base.yaml:4"),
        (("network", "egress"), "dev.yaml:4"),
        (("compute", 1, "count"), "dev.yaml:7"),
        (("compute", 1, "spare_count"), "default"),
        (("compute", 1, "capacity", "kind"), "default"),
        (("partition",), "derived"),
        (("storage", "lustre", 0, "name"), "derived"),
        (("storage", "lustre", 0, "mount_path"), "dev.yaml:10"),
        (("slurm", "partitions", 0, "groups", 0), "derived"),
        (("slurm", "users", 0, "uid"), "users/dev.yaml:4"),
        (("slurm", "user_groups", 0, "gid"), "users/dev.yaml:2"),
        (("slurm", "users", 0, "sudo"), "default"),
        (("tags", "owner"), "base.yaml:6"),
        (("image",), "default"),
    ],
)
def test_every_value_has_an_origin(folder: Path, path: tuple[str | int, ...], origin: str) -> None:
    found = load_spec(folder / "dev.yaml").origin(path)
    if not isinstance(found, str):
        found = f"{Path(found.file).relative_to(folder)}:{found.line}"
    assert found == origin


def test_default_has_the_position_of_its_parent(folder: Path) -> None:
    spec = load_spec(folder / "dev.yaml")
    position = spec.position(("compute", 1, "spare_count"))
    assert position is not None
    assert (position.line, position.column) == (7, 5)


def test_values_are_found_by_path(folder: Path) -> None:
    spec = load_spec(folder / "dev.yaml")
    assert spec.value(("compute", 1, "capacity")) == {"kind": "on-demand"}
    with pytest.raises(KeyError):
        spec.value(("compute", 1, "nothing"))


def test_file_named_base_has_no_base(folder: Path) -> None:
    found = messages(folder / "base.yaml")
    assert [m.split(": ", 1)[1] for m in found] == [
        "`environment` is missing",
        "`account` is missing",
        "`compute` is missing",
    ]


def test_errors_in_the_users_file_have_their_position_there(folder: Path) -> None:
    (folder / "users" / "dev.yaml").write_text(USERS.replace("20001", "12") + "people: []\n")
    assert messages(folder / "dev.yaml") == [
        "users/dev.yaml:4:22: slurm.users[0].uid: must be at least 1,000, got 12",
        "users/dev.yaml:5:1: slurm.people: a users file has the keys `users` and `user_groups`, "
        "not `people`",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- {name: ada, uid: 20001}\n", "users/dev.yaml:1:1: slurm.users: expected a mapping"),
        ("people: []\n", "users/dev.yaml:1:1: slurm.users: a users file must have a list `users`"),
        ("users: ada\n", "users/dev.yaml:1:1: slurm.users: expected a list, got a string"),
        ("users: [&a {name: b, uid: 20001}]\n", "anchors and aliases are not allowed"),
        ("", "users/dev.yaml:1:1: slurm.users: the file is empty"),
        ("users: []\nusers: []\n", "slurm: duplicate key `users`"),
    ],
)
def test_users_file_of_another_format_is_refused(folder: Path, text: str, expected: str) -> None:
    (folder / "users" / "dev.yaml").write_text(text)
    assert any(expected in message for message in messages(folder / "dev.yaml"))


def test_missing_users_file_is_reported_at_its_reference(folder: Path) -> None:
    (folder / "users" / "dev.yaml").unlink()
    (message,) = messages(folder / "dev.yaml")
    assert message.startswith("dev.yaml:11:16: slurm.users: ")
    assert "users/dev.yaml does not exist" in message


def test_groups_can_be_defined_once(folder: Path) -> None:
    (folder / "dev.yaml").write_text(
        DEV.replace("{users:", "{user_groups: [{name: a, gid: 20005}], users:")
    )
    (message,) = messages(folder / "dev.yaml")
    assert (
        "users/dev.yaml:1:1: slurm.user_groups: `user_groups` is both in the users file" in message
    )


def test_users_file_is_relative_to_the_file_that_names_it(folder: Path) -> None:
    (folder / "base.yaml").write_text(BASE + "slurm: {users: users/dev.yaml}\n")
    (folder / "dev.yaml").write_text(DEV.replace("slurm: {users: users/dev.yaml}\n", ""))
    assert len(load_spec(folder / "dev.yaml").cluster.slurm.users) == 1


def test_registered_validators_run_with_the_spec(folder: Path) -> None:
    def problems(cluster: Cluster) -> Iterator[Problem]:
        yield Problem("too red", ("tags", "owner"))
        yield Problem("the same value, in other words", ("network", "cidr"))

    def validators(cluster: Cluster) -> tuple[Validator, ...]:
        return (*spec_validators(cluster), Validator(problems, "catalogue"))

    (folder / "base.yaml").write_text(BASE.replace("10.0.0.0/16", "10.0.0.0/8"))
    with pytest.raises(SpecErrors) as refused:
        load_spec(folder / "dev.yaml", validators=validators)
    assert [p.message for p in refused.value] == [
        "network.cidr: a VPC range must be between /16 and /28, got /8",
        "tags.owner: too red",
    ]


def test_format_errors_do_not_hide_contradictions(tmp_path: Path) -> None:
    data = with_value(BUILT, ("compute", 2, "count"), "8")
    data = with_value(data, ("network", "availability_zone_id"), "usw2-az1")
    data = with_value(data, ("storage", "checkpoint_path"), "/s3/datasets")
    path = tmp_path / "spec.yaml"
    path.write_text(json.dumps(data, indent=1))
    with pytest.raises(SpecErrors) as refused:
        load_spec(path)
    assert [p.message.split(":")[0] for p in refused.value] == [
        "network.availability_zone_id",
        "compute[2].count",
        "storage.checkpoint_path",
    ]


def test_expanded_json_is_a_spec(tmp_path: Path) -> None:
    answer = {"schema_version": 1, "command": "expand", "exit_code": 0, "origins": {}, **BUILT}
    path = tmp_path / "spec.json"
    path.write_text(json.dumps(answer))
    assert load_spec(path).cluster.environment == "rich"
    path.write_text(json.dumps({**answer, "command": "cost"}))
    with pytest.raises(SpecErrors, match="unknown key `command`"):
        load_spec(path)


def test_resolved_spec_has_no_unused_keys(tmp_path: Path) -> None:
    from tests.support.rich_specs import EXISTING

    path = tmp_path / "spec.yaml"
    path.write_text(json.dumps(EXISTING))
    resolved = load_spec(path).resolved()
    assert set(resolved["storage"]["lustre"][0]) == {"name", "mount_path", "efa", "existing"}
    assert set(resolved["slurm"]["accounting"]) == {"kind", "existing"}
    assert "cidr" not in resolved["network"]


def test_unknown_platform_is_the_only_error(folder: Path) -> None:
    """The allowed groups and sections follow from it."""
    spec = (
        (folder / "dev.yaml").read_text().replace("{name: controller, role: controller", "{x: 1")
    )
    (folder / "dev.yaml").write_text("platform: hyperpod-kube\n" + spec)
    found = messages(folder / "dev.yaml")
    assert any("'hyperpod-kube' is not one of" in each for each in found)
    assert not any("no group has the role" in each for each in found)


def test_unquoted_version_has_a_hint(folder: Path) -> None:
    (folder / "dev.yaml").write_text(DEV + "kubernetes: {version: 1.30}\n")
    with pytest.raises(SpecErrors) as refused:
        load_spec(folder / "dev.yaml")
    (hint,) = (p.hint for p in refused.value if p.path == ("kubernetes", "version"))
    assert hint == "quote it: without quotes it is the number 1.3"


def test_merge_keys_and_aliases_are_one_problem_each(tmp_path: Path) -> None:
    """The keys that were merged are not reported as missing."""
    group = "&g {name: workers, role: compute, instance_type: p5.48xlarge, count: 2}"
    text = DEV.replace(
        "{name: workers, role: compute, instance_type: p5.48xlarge, count: 2}",
        f"{group}\n  - {{<<: *g, name: more}}\n  - *g",
    )
    (tmp_path / "base.yaml").write_text(BASE)
    (tmp_path / "dev.yaml").write_text(text.replace("slurm: {users: users/dev.yaml}\n", ""))
    assert [message.partition("\n")[0] for message in messages(tmp_path / "dev.yaml")] == [
        "dev.yaml:7:5: compute[1]: anchors and aliases are not allowed (also at line 9)",
        "dev.yaml:8:6: compute[2].<<: merge keys (`<<`) are not allowed",
    ]

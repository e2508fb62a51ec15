"""Identity, Slurm, budgets and waivers."""

from __future__ import annotations

import dataclasses
import datetime as dt
from pathlib import Path
from typing import Any

import pytest

from clusterwright.artefacts.lock import Artefact, write_lock
from clusterwright.aws.kms import Key
from clusterwright.preflight.facts import account, storage
from clusterwright.preflight.rules.lifecycle import l006_artefact_checksums
from tests.preflight.harness import Harness
from tests.support import specs

RDS = {"slurm.accounting": {"kind": "rds"}}


def test_an_image_of_unknown_age_is_a_warning_with_rds(rule: Harness) -> None:
    rule.fails(
        "CW-I001",
        RDS,
        path="slurm.accounting.kind",
        message="the image is not pinned",
        severity="warning",
    )
    rule.fails(
        "CW-I001",
        {**RDS, "image": {"release_version": "1.2.3"}},
        path="image",
        message="the spec does not state the release date of 1.2.3",
    )
    dated = {"release_version": "1.2.3", "released": "2026-09-17"}
    rule.passes("CW-I001", {**RDS, "image": dated})
    rule.passes("CW-I001", tested=False)


def test_a_pinned_release_is_a_warning_with_slurm_and_a_pinned_image_is_not(
    rule: Harness,
) -> None:
    rule.fails(
        "CW-I006",
        {"image": {"release_version": "1.2.3"}},
        path="image.release_version",
        message="release 1.2.3 is pinned on a cluster with Slurm",
        severity="warning",
    )
    rule.passes("CW-I006", {"image": {"image_id": "ami-0123456789abcdef0"}})
    rule.passes("CW-I006", tested=False)


PEOPLE = {"slurm.users": [{"name": "ada", "uid": 20001}]}


def test_records_on_the_controller_are_said_to_be_lost_with_it(rule: Harness) -> None:
    rule.fails(
        "CW-L005",
        {**PEOPLE, "slurm.accounting": {"kind": "local"}},
        path="slurm.accounting.kind",
        message="the job records of 1 user are lost when the controller is replaced",
        severity="info",
    )
    rule.passes("CW-L005", {**PEOPLE, **RDS})
    rule.passes("CW-L005", {"slurm.accounting": {"kind": "local"}}, tested=False)


LOGIN = {"name": "login", "role": "login", "instance_type": "m5.4xlarge", "count": 1}


def test_people_do_not_work_on_the_controller(rule: Harness) -> None:
    rule.fails(
        "CW-L008",
        PEOPLE,
        path="slurm.users",
        message="1 user logs in on the controller",
        severity="warning",
    )
    two = {"slurm.users": [*PEOPLE["slurm.users"], {"name": "bob", "uid": 20002}]}
    none = {**two, "compute.2": {**LOGIN, "count": 0}}
    rule.fails("CW-L008", none, path="slurm.users", message="2 users log in on the controller")
    # What the hint adds is taken: ParallelCluster wants one architecture of all.
    for controller, login in (("m5.4xlarge", "m5.4xlarge"), ("m7g.8xlarge", "m7g.4xlarge")):
        found = rule.run("CW-L008", {**two, "compute.0.instance_type": controller})
        assert f"instance_type: {login}, " in str(found.findings[0].hint)
    rule.passes("CW-L008", {**two, "compute.2": LOGIN})
    rule.passes("CW-L008", tested=False)


def test_auto_resume_under_our_own_slurm_conf_is_not_promised(rule: Harness) -> None:
    scripted = {"slurm.configuration": "scripted"}
    rule.fails(
        "CW-L009",
        scripted,
        path="slurm.configuration",
        message="TaskPlugin=task/cgroup,task/affinity and PrologFlags=Contain",
        severity="warning",
    )
    rule.passes("CW-L009")
    rule.passes("CW-L009", {**scripted, "resilience.node_recovery": "none"}, tested=False)


ARN = f"arn:aws:kms:us-east-1:{specs.ACCOUNT}:key/11111111-2222-3333-4444-555555555555"
GIVEN = {"identity.kms_key_arn": ARN}
KEY = Key(ARN, "Enabled", "SYMMETRIC_DEFAULT", "CUSTOMER")


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (None, "the key does not exist"),
        (dataclasses.replace(KEY, state="PendingDeletion"), "the key is PendingDeletion"),
        (dataclasses.replace(KEY, spec="RSA_2048"), "the key is RSA_2048"),
        (
            dataclasses.replace(KEY, manager="AWS"),
            "the key is an AWS managed key, whose policy cannot be changed for the cluster",
        ),
    ],
)
def test_the_key_must_be_usable(rule: Harness, key: Key | None, message: str) -> None:
    facts = {storage.Key(ARN): key}
    rule.fails("CW-I002", GIVEN, facts, path="identity.kms_key_arn", message=message)
    rule.passes("CW-I002", GIVEN, {storage.Key(ARN): KEY})
    odd = {storage.Key(ARN): dataclasses.replace(KEY, spec="")}
    path = "identity.kms_key_arn"
    rule.unsure("CW-I002", GIVEN, odd, path=path, message="does not report the key's spec")
    rule.passes("CW-I002", tested=False)


def test_the_credentials_are_of_the_specs_account(rule: Harness) -> None:
    rule.fails(
        "CW-I003",
        facts={account.CallerAccount(): "999988887777"},
        path="account",
        message="the credentials belong to 999988887777, the cluster to 111122223333: every",
        severity="warning",
    )
    rule.passes("CW-I003", facts={account.CallerAccount(): specs.ACCOUNT})


def test_the_permissions_boundary_must_exist(rule: Harness) -> None:
    arn = f"arn:aws:iam::{specs.ACCOUNT}:policy/boundary"
    changes = {"identity.permissions_boundary_arn": arn}
    path = "identity.permissions_boundary_arn"
    facts = {storage.Policy(arn): False}
    rule.fails("CW-I004", changes, facts, path=path, message=f"the policy {arn} does not exist")
    rule.passes("CW-I004", changes, {storage.Policy(arn): True})
    rule.passes("CW-I004", tested=False)


def test_the_secret_of_an_existing_database_must_exist(rule: Harness) -> None:
    arn = f"arn:aws:secretsmanager:us-east-1:{specs.ACCOUNT}:secret:slurm-AbCdEf"
    existing = {"endpoint": "db.example.internal", "secret_arn": arn}
    changes = {"slurm.accounting": {"kind": "rds", "existing": existing}}
    path = "slurm.accounting.existing.secret_arn"
    facts = {storage.Secret(arn): False}
    rule.fails(
        "CW-I005",
        changes,
        facts,
        path=path,
        message="the secret does not exist, or is scheduled for deletion",
    )
    rule.passes("CW-I005", changes, {storage.Secret(arn): True})
    rule.passes("CW-I005", RDS, tested=False)


def two_groups(name: str) -> dict[str, Any]:
    second = {**specs.SMALL["compute"][1], "name": "more", "instance_type": name}
    return {"compute.2": second}


def partitions(*groups: list[str]) -> dict[str, Any]:
    return {"slurm.partitions": [{"name": f"p{n}", "groups": g} for n, g in enumerate(groups)]}


def test_a_partition_has_one_kind_of_accelerator(rule: Harness) -> None:
    mixed = {**two_groups("trn1.32xlarge"), **partitions(["workers", "more"])}
    rule.fails(
        "CW-L001",
        mixed,
        path="slurm.partitions[0].groups",
        message="the partition `p0` mixes p5.48xlarge, trn1.32xlarge",
        severity="error",
    )
    models = {**two_groups("p5en.48xlarge"), **partitions(["workers", "more"])}
    rule.fails(
        "CW-L001",
        models,
        path="slurm.partitions[0].groups",
        message="jobs run at the speed of the slowest",
        severity="warning",
    )
    apart = {**two_groups("trn1.32xlarge"), **partitions(["workers"], ["more"])}
    rule.passes("CW-L001", apart)


def test_containers_are_proved_by_a_job(rule: Harness) -> None:
    rule.fails(
        "CW-L002",
        {"slurm.containers.pyxis": True},
        path="slurm.containers.pyxis",
        message="is not known before a node runs",
        severity="warning",
    )
    rule.fails(
        "CW-L002",
        {"slurm.containers": {"pyxis": True, "install": "mirrored"}},
        path="slurm.containers.pyxis",
        message="whether the image has the dependencies of Enroot's packages, and a compiler",
        severity="warning",
    )
    rule.passes("CW-L002", tested=False)


def artefact_list(folder: Path, *rows: tuple[str, str, str | None]) -> str:
    """A list of artefacts (name, architecture, checksum); its path."""
    path = folder / "artefacts.json"
    write_lock(
        path,
        [
            Artefact(
                name,
                "1.0",
                architecture,
                f"https://example.com/{name}-{architecture}.deb",
                sha256,
                10 if sha256 else None,
                "made by a test",
                ("container_programs",),
            )
            for name, architecture, sha256 in rows
        ],
    )
    return str(path)


def test_what_nodes_fetch_has_a_checksum(rule: Harness, tmp_path: Path) -> None:
    mirrored = {"slurm.containers": {"pyxis": True, "install": "mirrored"}}
    read, unread = "0" * 64, None
    rule.fails(
        "CW-L006",
        mirrored,
        path="slurm.containers.install",
        message="the checksums of enroot 3.4.1-1 (x86_64), enroot-caps",
    )
    both = artefact_list(tmp_path, ("enroot", "x86_64", read), ("pyxis", "any", read))
    rule.passes("CW-L006", {**mirrored, "lifecycle": {"artefacts": both}})
    partly = artefact_list(tmp_path, ("enroot", "x86_64", read), ("pyxis", "any", unread))
    rule.fails(
        "CW-L006",
        {**mirrored, "lifecycle": {"artefacts": partly}},
        path="slurm.containers.install",
        message="checksums of pyxis 1.0 (any) are missing: nodes refuse",
    )
    lacking = artefact_list(tmp_path, ("enroot", "arm64", read), ("pyxis", "any", read))
    rule.fails(
        "CW-L006",
        {**mirrored, "lifecycle": {"artefacts": lacking}},
        path="slurm.containers.install",
        message="the list of artefacts has no enroot for x86_64",
    )
    rule.passes("CW-L006", {"slurm.containers": {"pyxis": True}}, tested=False)


def test_artefacts_of_own_steps_have_checksums_too(rule: Harness, tmp_path: Path) -> None:
    path = tmp_path / "artefacts.json"
    write_lock(
        path,
        [
            Artefact(
                "tool", "1", "any", "https://example.com/tool", None, None, "a test", ("memlock",)
            )
        ],
    )
    own = {"steps": ["configs/examples/steps/memlock.py"], "artefacts": str(path)}
    rule.fails("CW-L006", {"lifecycle": own}, path="lifecycle.steps[0]", message="of tool 1 (any)")
    rule.passes("CW-L006", {"lifecycle": {"steps": own["steps"]}})


def test_the_architecture_of_an_unknown_type_is_not_guessed(
    rule: Harness, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = artefact_list(tmp_path, ("enroot", "x86_64", "0" * 64), ("pyxis", "any", "0" * 64))
    monkeypatch.setattr(l006_artefact_checksums, "Known", frozenset)  # no source lists it it
    found = rule.run(
        "CW-L006",
        {
            "slurm.containers": {"pyxis": True, "install": "mirrored"},
            "lifecycle": {"artefacts": both},
        },
    )
    assert found.rule.status == "unknown"
    assert {entry.path for entry in found.unanswered} == {"slurm.containers.install"}
    assert all("no source states the architecture" in entry.message for entry in found.unanswered)


def test_the_controller_has_memory_for_its_nodes(rule: Harness) -> None:
    rule.fails(
        "CW-L003",
        {"compute.0.instance_type": "m5.large", "compute.1.count": 512},
        path="compute[0].instance_type",
        message="m5.large has 8 GiB, a controller of 512 nodes needs 16.0",
        severity="warning",
    )
    rule.passes("CW-L003", {"compute.1.count": 512})
    rule.passes("CW-L003", {"compute.0.instance_type": "m5.large", "compute.1.count": 185})


def test_large_clusters_replace_their_nodes(rule: Harness) -> None:
    alone = {"resilience.node_recovery": "none"}
    rule.fails(
        "CW-L004",
        {**alone, "compute.1.count": 16},
        path="resilience.node_recovery",
        message="replaced automatically, and the cluster has",
        severity="warning",
    )
    rule.passes("CW-L004", alone)
    rule.passes("CW-L004", {"compute.1.count": 16})


def test_the_monthly_budget(rule: Harness) -> None:
    path = "budget.monthly_usd"
    finding = rule.fails(
        "CW-B001",
        {"budget.monthly_usd": 1000},
        path=path,
        message="a month costs at least 192,860.16 USD, the budget is 1,000.00 USD",
        severity="error",
        numbers=(192860.16, None, 1000.0),
    )
    assert finding.where == "USD"
    rule.unsure(
        "CW-B001", {"budget.monthly_usd": 10_000_000}, path=path, message="lines are unknown"
    )
    rule.passes("CW-B001", tested=False)


def test_the_budget_of_a_run(rule: Harness) -> None:
    path = "budget.run_usd"
    rule.fails(
        "CW-B002",
        {"budget.run_usd": 1000, "run.hours": 10},
        path=path,
        message="a run of 10 hours costs at least 2,641.92 USD",
    )
    rule.unsure(
        "CW-B002", {"budget.run_usd": 1000}, path=path, message="the hours of a run are not known"
    )
    rule.passes("CW-B002", tested=False)


def test_a_budget_that_every_line_is_known_for_passes(
    rule: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    from clusterwright.cost import estimate
    from clusterwright.cost.components import compute

    # Of the small spec only instances of p5 have a price; with the other components taken out
    # and the controller of the same type, nothing is unknown.
    monkeypatch.setattr(estimate, "COMPONENTS", (compute.lines,))
    monkeypatch.setattr(estimate, "ON_THE_SUM", ())
    changes = {"compute.0.instance_type": "p5.48xlarge", "run.hours": 1}
    limit = {"budget.monthly_usd": 241_075.20, "budget.run_usd": 330.24}
    rule.passes("CW-B001", {**changes, **limit})
    rule.passes("CW-B002", {**changes, **limit})
    tight = {"budget.monthly_usd": 241_075.19, "budget.run_usd": 330.23}
    rule.fails("CW-B001", {**changes, **tight}, path="budget.monthly_usd", message="a month costs")
    rule.fails("CW-B002", {**changes, **tight}, path="budget.run_usd", message="a run of 1 hours")


def test_old_prices_behind_a_budget(rule: Harness) -> None:
    rule.fails(
        "CW-B003",
        {"budget.monthly_usd": 1000, "storage.lustre": [specs.LUSTRE]},
        path="budget",
        message="prices are older than 90 days or have no date (lustre, objects)",
        severity="info",
    )
    rule.passes("CW-B003", tested=False)


def test_young_prices_behind_a_budget_pass(rule: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    from clusterwright.cost import estimate
    from clusterwright.cost.components import compute

    monkeypatch.setattr(estimate, "COMPONENTS", (compute.lines,))
    rule.passes("CW-B003", {"budget.monthly_usd": 1000})


REASON = "the network team widens the range in January"


def waiver(**changes: Any) -> dict[str, Any]:
    entry = {"rule": "CW-N003", "reason": REASON, "expires": "2027-01-31", **changes}
    return {"waivers": [entry]}


def test_an_expired_waiver_is_a_finding(rule: Harness) -> None:
    rule.fails(
        "CW-W001",
        waiver(expires="2026-11-19", path="network.cidr"),
        path="waivers[0].expires",
        message="the waiver of CW-N003 at network.cidr expired on 2026-11-19",
        severity="error",
    )
    rule.passes("CW-W001", waiver(expires="2026-11-20"))


def test_a_waiver_of_no_rule_is_a_finding(rule: Harness) -> None:
    finding = rule.fails(
        "CW-W002",
        waiver(rule="CW-N303"),
        path="waivers[0].rule",
        message="the rule CW-N303",
    )
    assert finding.hint
    assert finding.hint.startswith("did you mean CW-N")
    rule.passes("CW-W002", waiver())


SHORT = {"network.cidr": "10.0.0.0/24", "compute.1.count": 16}


def test_a_waiver_that_excuses_nothing_is_said(rule: Harness) -> None:
    rule.fails(
        "CW-W003",
        waiver(),
        path="waivers[0]",
        message="the waiver of CW-N003 applies to",
        severity="info",
        also=["CW-N003"],
    )


def test_of_a_rule_that_did_not_run_nothing_follows(rule: Harness) -> None:
    rule.passes("CW-W003", waiver(), tested=False)
    rule.passes("CW-W003", waiver(expires="2026-11-19"), tested=False)


def test_a_waiver_that_excuses_something_passes(rule: Harness) -> None:
    outcome = rule.run("CW-W003", {**SHORT, **waiver()}, also=["CW-N003"])
    status = {r.rule: (r.status, r.tested) for r in outcome.result.rules if r.status != "skipped"}
    assert status == {"CW-N003": ("waived", 1), "CW-W003": ("pass", 1)}
    (waived,) = outcome.result.waived
    assert (waived.reason, waived.expires) == (REASON, dt.date(2027, 1, 31))
    assert outcome.result.exit_code() == 0


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("network.cidr", "waived"),
        ("network", "waived"),
        ("network.cid", "fail"),
        ("compute", "fail"),
        ("network.cidr.more", "fail"),
    ],
)
def test_a_waiver_covers_its_path_and_what_lies_in_it(
    rule: Harness, path: str, status: str
) -> None:
    outcome = rule.run("CW-N003", {**SHORT, **waiver(path=path)})
    assert outcome.rule.status == status


def test_an_expired_waiver_excuses_nothing(rule: Harness) -> None:
    outcome = rule.run("CW-N003", {**SHORT, **waiver(expires="2026-11-19")})
    assert outcome.rule.status == "fail"
    assert outcome.result.exit_code() == 1


def test_what_hyperpods_slurm_conf_decides_is_said(rule: Harness) -> None:
    rule.fails(
        "CW-L007",
        {"compute.1.spare_count": 1},
        path="compute[1].spare_count",
        message="the 1 spare nodes of `workers` run jobs like the others",
        severity="warning",
    )
    rule.fails(
        "CW-L007",
        {"slurm.qos": [{"name": "urgent", "priority": 5}]},
        path="slurm.qos",
        message="whether Slurm enforces them depends on HyperPod's slurm.conf, which is not known",
        severity="info",
    )
    rule.fails(
        "CW-L007",
        {"slurm.accounts": [{"name": "research", "max_nodes": 5}]},
        path="slurm.accounts",
        message="priorities and limits of accounts",
        severity="info",
    )
    rule.fails(
        "CW-L007",
        {"slurm.restrict_ssh_to_jobs": True},
        path="slurm.restrict_ssh_to_jobs",
        message="not known; without it a node fails at boot",
        severity="warning",
    )
    scripted = {
        "slurm": {"configuration": "scripted", "qos": [{"name": "urgent", "priority": 5}]},
        "compute.1.spare_count": 1,
    }
    rule.passes("CW-L007", scripted, tested=False)
    rule.passes("CW-L007", tested=False)

"""`check --iam-policy`: with it every rule is answered; without one action of it, exactly the
rules that need the action are not. The local AWS enforces IAM.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from clusterwright.aws.errors import iam_action_of
from clusterwright.aws.session import AwsSession
from clusterwright.preflight import engine
from clusterwright.preflight.account_results import Permission
from clusterwright.preflight.facts.account import AppliedQuota
from clusterwright.preflight.facts.fact import Place
from clusterwright.preflight.facts.reader import AwsFactReader
from clusterwright.preflight.iam_policy import WITHOUT_PERMISSION, document, permissions
from clusterwright.preflight.quota_requests import FILING_ACTIONS
from clusterwright.preflight.registry import rule_files
from clusterwright.preflight.results import CheckResult
from clusterwright_localaws import local_aws
from clusterwright_localaws.testing import NOT_IN_REFERENCE, action_of
from tests.preflight.accounts import SITES, Site, client, needed
from tests.preflight.tape import RecordingSession, asked_by
from tests.support import specs
from tests.support.command_line import clusterwright
from tests.support.sole_policy import SolePolicy

PLACE = Place("aws", "us-east-1", specs.ACCOUNT)
NEEDED = {name: permissions(needed(name), PLACE) for name in SITES}


# Actions that the check of some site really used.
TAKEN: set[str] = set()


class Stand:
    """One spec in an account that has its resources, and a caller with the generated policy."""

    def __init__(self, site: Site, folder: Path) -> None:
        self.context = site.context(folder, site.furnish())
        needed_here = engine.needed(rule_files(), self.context)
        self.permissions = permissions(needed_here, PLACE)
        facts = dict.fromkeys(fact for facts in needed_here.values() for fact in facts)
        asked = asked_by(RecordingSession(), facts)
        # Some actions are used only after certain answers.
        self.rules: dict[str, set[str]] = {}
        for rule, wanted in needed_here.items():
            for action in {iam_action_of(*one) for fact in wanted for one in asked[fact]}:
                self.rules.setdefault(action, set()).add(rule)
        iam = client("iam")
        iam.create_user(UserName="checker")
        self._policy = SolePolicy(iam, "checker")
        key = iam.create_access_key(UserName="checker")["AccessKey"]
        self._session: AwsSession | None = None
        self._key = {
            "AWS_ACCESS_KEY_ID": key["AccessKeyId"],
            "AWS_SECRET_ACCESS_KEY": key["SecretAccessKey"],
        }

    def check(self, allowed: Sequence[Permission]) -> CheckResult:
        self._policy.replace(document(allowed))
        with pytest.MonkeyPatch.context() as patch:
            for name, value in self._key.items():
                patch.setenv(name, value)
            # Its clients are created once: they take the most time.
            self._session = self._session or AwsSession("us-east-1")
            return engine.run(rule_files(), self.context, AwsFactReader(self._session))


@pytest.fixture(scope="module", params=sorted(SITES))
def stand(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stand]:
    site = SITES[request.param]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ACCESS_KEY_ID", specs.ACCOUNT)
        patch.setenv("AWS_SECRET_ACCESS_KEY", "local")
        with local_aws(site.account(iam="enforced")):
            yield Stand(site, tmp_path_factory.mktemp(site.name))


def unknown(result: CheckResult) -> dict[str, set[str | None]]:
    """The declared actions, by rule."""
    found: dict[str, set[str | None]] = {}
    for entry in result.unanswered:
        if entry.reason is not None:
            found.setdefault(entry.rule, set()).add(entry.iam_action)
    return found


def test_policy_allows_every_call(stand: Stand) -> None:
    result = stand.check(stand.permissions)
    assert unknown(result) == {}
    assert not result.crashed


def test_missing_policy_denies_every_call(stand: Stand) -> None:
    (first,) = stand.permissions[:1]
    result = stand.check([Permission("dynamodb:ListTables", ("*",), first.rules)])
    assert set(unknown(result)) == {rule for p in stand.permissions for rule in p.rules}


def test_every_action_is_needed_by_the_declared_rules(stand: Stand) -> None:
    wrong = {}
    for batch in _independent(stand):
        result = stand.check([p for p in stand.permissions if p not in batch])
        found = unknown(result)
        expected = {p.action: stand.rules.get(p.action, set()) for p in batch}
        TAKEN.update(action for action, rules in expected.items() if rules)
        declared = {rule: {action} for action, rules in expected.items() for rule in rules}
        if found != declared:
            wrong[", ".join(expected)] = {
                rule: (found.get(rule), declared.get(rule))
                for rule in found.keys() | declared.keys()
                if found.get(rule) != declared.get(rule)
            }
    assert wrong == {}, "\n".join(f"without {a}: {w}" for a, w in wrong.items())


def _independent(stand: Stand) -> list[list[Permission]]:
    """The permissions in batches of which no rule needs two, so that one check tests a batch:
    a rule that is not answered shows which action it lacks.
    """
    batches: list[tuple[set[str], list[Permission]]] = []
    for permission in stand.permissions:
        rules = stand.rules.get(permission.action, set())
        place = next((place for place in batches if not place[0] & rules), None)
        if place is None:
            place = (set(), [])
            batches.append(place)
        place[0].update(rules)
        place[1].append(permission)
    return [batch for _, batch in batches]


def test_every_action_of_the_policy_is_used() -> None:
    """Needs the tests above: it has no data with `-k` alone."""
    if TAKEN:
        assert {p.action for found in NEEDED.values() for p in found} - TAKEN <= SELDOM


# Used if S3 answers HeadBucket with a redirect without a region (old regions only), if a VPC has
# custom options, and if the spec's cluster of PCS has active groups.
SELDOM = {"ec2:DescribeDhcpOptions", "pcs:GetComputeNodeGroup", "s3:GetBucketLocation"}


# It asks only where AWS's page does not list PCS, and the sites are in us-east-1.
ELSEWHERE = {"CW-E016", "CW-E018"}


def test_every_account_rule_has_a_site() -> None:
    here = {rule for name in SITES for rule in needed(name)}
    assert not here & ELSEWHERE
    asking = {file.id for file in rule_files() if file.scope == "account"}
    assert asking - ELSEWHERE <= here, (
        f"give tests/preflight/accounts.py something for {asking - here}"
    )


@pytest.mark.parametrize("name", sorted(SITES))
def test_actions_are_limited_to_resources_where_possible(name: str) -> None:
    for permission in permissions(needed(name), PLACE):
        action = action_of(permission.action)
        assert action is not None, f"{permission.action} is not in AWS's reference"
        assert action.reads, f"{permission.action} is not read-only"
        if any(one.required for one in action.resource_types):
            assert permission.resources != ("*",), permission.action
        if not action.resource_types and permission.action not in NOT_IN_REFERENCE:
            assert permission.resources == ("*",), permission.action


def test_command_prints_the_policy_without_aws_calls(tmp_path: Path) -> None:
    path = specs.write(tmp_path / "spec.yaml", specs.changed(SITES["built"].changes({})))
    answer = clusterwright("check", path, "--iam-policy")
    assert answer.exit_code == 0
    made = json.loads(answer.out)
    assert made == document(permissions(needed("built"), PLACE))
    assert made["Version"] == "2012-10-17"
    whole = json.loads(clusterwright("check", path, "--iam-policy", "--format", "json").out)
    assert whole["policy"] == made
    assert {p["action"] for p in whole["permissions"]} == {p.action for p in NEEDED["built"]}
    assert all(p["rules"] for p in whole["permissions"])
    assert not WITHOUT_PERMISSION & {p["action"] for p in whole["permissions"]}
    only = clusterwright("check", path, "--iam-policy", "--only", "CW-C001")
    actions = [a for s in json.loads(only.out)["Statement"] for a in s["Action"]]
    assert actions == ["ec2:DescribeAvailabilityZones", "ec2:DescribeInstanceTypeOfferings"]
    filing = json.loads(clusterwright("check", path, "--iam-policy", "--request-quotas").out)
    actions = [a for s in filing["Statement"] for a in s["Action"]]
    assert set(FILING_ACTIONS) < set(actions)


def test_statement_covers_one_set_of_resources() -> None:
    quota = AppliedQuota("sagemaker", "L-8762A75F")
    other = AppliedQuota("sagemaker", "L-2CE978FC")
    found = permissions({"CW-Q001": [quota], "CW-Q003": [other, quota]}, PLACE)
    assert [(p.action, p.rules) for p in found] == [
        ("cloudwatch:GetMetricStatistics", ("CW-Q001", "CW-Q003")),
        ("servicequotas:GetServiceQuota", ("CW-Q001", "CW-Q003")),
    ]
    arn = f"arn:aws:servicequotas:us-east-1:{specs.ACCOUNT}:sagemaker"
    assert document(found)["Statement"] == [
        {"Effect": "Allow", "Action": ["cloudwatch:GetMetricStatistics"], "Resource": "*"},
        {
            "Effect": "Allow",
            "Action": ["servicequotas:GetServiceQuota"],
            "Resource": [f"{arn}/L-2CE978FC", f"{arn}/L-8762A75F"],
        },
    ]

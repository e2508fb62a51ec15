"""Existing resources that affect a deployment: stacks, names, the CDK bootstrap, roles."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from clusterwright.aws import budgets, iam, logs, secretsmanager, ssm
from clusterwright.aws.cloudformation import stacks as aws_stacks
from clusterwright.aws.ec2 import images
from clusterwright.platforms.stack_names import PARTS, stack_name
from clusterwright.preflight.facts.fact import Fact, Place, Reading, answered, ask


@dataclass(frozen=True)
class OwnStacks:
    """The existing stacks of an environment with their resources."""

    stacks: tuple[aws_stacks.Stack, ...]
    resources: tuple[aws_stacks.StackResource, ...]

    def has(self, type_: str, physical_id: str) -> bool:
        """Return whether one of the stacks created a resource of this type and id."""
        return any((r.type, r.physical_id) == (type_, physical_id) for r in self.resources)


@dataclass(frozen=True)
class Stacks(Fact[OwnStacks]):
    """Every stack of one environment with its resources."""

    environment: str
    actions: ClassVar = ("cloudformation:DescribeStacks", "cloudformation:ListStackResources")
    inventory: ClassVar = True  # a stack whose creation failed has no resources
    resource: ClassVar = (
        "arn:{partition}:cloudformation:{region}:{account}:stack/{environment}-*/*"
    )

    def read(self) -> Reading[OwnStacks]:
        names = [stack_name(self.environment, part) for part in PARTS]
        found = yield [ask(aws_stacks.stack, name) for name in names]
        stacks = tuple(one for one in map(answered, found) if one is not None)
        made = yield [ask(aws_stacks.stack_resources, one.name) for one in stacks]
        return OwnStacks(stacks, tuple(one for answer in made for one in answered(answer)))


@dataclass(frozen=True)
class LogGroups(Fact[tuple[str, ...]]):
    """Names of the log groups that begin with a prefix."""

    prefix: str
    actions: ClassVar = ("logs:DescribeLogGroups",)
    inventory: ClassVar = True
    resource: ClassVar = "arn:{partition}:logs:{region}:{account}:log-group:*"
    function: ClassVar = logs.log_group_names


@dataclass(frozen=True)
class NamedSecret(Fact[secretsmanager.Secret | None]):
    """A secret by name or ARN, also one that is scheduled for deletion; None if there is none."""

    name: str
    actions: ClassVar = ("secretsmanager:DescribeSecret",)
    function: ClassVar = secretsmanager.secret

    def resources(self, place: Place) -> Mapping[str, str]:
        whole = self.name.startswith("arn:")
        arn = f"arn:{place.partition}:secretsmanager:{place.region}:{place.account}:secret:"
        return dict.fromkeys(self.actions, self.name if whole else f"{arn}{self.name}*")


@dataclass(frozen=True)
class BudgetNamed(Fact[bool]):
    """Whether the account has a budget of a name."""

    account: str
    name: str
    actions: ClassVar = ("budgets:ViewBudget",)
    resource: ClassVar = "arn:{partition}:budgets::{account}:budget/{name}"
    function: ClassVar = budgets.budget_exists


@dataclass(frozen=True)
class BudgetActions(Fact[tuple[budgets.BudgetAction, ...]]):
    """What the budgets of the account do when spending reaches a threshold."""

    account: str
    actions: ClassVar = ("budgets:DescribeBudgetActionsForAccount",)
    inventory: ClassVar = True
    function: ClassVar = budgets.budget_actions


@dataclass(frozen=True)
class Parameter(Fact[str | None]):
    """The value of an SSM parameter; None if there is none."""

    name: str
    actions: ClassVar = ("ssm:GetParameter",)
    resource: ClassVar = "arn:{partition}:ssm:{region}:{account}:parameter{name}"
    function: ClassVar = ssm.parameter


@dataclass(frozen=True)
class Role(Fact[bool]):
    """Return whether a role exists. `path` is that of a service-linked role."""

    name: str
    path: str = "/"
    actions: ClassVar = ("iam:GetRole",)

    def resources(self, place: Place) -> Mapping[str, str]:
        # IAM does not know the path of a role that does not exist.
        name = self.name if self.path == "/" else f"*{self.name}"
        arn = f"arn:{place.partition}:iam::{place.account}:role/{name}"
        return dict.fromkeys(self.actions, arn)

    def read(self) -> Reading[bool]:
        (found,) = yield [ask(iam.role_exists, self.name)]
        return bool(answered(found))


@dataclass(frozen=True)
class RoleMay(Fact[tuple[iam.Simulated, ...] | None]):
    """What a role may do, as simulated by AWS; None if there is no such role."""

    arn: str
    asked: tuple[iam.Simulation, ...]
    # Not limited to the role: IAM does not know the ARN of a role that does not exist.
    actions: ClassVar = ("iam:SimulatePrincipalPolicy",)

    def read(self) -> Reading[tuple[iam.Simulated, ...] | None]:
        found = yield [ask(iam.simulate_role, self.arn, one) for one in self.asked]
        answers = [answered(one) for one in found]
        if any(one is None for one in answers):
            return None
        return tuple(result for one in answers for result in one)


@dataclass(frozen=True)
class BoundaryLeaves(Fact[tuple[iam.Simulated, ...] | None]):
    """What a boundary allows for a role that may do everything; None without such a policy."""

    arn: str
    asked: tuple[iam.Simulation, ...]
    actions: ClassVar = ("iam:GetPolicy", "iam:GetPolicyVersion", "iam:SimulateCustomPolicy")

    def resources(self, place: Place) -> Mapping[str, str]:
        del place
        return dict.fromkeys(self.actions[:2], self.arn)

    def read(self) -> Reading[tuple[iam.Simulated, ...] | None]:
        (found,) = yield [ask(iam.policy_document, self.arn)]
        document: str | None = answered(found)
        if document is None:
            return None
        answers = yield [ask(iam.simulate_boundary, document, one) for one in self.asked]
        return tuple(result for one in answers for result in answered(one))


@dataclass(frozen=True)
class MachineImage(Fact[images.Image | None]):
    """A machine image that the account may use; None if there is none."""

    id: str
    actions: ClassVar = ("ec2:DescribeImages",)
    function: ClassVar = images.image


@dataclass(frozen=True)
class DeployedRoleMay(Fact[tuple[iam.Simulated, ...] | None]):
    """What a deployed role may do; None while there is none.

    `part` is the stack of the role, `logical_id` a pattern of its logical id in the template,
    `path` its IAM path.
    """

    partition: str
    account: str
    environment: str
    part: str
    logical_id: str
    path: str
    asked: tuple[iam.Simulation, ...]
    actions: ClassVar = (
        "cloudformation:DescribeStacks",
        "cloudformation:ListStackResources",
        "iam:SimulatePrincipalPolicy",
    )
    inventory: ClassVar = True  # a stack whose creation failed has no resources

    def resources(self, place: Place) -> Mapping[str, str]:
        stacks = f"arn:{place.partition}:cloudformation:{place.region}:{place.account}:stack/"
        return dict.fromkeys(self.actions[:2], f"{stacks}{self.environment}-*/*")

    def read(self) -> Reading[tuple[iam.Simulated, ...] | None]:
        name = stack_name(self.environment, self.part)
        (found,) = yield [ask(aws_stacks.stack, name)]
        if answered(found) is None:
            return None
        (made,) = yield [ask(aws_stacks.stack_resources, name)]
        roles = [
            one.physical_id
            for one in answered(made)
            if one.type == "AWS::IAM::Role"
            and re.fullmatch(self.logical_id, one.logical_id)
            and one.physical_id
        ]
        if not roles:
            return None
        arn = f"arn:{self.partition}:iam::{self.account}:role{self.path}{roles[0]}"
        answers = yield [ask(iam.simulate_role, arn, one) for one in self.asked]
        results = [answered(one) for one in answers]
        if any(one is None for one in results):
            return None
        return tuple(result for one in results for result in one)

"""Pod identity associations: the IAM role of a service account's pods."""

from __future__ import annotations

import json
import secrets
import string
import uuid
from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.services.eks import checks
from clusterwright_localaws.services.eks.lists import listed
from clusterwright_localaws.services.eks.state import (
    ChildResource,
    EksCluster,
    active,
    cluster_of,
    in_use,
    invalid,
    not_found,
)

PRINCIPAL = "pods.eks.amazonaws.com"
_LETTERS = string.ascii_lowercase + string.digits
_SUMMARY = ("clusterName", "namespace", "serviceAccount", "ownerArn")


@operation("eks", "CreatePodIdentityAssociation")
def create_pod_identity_association(call: Call) -> Mapping[str, Any]:
    request, cluster = call.parameters, active(cluster_of(call))
    check_role(call, request["roleArn"])
    _check_more(request)
    found = add(call, cluster, request["namespace"], request["serviceAccount"], request["roleArn"])
    found.tags.update(request.get("tags", {}))
    _set(found, request)
    return {"association": found.view("associationArn")}


@operation("eks", "DescribePodIdentityAssociation")
def describe_pod_identity_association(call: Call) -> Mapping[str, Any]:
    return {"association": _association(call).view("associationArn")}


@operation("eks", "ListPodIdentityAssociations")
def list_pod_identity_associations(call: Call) -> Mapping[str, Any]:
    request = call.parameters
    found = [
        {
            **{
                name: association.members[name]
                for name in _SUMMARY
                if association.members.get(name)
            },
            "associationArn": association.arn,
            "associationId": association.members["associationId"],
        }
        for association in cluster_of(call).associations.values()
        if request.get("namespace") in (None, association.members["namespace"])
        and request.get("serviceAccount") in (None, association.members["serviceAccount"])
    ]
    return listed(call, "associations", found)


@operation("eks", "UpdatePodIdentityAssociation")
def update_pod_identity_association(call: Call) -> Mapping[str, Any]:
    request, found = call.parameters, _association(call)
    _check_unowned(found)
    if request.get("roleArn"):
        check_role(call, request["roleArn"])
        found.members["roleArn"] = request["roleArn"]
    _check_more({**found.members, **request})
    _set(found, request)
    found.modified_at = call.now
    return {"association": found.view("associationArn")}


@operation("eks", "DeletePodIdentityAssociation")
def delete_pod_identity_association(call: Call) -> Mapping[str, Any]:
    found = _association(call)
    _check_unowned(found)
    del cluster_of(call).associations[found.members["associationId"]]
    return {"association": found.view("associationArn")}


def check_role(call: Call, arn: str) -> None:
    """Refuse a role that does not exist or that the pods' service may not assume.

    Raises
    ------
    AwsError
        InvalidParameterException. AWS's message is not known; this one is ours.
    """
    if arn.split(":")[4:5] != [call.account]:
        raise invalid("Roles from other accounts are not supported: use targetRoleArn")
    checks.require_role(
        arn,
        PRINCIPAL,
        f"The role {arn} does not exist or its trust policy does not let {PRINCIPAL} assume it.",
    )


def add(
    call: Call,
    cluster: EksCluster,
    namespace: str,
    service_account: str,
    role_arn: str,
    *,
    owner: str | None = None,
) -> ChildResource:
    """Create an association; a service account of a namespace can have only one.

    Raises
    ------
    AwsError
        ResourceInUseException.
    """
    for association in cluster.associations.values():
        if (association.members["namespace"], association.members["serviceAccount"]) == (
            namespace,
            service_account,
        ):
            raise in_use(f"Association already exists: {association.members['associationId']}")
    identifier = "a-" + "".join(secrets.choice(_LETTERS) for _ in range(17))
    found = ChildResource(
        arn=cluster.arn_of("podidentityassociation", cluster.name, identifier),
        created_at=call.now,
        modified_at=call.now,
        status="",
        members={
            "clusterName": cluster.name,
            "namespace": namespace,
            "serviceAccount": service_account,
            "roleArn": role_arn,
            "associationId": identifier,
            "disableSessionTags": False,
            **({"ownerArn": owner} if owner else {}),
        },
    )
    cluster.associations[identifier] = found
    return found


def _check_more(request: Mapping[str, Any]) -> None:
    if request.get("policy"):
        try:
            json.loads(request["policy"])
        except ValueError as error:
            raise invalid(f"The policy is not a JSON document: {error}") from error
        if not request.get("disableSessionTags"):
            # API model: session tags must be off where a session policy is given.
            raise invalid("policy needs disableSessionTags to be true")


def _set(found: ChildResource, request: Mapping[str, Any]) -> None:
    for name in ("disableSessionTags", "targetRoleArn", "policy"):
        if request.get(name) is not None:
            found.members[name] = request[name]
    if found.members.get("targetRoleArn") and "externalId" not in found.members:
        found.members["externalId"] = str(uuid.uuid4())


def _check_unowned(found: ChildResource) -> None:
    if found.members.get("ownerArn"):
        raise invalid(
            f"The association is owned by {found.members['ownerArn']}: change it through its "
            f"add-on"
        )


def _association(call: Call) -> ChildResource:
    requested = call.parameters["associationId"]
    found = cluster_of(call).associations.get(requested)
    if found is None:
        raise not_found(f"No association found with associationId: {requested}")
    return found

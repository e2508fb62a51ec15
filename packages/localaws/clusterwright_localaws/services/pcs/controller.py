"""The controller of a cluster as its account sees it: an interface, endpoints and secrets.

Interface and subnet: API model (botocore 1.44.5), Networking. Names of secrets: PCS user guide,
working-with_clusters_secrets_find_secrets-manager; the name of the JWT key's is ours. Ports:
6817 and 6820 PCS user guide (working-with_clusters_secrets_find_pcs, slurm-rest-api), 6819
aws-samples/aws-hpc-recipes recipes/pcs/isolated_pcs.
"""

from __future__ import annotations

import base64
import secrets
from typing import Any, Final

from botocore.exceptions import ClientError

from clusterwright_localaws.services.ec2.network import User
from clusterwright_localaws.services.pcs.state import PcsCluster, Store

SLURMCTLD_PORT: Final = 6817
SLURMDBD_PORT: Final = 6819
SLURMRESTD_PORT: Final = 6820
CLUSTER_TAG: Final = "aws:pcs:cluster-id"
GROUP_TAG: Final = "aws:pcs:compute-node-group-id"
_KEY_BYTES: Final = 32


def build(store: Store, cluster: PcsCluster) -> None:
    """Create the interface in the cluster's subnet, and the secrets.

    Raises
    ------
    ClientError
        EC2 or Secrets Manager refuses.
    """
    networking = cluster.members["networking"]
    made = store.client("ec2").create_network_interface(
        SubnetId=networking["subnetIds"][0], Groups=networking["securityGroupIds"]
    )["NetworkInterface"]
    cluster.interface_id, cluster.address = made["NetworkInterfaceId"], made["PrivateIpAddress"]
    store.network.use(
        cluster.arn,
        User(
            f"AWS PCS cluster {cluster.name}",
            tuple(networking["securityGroupIds"]),
            tuple(networking["subnetIds"]),
        ),
    )
    configuration = cluster.members["slurmConfiguration"]
    if "authKey" not in configuration:
        configuration["authKey"] = _new_secret(store, cluster, "slurm-secret")
    refresh(store, cluster)


def refresh(store: Store, cluster: PcsCluster) -> None:
    """Bring endpoints and the JWT key in line with the Slurm configuration.

    Raises
    ------
    ClientError
        Secrets Manager refuses.
    """
    configuration = cluster.members["slurmConfiguration"]
    rest = configuration["slurmRest"]["mode"] == "STANDARD"
    if rest and "jwtAuth" not in configuration:
        configuration["jwtAuth"] = {"jwtKey": _new_secret(store, cluster, "jwt-key")}
    found = [("SLURMCTLD", SLURMCTLD_PORT)]
    if configuration["accounting"]["mode"] == "STANDARD":
        found.append(("SLURMDBD", SLURMDBD_PORT))
    if rest:
        found.append(("SLURMRESTD", SLURMRESTD_PORT))
    cluster.members["endpoints"] = [
        {"type": kind, "privateIpAddress": cluster.address, "port": str(port)}
        for kind, port in found
    ]


def shared_secret(store: Store, cluster: PcsCluster) -> str:
    """Return the Slurm key of a cluster, base64.

    Raises
    ------
    ClientError
        The secret does not exist any more.
    """
    key = cluster.members["slurmConfiguration"]["authKey"]
    found = store.client("secretsmanager").get_secret_value(
        SecretId=key["secretArn"], VersionId=key["secretVersion"]
    )
    return str(found["SecretString"])


def take_down(store: Store, cluster: PcsCluster) -> None:
    """Delete the interface and the secrets; what is gone already is no error.

    Raises
    ------
    ClientError
        EC2 or Secrets Manager refuses.
    """
    if cluster.interface_id is not None:
        _forgiving(
            store.client("ec2").delete_network_interface, NetworkInterfaceId=cluster.interface_id
        )
        cluster.interface_id = None
    configuration = cluster.members["slurmConfiguration"]
    keys = [configuration.pop("authKey", None), configuration.pop("jwtAuth", {}).get("jwtKey")]
    for key in keys:
        if key is not None:
            _forgiving(
                store.client("secretsmanager").delete_secret,
                SecretId=key["secretArn"],
                ForceDeleteWithoutRecovery=True,
            )
    store.network.release(cluster.arn)


def _new_secret(store: Store, cluster: PcsCluster, kind: str) -> dict[str, str]:
    made = store.client("secretsmanager").create_secret(
        Name=f"pcs!{kind}-{cluster.id}",
        SecretString=base64.b64encode(secrets.token_bytes(_KEY_BYTES)).decode(),
        Tags=[{"Key": CLUSTER_TAG, "Value": cluster.id}],
    )
    return {"secretArn": made["ARN"], "secretVersion": made["VersionId"]}


def _forgiving(delete: Any, **parameters: Any) -> None:
    try:
        delete(**parameters)
    except ClientError as error:
        if "NotFound" not in error.response["Error"]["Code"]:
            raise

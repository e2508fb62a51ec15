"""Security groups: one for nodes and one for each kind of server, with rules by group.

Every rule is a separate resource, not a property of its group: groups that refer to each other
would be a cycle. FSx and EFA fail if a group exists without its rules, so nothing that uses a
group may be created before the rules; the groups are in a stack that is deployed before.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from aws_cdk import aws_ec2 as ec2
from constructs import Construct

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.platforms.security_group_rules import vpc_ranges


@dataclass(frozen=True)
class Traffic:
    """Ports of a protocol; all ports if `from_port` is None."""

    protocol: str
    from_port: int | None = None
    to_port: int | None = None
    what: str = ""


ALL = Traffic("-1", what="all traffic")

# FSx for Lustre, "File system access control with Amazon VPC": Lustre's own ports.
LUSTRE = (
    Traffic("tcp", 988, 988, "Lustre"),
    Traffic("tcp", 1018, 1023, "Lustre"),
)

# FSx for OpenZFS, "File system access control with Amazon VPC": NFS and its services.
NFS = tuple(
    Traffic(protocol, first, last, what)
    for protocol in ("tcp", "udp")
    for first, last, what in ((111, 111, "portmapper"), (2049, 2049, "NFS"), (20001, 20003, "NFS"))
)

HTTPS = Traffic("tcp", 443, 443, "HTTPS")

# EKS best practices guide, "Cluster security group": the API server answers on 443; it calls the
# kubelet on 10250 and webhooks of controllers on ports that each of them chooses.
TO_CONTROL_PLANE = (HTTPS,)
FROM_CONTROL_PLANE = (
    HTTPS,
    Traffic("tcp", 1025, 65535, "kubelet and webhooks"),
)
HTTP = Traffic("tcp", 80, 80, "HTTP")
DATABASE_PORT = 3306
DATABASE = Traffic("tcp", DATABASE_PORT, DATABASE_PORT, "accounting database")

EVERYWHERE = "0.0.0.0/0"


class SecurityGroups(Construct):
    """The groups of a cluster in its own VPC; an attribute is None if the group is not needed."""

    def __init__(
        self, scope: Construct, construct_id: str, cluster: Cluster, *, vpc_id: str
    ) -> None:
        super().__init__(scope, construct_id)
        self._cluster, self._vpc_id = cluster, vpc_id
        self.nodes = self._group("Nodes", "nodes of the cluster")
        self.lustre = self._lustre()
        self.home = self._home()
        self.controller = self._controller()
        self.database = self._database()
        self.endpoints = self._endpoints()
        self.control_plane = self._control_plane()
        # EFA bypasses the kernel and IP: rules by address, even 0.0.0.0/0, do not allow it.
        _between(self, "NodesToNodes", self.nodes, self.nodes, [ALL], "EFA, MPI, NCCL and Slurm")
        self._egress()
        if cluster.traits.internal_shared_storage:
            self._to_shared_storage()

    def _group(self, name: str, what: str) -> ec2.CfnSecurityGroup:
        environment = self._cluster.environment
        return ec2.CfnSecurityGroup(
            self,
            name,
            group_description=f"{environment}: {what}",
            vpc_id=self._vpc_id,
            # EC2 adds an egress rule that allows everything to a group without one. A rule for an
            # unused address prevents it: CloudFormation then removes EC2's rule.
            security_group_egress=[_NOWHERE],
        )

    def _lustre(self) -> ec2.CfnSecurityGroup | None:
        built = [fs for fs in self._cluster.storage.lustre if fs.existing is None]
        if not built:
            return None
        group = self._group("Lustre", "FSx for Lustre file systems")
        # With EFA, clients and servers must allow all traffic by group (FSx documentation).
        traffic = [ALL] if any(fs.efa for fs in built) else LUSTRE
        _between(self, "LustreServers", group, group, traffic, "Lustre servers among themselves")
        _between(self, "NodesToLustre", self.nodes, group, traffic, "Lustre clients")
        _between(self, "LustreToNodes", group, self.nodes, traffic, "Lustre servers call back")
        return group

    def _home(self) -> ec2.CfnSecurityGroup | None:
        home = self._cluster.storage.home
        if home is None or home.existing is not None:
            return None
        group = self._group("Home", "home directories")
        _between(self, "NodesToHome", self.nodes, group, NFS, "home directories")
        return group

    def _controller(self) -> ec2.CfnSecurityGroup | None:
        """Of Slurm's controller, in addition to the group of the nodes.

        It also exists without a database: HyperPod cannot change the groups of an instance group
        later (CreateCluster, OverrideVpcConfig), and the spec may ask for a database later.
        """
        traits = self._cluster.traits
        if not traits.uses_slurm or traits.service_runs_controller:
            return None
        return self._group("Controller", "Slurm controller")

    def _database(self) -> ec2.CfnSecurityGroup | None:
        accounting = self._cluster.slurm.accounting
        if accounting.kind != "rds" or accounting.existing is not None:
            return None
        group = self._group("Database", "Slurm accounting database")
        assert self.controller is not None, "only Slurm has an accounting database"
        _between(self, "ControllerToDatabase", self.controller, group, [DATABASE], "slurmdbd")
        return group

    def _endpoints(self) -> ec2.CfnSecurityGroup | None:
        if self._cluster.network.egress != "closed":
            return None
        group = self._group("Endpoints", "VPC endpoints")
        _between(self, "NodesToEndpoints", self.nodes, group, [HTTPS], "AWS services")
        return group

    def _control_plane(self) -> ec2.CfnSecurityGroup | None:
        """In addition to the group that EKS creates itself, which the nodes do not have."""
        if not self._cluster.uses_kubernetes:
            return None
        group = self._group("ControlPlane", "control plane of Kubernetes")
        _between(
            self, "NodesToControlPlane", self.nodes, group, TO_CONTROL_PLANE, "Kubernetes API"
        )
        _between(
            self, "ControlPlaneToNodes", group, self.nodes, FROM_CONTROL_PLANE, "Kubernetes API"
        )
        for index, cidr in enumerate(self._cluster.kubernetes.private_access_cidrs):
            ec2.CfnSecurityGroupIngress(
                self,
                f"PeopleToControlPlane{index or ''}",
                group_id=group.attr_group_id,
                cidr_ip=cidr,
                ip_protocol=HTTPS.protocol,
                from_port=HTTPS.from_port,
                to_port=HTTPS.to_port,
                description="Kubernetes API: connected networks of the spec",
            )
        return group

    def _egress(self) -> None:
        closed = self._cluster.network.egress == "closed"
        # S3's gateway endpoint has no group, and the id of its prefix list is no attribute of any
        # resource. With `closed` there is no other route, so this rule allows S3 only.
        for traffic in [HTTPS] if closed else [HTTPS, HTTP]:
            ec2.CfnSecurityGroupEgress(
                self,
                f"NodesOut{traffic.from_port}",
                group_id=self.nodes.attr_group_id,
                cidr_ip=EVERYWHERE,
                ip_protocol=traffic.protocol,
                from_port=traffic.from_port,
                to_port=traffic.to_port,
                description=(
                    f"{traffic.what}: S3 through its gateway endpoint"
                    if closed
                    else f"{traffic.what}: through the NAT gateway"
                ),
            )

    def _to_shared_storage(self) -> None:
        """To the file system that ParallelCluster creates for itself (SharedStorageType: Efs).

        Its group allows the nodes, and has no id before the cluster: so egress is by address.
        """
        for index, cidr in enumerate(vpc_ranges(self._cluster)):
            ec2.CfnSecurityGroupEgress(
                self,
                f"NodesToSharedStorage{index or ''}",
                group_id=self.nodes.attr_group_id,
                cidr_ip=cidr,
                ip_protocol="tcp",
                from_port=2049,
                to_port=2049,
                description="NFS: the file system that ParallelCluster makes for itself",
            )


_NOWHERE = ec2.CfnSecurityGroup.EgressProperty(
    ip_protocol="icmp",
    from_port=252,
    to_port=86,
    cidr_ip="255.255.255.255/32",
    description="Nothing: keeps out the rule that allows everything",
)
"""The rule that the CDK uses for `allow_all_outbound=False`."""


def _between(
    scope: Construct,
    name: str,
    source: ec2.CfnSecurityGroup,
    target: ec2.CfnSecurityGroup,
    traffic: Iterable[Traffic],
    why: str,
) -> None:
    """Allow connections from `source` to `target`: an egress and an ingress rule by group id."""
    for index, item in enumerate(traffic):
        suffix = str(index) if index else ""
        description = f"{why}: {item.what}"
        ec2.CfnSecurityGroupEgress(
            scope,
            f"{name}Egress{suffix}",
            group_id=source.attr_group_id,
            destination_security_group_id=target.attr_group_id,
            ip_protocol=item.protocol,
            from_port=item.from_port,
            to_port=item.to_port,
            description=description,
        )
        ec2.CfnSecurityGroupIngress(
            scope,
            f"{name}Ingress{suffix}",
            group_id=target.attr_group_id,
            source_security_group_id=source.attr_group_id,
            ip_protocol=item.protocol,
            from_port=item.from_port,
            to_port=item.to_port,
            description=description,
        )

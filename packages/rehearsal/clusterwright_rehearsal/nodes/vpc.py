"""The VPC of a run: network, metadata, DNS, file systems and databases for the machines.

Created with the first machine, because its subnet determines the VPC.
"""

from __future__ import annotations

import ipaddress
import re
import socket
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from clusterwright_localaws.drivers import Serving
from clusterwright_rehearsal.nodes import network as network_module
from clusterwright_rehearsal.nodes.aws_clients import AwsClients
from clusterwright_rehearsal.nodes.databases import Database, Databases, database_of
from clusterwright_rehearsal.nodes.machines import Machine, Site
from clusterwright_rehearsal.nodes.metadata import Instance, Metadata
from clusterwright_rehearsal.nodes.network import Network
from clusterwright_rehearsal.nodes.resolver import Resolver, machine_address
from clusterwright_rehearsal.registry import Registry

_SERVICE = re.compile(r"(?:^|\.)(?:amazonaws\.com(?:\.cn)?|api\.aws)$")
_FILE_SYSTEM = re.compile(r"^(fs-[0-9a-f]+)\.fsx\.")


class Vpc:
    """The VPC of all machines of a run."""

    def __init__(self, run: str, folder: Path, image: Path, serving: Serving) -> None:
        self.folder = folder
        self._run = run
        self._image = image
        self._serving = serving
        self._lock = threading.RLock()
        self._site: Site | None = None
        self._network: Network | None = None
        self._metadata: Metadata | None = None
        self._resolver: Resolver | None = None
        self._databases: Databases | None = None
        self._services = 0
        self.lustre: dict[str, str] | None = None
        """`dns_name` and `mount_name` of the first Lustre file system."""
        self.home: str | None = None
        """The DNS name of the first OpenZFS file system."""
        self._addresses: dict[str, str] = {}
        """Addresses of file systems, databases and hosts by DNS name."""
        self._accounts: dict[str, AwsClients] = {}

    @property
    def network(self) -> Network:
        assert self._network is not None, "create a machine first"
        return self._network

    @property
    def metadata(self) -> Metadata:
        assert self._metadata is not None, "create a machine first"
        return self._metadata

    @property
    def databases(self) -> Databases:
        assert self._databases is not None, "create a machine first"
        return self._databases

    @property
    def resolver_address(self) -> str:
        return self.network.router

    @property
    def endpoint(self) -> str:
        """The URL of the local AWS for the machines."""
        return f"http://{self.network.router}"

    @property
    def shared(self) -> Path:
        """The folder behind all shared file systems."""
        return self.folder / "shared"

    def machine(
        self,
        name: str,
        address: str,
        subnet_id: str,
        account: AwsClients,
        image: Path | None = None,
    ) -> Machine:
        """Create a machine without starting it; the first one creates the network.

        `image` is None for that of the run.
        """
        with self._lock:
            if self._site is None:
                self._create(_cidr_blocks(account, subnet_id, address))
            assert self._site is not None
            return Machine(self._site, name, address, image)

    def add_host(self, name: str, address: str) -> None:
        """Add a DNS record for a host name, as a private hosted zone does."""
        with self._lock:
            self._addresses[name.lower()] = address
            self._addresses[f"{name}.pcluster".lower()] = address

    def add_file_systems(self, account: AwsClients) -> None:
        """Create the folder and the DNS record of every file system of the account."""
        with self._lock:
            fsx = account.client("fsx")
            for page in fsx.get_paginator("describe_file_systems").paginate():
                for found in page["FileSystems"]:
                    name = found.get("DNSName")
                    if not name:
                        continue
                    self._addresses[name.lower()] = self.network.router
                    lustre = found.get("LustreConfiguration")
                    if lustre and self.lustre is None:
                        self.lustre = {"dns_name": name, "mount_name": lustre["MountName"]}
                    elif not lustre and self.home is None:
                        self.home = name
                    folder = (
                        self.shared / "lustre" / name / lustre["MountName"]
                        if lustre
                        else self.shared / "nfs" / name / "fsx"
                    )
                    if not folder.exists():
                        folder.mkdir(parents=True)
                        folder.chmod(0o755)

    def database(
        self, account: AwsClients, config: Mapping[str, Any], specification: Mapping[str, Any]
    ) -> Database:
        """The external accounting database of `AccountingDatabase`, once it is running."""
        self.databases.wait(config["Endpoint"])
        return database_of(account, config, specification["ExecutionRole"])

    def close(self) -> None:
        for service in (self._databases, self._metadata, self._resolver):
            if service is not None:
                service.close()

    def _create(self, blocks: list[str]) -> None:
        registry = Registry(self.folder)
        self._network = Network(self._run, [*blocks, network_module.SERVICES], registry)
        self._network.up()
        self._site = Site(self._run, self.folder, self._image, self._network, registry)
        self.shared.mkdir(exist_ok=True)
        router = self._network.router
        self._serving.answer_on(self._network.socket_in(router, 80))
        self._resolver = Resolver(
            self._network.socket_in(router, 53, socket.SOCK_DGRAM), self._lookup
        )
        self._databases = Databases(self._service_machine, self._addresses.__setitem__)
        self._metadata = Metadata(
            self._network.socket_in(network_module.METADATA, 80), self._credentials
        )

    def _service_machine(self, name: str) -> Machine:
        with self._lock:
            self._services += 1
            address = ipaddress.ip_network(network_module.SERVICES)[self._services]
            assert self._site is not None
            return Machine(self._site, name, str(address))

    def _credentials(self, instance: Instance) -> Mapping[str, Any]:
        key = f"{instance.account}/{instance.region}"
        with self._lock:
            if key not in self._accounts:
                self._accounts[key] = AwsClients(
                    self._serving.url, instance.account, instance.region
                )
            account = self._accounts[key]
        return account.credentials(instance.role_arn, instance.instance_id)

    def _lookup(self, name: str) -> str | None:
        if name in self._addresses:
            return self._addresses[name]
        found = machine_address(name)
        if found is not None:
            return found
        if _FILE_SYSTEM.match(name) or ".rds." in name:
            return None
        return self.network.router if _SERVICE.search(name) else None


def _cidr_blocks(account: AwsClients, subnet_id: str, address: str) -> list[str]:
    """The VPC's CIDR blocks, beginning with the block of `address`."""
    if not subnet_id:  # the VPC of the service
        return [str(ipaddress.ip_network(f"{address}/16", strict=False))]
    ec2 = account.client("ec2")
    subnet = ec2.describe_subnets(SubnetIds=[subnet_id])["Subnets"][0]
    vpc = ec2.describe_vpcs(VpcIds=[subnet["VpcId"]])["Vpcs"][0]
    found = [entry["CidrBlock"] for entry in vpc.get("CidrBlockAssociationSet", ())]
    blocks = list(dict.fromkeys(found or [vpc["CidrBlock"]]))
    inside = ipaddress.ip_address(address)
    return sorted(blocks, key=lambda block: inside not in ipaddress.ip_network(block))

"""moto keeps every value of a security group's rule, and fails where TCP has no ports.

What is refused or made canonical is in EC2's API reference, IpPermission, IpRange and Ipv6Range:
https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_IpPermission.html
https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_IpRange.html
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from typing import Any, Final

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "EC2: ports, protocols, addresses and descriptions of a security group's rules are checked, "
    "and addresses are made canonical"
)
TEXT: Final = re.compile(r"[a-zA-Z0-9. _\-:/()#,@\[\]+=&;{}!$*]{0,255}")
ALLOWED: Final = (
    "strings less than 256 characters from the following set: a-zA-Z0-9. _-:/()#,@[]+=&;{}!$*"
)
# https://www.iana.org/assignments/protocol-numbers; EC2 answers these four by name.
_NAMES: Final = {"1": "icmp", "6": "tcp", "17": "udp", "58": "icmpv6", "all": "-1"}
_WITH_PORTS: Final = frozenset({"tcp", "udp"})
_WITH_TYPES: Final = frozenset({"icmp", "icmpv6"})
_LAST_PROTOCOL: Final = 255
_LAST_PORT: Final = 65535
_LAST_TYPE: Final = 255


def apply() -> None:
    from moto.ec2.responses import security_groups

    parse = security_groups.parse_sg_attributes_from_dict

    def parse_sg_attributes_from_dict(sg_attributes: dict[str, Any]) -> tuple[Any, ...]:
        protocol, first, last, ranges, groups, lists = parse(sg_attributes)
        if runtime().active and protocol is not None:
            protocol = _protocol(str(protocol))
            first, last = _ports(protocol, first, last)
        if runtime().active:
            ranges = [_canonical(one) for one in ranges]
            for one in (*ranges, *groups, *lists):
                _check_description(one.get("Description"))
        return protocol, first, last, ranges, groups, lists

    security_groups.parse_sg_attributes_from_dict = parse_sg_attributes_from_dict


def _protocol(given: str) -> str:
    name = given.lower()
    name = _NAMES.get(name, name)
    is_number = name.isascii() and name.isdigit() and int(name) <= _LAST_PROTOCOL
    if not (name == "-1" or name in _WITH_PORTS | _WITH_TYPES or is_number):
        raise _invalid(f"Invalid value '{given}' for IP protocol. Unknown protocol.")
    return name


def _ports(protocol: str, first: Any, last: Any) -> tuple[Any, Any]:
    if protocol == "-1":
        return None, None
    if protocol in _WITH_PORTS:
        return _port_range(first, last)
    if protocol not in _WITH_TYPES:
        return -1, -1  # all ports, whatever range is given
    if first is None and last is None and protocol == "icmpv6":
        return -1, -1
    if first is None or last is None:
        raise _invalid("Invalid value 'Must specify both type and code with ICMP.' for portRange.")
    kind, code = int(first), int(last)
    in_range = all(-1 <= one <= _LAST_TYPE for one in (kind, code))
    if not in_range or (kind == -1 and code != -1):
        raise _invalid(f"Invalid ICMP type and code ({kind}:{code})")
    return kind, code


def _port_range(first: Any, last: Any) -> tuple[int, int]:
    if first is None or last is None:
        raise _invalid(
            "Invalid value 'Must specify both from and to ports with TCP/UDP.' for portRange."
        )
    start, end = int(first), int(last)
    for port in (start, end):
        if not 0 <= port <= _LAST_PORT:
            raise _invalid(f"TCP/UDP port ({port}) out of range")
    if start > end:
        raise _invalid(f"Invalid TCP/UDP port range ({start}:{end})")
    return start, end


def _canonical(given: Mapping[str, Any]) -> dict[str, Any]:
    found = dict(given)
    for name, version in (("CidrIp", 4), ("CidrIpv6", 6)):
        text = found.get(name)
        if text is None:
            continue
        try:
            network = ipaddress.ip_network(str(text), strict=False)
        except ValueError:
            network = None
        if network is None or network.version != version or "/" not in str(text):
            raise _invalid(f"CIDR block {text} is malformed")
        found[name] = str(network)
    return found


def _check_description(text: Any) -> None:
    if text is not None and not TEXT.fullmatch(str(text)):
        raise _invalid(f"Invalid rule description. Valid descriptions are {ALLOWED}")


def _invalid(message: str) -> Exception:
    from moto.ec2.exceptions import EC2ClientError

    return EC2ClientError("InvalidParameterValue", message)

"""Slurm accounts of tenants: share, limit, and users whose jobs are charged to them.

The account is written to `slurm.accounts`, so that `expand` shows it and the node program creates
it; an account of the same name is extended. Different values in both are an error.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from clusterwright.cluster_spec.apportionment import apportion
from clusterwright.cluster_spec.models import formats
from clusterwright.cluster_spec.problems import Path, Problem


@dataclass
class SlurmTenancy:
    """`slurm` with the tenants' accounts, the derived paths, and contradictions."""

    slurm: dict[str, Any]
    derived: set[Path] = field(default_factory=set)
    problems: list[Problem] = field(default_factory=list)


def slurm_tenancy(data: Mapping[str, Any]) -> SlurmTenancy:
    """`data` is the merged spec before validation: the models report wrong types."""
    slurm = data.get("slurm", {})
    tenants = data.get("tenants")
    if not isinstance(slurm, dict) or not isinstance(tenants, list):
        return SlurmTenancy(slurm)
    found = SlurmTenancy(dict(slurm))
    # Invalid account names, and accounts without a database, are reported for the tenants.
    named = [
        (index, tenant)
        for index, tenant in enumerate(tenants)
        if isinstance(tenant, dict)
        and isinstance(tenant.get("name"), str)
        and re.match(formats.SLURM_ACCOUNT.pattern, tenant["name"])
        and tenant["name"] != "root"
    ]
    accounting = slurm.get("accounting")
    kind = accounting.get("kind") if isinstance(accounting, dict) else None
    if named and kind != "none":
        shares = _shares(data, [tenant for _, tenant in named])
        _accounts(found, named, shares)
        _users(found, named)
    return found


def _shares(data: Mapping[str, Any], tenants: list[dict[str, Any]]) -> list[int]:
    compute = data.get("compute")
    nodes = 0
    for group in compute if isinstance(compute, list) else []:
        if isinstance(group, dict) and group.get("role") == "compute":
            nodes += _number(group.get("count"), 0) - _number(group.get("spare_count"), 0)
    weights = [_number(tenant.get("weight"), 1) for tenant in tenants]
    limits = [_number(t["max_nodes"], 0) or None if "max_nodes" in t else None for t in tenants]
    return apportion(nodes, weights, limits)


def _accounts(
    found: SlurmTenancy, named: list[tuple[int, dict[str, Any]]], shares: list[int]
) -> None:
    given = found.slurm.get("accounts", [])
    if not isinstance(given, list):
        return
    accounts = list(given)
    places = {
        account["name"]: place
        for place, account in reversed(list(enumerate(accounts)))
        if isinstance(account, dict) and isinstance(account.get("name"), str)
    }
    for (index, tenant), share in zip(named, shares, strict=True):
        wanted: dict[str, Any] = {"fair_share": tenant.get("weight", 1)}
        # Slurm has no limit of 0 nodes; `validation.tenants` reports such a share.
        limit = share if tenant.get("borrowing") is False and share else tenant.get("max_nodes")
        if limit is not None:
            wanted["max_nodes"] = limit
        place = places.get(tenant["name"])
        if place is None:
            places[tenant["name"]] = place = len(accounts)
            accounts.append({"name": tenant["name"]})
            found.derived.add(("slurm", "accounts", place))
        account = dict(accounts[place])
        for key, value in wanted.items():
            here: Path = ("slurm", "accounts", place, key)
            if key not in account:
                account[key] = value
                found.derived.add(here)
            elif account[key] != value and here not in found.derived:
                found.problems.append(
                    Problem(
                        f"the tenant `{tenant['name']}` sets this to {value}, here it is "
                        f"{account[key]}",
                        here,
                        hint="set it in one of the two places only",
                        other_path=("tenants", index, _TENANTS_KEY[key]),
                    )
                )
        accounts[place] = account
    found.slurm["accounts"] = accounts
    if not given:
        found.derived.add(("slurm", "accounts"))


_TENANTS_KEY = {"fair_share": "weight", "max_nodes": "max_nodes"}


def _users(found: SlurmTenancy, named: list[tuple[int, dict[str, Any]]]) -> None:
    users = found.slurm.get("users", [])
    if not isinstance(users, list):
        return
    people = [dict(user) if isinstance(user, dict) else user for user in users]
    places = {
        user["name"]: place
        for place, user in reversed(list(enumerate(people)))
        if isinstance(user, dict) and isinstance(user.get("name"), str)
    }
    for index, tenant in named:
        names = tenant.get("users", [])
        for number, name in enumerate(names if isinstance(names, list) else []):
            place = places.get(name) if isinstance(name, str) else None
            if place is None:
                continue
            account: Path = ("slurm", "users", place, "slurm_account")
            user = people[place]
            if user.setdefault("slurm_account", tenant["name"]) == tenant["name"]:
                if "slurm_account" not in users[place]:
                    found.derived.add(account)
            else:
                found.problems.append(
                    Problem(
                        f"`{name}` is already charged to `{user['slurm_account']}`",
                        ("tenants", index, "users", number),
                        hint="the jobs of a user are charged to one account",
                        other_path=None if account in found.derived else account,
                    )
                )
    if people:
        found.slurm["users"] = people


def _number(value: Any, otherwise: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else otherwise

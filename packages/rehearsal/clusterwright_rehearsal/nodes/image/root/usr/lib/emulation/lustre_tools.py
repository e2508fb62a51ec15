#!/usr/bin/python3 -SE
"""Emulates the commands of lfs, lctl and lnetctl that scripts on nodes use.

lnetctl stores LNet's networks and prints `net show` in the YAML format of the Lustre manual. There
is no LNet: the counters of an interface increase with every read, as if data had been transferred,
unless the fault `lnet-silent` is set or the port of the EFA interface is not ACTIVE. A transport
check can therefore fail here, but a pass proves nothing about a real data path.
"""

from __future__ import annotations

import os
import sys

import hardware

_CLASS = "/sys/class/infiniband"
_MESSAGES = 64


def main(program: str, argv: list[str]) -> int:
    if program == "lnetctl":
        return _lnetctl(argv)
    if program == "lctl":
        return _lctl(argv)
    return _lfs(argv)


def _lnetctl(argv: list[str]) -> int:
    state = hardware.read_state("lnet", {"nets": [], "udsp": []})
    words = [word for word in argv if not word.startswith("-")]
    options = {argv[i]: argv[i + 1] for i in range(len(argv) - 1) if argv[i].startswith("--")}
    if words[:2] == ["net", "add"]:
        kind, device = options["--net"], options["--if"]
        if kind == "efa" and not os.path.isdir(f"{_CLASS}/{device}"):
            print("add:\n    - net:\n          errno: -19")
            print(f"          descr: {device}: No such device")
            return 237
        known = {(entry["net"], entry["interface"]) for entry in state["nets"]}
        if (kind, device) not in known:
            state["nets"].append({"net": kind, "interface": device, "messages": 0})
    elif words[:2] == ["net", "show"]:
        _show(state, options.get("--net"), verbose="--verbose" in argv or "-v" in argv)
    elif words[:2] == ["udsp", "show"]:
        for entry in state["udsp"]:
            print(f"udsp:\n    - idx: 0\n      src: {entry}")
    elif words[:2] == ["udsp", "add"]:
        state["udsp"].append(options.get("--src", ""))
    elif words[:1] not in (["lnet"], ["set"], ["net"], ["udsp"], ["peer"], ["global"]):
        print(f"lnetctl: unknown command {' '.join(argv)}", file=sys.stderr)
        return 1
    hardware.write_state("lnet", state)
    return 0


def _show(state: dict[str, list[dict[str, object]]], wanted: str | None, *, verbose: bool) -> None:
    entries = [e for e in state["nets"] if wanted in (None, e["net"])]
    if not entries:
        return
    print("net:")
    for kind in dict.fromkeys(str(entry["net"]) for entry in entries):
        print(f"    - net type: {kind}\n      local NI(s):")
        for number, entry in enumerate(e for e in entries if e["net"] == kind):
            up = _is_up(kind, str(entry["interface"]))
            if up and hardware.fault("lnet-silent") is None:
                entry["messages"] = int(str(entry["messages"])) + _MESSAGES
            print(f"        - nid: {number + 1}@{kind}{number or ''}")
            print(f"          status: {'up' if up else 'down'}")
            print(f"          interfaces:\n              0: {entry['interface']}")
            if verbose:
                print("          statistics:")
                print(f"              send_count: {entry['messages']}")
                print(f"              recv_count: {entry['messages']}")
                print("              drop_count: 0")


def _is_up(kind: str, device: str) -> bool:
    if kind != "efa":
        return True
    try:
        with open(f"{_CLASS}/{device}/ports/1/state", encoding="utf-8") as file:
            return "ACTIVE" in file.read()
    except OSError:
        return False


def _lctl(argv: list[str]) -> int:
    if argv[:1] == ["ping"]:
        print(f"12345-0@lo\n12345-{argv[1] if len(argv) > 1 else ''}")
    elif argv[:2] == ["get_param", "-n"] and argv[2:3] == ["version"]:
        print("2.15.6-emulated")
    return 0


def _lfs(argv: list[str]) -> int:
    if argv[:1] == ["df"]:
        os.execv("/usr/bin/df", ["df", *argv[1:]])
    if argv[:1] == ["getstripe"]:
        print("stripe_count:  1\nstripe_size:   1048576")
    elif argv[:1] == ["hsm_state"]:
        for path in argv[1:]:
            print(f"{path}: (0x00000009) exists archived, archive_id:1")
    elif argv[:1] == ["hsm_action"]:
        for path in argv[1:]:
            print(f"{path}: NOOP")
    elif argv[:1] not in (
        ["setstripe"],
        ["hsm_restore"],
        ["hsm_archive"],
        ["hsm_release"],
        ["quota"],
    ):
        print(f"lfs: unknown command {' '.join(argv)}", file=sys.stderr)
        return 1
    return 0


sys.exit(main(os.path.basename(sys.argv[0]), sys.argv[1:]))

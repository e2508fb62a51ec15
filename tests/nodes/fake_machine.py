"""A simulated machine, a folder and a table: the real program runs on it with simulated commands.

The state survives the process, like that of a node: files below the root, everything else in
state.json. The commands answer in the formats of the real ones as far as the program parses them.
"""

from __future__ import annotations

import hashlib
import json
import marshal
import os
import re
import shutil
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from clusterwright_node.machine import Machine, Result

_WITHOUT_REFERENCES = 2
"""The version of marshal's format."""


class FakeMachine(Machine):
    """Simulates one node. With `kill_at`, sends SIGKILL to its own process at that point between
    changes.
    """

    def __init__(
        self,
        folder: Path,
        kill_at: int | None = None,
        copies: Mapping[int, Path] | None = None,
    ) -> None:
        super().__init__(str(folder / "root"))
        self.folder = folder
        self.kill_at = kill_at
        self.copies = copies or {}
        self.points: list[str] = []
        self.ran: list[tuple[str, ...]] = []
        self.now = 0.0
        self._saved = b""
        self.state: dict[str, Any] = json.loads((folder / "state.json").read_text())

    # --- seams of Machine

    def monotonic(self) -> float:
        return self.now

    def cpu_seconds(self) -> float:
        """What the shell used before it became the program: a download, for example."""
        return 5.0

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        for event in list(self.state["events"]):
            if event["at"] <= self.now:
                self.state["events"].remove(event)
                self._set(event["path"], event["value"])

    def hostname(self) -> str:
        return "ip-" + self.state["address"].replace(".", "-")

    def is_root(self) -> bool:
        return True

    def has_command(self, name: str) -> bool:
        return name not in self.state["missing_commands"] and self._method(name) is not None

    def can_connect(self, host: str, port: int, timeout_seconds: float = 3.0) -> bool:
        if port == 6819:
            unit = self.state["units"].get("slurmdbd.service", {})
            return host == self.state["address"] and bool(unit.get("active"))
        return (host, port) == ("10.1.0.10", 6817) and bool(self.state["controller_up"])

    def owner(self, handle: int) -> tuple[int, int]:
        note = self._owner_note(handle)
        if not note.exists():
            return 0, 0
        uid, gid = note.read_text().split()
        return int(uid), int(gid)

    def set_owner(self, handle: int, uid: int, gid: int) -> None:
        note = self._owner_note(handle)
        note.parent.mkdir(exist_ok=True)
        temporary = note.with_suffix(f".{os.getpid()}")
        temporary.write_text(f"{uid} {gid}")
        temporary.replace(note)

    def before(self, label: str) -> None:
        self._point("before " + label)

    def between(self, label: str) -> None:
        self._point("within " + label)

    def after(self, label: str) -> None:
        self._point("after " + label)

    def execute(self, argv: Sequence[str], timeout_seconds: float) -> Result:
        self.ran.append(tuple(argv))
        method = self._method(argv[0])
        if argv[0] in self.state["missing_commands"] or method is None:
            raise FileNotFoundError(argv[0])
        if argv[0] in self.state["hanging_commands"]:
            self.now += timeout_seconds
            raise TimeoutError
        code, stdout, stderr = method(list(argv[1:]))
        self.save()
        return Result(tuple(argv), code, stdout, stderr)

    def save(self) -> None:
        """Save the state atomically, if it has changed: most commands only read."""
        # Ten times as fast as JSON; without references equal states have equal bytes.
        state = marshal.dumps(self.state, _WITHOUT_REFERENCES)
        if state == self._saved:
            return
        self._saved = state
        temporary = self.folder / "state.json.new"
        temporary.write_text(json.dumps(self.state, sort_keys=True))
        temporary.replace(self.folder / "state.json")

    def reboot(self) -> None:
        """Reboot: mounts, /run and processes are removed; systemd starts enabled units."""
        self.state["mounts"] = [row for row in self.state["mounts"] if row.get("by_image")]
        self.state["lnet"] = {}
        self.state["packet_filter"] = {}
        run = self.root / "run"
        for path in sorted(run.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        for unit in self.state["units"].values():
            unit["active"] = False
            unit["loaded"] = None
        names = sorted(
            self.state["units"], key=lambda name: (not name.endswith("efa.service"), name)
        )
        for name in names:
            if self.state["units"][name]["enabled"]:
                self._start(name)
        self.save()

    # --- helpers

    def _method(self, name: str) -> Any:
        return getattr(self, "_cmd_" + re.sub(r"[^a-z0-9]", "_", name), None)

    def _point(self, label: str) -> None:
        if self.kill_at == len(self.points):
            os.kill(os.getpid(), signal.SIGKILL)
        if len(self.points) in self.copies:
            shutil.copytree(self.folder, self.copies[len(self.points)], symlinks=True)
        self.points.append(label)

    def _owner_note(self, handle: int) -> Path:
        return self.owner_note(str(Path(f"/proc/self/fd/{handle}").readlink()))

    def owner_note(self, path: str) -> Path:
        """The file with the owner of a path, which is noted as seen on the machine: a copy of the
        machine has the same owners.
        """
        path = path.removeprefix(str(self.root))
        owners = self.folder / "owners"
        if "shared_owners" in self.state:
            owners = Path(self.state["shared_owners"])
        return owners / hashlib.sha256(path.encode()).hexdigest()

    def _set(self, path: list[str], value: object) -> None:
        table: Any = self.state
        for key in path[:-1]:
            table = table[key]
        table[path[-1]] = value

    # --- looking around

    def _cmd_ip(self, _: list[str]) -> tuple[int, str, str]:
        address = self.state["address"]
        rows = [
            {"ifname": "lo", "addr_info": [{"local": "127.0.0.1", "scope": "host"}]},
            {"ifname": "ens5", "addr_info": [{"local": a, "scope": "global"} for a in [address]]},
            {"ifname": "ens6", "addr_info": [{"local": "fe80::1", "scope": "link"}]},
        ]
        return 0, json.dumps(rows), ""

    def _cmd_findmnt(self, _: list[str]) -> tuple[int, str, str]:
        rows = [{"target": "/", "source": "/dev/nvme0n1p1", "fstype": "ext4", "options": "rw"}]
        for row in self.state["mounts"]:
            rows.append({key: row[key] for key in ("target", "source", "fstype", "options")})
        return 0, json.dumps({"filesystems": rows}), ""

    def _cmd_ls(self, args: list[str]) -> tuple[int, str, str]:
        target = args[0].removeprefix(str(self.root)).removesuffix("/.")
        if target in self.state["automounts"]:
            self.state["mounts"].append(self.state["automounts"].pop(target))
        return 0, "", ""

    def _cmd_touch(self, args: list[str]) -> tuple[int, str, str]:
        path = Path(args[0])
        inside = "/" + str(path.relative_to(self.root))
        if any(inside.startswith(prefix) for prefix in self.state["read_only"]):
            return 1, "", f"touch: cannot touch '{path}': Read-only file system"
        if not path.parent.is_dir():
            return 1, "", f"touch: cannot touch '{path}': No such file or directory"
        path.touch()
        return 0, "", ""

    def _cmd_rm(self, args: list[str]) -> tuple[int, str, str]:
        if "-rf" in args:
            shutil.rmtree(args[-1], ignore_errors=True)
            return 0, "", ""
        Path(args[-1]).unlink(missing_ok=True)
        return 0, "", ""

    def _cmd_cp(self, args: list[str]) -> tuple[int, str, str]:
        source, target = Path(args[0]), Path(args[1])
        text = source.read_text()
        target.write_text(text[: len(text) // 2])
        self._point("within cp")
        target.write_text(text)
        return 0, "", ""

    def _cmd_ln(self, args: list[str]) -> tuple[int, str, str]:
        assert args[0] == "-sfn"
        target, link = args[1], Path(args[2])
        link.parent.mkdir(parents=True, exist_ok=True)
        link.unlink(missing_ok=True)
        link.symlink_to(target)
        return 0, "", ""

    def _cmd_readlink(self, args: list[str]) -> tuple[int, str, str]:
        return 0, f"{Path(args[0]).readlink()}\n", ""

    def _cmd_uname(self, args: list[str]) -> tuple[int, str, str]:
        assert args == ["-m"], args
        return 0, self.state["architecture"] + "\n", ""

    # --- packages and compilers

    def _cmd_dpkg_deb(self, args: list[str]) -> tuple[int, str, str]:
        """A package is a text: `deb <name> <version> <installed file>`."""
        words = Path(args[1]).read_text().split()
        assert args[0] == "--field", args
        if words[0] != "deb":
            return 2, "", f"dpkg-deb: error: '{args[1]}' is not a Debian format archive"
        return 0, f"Package: {words[1]}\nVersion: {words[2]}\n", ""

    def _cmd_dpkg_query(self, args: list[str]) -> tuple[int, str, str]:
        found = self.state["packages"].get(args[-1])
        if found is None:
            return 1, "", f"dpkg-query: no packages found matching {args[-1]}"
        return 0, f"{found['status']} {found['version']}", ""

    def _cmd_apt_get(self, _: list[str]) -> tuple[int, str, str]:
        raise AssertionError("apt looks for packages on the internet")

    def _cmd_dpkg(self, args: list[str]) -> tuple[int, str, str]:
        if self.state["dpkg_errors"]:
            return 2, "", self.state["dpkg_errors"].pop(0)
        if args[0] == "--install":
            for path in args[1:]:
                _, name, version, brings = Path(path).read_text().split()
                row = {"status": "unpacked", "version": version, "brings": brings}
                self.state["packages"][name] = row
                self.save()
                self._point("within dpkg --install")
        else:
            assert args == ["--configure", "--pending"], args
        for row in self.state["packages"].values():
            path = self.root / row["brings"].lstrip("/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("")
            row["status"] = "installed"
        return 0, "", ""

    def _cmd_tar(self, args: list[str]) -> tuple[int, str, str]:
        value = _options(args)
        text = Path(value["--file"]).read_text()
        Path(value["--directory"], "Makefile").write_text(text)
        return 0, "", ""

    def _cmd_cc(self, _: list[str]) -> tuple[int, str, str]:
        raise AssertionError("make calls it")

    def _cmd_make(self, args: list[str]) -> tuple[int, str, str]:
        assert args[0] == "-C", args
        source = Path(args[1], "Makefile").read_text()
        if source.startswith("broken"):
            return 2, "", "fatal error: slurm/spank.h: No such file or directory"
        Path(args[1], args[2]).write_text(f"{source} for {self.state['slurm_version']}")
        return 0, "", ""

    def _cmd_dd(self, args: list[str]) -> tuple[int, str, str]:
        options = dict(arg.split("=", 1) for arg in args)
        if "oflag" in options:
            Path(options["of"]).write_bytes(b"")
        for index, counters in enumerate(self.state["lnet"].values()):
            moved = self.state["efa_moves"][index % len(self.state["efa_moves"])]
            counters["send"] += moved
            counters["recv"] += moved
        return 0, "", "67108864 bytes copied"

    def _cmd_chronyc(self, _: list[str]) -> tuple[int, str, str]:
        status = "Normal" if self.state["clock_ok"] else "Not synchronised"
        return 0, f"Reference ID    : A9FEA97B\nLeap status     : {status}\n", ""

    def _cmd_timedatectl(self, _: list[str]) -> tuple[int, str, str]:
        return 0, "yes\n" if self.state["clock_ok"] else "no\n", ""

    def _cmd_journalctl(self, _: list[str]) -> tuple[int, str, str]:
        return 0, self.state["last_unit_error"], ""

    # --- names and accounts

    def _cmd_getent(self, args: list[str]) -> tuple[int, str, str]:
        database, keys = args[0], args[1:]
        if database == "ahosts":
            bad = keys[0] in self.state["unresolved"]
            return (2, "", "") if bad else (0, f"10.9.9.9 STREAM {keys[0]}\n", "")
        lines = []
        for key in keys:
            for name, entry in self.state[database].items():
                if key in (name, str(entry["id"])):
                    lines.append(self._entry(database, name, entry))
        return (0 if len(lines) >= len(keys) else 2), "".join(lines), ""

    @staticmethod
    def _entry(database: str, name: str, entry: dict[str, Any]) -> str:
        if database == "group":
            return f"{name}:x:{entry['id']}:{','.join(entry['members'])}\n"
        return f"{name}:x:{entry['id']}:{entry['gid']}::{entry['home']}:/bin/bash\n"

    def _locked(self) -> bool:
        if self.state["passwd_locked_for"] > 0:
            self.state["passwd_locked_for"] -= 1
            return True
        return False

    def _cmd_groupadd(self, args: list[str]) -> tuple[int, str, str]:
        if self._locked():
            return 10, "", "groupadd: cannot lock /etc/group; try again later."
        gid, name = int(args[1]), args[2]
        if name in self.state["group"] or gid in [g["id"] for g in self.state["group"].values()]:
            return 9, "", f"groupadd: group '{name}' already exists"
        self.state["group"][name] = {"id": gid, "members": []}
        return 0, "", ""

    def _cmd_useradd(self, args: list[str]) -> tuple[int, str, str]:
        if self._locked():
            return 1, "", "useradd: cannot lock /etc/passwd; try again later."
        name = args[-1]
        if name in self.state["passwd"]:
            return 9, "", f"useradd: user '{name}' already exists"
        assert "--no-create-home" in args
        value = _options(args)
        entry = {
            "gid": int(value["--gid"]),
            "home": value["--home-dir"],
            "id": int(value["--uid"]),
        }
        self.state["passwd"][name] = entry
        self._join(name, value.get("--groups", ""))
        return 0, "", ""

    def _cmd_usermod(self, args: list[str]) -> tuple[int, str, str]:
        name = args[-1]
        value = _options(args)
        if "--gid" in value:
            self.state["passwd"][name]["gid"] = int(value["--gid"])
        if "--home" in value:
            self.state["passwd"][name]["home"] = value["--home"]
        self._join(name, value.get("--groups", ""))
        return 0, "", ""

    def _cmd_gpasswd(self, args: list[str]) -> tuple[int, str, str]:
        self.state["group"][args[2]]["members"].remove(args[1])
        return 0, "", ""

    def _join(self, name: str, groups: str) -> None:
        for group in filter(None, groups.split(",")):
            members = self.state["group"][group]["members"]
            if name not in members:
                members.append(name)

    def _cmd_visudo(self, args: list[str]) -> tuple[int, str, str]:
        text = Path(args[-1]).read_text()
        good = all(
            re.fullmatch(r"\w+ ALL=\(ALL\) NOPASSWD:ALL", line) for line in text.splitlines()
        )
        return (0, "parsed OK", "") if good else (1, "", "syntax error")

    # --- the CloudWatch agent

    def _cmd__opt_aws_amazon_cloudwatch_agent_bin_amazon_cloudwatch_agent_ctl(
        self, args: list[str]
    ) -> tuple[int, str, str]:
        assert args[:6] == ["-a", "append-config", "-m", "ec2", "-s", "-c"], args
        if self.state["agent_error"]:
            return 1, "", self.state["agent_error"]
        path = args[6].removeprefix("file:")
        self.state["read_by_daemons"][f"agent {path}"] = self.sha256_of(path)
        return 0, "Configuration validation succeeded", ""

    # --- kernel modules

    def _cmd_modinfo(self, args: list[str]) -> tuple[int, str, str]:
        if args[0] in self.state["missing_modules"]:
            return 1, "", f"modinfo: ERROR: Module {args[0]} not found."
        return 0, f"filename: /lib/modules/{args[0]}.ko\n", ""

    def _cmd_modprobe(self, args: list[str]) -> tuple[int, str, str]:
        name = args[0].replace("-", "_")
        if args[0] in self.state["broken_modules"]:
            return 1, "", f"modprobe: ERROR: could not insert '{name}': Unknown symbol in module"
        (self.root / "sys/module" / name).mkdir(parents=True, exist_ok=True)
        return 0, "", ""

    def _cmd__usr_local_cuda_gds_tools_gdscheck(self, args: list[str]) -> tuple[int, str, str]:
        assert args == ["-p"], args
        return 0, f" GDS release version: 1.13.0.11\n{self.state['gdscheck']}\n", ""

    # --- versions

    def _cmd_nv_fabricmanager(self, args: list[str]) -> tuple[int, str, str]:
        assert args == ["--version"], args
        if not self.state["fabric_manager"]:
            return 1, "", "not installed"
        return 0, f"Fabric Manager version is : {self.state['fabric_manager']}\n", ""

    def _cmd__opt_amazon_efa_bin_fi_info(self, args: list[str]) -> tuple[int, str, str]:
        assert args == ["--version"], args
        libfabric = self.state["libfabric"]
        return 0, f"{args[0]}: {libfabric}\nlibfabric: {libfabric}\nlibfabric api: 2.1\n", ""

    # --- packet filter

    def _cmd_nft(self, args: list[str]) -> tuple[int, str, str]:
        assert args[:3] == ["list", "table", "inet"], args
        found = self.state["packet_filter"].get(args[3])
        return (0, found, "") if found else (1, "", "Error: No such file or directory")

    def _cmd_iptables(self, args: list[str]) -> tuple[int, str, str]:
        return self._legacy("iptables", args)

    def _cmd_ip6tables(self, args: list[str]) -> tuple[int, str, str]:
        return self._legacy("ip6tables", args)

    def _legacy(self, name: str, args: list[str]) -> tuple[int, str, str]:
        assert args[:2] == ["-w", "-C"], args
        known = " ".join(args[2:]) in self.state["packet_filter"].get(name, "").splitlines()
        return (0, "", "") if known else (1, "", "iptables: No chain/target/match by that name.")

    def _start_packet_filter(self, text: str) -> str | None:
        """A unit that installs rules: of nft from a file, of iptables from its own lines."""
        filters = self.state["packet_filter"]
        for path in re.findall(r"(?m)^ExecStart=/usr/sbin/nft --file (\S+)$", text):
            rules = self.read_text(path)
            if rules is None:
                return f"{path}: No such file or directory"
            filters[re.findall(r"(?m)^table inet (\S+)$", rules)[0]] = rules
        for name, rule in re.findall(r"(?m)^ExecStart=.*'(\w+) -w -C (.*) \|\| ", text):
            filters[name] = filters.get(name, "") + rule + "\n"
        return None

    # --- signing in

    def _cmd_sshd(self, args: list[str]) -> tuple[int, str, str]:
        assert args == ["-T"], args
        return 0, f"port 22\nusepam {self.state['use_pam']}\n", ""

    def _cmd_pamtester(self, args: list[str]) -> tuple[int, str, str]:
        assert args == ["sshd", "root", "acct_mgmt"], args
        if self.state["root_is_turned_away"] and "pam_slurm_adopt" in (
            self.read_text("/etc/pam.d/sshd") or ""
        ):
            return 1, "", "pamtester: account management failed"
        return 0, "pamtester: account management done.", ""

    # --- Docker

    def _cmd_dockerd(self, _: list[str]) -> tuple[int, str, str]:
        raise AssertionError("systemd starts it")

    def _cmd_docker(self, args: list[str]) -> tuple[int, str, str]:
        assert args == ["ps", "--quiet"], args
        return 0, "".join(name + "\n" for name in self.state["containers"]), ""

    # --- systemd

    def _cmd_systemctl(self, args: list[str]) -> tuple[int, str, str]:
        verb = args[0]
        if verb == "daemon-reload":
            self._reload_units()
            return 0, "", ""
        name = args[1]
        text = self._unit_text(name)
        if verb == "show":
            return 0, self._show(name, text, args[2].split("=", 1)[1].split(",")), ""
        if text is None:
            return 5, "", f"Unit {name} could not be found."
        if verb == "cat":
            return 0, text, ""
        unit = self._unit(name)
        if verb in ("enable", "disable"):
            unit["enabled"] = verb == "enable"
            self._reload_units()
            return 0, "", ""
        if verb in ("stop", "restart"):
            unit["active"] = False
            self._unmount_by(name)
            if verb == "stop":
                return 0, "", ""
        else:
            assert verb == "start", args
        error = self._start(name)
        if error:
            self.state["last_unit_error"] = error
            return (
                1,
                "",
                f"Job for {name} failed because the control process exited with error code.",
            )
        return 0, "", ""

    def _reload_units(self) -> None:
        for name, unit in self.state["units"].items():
            unit["loaded"] = self._unit_text(name)

    def _unit(self, name: str) -> dict[str, Any]:
        fresh = {"active": False, "enabled": False, "loaded": None}
        unit: dict[str, Any] = self.state["units"].setdefault(name, fresh)
        if unit["loaded"] is None:
            unit["loaded"] = self._unit_text(name)
        return unit

    def _unit_text(self, name: str) -> str | None:
        text = self.read_text(f"/etc/systemd/system/{name}") or self.state["image_units"].get(name)
        if text is None:
            return None
        for extra in self.listing(f"/etc/systemd/system/{name}.d"):
            text += self.read_text(f"/etc/systemd/system/{name}.d/{extra}") or ""
        return str(text)

    def _show(self, name: str, text: str | None, wanted: list[str]) -> str:
        if text is None and name not in self.state["units"]:
            known = {"LoadState": "not-found", "ActiveState": "inactive", "UnitFileState": ""}
        else:
            unit = self._unit(name)
            active = "active" if unit["active"] else "inactive"
            known = {
                "LoadState": "loaded" if text is not None else "not-found",
                "ActiveState": unit.get("forced_state", active),
                "UnitFileState": "enabled" if unit["enabled"] else "disabled",
                "NeedDaemonReload": "no" if unit["loaded"] == text else "yes",
            }
        return "".join(f"{key}={known[key]}\n" for key in wanted if key in known)

    def _start(self, name: str) -> str | None:
        unit = self._unit(name)
        if unit["active"]:
            return None
        text = unit["loaded"] or ""
        if name.endswith(".mount"):
            error = self._start_mount(name, text)
        elif name.startswith("clusterwright-s3-"):
            error = self._start_s3(name, text)
        elif name == "clusterwright-metadata.service":
            error = self._start_packet_filter(text)
        elif name == "clusterwright-lnet-efa.service":
            error = self._start_lnet()
        elif name in ("slurmd.service", "sackd.service"):
            error = self._start_slurm_client(text)
        elif name == "slurmctld.service":
            error = self._start_slurmctld()
        elif name == "slurmdbd.service":
            error = self._start_slurmdbd()
        else:
            error = self.state["failing_units"].get(name)
        unit["active"] = error is None
        for path in self._read_by(name) if error is None else ():
            self.state["read_by_daemons"][path] = self.sha256_of(path)
        if name.startswith("chrony") and error is None:
            self.state["clock_ok"] = True
        return error

    def _start_mount(self, name: str, text: str) -> str | None:
        value = dict(re.findall(r"(?m)^(What|Where|Type|Options)=(.*)$", text))
        where, what, kind = value["Where"], value["What"], value["Type"]
        if not (self.root / where.lstrip("/")).is_dir():
            return f"{where}: no such folder"
        if self.state["mounts_fail_for"] > 0:
            self.state["mounts_fail_for"] -= 1
            return f"mount.{kind}: {what}: Connection timed out"
        source = what
        if kind == "lustre":
            source = re.sub(r"^[^@]+@", "10.1.0.99@", what)
        elif kind == "nfs":
            kind = "nfs4"
        elif kind == "xfs":
            found = [
                device
                for device, signature in self.state["signatures"].items()
                if what == "/dev/disk/by-uuid/" + signature["uuid"]
            ]
            if not found:
                return f"{what} does not exist"
            source = found[0]
        elif kind == "none":
            kind = "xfs"
        options = "rw," + value["Options"]
        self.state["mounts"].append(
            {"target": where, "source": source, "fstype": kind, "options": options, "by": name}
        )
        return None

    def _start_s3(self, name: str, text: str) -> str | None:
        match = re.search(r"(?m)^ExecStart=(\S+) (\S+) (\S+) (.*)$", text)
        assert match, text
        program, _, where, options = match.groups()
        if not self.exists(program):
            return f"{program}: not found"
        self.state["mounts"].append(
            {
                "target": where,
                "source": "mountpoint-s3",
                "fstype": "fuse",
                "options": "ro" if "--read-only" in options else "rw",
                "by": name,
            }
        )
        return None

    def _unmount_by(self, name: str) -> None:
        self.state["mounts"] = [row for row in self.state["mounts"] if row.get("by") != name]

    def _start_lnet(self) -> str | None:
        if "kefalnd" in self.state["missing_modules"]:
            return "modprobe: FATAL: Module kefalnd not found"
        script = self.read_text("/usr/local/lib/clusterwright/lnet-efa.sh") or ""
        for device in re.findall(r"net add --net efa --if (\S+) ", script):
            self.state["lnet"].setdefault(device, {"send": 7, "recv": 7, "status": "up"})
        return None

    @staticmethod
    def _read_by(unit: str) -> tuple[str, ...]:
        """Files that a daemon reads at its start, and keeps in memory."""
        return {
            "docker.service": ("/etc/docker/daemon.json",),
            "mariadb.service": ("/etc/mysql/mariadb.conf.d/90-clusterwright.cnf",),
            "munge.service": ("/etc/munge/munge.key",),
            "slurmdbd.service": ("/opt/slurm/etc/slurmdbd.conf",),
        }.get(unit, ())

    def _start_slurmdbd(self) -> str | None:
        path = "/opt/slurm/etc/slurmdbd.conf"
        if self.mode_of(path) != 0o600:
            return "slurmdbd: fatal: slurmdbd.conf file should be 600"
        if self.owner_of(path) != (64030, 64030):
            return "slurmdbd: fatal: slurmdbd.conf not owned by SlurmUser"
        text = self.read_text(path) or ""
        if "StorageHost=localhost" in text and not self._is_running("mariadb.service"):
            return "slurmdbd: error: The database must be up when starting the MYSQL plugin"
        return None

    def _is_running(self, unit: str) -> bool:
        return bool(self.state["units"].get(unit, {}).get("active"))

    def _start_slurmctld(self) -> str | None:
        conf = self.read_text("/opt/slurm/etc/slurm.conf") or ""
        if "ClusterName=" not in conf:
            return "slurmctld: fatal: Could not establish a configuration source"
        # Only the first time: then it knows the counted resources.
        is_first = not self.state["slurm_started_with"]
        has_database = self._is_running("slurmdbd.service")
        if "accounting_storage/slurmdbd" in conf and is_first and not has_database:
            return "slurmctld: fatal: You are running with a database but for some reason no TRES"
        for qos in re.findall(r" QOS=(\S+)", conf):
            if qos not in self.state["qos"]:
                return f"slurmctld: fatal: invalid qos ({qos}) for partition"
        if self.owner_of("/var/spool/slurmctld") != (64030, 64030):
            return "slurmctld: fatal: StateSaveLocation is not writable"
        self.state["controller_up"] = True
        # Only a start reads these; see RESTART_KEYS of slurm_generate.
        self.state["slurm_started_with"] = sorted(
            re.findall(r"(?m)^(?:TopologyPlugin|ClusterName|SlurmctldHost)=.*$", conf)
        )
        self._read_slurm_files()
        return None

    def _start_slurm_client(self, text: str) -> str | None:
        files = re.findall(r"(?m)^EnvironmentFile=(\S+)$", text)
        environment = "".join(self.read_text(path) or "" for path in files)
        if "--conf-server 10.1.0.10:6817" not in environment:
            return "slurmd: error: fetch_config: DNS SRV lookup failed"
        return (
            None if self.state["controller_up"] else "slurmd: error: Unable to contact slurmctld"
        )

    # --- Slurm

    def _read_slurm_files(self) -> None:
        """slurmctld's state in memory, which may be older than the files."""
        plugstack = self.read_text("/opt/slurm/etc/plugstack.conf") or ""
        self.state["plugstack_read"] = plugstack
        lines: list[str] = []
        for name in self.listing("/opt/slurm/etc"):
            if self.path(f"/opt/slurm/etc/{name}").is_dir():
                continue
            text = self.read_text(f"/opt/slurm/etc/{name}") or ""
            if name == "slurm.conf":
                lines += re.findall(r"(?m)^PartitionName=.*$", text)
            if name in ("slurm.conf", "gres.conf", "cgroup.conf", "topology.conf"):
                self.state["read_by_daemons"][name] = hashlib.sha256(text.encode()).hexdigest()
        self.state["partitions_read"] = lines
        if "topology.conf" not in self.listing("/opt/slurm/etc"):
            self.state["read_by_daemons"].pop("topology.conf", None)

    def _cmd_env(self, args: list[str]) -> tuple[int, str, str]:
        name, _, value = args[0].partition("=")
        wanted = {
            "SLURM_CONF_SERVER": "10.1.0.10:6817",
            "DEBIAN_FRONTEND": "noninteractive",
            "CPPFLAGS": "-I/opt/slurm/include",
        }
        assert wanted[name] == value, args
        result: tuple[int, str, str] = self._method(args[1])(args[2:])
        return result

    def _cmd_slurmd(self, args: list[str]) -> tuple[int, str, str]:
        assert args == ["-V"], args
        return 0, self.state["slurm_version"] + "\n", ""

    def _cmd_sh(self, args: list[str]) -> tuple[int, str, str]:
        assert args == ["/opt/clusterwright/bin/announce-boot"], args
        self.write_text("/run/clusterwright/boot-announced", "")
        return 0, "", ""

    def _cmd_slurmctld(self, args: list[str]) -> tuple[int, str, str]:
        assert args == ["-V"], args
        return 0, f"{self.state['slurm_version']}\n", ""

    def _cmd_scontrol(self, args: list[str]) -> tuple[int, str, str]:
        up = self.state["controller_up"]
        if args == ["ping"]:
            state = "UP" if up else "DOWN"
            return (0 if up else 1), f"Slurmctld(primary) at ip-10-1-0-10 is {state}\n", ""
        if not up:
            return 1, "", "slurm_load_ctl_conf error: Unable to contact slurm controller"
        if args == ["show", "config"]:
            flags = self.state["prolog_flags"]
            more = self.state["slurm_config"]
            return 0, f"ClusterName = prod\nPrologFlags             = {flags}\n{more}", ""
        if args == ["--oneliner", "show", "nodes"]:
            lines = [
                f"NodeName={name} CPUTot=192 NodeAddr={address} NodeHostName={name} State=IDLE\n"
                for name, address in self.state["slurm_nodes"].items()
            ]
            return 0, "".join(lines), ""
        assert args == ["reconfigure"], args
        included = self.read_text("/opt/slurm/etc/clusterwright_topology.conf") or ""
        conf = self.read_text("/opt/slurm/etc/slurm.conf") or ""
        if "include clusterwright_topology.conf" in conf:
            # slurmctld exits if a file that it includes, or that of the plugin, is missing.
            assert "TopologyPlugin=topology/tree" in included
            assert "topology.conf" in self.listing("/opt/slurm/etc")
            self.state["slurm_topology"] = self.read_text("/opt/slurm/etc/topology.conf") or ""
        else:
            self.state["slurm_topology"] = ""
        self.state["reconfigured"] = True
        self._read_slurm_files()
        return 0, "", ""

    def _cmd_sacctmgr(self, args: list[str]) -> tuple[int, str, str]:
        running = self.state["units"].get("slurmdbd.service", {"active": True})["active"]
        if not self.state["slurmdbd_up"] or not running:
            return 1, "", "sacctmgr: error: Connection refused"
        if "show" in args:
            fields = next(a for a in args if a.startswith("format=")).split("=", 1)[1].split(",")
            rows = self._qos_rows() if "qos" in args else self._association_rows()
            return 0, "".join("|".join(row[key] for key in fields) + "\n" for row in rows), ""
        verb, kind = args[1], args[2]
        if kind == "qos":
            return self._change_qos(verb, args[3:])
        return self._change_association(verb, kind, args[3:])

    def _qos_rows(self) -> list[dict[str, str]]:
        fresh = {
            "priority": "0", "preempt": "", "gracetime": "00:00:00", "grptres": "",
            "maxtrespu": "", "maxwall": "", "flags": "",
        }  # fmt: skip
        return [{"name": name, **fresh, **row} for name, row in self.state["qos"].items()]

    def _change_qos(self, verb: str, args: list[str]) -> tuple[int, str, str]:
        if verb == "add":
            if args[0] in self.state["qos"]:
                return 1, "", "sacctmgr: QOS already exists"
            self.state["qos"][args[0]] = {}
            return 0, "", ""
        name, changes = self._modified(args)
        row = self.state["qos"][name["name"]]
        shown = {"maxtresperuser": "maxtrespu", "flags+": "flags"}
        for key, value in changes.items():
            if key == "preempt" and any(q not in self.state["qos"] for q in value.split(",") if q):
                return 1, "", "sacctmgr: error: Unknown preempt qos"
            if key == "flags-":
                row["flags"] = ""
            else:
                row[shown.get(key, key)] = self._as_shown(key, value)
        return 0, "", ""

    @staticmethod
    def _as_shown(key: str, value: str) -> str:
        """sacctmgr's output for a value."""
        if key == "gracetime":
            seconds = int(value)
            return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
        if key == "maxwall":
            minutes = int(value)
            whole = f"{minutes // 1440}-{minutes // 60 % 24:02}:{minutes % 60:02}:00"
            return "" if minutes < 0 else whole
        return "" if value == "node=-1" else value

    @staticmethod
    def _modified(args: list[str]) -> tuple[dict[str, str], dict[str, str]]:
        at = args.index("set")
        assert args[0] == "where", args
        where = dict(arg.split("=", 1) for arg in args[1:at])
        return where, {a.split("=", 1)[0].lower(): a.split("=", 1)[1] for a in args[at + 1 :]}

    def _association_rows(self) -> list[dict[str, str]]:
        fresh = {"fairshare": "1", "grptres": "", "qos": "normal"}
        return [
            {
                "account": account, "user": user, **fresh,
                **self.state["association_values"].get(f"{account}|{user}", {}),
            }
            for account, user in self.state["associations"]
        ]  # fmt: skip

    def _change_association(self, verb: str, kind: str, args: list[str]) -> tuple[int, str, str]:
        rows = self.state["associations"]
        if verb == "modify":
            where, changes = self._modified(args)
            if [where["name"], ""] not in rows:
                return 1, "", "sacctmgr: error: Nothing modified"
            values = self.state["association_values"].setdefault(where["name"] + "|", {})
            for key, value in changes.items():
                values[key] = "" if value == "node=-1" else value
            return 0, "", ""
        if kind == "account":
            row = [args[0], ""]
        else:
            value = dict(arg.split("=", 1) for arg in args if "=" in arg)
            row = [value["account"], args[0]]
            if [row[0], ""] not in rows:
                return 1, "", "sacctmgr: error: No such account"
        if row in rows:
            return 1, "", "sacctmgr: Already existing"
        rows.append(row)
        return 0, "", ""

    # --- databases and AWS

    def _cmd_mariadb(self, args: list[str]) -> tuple[int, str, str]:
        if args[0].startswith("--defaults-extra-file="):
            return self._remote_database(Path(args[0].partition("=")[2]), args[1:])
        if not self._is_running("mariadb.service"):
            return 1, "", "ERROR 2002 (HY000): Can't connect to local server through socket"
        sql = args[-1]
        if sql.startswith("CREATE DATABASE"):
            self.state["database_rights"] = True
        if sql.startswith("SELECT CONCAT"):
            rights = self.state["database_rights"]
            return 0, "slurm_acct_db unix_socket\n" if rights else "", ""
        return 0, "", ""

    def _remote_database(self, options: Path, args: list[str]) -> tuple[int, str, str]:
        """RDS, whose users and privileges are in the state."""
        assert options.stat().st_mode & 0o777 == 0o600
        if not self.state["remote_database_up"]:
            return 1, "", "ERROR 2002 (HY000): Can't connect to server on 'db' (110)"
        given = dict(re.findall(r"(?m)^(user|password)=\"?([^\"\n]*)", options.read_text()))
        users = self.state["database_users"]
        known = users.get(given["user"])
        if known is None or known["password"] != given["password"]:
            return 1, "", f"ERROR 1045 (28000): Access denied for user '{given['user']}'"
        what = args[args.index("--execute") + 1]
        if what == "SELECT 1":
            allowed = args[-1] in known["databases"] or known["databases"] == ["*"]
            return (0, "1\n", "") if allowed else (1, "", "ERROR 1044 (42000): Access denied")
        script = Path(what.removeprefix("source "))
        assert script.stat().st_mode & 0o777 == 0o600
        if known["databases"] != ["*"]:
            return 1, "", "ERROR 1227 (42000): Access denied; you need CREATE USER"
        text = script.read_text()
        (name, password), *_ = re.findall(r"ALTER USER '(\w+)'@'%' IDENTIFIED BY '(.*)' R", text)
        (database,) = re.findall(r"GRANT ALL PRIVILEGES ON `([^`]+)`\.\* TO", text)
        self._point("within CREATE USER")
        users[name] = {"password": password, "databases": [database.replace("\\_", "_")]}
        return 0, "", ""

    def _cmd_aws(self, args: list[str]) -> tuple[int, str, str]:
        if self.state["aws_error"]:
            return 254, "", self.state["aws_error"]
        value = _options(args)
        if args[:2] == ["secretsmanager", "get-secret-value"]:
            secret = self.state["secrets"].get(value["--secret-id"])
            if secret is None:
                return 254, "", "An error occurred (ResourceNotFoundException)"
            return 0, secret + "\n", ""
        if args[:2] == ["s3api", "get-object"]:
            return self._get_object(f"{value['--bucket']}/{value['--key']}", Path(args[-1]))
        if args[:2] == ["ec2", "describe-instances"]:
            assert "Name=tag:parallelcluster:cluster-name,Values=prod" in args
            assert value["--query"].endswith("[PrivateIpAddress,InstanceId]")
            return 0, json.dumps([list(row) for row in self.state["instances"].items()]), ""
        assert args[:2] == ["ec2", "describe-instance-topology"], args
        ids = args[args.index("--instance-ids") + 1 :]
        assert len(ids) <= 100
        found = [{"InstanceId": i, **self.state["topology"].get(i, {})} for i in ids]
        return 0, json.dumps({"Instances": found}), ""

    def _get_object(self, name: str, target: Path) -> tuple[int, str, str]:
        text = self.state["objects"].get(name)
        if text is None:
            return 254, "", "An error occurred (NoSuchKey) when calling the GetObject operation"
        target.write_text(text[: len(text) // 2])
        self._point("within aws s3api get-object")
        target.write_text(text)
        return 0, "{}", ""

    # --- LNet

    def _cmd_lnetctl(self, _: list[str]) -> tuple[int, str, str]:
        if not self.state["lnet"]:
            return (
                254,
                "",
                "show:\n  - net:\n    errno: -2\n    descr: cannot get networks: No such file",
            )
        lines = ["net:", "    - net type: efa", "      local NI(s):"]
        for index, (device, counters) in enumerate(sorted(self.state["lnet"].items())):
            lines += [
                f"        - nid: 10.1.0.31@efa{index or ''}",
                f"          status: {counters['status']}",
                "          interfaces:",
                f"              0: {device}",
                "          statistics:",
                f"              send_count: {counters['send']}",
                f"              recv_count: {counters['recv']}",
                "              drop_count: 0",
                "          tunables:",
                "              peer_timeout: 180",
                "              peer_credits: 32",
                "          dev cpt: -1",
                '          CPT: "[0,1]"',
            ]
        return 0, "\n".join(lines) + "\n", ""

    # --- disks

    def _cmd_lsblk(self, _: list[str]) -> tuple[int, str, str]:
        mounted = {row["source"]: row["target"] for row in self.state["mounts"]}
        arrays = self.state["arrays"]
        rows: list[dict[str, Any]] = []
        for path, model in sorted(self.state["disks"].items()):
            row: dict[str, Any] = {
                "name": path,
                "type": "disk",
                "model": model + "        ",
                "mountpoint": mounted.get(path),
            }
            below = [
                {"name": name, "type": "raid0", "model": None, "mountpoint": mounted.get(name)}
                for name, members in arrays.items()
                if path in members
            ]
            if below:
                row["children"] = below
            rows.append(row)
        return 0, json.dumps({"blockdevices": rows}), ""

    def _cmd_wipefs(self, args: list[str]) -> tuple[int, str, str]:
        signature = self.state["signatures"].get(args[-1])
        if signature is None:
            return 0, "", ""
        row = {"device": args[-1].split("/")[-1], "offset": "0x0", **signature}
        return 0, json.dumps({"signatures": [row]}), ""

    def _cmd_mdadm(self, args: list[str]) -> tuple[int, str, str]:
        signatures, arrays = self.state["signatures"], self.state["arrays"]
        devices = [arg for arg in args if arg.startswith("/dev/")]
        if args[0] in ("--detail", "--examine"):
            found = arrays.get(devices[0]) or [devices[0]]
            signature = signatures.get(found[0])
            if not signature or signature["type"] != "linux_raid_member":
                return 1, "", "mdadm: No md superblock detected"
            return 0, f"MD_LEVEL=raid0\nMD_NAME={signature['label']}\n", ""
        if args[0] == "--zero-superblock":
            signatures.pop(devices[0], None)
            return 0, "", ""
        if args[0] == "--stop":
            arrays.pop(devices[0])
            return 0, "", ""
        members = devices[1:]
        if args[0] == "--assemble":
            arrays["/dev/md127"] = members
            return 0, "", ""
        assert args[0] == "--create", args
        if any(path in signatures for path in members):
            return 1, "", "mdadm: super1.x cannot open: Device or resource busy"
        for path in members:
            label = "any:clusterwright-scratch"
            signatures[path] = {"type": "linux_raid_member", "label": label, "uuid": "u"}
            self.save()
            self._point("within mdadm --create")
        arrays["/dev/md127"] = members
        return 0, "", ""

    def _cmd_mkfs_xfs(self, args: list[str]) -> tuple[int, str, str]:
        device = args[-1]
        self.state["signatures"][device] = {"type": "xfs", "label": "", "uuid": ""}
        self.save()
        self._point("within mkfs.xfs")
        uuid = "5c4a7c39-0000-4000-8000-000000000001"
        self.state["signatures"][device] = {"type": "xfs", "label": "cw-scratch", "uuid": uuid}
        return 0, "", ""

    def _cmd_udevadm(self, _: list[str]) -> tuple[int, str, str]:
        return 0, "", ""


def _options(args: list[str]) -> dict[str, str]:
    """Pairs of successive words. Not itertools.pairwise, which Python 3.9 lacks."""
    return dict(zip(args, args[1:]))  # noqa: B905, RUF007

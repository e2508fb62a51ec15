"""The command line of `clusterwright` on a node."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from clusterwright_state import requests
from clusterwright_state.acceptance import LEVELS
from clusterwright_state.commands import (
    accept,
    capacity,
    drift,
    nodes,
    report_files,
    setting,
    status,
    topology,
    view,
)
from clusterwright_state.commands.setting import Setting, Stop
from clusterwright_state.commands.text import plan_lines, text

_READING = {
    "status": status.answer,
    "topology": topology.answer,
    "capacity": capacity.answer,
    "drift": drift.answer,
}
_WITHOUT_ACCEPTANCE = ("topology", "drift")
_EXIT_CODES = (
    "Exit codes: 3 the command line is wrong, root is needed, or nobody confirmed; else 1 "
    "something is wrong or refused; else 2 something is unknown; else 0. What only AWS knows is "
    "unknown on a node."
)


def main(argv: Sequence[str]) -> int:
    """Run one command; errors become messages."""
    try:
        return _run(argv)
    except Stop as stop:
        print(f"error: {stop}", file=sys.stderr)
        if stop.hint:
            print(f"\nhint: {stop.hint}", file=sys.stderr)
        return stop.exit_code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Python would report it again when it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except OSError as error:
        print(f"error: {error.filename or 'this node'}: {error.strerror}", file=sys.stderr)
        return 2
    except Exception as error:  # noqa: BLE001 - an operator gets a message, not a traceback
        print(f"internal error: {type(error).__name__}: {error}", file=sys.stderr)
        return 70


def _run(argv: Sequence[str]) -> int:
    options = _parser().parse_args(list(argv))
    known = setting.read(options.setting)
    if options.command == "diagnose":
        return _print(_diagnose(known, options), options.format)
    if options.command in _READING:
        seen = view.read(known, needs_acceptance=options.command not in _WITHOUT_ACCEPTANCE)
        return _print(_READING[options.command](seen), options.format)
    if options.command == "accept":
        return _accept(known, options)
    return _print(_node(known, options), options.format)


def _diagnose(known: Setting, options: argparse.Namespace) -> dict[str, Any]:
    try:
        # Heavy, and of no other command.
        from clusterwright_state.commands import diagnose  # noqa: PLC0415
    except ImportError as error:
        raise Stop(
            f"this node's scripts have no tables of failures ({error})",
            "deploy again; the next run of the node program installs them",
            exit_code=2,
        ) from None
    asked, since = diagnose.target(options.words), diagnose.seconds(options.since)
    return diagnose.answer(view.read(known), asked, options.log, options.sacct, since)


def _accept(known: Setting, options: argparse.Namespace) -> int:
    if options.run is not None and (options.dry_run or options.nodes is not None):
        raise Stop(
            "--run follows a run that was started before", "leave out --dry-run and --nodes"
        )
    if options.run is not None and not requests.is_id(options.run):
        raise Stop(
            f"--run {options.run}: no run has such an id", "copy the id that accept printed"
        )
    if not options.dry_run:
        _need_root("accept")
    report_files.check(options.report)
    seen = view.read(known, needs_acceptance=False)
    work = accept.Acceptance(seen, options.level, options.nodes)
    found = work.planned() if options.dry_run else work.run(options.run, options.wait, _tell)
    try:
        # First: a report that cannot be written hides no verdict.
        code = _print(found, options.format)
    finally:
        failed = [path for path in options.report if not _write_report(found, path)]
    return 2 if failed and not code else code


def _write_report(answer: dict[str, Any], path: str) -> bool:
    """Write it; say why it could not be."""
    try:
        report_files.write(answer, path)
    except OSError as error:
        print(f"error: --report {path}: {error.strerror}", file=sys.stderr)
        return False
    return True


def _node(known: Setting, options: argparse.Namespace) -> dict[str, Any]:
    because = nodes.reason(options.because)
    _need_root(f"node {options.verb}")
    seen = view.read(known, needs_acceptance=options.verb == "resume")
    work = nodes.Work(seen, options.verb, options.names, because)
    if work.refused or not work.wanted:
        return work.answer()
    rows = [one.node for one in work.wanted]
    for line in plan_lines(f"{options.verb}", rows, work.effects, work.jobs):
        _tell(line)
    if options.yes or _confirmed(options.verb, len(rows)):
        work.act(getattr(options, "wait", 0.0), _tell)
    return work.answer()


def _need_root(command: str) -> None:
    if os.geteuid() != 0:
        raise Stop(
            f"{command} needs root",
            f"sudo {setting.ENTRY} {command}; on a workstation IAM decides who may",
        )


def _confirmed(verb: str, count: int) -> bool:
    """Ask. Raises Stop if nobody can be asked."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise Stop(
            "nothing was done, because stdin is not a terminal and nobody can confirm",
            "--yes acts without confirmation",
        )
    question = f"{verb.capitalize()} {count} {'node' if count == 1 else 'nodes'}? [y/N]: "
    print(question, end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _print(answer: dict[str, Any], output_format: str) -> int:
    if output_format == "json":
        sys.stdout.write(report_files.json_text(answer))
    else:
        sys.stdout.write(text(answer))
    sys.stdout.flush()
    return int(answer["exit_code"])


def _tell(line: str) -> None:
    print(line, file=sys.stderr)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise Stop(message, f"see `{self.prog} --help`; on a node no command takes a file")


def _seconds(value: str) -> float:
    found = float(value)
    if not 0 <= found < float("inf"):
        raise ValueError(value)
    return found


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="clusterwright",
        allow_abbrev=False,
        description="See and run this cluster from its controller or a login node.",
        epilog=_EXIT_CODES,
    )
    parser.add_argument("--setting", default=setting.FILE, help=argparse.SUPPRESS)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    shared = _Parser(add_help=False, allow_abbrev=False)
    shared.add_argument("--format", choices=("text", "json"), default="text")
    made = {
        name: commands.add_parser(
            name, help=about, parents=[shared], allow_abbrev=False, epilog=_EXIT_CODES
        )
        for name, about in (
            ("status", "nodes, jobs and what is wrong with them"),
            ("accept", "test nodes (root, on the node that tests)"),
            ("topology", "the network tree of nodes and jobs"),
            ("capacity", "idle nodes, and the job that a failure would hit"),
            ("drift", "what differs from the configuration, as far as nodes know it"),
            ("diagnose", "why a node, a job or the deployment failed"),
        )
    }
    made["accept"].add_argument("--level", choices=LEVELS, default=None)
    made["accept"].add_argument("--nodes", metavar="NAME,...", default=None)
    made["accept"].add_argument("--dry-run", action="store_true")
    made["accept"].add_argument("--run", metavar="ID", default=None)
    made["accept"].add_argument("--wait", metavar="SECONDS", type=_seconds, default=None)
    made["accept"].add_argument(
        "--report",
        metavar="PATH",
        action="append",
        default=[],
        help="also write the report: .json, .xml (JUnit) or .txt; can be repeated",
    )
    made["diagnose"].add_argument("words", nargs="*", metavar="deploy | node NAME | job ID")
    made["diagnose"].add_argument("--log", metavar="PATH", action="append", default=[])
    made["diagnose"].add_argument("--sacct", metavar="FILE", default=None)
    made["diagnose"].add_argument("--since", metavar="SPAN", default="7d")
    node = commands.add_parser(
        "node", help="drain, resume and reboot nodes (root)", allow_abbrev=False
    )
    verbs = node.add_subparsers(dest="verb", required=True, metavar="VERB")
    for verb in nodes.VERBS:
        one = verbs.add_parser(verb, parents=[shared], allow_abbrev=False, epilog=_EXIT_CODES)
        one.add_argument("names", nargs="+", metavar="NAME")
        one.add_argument("--because", metavar="TEXT", default=None)
        one.add_argument("--yes", action="store_true")
        if verb in ("reboot", "replace"):
            one.add_argument("--wait", metavar="SECONDS", type=_seconds, default=1800.0)
    return parser

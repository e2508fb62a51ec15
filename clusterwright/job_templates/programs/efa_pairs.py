"""EFA between pairs of nodes: `efa_pairs.py --report=FILE NODE NODE ...`, inside a job of Slurm.

The rounds are those of `pairs.py`, beside this file. A pair is one step of srun: its first node
serves an fi_pingpong for every EFA interface, its second is the client of each in turn.
Exit codes: 0 all pairs are good; 1 suspects, or nodes about which nothing is known; 92 fi_pingpong
is missing.

Python 3.9, standard library.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pairs

EXIT_ENVIRONMENT = 92
STEPS_AT_ONCE = 64
FIRST_PORT = 47600
INFINIBAND = "/sys/class/infiniband"
MOST_INTERFACES = 32
# Vendor 0x1d0f is Amazon: p6-b200 has other RDMA devices, too.
SCRIPT = r"""
program=$1 seconds=$2 server=$3 first=$4 devices_folder=$5
shift 5 # the arguments of the program, in which DEVICE stands for a device
[ -x "$program" ] || exit 92
devices=
for device in "$devices_folder"/*; do
  [ "$(cat "$device/device/vendor" 2>/dev/null)" = 0x1d0f ] && devices="$devices ${device##*/}"
done
if [ -z "$devices" ]; then
  echo "$(hostname): no EFA interface"
  exit 1
fi
port=$first code=0
if [ "$SLURMD_NODENAME" = "$server" ]; then
  for device in $devices; do
    FI_EFA_DEVICE_NAME=$device timeout "$((seconds * 32))" \
      "$program" "${@/#DEVICE/$device}" -B "$port" >/dev/null 2>&1 &
    port=$((port + 1))
  done
  wait
  exit 0
fi
for device in $devices; do
  done=1
  for try in 1 2 3 4 5 6 7 8 9 10; do
    sleep 0.5
    echo "INTERFACE $device"
    FI_EFA_DEVICE_NAME=$device timeout "$seconds" \
      "$program" "${@/#DEVICE/$device}" -P "$port" "$server"
    done=$?
    [ "$done" = 0 ] || [ "$done" = 124 ] && break
  done
  if [ "$done" != 0 ]; then
    echo "FAILED $device $done"
    exit 1
  fi
  port=$((port + 1))
done
"""
INTERFACE = re.compile(r"^INTERFACE (\S+)$")
FAILED = re.compile(r"^FAILED (\S+) (\d+)$")
NUMBER = r"\d+(?:\.\d+)?"
ROW = re.compile(
    rf"^\s*(\d+[kmg]?)\s+\d+[kmg]?\s+=?\d+[kmg]?\s+.*?({NUMBER})\s+({NUMBER})\s+{NUMBER}\s*$"
)


class MissingError(Exception):
    """fi_pingpong is not on a node."""


def bandwidths(text):
    """MB/s of the last (largest) message by interface."""
    found, name = {}, None
    for line in text.splitlines():
        match = INTERFACE.match(line)
        if match:
            name = match.group(1)
            found.pop(name, None)
            continue
        match = ROW.match(line)
        if match and name is not None:
            found[name] = float(match.group(2))
    return found


def judged(first, second, code, text):
    """The test of a pair. `code` is None if the step did not end in time."""
    if code is None:
        return pairs.Test(first, second, pairs.HUNG, reason="the step did not end in time")
    if code == EXIT_ENVIRONMENT:
        raise MissingError(f"fi_pingpong is missing on {first} or {second}")
    failed = [FAILED.match(line) for line in text.splitlines()]
    bad = next((match for match in failed if match), None)
    if bad is not None and bad.group(2) == "124":
        reason = f"{bad.group(1)} hangs"
        return pairs.Test(first, second, pairs.HUNG, reason=reason)
    values = bandwidths(text)
    if bad is not None or code != 0 or not values:
        last = (text.strip().splitlines() or ["no output"])[-1]
        reason = f"{bad.group(1)} fails, exit code {bad.group(2)}" if bad else last[:160]
        return pairs.Test(first, second, pairs.BAD, reason=reason)
    return pairs.Test(first, second, pairs.GOOD, value=min(values.values()))


def step(first, second, number, options):
    """Run one pair, in the round of this number, which has ports of its own."""
    words = [
        "srun", "--nodes=2", "--ntasks-per-node=1", f"--nodelist={first},{second}",
        "--kill-on-bad-exit=1", "--cpus-per-task=1", "--mem=0", "bash", "-c", SCRIPT, "bash",
        options.pingpong, str(options.seconds), first,
        str(FIRST_PORT + MOST_INTERFACES * (number % 8)), INFINIBAND,
        *options.arguments.split(),
    ]  # fmt: skip
    limit = options.seconds * MOST_INTERFACES + 60
    try:
        done = subprocess.run(
            words,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return judged(first, second, None, "")
    return judged(first, second, done.returncode, done.stdout)


def rounds(nodes, run, say):
    """All tests, in the rounds that `pairs.py` asks for. `run(first, second, round)` is one."""
    tests, number = [], 0
    with ThreadPoolExecutor(STEPS_AT_ONCE) as pool:
        while True:
            wanted = pairs.next_round(nodes, tests)
            if not wanted:
                return tests
            number += 1
            started = [pool.submit(run, *pair, number) for pair in wanted]
            for test in (one.result() for one in started):
                shown = f"{test.value:.0f} MB/s" if test.value is not None else test.reason
                say(f"round {number}: {test.first} {test.second} {test.verdict}, {shown}")
                tests.append(test)


def report(nodes, tests):
    """The report as JSON has it, and the exit code."""
    conclusion = pairs.conclude(nodes, tests)
    suspects = [
        {"kind": one.kind, "names": list(one.names), "evidence": one.evidence}
        for one in conclusion.suspects
    ]
    rows = [
        {
            "first": test.first,
            "second": test.second,
            "verdict": test.verdict,
            "mb_per_second": test.value,
            "reason": test.reason,
        }
        for test in tests
    ]
    document = {
        "schema_version": 1,
        "nodes": list(nodes),
        "tests": rows,
        "suspects": suspects,
        "good": list(conclusion.cleared),
        "unknown": list(conclusion.unknown),
    }
    return document, 1 if suspects or conclusion.unknown else 0


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("nodes", nargs="+")
    parser.add_argument("--pingpong", default="/opt/amazon/efa/bin/fi_pingpong")
    parser.add_argument("--arguments", required=True, help="DEVICE stands for each in turn")
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--report", type=Path, required=True)
    options = parser.parse_args(argv)

    def run(first, second, number):
        return step(first, second, number, options)

    try:
        tests = rounds(options.nodes, run, lambda text: print(text, flush=True))
    except MissingError as error:
        print(error)
        return EXIT_ENVIRONMENT
    document, code = report(options.nodes, tests)
    new = options.report.with_suffix(".new")
    new.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    new.replace(options.report)
    for one in document["suspects"]:
        print(f"{one['kind']} {', '.join(one['names'])}: {one['evidence']}")
    for node in document["unknown"]:
        print(f"unknown {node}: no good pair says whether it is good")
    print(f"{len(document['good'])} of {len(options.nodes)} nodes are good")
    return code


if __name__ == "__main__":
    sys.exit(main())

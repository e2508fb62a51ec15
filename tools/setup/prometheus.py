"""Prometheus and Alertmanager, from Debian's and Ubuntu's packages, for the scenario `alerts`.

`python -m tools.setup.prometheus` unpacks the packages into `.clusterwright/prometheus/` where the
machine lacks one of the programs. `clusterwright rehearse` finds them there and on PATH. `make
test` fetches them and `make setup` does not.
"""

from __future__ import annotations

import sys

from clusterwright_rehearsal.prometheus import programs
from tools.setup import unpacked_packages
from tools.setup.progress import bring_up
from tools.setup.unpacked_packages import can_install

PACKAGES = (("prometheus",), ("prometheus-alertmanager",))


def is_current() -> bool:
    """Return whether there are both programs."""
    return not programs.missing()


def bring_up_to_date() -> bool:
    """Fetch and unpack the packages if a program is missing; return whether they were fetched.

    Raises SetupError on failure.
    """
    return unpacked_packages.bring_up_to_date(programs.UNPACKED, PACKAGES, is_current)


def main() -> int:
    """Fetch them if needed; 0 if they exist or cannot be fetched here, 1 on failure."""
    if is_current() or not can_install():
        return 0
    return bring_up("Prometheus and Alertmanager", bring_up_to_date)


if __name__ == "__main__":
    sys.exit(main())

"""needrestart's configuration and its decisions."""

from __future__ import annotations

import subprocess
from pathlib import Path

CONF = "etc/needrestart/conf.d/50-clusterwright.conf"

# needrestart evaluates each file; the pattern that matches a unit determines the action.
_DECIDE = r"""
our %nrconf = (override_rc => {qr(^dbus) => 0});
my $conf = shift @ARGV;
eval do { local (@ARGV, $/) = $conf; <> };
die "Error parsing $conf: $@" if $@;
for my $unit (@ARGV) {
    my ($match) = grep { $unit =~ /$_/ } keys %{$nrconf{override_rc}};
    print "$unit ", (defined $match && !$nrconf{override_rc}{$match} ? "kept" : "restarted"), "\n";
}
"""


def decisions(conf: Path, *units: str) -> dict[str, str]:
    """needrestart's action for each unit after reading `conf`."""
    run = subprocess.run(
        ["perl", "-e", _DECIDE, conf, *units], capture_output=True, text=True, check=True
    )
    return dict(line.split() for line in run.stdout.splitlines())

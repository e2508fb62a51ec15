#!/usr/bin/python3 -SE
"""modprobe that reports modules of Lustre, EFA, NVIDIA and Neuron as already loaded."""

from __future__ import annotations

import os
import sys

_EMULATED = {
    "lnet", "kefalnd", "ksocklnd", "lustre", "efa", "nvidia", "nvidia_uvm", "nvidia-uvm",
    "nvidia_peermem", "nvidia-peermem", "nvidia_fs", "nvidia-fs", "gdrdrv", "neuron",
}  # fmt: skip

_words = [word for word in sys.argv[1:] if not word.startswith("-")]
if _words and _words[0] in _EMULATED:
    sys.exit(0)
os.execv("/usr/sbin/modprobe.real", ["modprobe", *sys.argv[1:]])

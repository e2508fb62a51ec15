"""The rehearsal: emulated nodes, HyperPod's agent on them, and what is promised to hold there.

`docs/designs/rehearsal.md` says how the parts fit together, what is emulated, and from what
source.
"""

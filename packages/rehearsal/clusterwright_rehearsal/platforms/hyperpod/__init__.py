"""HyperPod's agent: what it does on a node before, during and after the user's scripts.

Sources are AWS's API model, its guide pages as quoted in public repositories, and scripts that run
on HyperPod. What none of them specifies is listed in `docs/designs/rehearsal.md`, "Not known of
the real image".
"""

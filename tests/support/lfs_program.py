"""A program that plays `lfs hsm_state` and `lfs hsm_restore` on a folder."""

LFS = """#!{python}
# Plays lfs: a file is released while a file of its name lies in the folder `released`.
import os, sys, pathlib
world = pathlib.Path({world!r})
command, paths = sys.argv[1], sys.argv[2:]
with open(world / "ran", "a") as log:
    log.write(command + " " + str(len(paths)) + "\\n")
code = 0
for path in paths:
    mark = world / "released" / os.path.relpath(path, world / "fsx").replace("/", "@")
    if command == "hsm_state":
        if not os.path.lexists(path):
            print("cannot stat " + path, file=sys.stderr)
            code = 1
        elif mark.exists():
            print(path + ": (0x0000000d) released exists archived, archive_id:1")
        else:
            print(path + ": (0x00000009) exists archived, archive_id:1")
    elif (world / "refuse").exists():
        print("Cannot send HSM request: Operation not permitted", file=sys.stderr)
        code = 1
    elif not (world / "stuck" / mark.name).exists():
        mark.unlink(missing_ok=True)
sys.exit(code)
"""

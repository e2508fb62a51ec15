"""Dockerfiles of the images that jobs run in, with everything pinned."""

"""`make setup`: builds `.venv/` from pinned files, step by step, and can be run again at any time.

Standard library only: this runs before anything is installed.
"""

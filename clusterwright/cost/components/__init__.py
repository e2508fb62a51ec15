"""One file per component; each has `lines(pricing)`."""

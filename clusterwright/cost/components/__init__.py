"""One file per component; each has `lines(pricing)`, support alone `line(pricing, others)`."""

"""Components of a bill: modules with `lines(builder)`, or `line(builder, others)` in `support`."""

"""Job files of Slurm: a tolerant reader, and the rules of `check-job`. Pure: texts in, findings
out.
"""

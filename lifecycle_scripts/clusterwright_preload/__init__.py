"""Load files from S3 into Lustre before they are first read.

FSx copies a file's content when it is first read. `lfs hsm_restore` asks for it earlier (FSx for
Lustre guide, "Preloading files into your file system"). Asked for all at once, millions of files
overwhelm the metadata server, so they are requested in batches. It continues after an
interruption. Standard library, Python 3.9.
"""

"""Load files from S3 into Lustre before somebody waits for them.

FSx copies a file's content when it is first read. `lfs hsm_restore` asks for it earlier (FSx for
Lustre guide, "Preloading files into your file system"). Asked for all at once, millions of files
overwhelm the metadata server, so they go in batches, each waited for. Where it was interrupted it
goes on. Standard library, Python 3.9.
"""

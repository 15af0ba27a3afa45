"""File formats of networks, one module each.

A new format is a module here that reads and writes it, with errors that name the place in the
file, and a suffix in `network_files` and in `baytree.vocabulary.NETWORK_SUFFIXES`.
"""

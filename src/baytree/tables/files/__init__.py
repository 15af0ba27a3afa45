"""Readers of table files: CSV, TSV, .dat and Parquet.

A new format is a module here with one function that returns a view, a case in `table_files` and a
suffix in `baytree.vocabulary.TABLE_SUFFIXES`.
"""

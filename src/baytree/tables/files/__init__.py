"""Readers of table files: CSV, TSV, .dat and Parquet.

A new format is a module here with one function that returns a view, and a suffix in `table_files`.
"""

"""Learning of networks from tables: structures, parameters, and both from incomplete tables.

A new search goes into `searches` (its name into `vocabulary`; `cache_search` is the function
`search_structure`), a new criterion into `scoring`, a new constraint into `constraints`, and a
setting of incomplete tables into `em_settings`.
"""

"""Tables as codes, and codes as tables, in one call each."""

from baytree.tables.inputs import open_table


def encode_states(table, **options):
    """Return the states found in a table, and its codes."""
    opened = open_table(table, **options)
    return opened.encoding, opened.codes


def codes_of(encoding, table, **options):
    """Return the codes of a table of known states."""
    return open_table(table, encoding, **options).codes


def fill(encoding, table, codes, **options):
    """Return a table with its missing cells filled from codes."""
    return open_table(table, encoding, may_be_empty=True, **options).filled(codes)

"""Words that mean a missing cell in a text file."""

# "none" and "None" are not among them: too many tables have them as a state.
DEFAULT_MISSING_VALUES = ("?", "NA", "NaN", "nan", "<NA>", "null")

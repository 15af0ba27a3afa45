"""Words that users type, in Python and on the command line. It imports nothing."""

CRITERIA = ("bic", "aic", "ebic", "bdeu", "k2", "log-likelihood")
CACHE_SEARCHES = ("anneal", "hill-climb", "chow-liu", "k-max", "k-greedy", "s2", "s2+", "exact")
SEARCHES = (*CACHE_SEARCHES, "chordalysis")  # the last one tests the rows of a table
EDGE_TESTS = ("smt", "budget-share", "layered")
EDGE_RULES = (*EDGE_TESTS, "bic", "kl", "mml")  # the others compare models
COMPLETIONS = ("joint", "independent")
IMPUTATIONS = ("independent", "median", "joint")  # completions of an imputer
EM_INITS = ("tree", "chain")
PRESETS = ("sem-kmax", "sem-tree")  # published systems
CLASS_STRUCTURES = ("auto", "naive", "tree", "network")
TRAININGS = ("discriminative", "generative")
MISSING_POLICIES = ("error", "available")
BIN_CHOICES = ("auto", "error")  # instead of a number of bins
UNKNOWN_POLICIES = ("error", "missing")
NETWORK_SUFFIXES = (".json", ".bif", ".xml", ".xmlbif", ".bifxml", ".uai", ".net", ".xdsl")
TABLE_SUFFIXES = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".dat", ".dat.gz", ".parquet")
WRITTEN_TABLE_SUFFIXES = tuple(suffix for suffix in TABLE_SUFFIXES if ".dat" not in suffix)
CACHE_SUFFIXES = (".jkl", ".jkl.gz", ".jkl.xz")

# Texts of a missing cell: those of pandas.read_csv, and the question mark. "none" is a state.
DEFAULT_MISSING_VALUES = (
    *("", "?", "NA", "N/A", "n/a", "NaN", "nan", "-NaN", "-nan", "NULL", "null", "None", "<NA>"),
    *("#N/A", "#N/A N/A", "#NA", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
)

"""Tables: columns, states, bins, missing values and row weights.

Every table enters through `inputs.open_table`, which turns containers and files into state codes.
A warning about a column goes into `column_warnings`. Code that depends on networks, scores or
estimators belongs above.
"""

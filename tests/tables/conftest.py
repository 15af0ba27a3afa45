import pandas as pd
import pytest

from encoded_tables import encode_states


@pytest.fixture
def weather():
    table = pd.DataFrame({"rain": ["no", "yes", None, "no"], "wind": [0, 2, 1, 0]})
    return encode_states(table)[0]

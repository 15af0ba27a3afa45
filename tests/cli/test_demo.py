import json
from pathlib import Path

import pytest

from baytree.cli import demo as demo_command
from baytree.cli.main import main
from baytree.digits_demo import demo, digits, report


@pytest.fixture
def calls(monkeypatch):
    """Calls of the demo, which do nothing here."""
    made = []
    monkeypatch.setattr(demo, "run_demo", lambda *places, **options: made.append((places, options)))
    monkeypatch.setattr(report, "report_lines", lambda findings, page: ["found", str(page)])
    monkeypatch.setattr(report, "report_figures", lambda findings: {"n_images": 7})
    return made


def test_all_images_go_to_the_folder_demo_unless_told_otherwise(calls, capsys):
    assert main(["demo"]) == 0
    ((places, options),) = calls
    assert places == (Path("demo"),)
    assert (options["n_images"], options["seed"]) == (1797, 0)
    assert capsys.readouterr().out == f"found\n{Path('demo') / 'index.html'}\n"


def test_options_reach_the_demo_and_json_is_printed(calls, capsys):
    assert main(["demo", "-o", "shown", "--images", "200", "--seed", "4", "--json", "--quiet"]) == 0
    ((places, options),) = calls
    assert places == (Path("shown"),)
    assert (options["n_images"], options["seed"]) == (200, 4)
    figures = json.loads(capsys.readouterr().out)
    assert figures == {"n_images": 7, "page": str(Path("shown") / "index.html")}


def test_quiet_prints_nothing(calls, capsys):
    assert main(["demo", "--quiet"]) == 0
    assert len(calls) == 1
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("n_images", ["99", "1798", "many"])
def test_numbers_of_images_that_there_are_not_are_misuse(n_images, capsys):
    with pytest.raises(SystemExit) as end:
        main(["demo", "--images", n_images])
    assert end.value.code == 2
    assert "--images" in capsys.readouterr().err


def test_help_and_data_agree_on_the_number_of_images():
    assert demo_command._N_IMAGES == digits.N_IMAGES == len(digits.load_digits().data)
    assert demo_command._LEAST_IMAGES == digits.LEAST_IMAGES


def test_matplotlib_is_named_where_it_lacks(monkeypatch, capsys):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert main(["demo"]) == 1
    message = capsys.readouterr().err
    assert "matplotlib" in message
    assert "pip install 'baytree[plot]'" in message


def test_a_file_where_the_folder_should_be_is_one_sentence(tmp_path, capsys):
    path = tmp_path / "taken"
    path.write_text("")
    assert main(["demo", "-o", str(path)]) == 1
    assert capsys.readouterr().err == f"baytree: error: {path}: File exists.\n"

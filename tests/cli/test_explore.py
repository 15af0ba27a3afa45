import json
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request

import pytest

import baytree as bt
from baytree.cli.main import main


@pytest.fixture
def model(tmp_path):
    states = {"rain": ["no", "yes"], "wet": ["no", "yes"]}
    cpts = {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]}
    path = tmp_path / "rain.bif"
    bt.BayesianNetwork(states, [("rain", "wet")], cpts=cpts).write(path)
    return path


@pytest.fixture
def explorer(model):
    """A running explorer, and the address that it printed."""
    words = ["explore", str(model), "--no-browser"]
    process = subprocess.Popen(
        [sys.executable, "-m", "baytree", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process, process.stdout.readline().strip()
    finally:
        process.kill()
        process.communicate()


def test_the_address_works_with_its_token_alone(explorer):
    _, address = explorer
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    assert b"baytree explorer" in opener.open(address).read()
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(address.split("?")[0])


def test_only_loopback_is_listened_to(explorer):
    _, address = explorer
    assert address.startswith("http://127.0.0.1:")
    port = int(address.split(":")[2].split("/")[0])
    with socket.socket() as other:  # free everywhere else, or this could not be bound
        other.bind(("127.0.0.2", port))


def test_ctrl_c_ends_quietly_with_130(explorer):
    process, address = explorer
    urllib.request.build_opener(urllib.request.HTTPCookieProcessor()).open(address).read()
    process.send_signal(signal.SIGINT)
    _, notes = process.communicate(timeout=30)
    assert process.returncode == 130
    assert notes == "baytree: note: Ctrl-C ends the explorer\n"


def test_a_port_that_is_taken_is_one_sentence(model, capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert main(["explore", str(model), "--no-browser", "--port", str(port)]) == 1
    assert capsys.readouterr().err.startswith(f"baytree: error: Port {port} cannot be used: ")


def test_a_structure_without_probabilities_is_one_sentence(tmp_path, capsys):
    path = tmp_path / "structure.json"
    bt.BayesianNetwork({"rain": ["no", "yes"]}).write(path)
    assert main(["explore", str(path), "--no-browser"]) == 1
    assert "structure.json: the network has no probabilities. Write one" in capsys.readouterr().err


def test_a_table_that_does_not_fit_is_one_sentence(model, tmp_path, capsys):
    table = tmp_path / "rows.csv"
    table.write_text("rain\nsometimes\n")
    assert main(["explore", str(model), "--table", str(table), "--no-browser"]) == 1
    assert "'rain' has state 'sometimes'" in capsys.readouterr().err


def test_packages_that_lack_are_named(model, monkeypatch, capsys):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert main(["explore", str(model), "--no-browser"]) == 1
    message = capsys.readouterr().err
    assert "needs starlette and uvicorn" in message
    assert "pip install 'baytree[explore]'" in message


def test_the_address_is_json_with_json(model):
    words = ["explore", str(model), "--no-browser", "--json", "--quiet"]
    process = subprocess.Popen(
        [sys.executable, "-m", "baytree", *words], stdout=subprocess.PIPE, text=True
    )
    try:
        address = json.loads(process.stdout.readline())["address"]
    finally:
        process.kill()
        process.communicate()
    assert address.startswith("http://127.0.0.1:")


def test_words_for_missing_need_a_table(model, capsys):
    with pytest.raises(SystemExit) as end:
        main(["explore", str(model), "--missing-values", "gone"])
    assert end.value.code == 2
    assert "argument --missing-values: only with --table" in capsys.readouterr().err


def test_a_network_too_large_for_queries_is_one_sentence_of_what_can_be_typed(tmp_path, capsys):
    path = tmp_path / "large.json"
    bt.random_network(200, random_state=0).write(path)
    assert main(["explore", str(path), "--no-browser"]) == 1
    message = capsys.readouterr().err
    assert "does not fit into memory: its treewidth is " in message
    assert "--max-memory" not in message  # explore has no such option

import json
from importlib import resources

import numpy as np
import pytest
from starlette.testclient import TestClient

from baytree.explorer.exploration import Exploration
from baytree.explorer.guards import MAX_BODY_BYTES
from baytree.explorer.server import explorer_app
from inference_oracle import brute_force_marginals

PORT = 8765
HOST = f"127.0.0.1:{PORT}"
OWN = f"http://{HOST}"
TOKEN = "the-token"
STATIC = resources.files("baytree.explorer") / "static"


@pytest.fixture
def app(sprinkler_network):
    codes = np.array([[-1, 0, 0]], dtype=np.int32)
    return explorer_app(Exploration(sprinkler_network, codes), port=PORT, token=TOKEN)


@pytest.fixture
def stranger(app):
    """A client that has not seen the token."""
    with TestClient(app, base_url=OWN, raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def page(stranger):
    """A client that opened the address of the terminal."""
    assert stranger.get(f"/?token={TOKEN}").status_code == 200
    return stranger


def ask(client, endpoint, body=None, **headers):
    headers = {"origin": OWN, **{name.replace("_", "-"): value for name, value in headers.items()}}
    return client.post(f"/api/{endpoint}", json=body or {}, headers=headers)


def test_the_address_with_the_token_leads_to_one_without(stranger):
    answer = stranger.get(f"/?token={TOKEN}", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie


def test_the_page_and_its_parts_are_served(page):
    assert "<title>baytree explorer</title>" in page.get("/").text
    script = page.get("/static/main.js")
    assert script.headers["content-type"].startswith("text/javascript")
    assert page.get("/static/no_such_file.js").status_code == 404
    assert page.get("/static/../server.py").status_code == 404
    assert page.get("/static/%2e%2e/server.py").status_code == 404


def test_posteriors_are_those_of_brute_force(page, sprinkler_network):
    answer = ask(page, "posteriors", {"evidence": [[2, 2]]})
    expected = brute_force_marginals(sprinkler_network, {"grass": "wet"})
    flat = np.concatenate(list(expected.values()))
    assert answer.json()["probabilities"] == pytest.approx(flat, rel=1e-4)


@pytest.mark.parametrize(
    ("endpoint", "body"),
    [
        ("graph", {}),
        ("neighbourhood", {"variable": 1}),
        ("clique-tree", {}),
        ("clique-tree", {"variable": 1}),
        ("explanation", {"evidence": []}),
        ("most-informative", {"target": 0}),
        ("clique", {"clique": 0}),
        ("row", {"row": 0}),
    ],
)
def test_every_request_is_answered(page, endpoint, body):
    answer = ask(page, endpoint, body)
    assert answer.status_code == 200
    assert answer.json()


def test_impossible_evidence_is_answered_with_a_sentence(page):
    answer = ask(page, "posteriors", {"evidence": [[0, 0], [1, 0], [2, 2]]})
    assert (answer.status_code, [*answer.json()]) == (200, ["impossible"])


@pytest.mark.parametrize("path", ["/", "/?token=wrong", "/?token=", "/static/main.js"])
def test_who_does_not_know_the_token_gets_nothing(stranger, path):
    answer = stranger.get(path)
    assert answer.status_code == 403
    assert "Open the address that baytree printed" in answer.text


def test_a_wrong_cookie_gets_nothing(stranger):
    stranger.cookies.set(f"baytree-{PORT}", "wrong")
    assert ask(stranger, "graph").status_code == 403


def test_the_token_in_the_address_opens_the_page_alone(stranger):
    url = f"/api/graph?token={TOKEN}"
    assert stranger.post(url, json={}, headers={"origin": OWN}).status_code == 403


@pytest.mark.parametrize(
    "host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1", f"127.0.0.1:{PORT + 1}", ""]
)
def test_other_hosts_get_nothing(page, host):
    assert page.get("/", headers={"host": host}).status_code == 421
    assert ask(page, "graph", host=host).status_code == 421


def test_localhost_is_a_name_of_the_own_host(app):
    with TestClient(app, base_url=f"http://localhost:{PORT}") as client:
        assert client.get(f"/?token={TOKEN}").status_code == 200
        assert ask(client, "graph", origin=f"http://localhost:{PORT}").status_code == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", f"https://{HOST}", f"http://127.0.0.1:{PORT + 1}"]
)
def test_other_origins_get_nothing(page, origin):
    assert ask(page, "graph", origin=origin).status_code == 403
    assert page.get("/", headers={"origin": origin}).status_code == 403


def test_a_request_without_an_origin_gets_nothing(page):
    assert page.post("/api/graph", json={}).status_code == 403


def test_other_pages_cannot_load_parts_of_this_one(page):
    headers = {"sec-fetch-mode": "no-cors", "sec-fetch-site": "cross-site"}
    assert page.get("/static/main.js", headers=headers).status_code == 403
    same = {"sec-fetch-mode": "no-cors", "sec-fetch-site": "same-origin"}
    assert page.get("/static/main.js", headers=same).status_code == 200


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS"])
def test_other_methods_get_nothing(page, method):
    answer = page.request(method, "/api/graph", headers={"origin": OWN})
    assert answer.status_code == 405


def test_an_announced_body_beyond_the_bound_is_refused_unread(page):
    answer = ask(page, "posteriors", {"evidence": "x" * MAX_BODY_BYTES})
    assert answer.status_code == 413


def test_a_body_of_unknown_size_is_refused_at_the_bound(page):
    def chunks():
        for _ in range(MAX_BODY_BYTES // 1000 + 2):
            yield b" " * 1000

    headers = {"origin": OWN, "content-type": "application/json"}
    assert page.post("/api/graph", content=chunks(), headers=headers).status_code == 413


@pytest.mark.parametrize("size", ["-1", "many", "9" * 30])
def test_a_size_that_is_no_number_is_refused(page, size):
    headers = {"origin": OWN, "content-length": size, "content-type": "application/json"}
    answer = page.post("/api/graph", content=b"{}", headers=headers)
    assert answer.status_code == 413


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"1", b"\xff", b"[" * 100_000, b'{"evidence": [[0, NaN]]}']
)
def test_a_body_that_is_no_request_is_refused_with_a_sentence(page, body):
    headers = {"origin": OWN, "content-type": "application/json"}
    answer = page.post("/api/posteriors", content=body, headers=headers)
    assert answer.status_code == 400
    assert answer.json()["error"].endswith(".")


def test_a_form_is_no_request(page):
    headers = {"origin": OWN, "content-type": "text/plain"}
    assert page.post("/api/graph", content=b"{}", headers=headers).status_code == 400


def test_a_failure_tells_the_terminal_and_not_the_page(page, monkeypatch, capsys):
    def fail(*_):
        raise RuntimeError("a secret")

    monkeypatch.setattr("baytree.explorer.payloads.clique_payload", fail)
    answer = ask(page, "clique", {"clique": 0})
    assert answer.status_code == 500
    assert "secret" not in answer.text
    assert "Traceback" not in answer.text
    assert "RuntimeError: a secret" in capsys.readouterr().err


def test_every_answer_has_a_strict_policy(page, stranger):
    for answer in (
        page.get("/"),
        page.get("/static/main.js"),
        page.get("/nothing"),
        ask(page, "graph"),
        page.get("/", headers={"host": "evil.example"}),
    ):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self';" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("name", sorted(path.name for path in STATIC.iterdir()))
def test_the_page_loads_nothing_from_elsewhere_and_reads_no_text_as_html(page, name):
    answer = page.get("/" if name == "index.html" else f"/static/{name}")
    text = answer.text.replace("http://www.w3.org/2000/svg", "")
    assert answer.status_code == 200
    for word in ("http:", "https:", "innerHTML", "outerHTML", "AdjacentHTML", "document.write"):
        assert word not in text


def test_hostile_names_are_sent_as_json(hostile_network):
    app = explorer_app(Exploration(hostile_network), port=PORT, token=TOKEN)
    with TestClient(app, base_url=OWN) as client:
        client.get(f"/?token={TOKEN}")
        answer = ask(client, "graph")
        assert answer.headers["content-type"] == "application/json"
        assert answer.content.isascii()
        assert json.loads(answer.content)["variables"][:3] == [*hostile_network.variables[:3]]

"""The page in a real browser: Chromium, driven by Playwright."""

import itertools
import os
import re
import shutil
import threading
import time

import numpy as np
import pytest
from playwright.sync_api import expect, sync_playwright

import baytree as bt
from baytree.explorer.exploration import Exploration
from baytree.explorer.server import serve
from inference_oracle import brute_force_marginals, brute_force_probability

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
MUST_RUN = os.environ.get("CI") == "true"
WAIT_MS = 60_000

pytestmark = [
    pytest.mark.skipif(
        CHROMIUM is None and not MUST_RUN,
        reason="no Chromium, so the explorer is not tested in a browser; run: make browser",
    ),
    pytest.mark.skipif(
        "libasan" in os.environ.get("LD_PRELOAD", ""), reason="no browser runs on the sanitizers"
    ),
]


@pytest.fixture(scope="module")
def browser():
    assert CHROMIUM, "CI=true asks for the browser tests, but there is no Chromium: make browser"
    expect.set_options(timeout=WAIT_MS)
    with sync_playwright() as playwright:
        # Nothing but our own page is opened, so Chromium may run as root without its sandbox.
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser):
    """Return a function that serves a network and opens its page; problems in it fail the test."""
    contexts, problems = [], []

    def opened(exploration, hash="", **options):
        address = served(exploration)
        options = {"viewport": {"width": 1280, "height": 800}, **options}
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(WAIT_MS)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda message: problems.append(message.text))
        page.on("request", lambda request: check_is_local(request.url, problems))
        page.goto(address + hash)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert problems == []


def check_is_local(url, problems):
    if not url.startswith("http://127.0.0.1:"):
        problems.append(f"The page requested {url}.")


def served(exploration):
    """Serve on a thread that ends with the tests, and return the address."""
    addresses = []
    options = {"port": 0, "when_ready": addresses.append}
    threading.Thread(target=serve, args=(exploration,), kwargs=options, daemon=True).start()
    while not addresses:
        time.sleep(0.01)
    return addresses[0]


def variable(page, name):
    rows = page.locator(".variable")
    return rows.filter(has=page.get_by_role("button", name=name, exact=True))


def state(page, name, label):
    return variable(page, name).locator(".state").filter(has_text=re.compile(f"^{label}"))


def shown(probability):
    return f"{probability * 100:.1f} %"


def test_clicking_a_state_moves_the_posteriors_and_clicking_again_moves_them_back(
    open_page, sprinkler_network
):
    page = open_page(Exploration(sprinkler_network))
    before = brute_force_marginals(sprinkler_network)
    after = brute_force_marginals(sprinkler_network, {"grass": "wet"})
    expect(state(page, "rain", "yes")).to_contain_text(shown(before["rain"][1]))
    state(page, "grass", "wet").click()
    expect(state(page, "rain", "yes")).to_contain_text(shown(after["rain"][1]))
    expect(state(page, "grass", "wet")).to_have_attribute("aria-pressed", "true")
    probability = brute_force_probability(sprinkler_network, {"grass": "wet"})
    expect(page.locator("#evidence-probability")).to_contain_text(f"{probability:.4g}")
    state(page, "grass", "wet").click()
    expect(state(page, "rain", "yes")).to_contain_text(shown(before["rain"][1]))


def test_the_address_keeps_evidence_and_view_over_reload_and_back(open_page, sprinkler_network):
    page = open_page(Exploration(sprinkler_network))
    state(page, "grass", "wet").click()
    expect(page).to_have_url(re.compile("#e=grass:wet$"))
    variable(page, "rain").locator(".name").click()
    page.get_by_role("button", name="Clique tree").click()
    expect(page).to_have_url(re.compile("view=cliques.*variable=rain"))
    page.reload()
    expect(state(page, "grass", "wet")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("button", name="Clique tree")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#chosen h2")).to_have_text("rain")
    for _ in range(3):
        page.go_back()
    expect(page.locator("#evidence")).to_contain_text("No evidence")
    expect(page.locator("#chosen")).to_be_hidden()


def test_impossible_evidence_is_a_sentence(open_page, sprinkler_network):
    page = open_page(Exploration(sprinkler_network), "#e=rain:no&e=sprinkler:0")
    state(page, "grass", "wet").click()
    expect(page.locator("#status")).to_contain_text("has probability zero")
    state(page, "grass", "wet").click()
    expect(page.locator("#status")).to_be_empty()


def test_hostile_names_are_text(open_page, hostile_network):
    page = open_page(Exploration(hostile_network, title="<b>title</b>"))
    first = hostile_network.variables[0]
    expect(page.locator("#title")).to_have_text("<b>title</b>")
    expect(page.locator(".variable .name").first).to_have_text(first)
    for row in range(len(hostile_network.variables)):
        page.locator(".variable").nth(row).locator(".state").nth(1).click()
        page.locator(".variable").nth(row).locator(".name").click()
    for panel in ("Explanation", "Informative", "Clique"):
        page.get_by_role("button", name=panel, exact=True).click()
    page.reload()
    expect(page.locator(".chip")).to_have_count(len(hostile_network.variables))
    assert page.locator("img:not(.logo), aside b, aside script").count() == 0
    assert "hacked" not in page.title()


def test_search_informative_explanation_and_rows(open_page, sprinkler_network):
    codes = np.array([[0, 0, 0], [-1, 0, 2]], dtype=np.int32)
    page = open_page(Exploration(sprinkler_network, codes))
    expect(page.locator(".variable")).to_have_count(3)
    page.keyboard.press("/")
    page.keyboard.type("spr")
    expect(page.locator(".variable")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.locator("#chosen h2")).to_have_text("sprinkler")
    page.keyboard.press("b")
    expect(page.locator("#chosen [aria-pressed=true]")).to_contain_text("Markov blanket")
    page.get_by_role("button", name="Informative").click()
    expect(page.locator(".answer .name").first).to_have_text("grass")
    page.get_by_role("button", name="Explanation").click()
    expect(page.locator(".answer")).to_have_count(3)
    page.get_by_role("button", name="Row", exact=True).click()
    page.get_by_role("button", name="next incomplete row").click()
    expect(page.locator(".variable .name")).to_have_text(["rain"])
    expect(page.locator(".state.best")).to_contain_text("yes")
    expect(page).to_have_url(re.compile("row=2"))


def luminance(page):
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return sum(int(part) for part in re.findall(r"\d+", colour)[:3])


def test_dark_follows_the_system_until_the_reader_chooses(open_page, sprinkler_network):
    page = open_page(Exploration(sprinkler_network), color_scheme="dark")
    expect(page.locator(".variable")).to_have_count(3)
    assert luminance(page) < 150
    page.locator("#theme").click()
    assert luminance(page) > 600
    page.reload()
    expect(page.locator(".variable")).to_have_count(3)
    assert luminance(page) > 600


def test_a_network_too_large_to_draw_begins_with_search(open_page, sprinkler_network, monkeypatch):
    monkeypatch.setattr("baytree.explorer.payloads.MAX_DRAWN_WHOLE", 2)
    page = open_page(Exploration(sprinkler_network))
    expect(page.locator("#hint")).to_contain_text("too many to draw")
    expect(page.locator("#search")).to_be_focused()
    page.keyboard.type("rain")
    page.keyboard.press("Enter")
    expect(page.locator("#hint")).to_be_hidden()


def test_a_drawing_of_a_part_says_so(open_page, sprinkler_network, monkeypatch):
    monkeypatch.setattr("baytree.explorer.payloads.MAX_DRAWN_WHOLE", 0)
    monkeypatch.setattr("baytree.explorer.payloads.MAX_NEIGHBOURS", 2)
    page = open_page(Exploration(sprinkler_network), "#variable=rain")
    expect(page.locator("#part")).to_have_text("2 of 3 variables: those nearest to rain")
    tips = {tip_at(page, (1280 - 400 - 48) // 2, y, "#tip") for y in range(200, 700, 20)}
    assert any("1 neighbour is not drawn" in tip for tip in tips if tip)
    page.get_by_role("button", name="Clique tree").click()
    expect(page.locator("#part")).to_be_hidden()  # all of one clique


def tip_at(page, x, y, part="#tip strong"):
    page.mouse.move(x - 1, y)
    page.mouse.move(x, y)
    page.wait_for_timeout(50)
    tip = page.locator(part)
    return tip.text_content() if page.locator("#tip").is_visible() else None


def test_choosing_a_variable_that_is_in_view_moves_nothing(open_page):
    names = ["a", "b", "c", "d", "e"]
    chain = bt.BayesianNetwork(
        {name: ["no", "yes"] for name in names},
        list(itertools.pairwise(names)),
        cpts={"a": [0.5, 0.5]} | {name: [[0.9, 0.1], [0.2, 0.8]] for name in names[1:]},
    )
    page = open_page(Exploration(chain), viewport={"width": 400, "height": 800})
    expect(page.locator(".variable").first).to_be_visible()
    middle = (400 - 48) // 2  # the tools on the right are left free
    first = next(y for y in range(50, 360, 4) if tip_at(page, middle, y) == "a")
    variable(page, "e").locator(".name").click()
    expect(page.locator("#chosen h2")).to_have_text("e")
    page.wait_for_timeout(600)  # longer than the drawing would move
    assert tip_at(page, middle, first) == "a"


@pytest.mark.parametrize("width", [400, 750, 900, 1400])
def test_no_panel_is_cut_off(open_page, sprinkler_network, width):
    codes = np.array([[0, 0, 0]], dtype=np.int32)
    page = open_page(
        Exploration(sprinkler_network, codes), viewport={"width": width, "height": 800}
    )
    expect(page.get_by_role("button", name="Clique", exact=True)).to_be_visible()
    assert page.evaluate("(b => b.scrollWidth <= b.clientWidth)(document.querySelector('#panels'))")


@pytest.mark.parametrize("width", [400, 900, 1400])
def test_long_names_leave_room_for_the_state_and_its_release(open_page, width):
    name, label = "the answer that " + "very " * 20 + "long ago was given", "(86402, 240141]"
    network = bt.BayesianNetwork({name: [label, "yes"]}, cpts={name: [0.5, 0.5]})
    page = open_page(Exploration(network), viewport={"width": width, "height": 800})
    page.locator(".state").first.click()
    expect(page.locator("#evidence-probability")).to_have_text("P(evidence) = 0.5")
    chip = page.locator(".chip").bounding_box()
    for text in (label, "✕"):
        part = page.locator(".chip").get_by_text(text, exact=True).bounding_box()
        assert part["width"] > 5 * len(text)  # whole, not cut
        assert part["x"] + part["width"] <= chip["x"] + chip["width"] <= width
    page.locator(".chip").click()
    expect(page.locator("#evidence")).to_contain_text("No evidence")


@pytest.mark.parametrize("width", [400, 900, 1400])
def test_words_on_buttons_do_not_break(open_page, sprinkler_network, width):
    page = open_page(
        Exploration(sprinkler_network), "#variable=rain", viewport={"width": width, "height": 800}
    )
    buttons = page.locator("#chosen .segments button")
    expect(buttons).to_have_text(["Markov blanket 2", "Ancestors 0", "Descendants 2"])
    assert len({button.bounding_box()["height"] for button in buttons.all()}) == 1
    assert page.evaluate(
        "[...document.querySelectorAll('#chosen .segments button')].every("
        "(button) => button.scrollWidth <= button.clientWidth)"
    )


FITTED = """async () => {
    const { fitted } = await import("/static/shapes.js");
    const context = document.createElement("canvas").getContext("2d");
    context.font = "12px sans-serif";
    return ["yes", "w".repeat(50), "東".repeat(30)].map((text) => {
        const cut = fitted(context, text, 100);
        return [cut, context.measureText(cut).width];
    });
}"""


def test_text_in_a_box_is_cut_to_its_width(open_page, sprinkler_network):
    page = open_page(Exploration(sprinkler_network))
    cuts = page.evaluate(FITTED)
    assert cuts[0][0] == "yes"
    for text, width in cuts[1:]:
        assert text.endswith("…")
        assert 80 < width <= 100


PLACE_BESIDE_A_POINT = """async ([nPoints, isMarked]) => {
    const { LabelPlaces } = await import("/static/label_places.js");
    const places = new LabelPlaces(400, 300);
    const sides = [[240, 103], [160, 103], [195, 83], [195, 117]];
    const corners = [[240, 85], [240, 115], [160, 85], [160, 115]];
    const points = [[200, 100], ...sides, ...corners].slice(0, nPoints);
    for (const [x, y] of points) places.block(x - 4, y - 4, 8, 8, !isMarked);
    return places.beside(200, 100, 4, 60, 20, true);
}"""


def test_first_labels_cover_points_only_where_they_must(open_page, sprinkler_network):
    page = open_page(Exploration(sprinkler_network))
    left, right = [133, 90], [207, 90]
    assert page.evaluate(PLACE_BESIDE_A_POINT, [2, False]) == left  # one is on the right
    above_right = page.evaluate(PLACE_BESIDE_A_POINT, [5, False])  # all four sides have a point
    assert above_right[0] >= 200
    assert above_right[1] + 20 < 100
    assert page.evaluate(PLACE_BESIDE_A_POINT, [9, False]) == right  # every place has a point
    assert page.evaluate(PLACE_BESIDE_A_POINT, [9, True]) is None  # which must stay visible


LABELS_AT_EDGES = """async () => {
    const { LabelPlaces } = await import("/static/label_places.js");
    const points = [[2, 2], [398, 2], [2, 298], [398, 298]];
    return points.map(([x, y]) => new LabelPlaces(400, 300).beside(x, y, 4, 60, 20, false));
}"""


def test_no_label_is_cut_at_an_edge(open_page, sprinkler_network):
    page = open_page(Exploration(sprinkler_network))
    for left, top in page.evaluate(LABELS_AT_EDGES):
        assert 0 <= left <= 400 - 60
        assert 0 <= top <= 300 - 20


def test_a_mixture_shows_its_posteriors_and_each_component(open_page, year):
    page = open_page(Exploration(year))
    expect(page.locator("#summary")).to_have_text("3 variables, 2 components, treewidth 2")
    expect(state(page, "rain", "yes")).to_contain_text(shown(year.posterior("rain")["yes"]))
    choice = page.get_by_label("Mixture or component")
    expect(choice.locator("option")).to_have_text(
        ["mixture, drawn: component 2", "component 2, 60.0 %", "component 1, 40.0 %"]
    )
    state(page, "grass", "wet").click()
    given_wet = year.posterior("rain", {"grass": "wet"})["yes"]
    expect(state(page, "rain", "yes")).to_contain_text(shown(given_wet))
    choice.select_option("0")
    expect(page.locator("#summary")).to_have_text("3 variables, 3 arcs, treewidth 2")
    alone = year.components[0].posterior("rain", {"grass": "wet"})["yes"]
    expect(state(page, "rain", "yes")).to_contain_text(shown(alone))
    expect(page).to_have_url(re.compile("component=1"))
    page.go_back()
    expect(state(page, "rain", "yes")).to_contain_text(shown(given_wet))
    expect(page.locator("#summary")).to_have_text("3 variables, 2 components, treewidth 2")


def test_the_explanation_of_a_mixture_says_its_guarantee(open_page, year):
    page = open_page(Exploration(year), "#panel=explanation")
    expect(page.locator("#panel")).to_contain_text("No states have more than 2 times")


def test_an_address_with_an_unknown_component_shows_the_mixture(open_page, year):
    page = open_page(Exploration(year), "#component=99&e=grass:wet")
    expect(page.locator("#summary")).to_have_text("3 variables, 2 components, treewidth 2")

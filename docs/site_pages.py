"""Generated pages of the site: docstrings, `--help`, and pages outside docs/."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import io
import os
import re
from pathlib import Path, PurePosixPath
from unittest import mock

import baytree
from baytree.cli.main import main

DOCS = Path(__file__).parent
ROOT = DOCS.parent
GENERATED = DOCS / "generated"

# Pages outside docs/ that belong to the site: path in the repository, name on the site.
OUTER_PAGES = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "benchmarks/README.md": "benchmarks.md",
    "benchmarks/measured/structure.md": "measured_structure.md",
    "benchmarks/measured/inference.md": "measured_inference.md",
    "benchmarks/measured/imputation.md": "measured_imputation.md",
    "benchmarks/measured/classification.md": "measured_classification.md",
    "benchmarks/measured/density.md": "measured_density.md",
}
_LINK = re.compile(r"(?:(?<=\]\()|(?<=\]: ))(?!https?:|#|/)([^)#\s]+)((?:#[^)\s]*)?)(?=\)|$)", re.M)
_PAPER = re.compile(r"^\[([\w-]+)\]: \S*references\.md$", re.M)
_SECTION = re.compile(r"^### ([^\n]*?) \(`([\w.]+)`\)\n(.*?)(?=^##|\Z)", re.M | re.S)
_ENTRY = re.compile(r"^- `(\w+)`", re.M)
_COMMAND = re.compile(r"^    ([a-z]+) ", re.M)


def write_pages() -> None:
    """Write the changed pages below docs/generated, and remove those of former modules."""
    pages = {"commands.rst": commands_page()}
    pages |= {f"api/{module}.rst": api_page(module) for module in api_sections()}
    for outer, name in OUTER_PAGES.items():
        pages[name] = with_site_links(
            with_brackets((ROOT / outer).read_text(encoding="utf-8")), outer
        )
    for path in GENERATED.rglob("*"):
        if path.is_file() and path.relative_to(GENERATED).as_posix() not in pages:
            path.unlink()
    for name, text in pages.items():
        path = GENERATED / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def site_text(name: str, text: str) -> str:
    """Return a page with links to pages of the site."""
    if name.startswith("generated/"):
        return text
    text = with_site_links(with_brackets(text), f"docs/{name}.md")
    if name == "api/index":
        return linked_index(text)
    return text + toctree(guide_pages()) if name == "user_guide/index" else text


def with_brackets(text: str) -> str:
    """Return a page with brackets around the keys of papers, such as [k-max]."""
    for key in _PAPER.findall(text):
        text = re.sub(rf"\[{re.escape(key)}\](?![\[(:])", rf"[\\[{key}\\]][{key}]", text)
    return text


def with_site_links(text: str, page: str) -> str:
    """Return a page, given by its path in the repository, with links to pages of the site."""

    def in_site(link: re.Match[str]) -> str:
        path = os.path.normpath(PurePosixPath(page).parent / link[1])
        if path in OUTER_PAGES:
            return f"/generated/{OUTER_PAGES[path]}{link[2]}"
        if path.startswith("docs/"):
            return f"/{path.removeprefix('docs/')}{link[2]}"
        return "/" + os.path.relpath(ROOT / path, DOCS)  # a file to download

    return _LINK.sub(in_site, text)


def api_sections() -> dict[str, tuple[str, list[str]]]:
    """Return title and names of every module in the API reference."""
    index = (DOCS / "api" / "index.md").read_text(encoding="utf-8")
    sections = _SECTION.findall(index)
    return {module: (title, _ENTRY.findall(text)) for title, module, text in sections}


def api_page(module: str) -> str:
    """Return the page of a module, with directives that insert its docstrings."""
    title, names = api_sections()[module]
    lines = [title, "=" * len(title), "", f"``{module}``", ""]
    for name in names:
        directive = _directive(module, name)
        lines.append(f".. {directive}:: {public_path(module, name)}")
        lines += ["   :members:", "   :inherited-members:"] if directive == "autoclass" else []
        lines.append("")
    return "\n".join(lines)


def public_path(module: str, name: str) -> str:
    """Return the import path of a name: `baytree` itself where possible."""
    return f"baytree.{name}" if name in baytree.__all__ else f"{module}.{name}"


def _directive(module: str, name: str) -> str:
    found = getattr(importlib.import_module(module), name)
    if not inspect.isclass(found):
        return "autofunction"
    return "autoexception" if issubclass(found, BaseException) else "autoclass"


def linked_index(text: str) -> str:
    """Return the API reference with links to the pages of its modules."""

    def linked(section: re.Match[str]) -> str:
        return _ENTRY.sub(
            lambda entry: f"- {{py:obj}}`{entry[1]} <{public_path(section[2], entry[1])}>`",
            section[0],
        )

    pages = [f"/generated/api/{module}" for module in api_sections()]
    return _SECTION.sub(linked, text) + toctree(pages)


def guide_pages() -> list[str]:
    """Return the pages of the guide in the order of its index, then all others."""
    guide = DOCS / "user_guide"
    listed = re.findall(r"\]\((\w+)\.md\)", (guide / "index.md").read_text(encoding="utf-8"))
    others = sorted({page.stem for page in guide.glob("*.md")} - {*listed, "index"})
    return [*listed, *others]


def toctree(pages: list[str]) -> str:
    """Return the directive that adds pages to the menu."""
    return "\n\n".join(["", "```{toctree}\n:hidden:", "\n".join(pages)]) + "\n```\n"


def commands_page() -> str:
    """Return the page of commands, with the output of `--help` for each."""
    title, overview = "Commands", help_text()
    parts = [title, "=" * len(title), "", "Output of ``--help`` for each command.", ""]
    parts += _literal(overview)
    for command in commands():
        heading = f"baytree {command}"
        parts += [heading, "-" * len(heading), "", *_literal(help_text(command))]
    return "\n".join(parts)


def commands() -> list[str]:
    """Return the names of all commands in the order of `--help`."""
    return _COMMAND.findall(help_text())


def help_text(*words: str) -> str:
    """Return the output of `baytree <words> --help` on a terminal of 90 columns."""
    printed = io.StringIO()
    terminal = {"COLUMNS": "90", "NO_COLOR": "1"}
    with (
        mock.patch.dict(os.environ, terminal),
        contextlib.redirect_stdout(printed),
        contextlib.suppress(SystemExit),  # help ends the program
    ):
        main([*words, "--help"])
    return printed.getvalue()


def _literal(text: str) -> list[str]:
    return [".. code-block:: text", "", *(f"   {line}".rstrip() for line in text.splitlines()), ""]


def is_foreign(member: object) -> bool:
    """Whether a member of a class was defined outside baytree, such as in scikit-learn."""
    function = member.fget if isinstance(member, property) else inspect.unwrap(member)  # type: ignore[arg-type]
    module = getattr(function, "__module__", None) or "baytree"
    return not module.startswith("baytree")

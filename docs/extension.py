"""Small additions to Sphinx: docstrings as they are, formulas, Chinese search."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx

from docs.reference import plain_lines
from docs.search import SearchChinese


def without_markup(
    _app: Sphinx, _kind: str, _name: str, _object: Any, _options: Any, lines: list[str]
) -> None:
    """Keep the words of a docstring from being taken for markup."""
    lines[:] = plain_lines("\n".join(lines))


HIDDEN = '<span class="site-hidden">notes</span>'
SCROLLERS = ("<pre", '<div class="table-wrapper colwidths-auto docutils container"')

ACROSS = re.compile(r'<a href="(?:\.\./)+(?:en|zh)/([^"]+)\.html">(.*?)</a>')
"""A link to a page in the other language."""

BACK = re.compile(r'<a class="viewcode-back" href="([^"#]*)#([^"]+)">\[docs\]</a>')

ELSEWHERE = {"extra_repr", "function"}
"""Members of layers: for `repr`, and the function that `nn.functional` describes."""


def without_repeats(
    _app: Sphinx, _kind: str, name: str, value: Any, _skip: bool, _options: Any
) -> bool | None:
    """Leave out what is in ELSEWHERE, and fields, which a docstring lists."""
    if name in ELSEWHERE or type(value).__name__ == "_tuplegetter":
        return True
    return None


def visit_formula(translator: Any, node: Any) -> None:
    """Write a formula as MathML, which browsers draw without a script."""
    display = "block" if node.tagname == "math_block" else "inline"
    translator.body.append(convert(node.astext(), display=display))
    raise nodes.SkipNode


def other_language(
    app: Sphinx, page: str, _template: str, context: dict[str, Any], _tree: Any
) -> None:
    """Tell the page of its twin in the other language, or of that language's start."""
    here = app.config.language
    there = "zh" if here == "en" else "en"
    context["other_language"] = {"zh": "中文", "en": "English"}[there]
    context["other_code"] = there
    up = "../" * (page.count("/") + 1)
    twin = page if page in app.config.docs_other else "index"
    context["other_page"] = f"{up}{there}/{twin}.html"


def name_empty_heads(_app: Sphinx, tree: nodes.document, _page: str) -> None:
    """Drop the head of a table that says nothing; name the columns without a name."""
    for head in list(tree.findall(nodes.thead)):
        entries = list(head.findall(nodes.entry))
        if not any(entry.astext() for entry in entries):
            head.parent.remove(head)
            continue
        for entry in entries:
            if not entry.astext():
                entry.append(nodes.raw("", HIDDEN, format="html"))


def known_target(app: Sphinx, back: re.Match[str]) -> str:
    """Keep a link from the source to the reference if the name is described there."""
    described = app.env.domains["py"].data["objects"].get(back[2])
    return back[0] if described and f"{described.docname}.html" in back[1] else ""


def known_page(app: Sphinx, across: re.Match[str]) -> str:
    """Keep a link to the other language if that has the page, else its text alone."""
    return across[0] if across[1] in app.config.docs_other else across[2]


def finish(
    app: Sphinx, _page: str, _template: str, context: dict[str, Any], _tree: Any
) -> None:
    """Let the keyboard reach what scrolls; drop links that lead nowhere."""
    body = BACK.sub(partial(known_target, app), context.get("body", ""))
    body = ACROSS.sub(partial(known_page, app), body)
    for scroller in SCROLLERS:
        body = body.replace(scroller, f'{scroller} tabindex="0"')
    context["body"] = body


def setup(app: Sphinx) -> dict[str, bool]:
    """Register all of it."""
    app.add_config_value("docs_other", [], "html")
    app.add_search_language(SearchChinese)
    app.add_html_math_renderer("mathml", (visit_formula, None), (visit_formula, None))
    # Before napoleon, which makes markup of sections.
    app.connect("autodoc-process-docstring", without_markup, priority=400)
    app.connect("autodoc-skip-member", without_repeats)
    app.connect("doctree-resolved", name_empty_heads)
    app.connect("html-page-context", other_language)
    app.connect("html-page-context", finish)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

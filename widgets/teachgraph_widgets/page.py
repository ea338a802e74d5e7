"""A self-contained HTML page: the log and the code that draws it, without requests.

Its Content-Security-Policy allows the one script and the one stylesheet inside it, by
their hashes, and nothing else: the page sends no request.
"""

from __future__ import annotations

import base64
import hashlib
import html
import os
import re
from pathlib import Path

from teachgraph.io.files import written_whole
from teachgraph_widgets import assets
from teachgraph_widgets.events import Log
from teachgraph_widgets.lettering import printable
from teachgraph_widgets.log import written
from teachgraph_widgets.still import image
from teachgraph_widgets.summary import summary
from teachgraph_widgets.validate import validate

__all__ = ["page", "write_page"]

FRAME = """
html{background:#ffffff}
body{margin:0;padding:16px}
h1{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
@media (prefers-color-scheme:dark){html{background:#111111}}
"""

START = """
const log = JSON.parse(document.getElementById("log").textContent);
const root = document.getElementById("root");
root.replaceChildren();
const height = Math.max(420, innerHeight - 260);
MOUNT(root, log, { title: log.title, height, charts: () => teachgraph_charts });
"""

PAGE = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>{style}</style>
<main><h1>{title}</h1><div id="root"></div></main>
<noscript>{picture}<pre>{text}</pre></noscript>
<script type="application/json" id="log">{log}</script>
<script type="module">{script}</script>
</html>
"""


def page(log: Log) -> str:
    """Return the HTML page of a log.

    Raises:
        LogError: The log does not follow the schema.
        NotBuiltError: The front end is not built.
    """
    validate(log)
    script, style = starting(assets.script()), assets.style() + FRAME
    for part, tag in ((script, "script"), (style, "style")):
        if f"</{tag}" in part.lower():
            raise ValueError(f"the built {tag} would end its own element")
    policy = (
        "default-src 'none'; base-uri 'none'; form-action 'none'; "
        f"script-src '{digest(script)}'; style-src '{digest(style)}'; img-src data:"
    )
    return PAGE.format(
        policy=policy,
        title=html.escape(printable(log["title"]) or "A trace"),
        style=style,
        picture=image(log),
        text=html.escape(summary(log)),
        log=inside_script(written(log)),
        script=script,
    )


def starting(module: str) -> str:
    """Append to the module the charts, and the lines that call its `mount` function.

    An inline module cannot be imported, so `mount` is called by its minified name.
    """
    exported = re.search(r"export\s*\{([^}]*)\}\s*;?\s*$", module)
    mount = exported and re.search(r"([\w$]+) as mount\b", exported[1])
    if not mount:
        raise ValueError("the built module exports no `mount`")
    return module + assets.charts() + START.replace("MOUNT", mount[1])


def inside_script(text: str) -> str:
    r"""Escape JSON so that it cannot end its element or begin a comment.

    >>> inside_script('"</script><!--"')
    '"\\u003c/script\\u003e\\u003c!--"'
    """
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def digest(text: str) -> str:
    """Return the hash by which a policy allows an inline script or style."""
    hashed = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(hashed).decode('ascii')}"


def write_page(log: Log, path: str | os.PathLike[str]) -> Path:
    """Write the page of a log into a file, whole or not at all.

    Raises:
        LogError: The log does not follow the schema.
        NotBuiltError: The front end is not built.
        OSError: The file cannot be written.
    """
    target, text = Path(path), page(log)
    with written_whole(target) as file:
        file.write(text.encode("utf-8"))
    return target

"""Run a notebook where only the wheel is installed; print what its widgets consist of.

Not a test: `test_wheel.py` runs it with the Python of a venv that has no Node.
"""

from __future__ import annotations

import base64
import gzip
import json
import shutil
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

VIEW = "application/vnd.jupyter.widget-view+json"
STATE = "application/vnd.jupyter.widget-state+json"


def main(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    shown = [
        output["data"][VIEW]["model_id"]
        for cell in notebook.cells
        for output in cell.get("outputs", ())
        if VIEW in output.get("data", ())
    ]
    models = notebook.metadata.get("widgets", {}).get(STATE, {}).get("state", {})
    static = files("teachgraph_widgets") / "static"
    report = {
        "node": shutil.which("node"),
        "script": (static / "widget.js").read_text("utf-8"),
        "style": (static / "widget.css").read_text("utf-8"),
        "charts": (static / "charts.js").read_text("utf-8"),
        "shown": [drawn_by(models[model]["state"], models) for model in shown],
    }
    print(json.dumps(report))


def drawn_by(view: dict[str, str], models: dict[str, Any]) -> Any:
    """The code that draws a view: its script and its style."""
    front_end = models[view["front_end"].removeprefix("IPY_MODEL_")]
    (code,) = [part for part in front_end["buffers"] if part["path"] == ["code"]]
    return json.loads(gzip.decompress(base64.b64decode(code["data"])))


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""Run a notebook where only the wheel is installed; print what its widgets consist of.

Not a test: `test_wheel.py` runs it with the Python of a venv that has no Node.
"""

from __future__ import annotations

import json
import shutil
import sys
from importlib.resources import files
from pathlib import Path

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
        "shown": [models[model]["state"] for model in shown],
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""Run by nbgrader's Python: an assignment made, handed in, graded, with feedback.

`python in_nbgrader.py FOLDER ASSIGNMENT ANSWERS`: prints each student's points by cell;
ANSWERS has by student what they write into each cell.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from traitlets.config import PyFileConfigLoader

folder, assignment = Path(sys.argv[1]), sys.argv[2]
answers = json.loads(sys.argv[3])
config = PyFileConfigLoader("nbgrader_config.py", str(folder)).load_config()
config.CourseDirectory.root = str(folder)
api = NbGraderAPI(config=config)


def must(done: dict) -> None:
    """Stop with nbgrader's own words where a step has failed."""
    if not done["success"]:
        sys.exit(f"{done.get('error')}\n{done.get('log')}")


must(api.generate_assignment(assignment, create=True))
released = folder / "release" / assignment / f"{assignment}.ipynb"
for student, cells in answers.items():
    notebook = json.loads(released.read_text("utf-8"))
    for cell in notebook["cells"]:
        name = cell["metadata"]["teachgraph"]["name"]
        cell["source"] = cells.get(name, cell["source"])
    path = folder / "submitted" / student / assignment / released.name
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(notebook), "utf-8")
    must(api.autograde(assignment, student))
    must(api.generate_feedback(assignment, student))
with Gradebook(f"sqlite:///{folder}/gradebook.db") as book:
    points = {
        submission.student.id: {
            grade.name: grade.score for grade in submission.notebooks[0].grades
        }
        for submission in book.assignment_submissions(assignment)
    }
print(json.dumps(points))

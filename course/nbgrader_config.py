"""nbgrader's configuration for the lessons of teachgraph.

`teachgraph course release FOLDER --nbgrader` puts it beside the sources. nbgrader and
teachgraph may live in environments of their own: cells run in the kernel `python3`,
which has to be one of the environment that has teachgraph.
"""

c = get_config()

c.CourseDirectory.course_id = "teachgraph"

# The checks know this stub for an exercise that is not written yet.
c.ClearSolutions.code_stub = {"python": "raise NotImplementedError()"}

c.Execute.timeout = 300

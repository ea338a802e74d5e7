# Everything is set up in .venv, each step once: a file stands for it, and is made anew
# only when what it depends on is newer.

VENV := .venv
PYTHON ?= python3
ARGS ?=
LEARN ?= learn

export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)
# Tests start some hundred Pythons, each of which would compile all it imports.
unexport PYTHONDONTWRITEBYTECODE

PACKAGES := $(VENV)/.packages
PROJECT := $(VENV)/.project
LAB_SETTINGS := $(VENV)/share/jupyter/lab/settings/overrides.json

WIDGETS := $(wildcard widgets/*.json widgets/*.mjs) $(shell find widgets/src -type f)
NODE_MODULES := widgets/node_modules/.package-lock.json
BUNDLE := widgets/teachgraph_widgets/static/widget.js
PADDLE := .cache/paddle
TORCH := .cache/torch
OLD_WIDGETS := .cache/ipywidgets-7
NBGRADER := .cache/nbgrader
LITE := .cache/lite/venv
# The CPU build: from a folder of wheels where there is one, else from PyTorch's own.
TORCH_WHEELS = $(if $(PIP_FIND_LINKS),--find-links $(PIP_FIND_LINKS),--torch-backend cpu)

AS_ROOT := $(if $(filter 0,$(shell id -u)),yes)
APT := $(shell command -v apt-get)
APT_GET = $(if $(AS_ROOT),,sudo) env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0
# Programs the tests run that are in no Python package, by the name of Debian's.
PROGRAMS = $(if $(shell command -v dot),,graphviz) $(if $(shell command -v chromium),,chromium) \
	$(if $(shell fc-list :lang=zh 2>/dev/null),,fonts-wqy-microhei)
# Where everything can be had, a test that is left out is a failure.
COMPLETE := $(if $(CI)$(APT),--complete)

# What is no Python test runs beside them, and is reported as one.
BESIDE = --beside "make lint" --beside "npm --prefix widgets test"
# Clusters want the processors for themselves: Ray's start fails where it has to wait.
CLUSTERS = pytest -q -p no:cacheprovider tests/distributed tests/notebooks

# Contiguous halves share their browsers and servers; who ends first takes from the other.
PARALLEL := --numprocesses=2 --dist=worksteal
QUICK := "not (browser or full or oracle or further or notebook or packaging or slow or cluster)"
QUICK_ROOMS := $(addprefix tests/,ops eager autograd static executor nn optimizer test_metric.py \
	test_core.py test_floors.py test_extensions.py)
CHANGED := { git diff --name-only --diff-filter=d HEAD; git ls-files --others --exclude-standard; } \
	| grep '\.py$$'

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help lab quick test full torture lint floors bars bench bench-peers bench-models oracle lock site lite wheel clean setup programs

help: ## list these
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

lab: setup $(LAB_SETTINGS) ## open JupyterLab on the start page (ARGS=--no-browser: only print its address)
	@teachgraph course welcome --folder $(LEARN)
	@teachgraph course start 00 --folder $(LEARN) --exist-ok
	cd $(LEARN) && jupyter lab $(if $(AS_ROOT),--allow-root) \
		--LabApp.default_url=/lab/tree/Welcome.ipynb $(ARGS)

# Two processes share two processors; threads of BLAS that wait for a third spin.
quick test full: export OPENBLAS_NUM_THREADS := 1
# All that is tried at random, not a share of it: tests/effort.py, widgets/tests/effort.ts.
full: export FULL := 1

quick: setup ## two minutes while you work: what changed, the core, a case of each op (ARGS go to pytest)
	@$(CHANGED) | xargs -r ruff check
	@$(CHANGED) | xargs -r ruff format --check
	pytest --beside mypy -m $(QUICK) $(PARALLEL) $(ARGS) $(QUICK_ROOMS)

test: setup programs $(NODE_MODULES) $(OLD_WIDGETS)/.packages $(NBGRADER)/.packages ## run every test (ARGS go to pytest)
	pytest $(COMPLETE) $(BESIDE) --after "$(CLUSTERS) -m 'cluster and not full'" $(ARGS)

full: setup programs $(NODE_MODULES) $(OLD_WIDGETS)/.packages $(NBGRADER)/.packages ## an hour: also what is long by nature; keeps tests/MINUTES.md
	pytest $(COMPLETE) $(BESIDE) --after "$(CLUSTERS) -m cluster" \
		-m "not (cluster or oracle)" $(PARALLEL) --durations=30 --minutes=tests/MINUTES.md $(ARGS)

# Kills, interrupts and mutated files, thousands of each: those that `make test` takes a few of.
torture: export TORTURE := 1
torture: setup ## an hour of kills, interrupts and mutated files (ARGS go to pytest)
	pytest -m "" $(PARALLEL) $(ARGS) tests/io/test_kills.py tests/io/test_mutated_files.py \
		tests/io/test_workers_under_stress.py tests/eager/test_interrupts.py

lint: setup $(NODE_MODULES) ## check style and types
	ruff check
	ruff format --check
	mypy
	npm --prefix widgets run check

floors: setup ## draw the rooms of teachgraph, floor by floor, with what each imports
	python -m tests.floors

bench: setup ## measure against NumPy written by hand and, after make oracle, PyTorch (ARGS go to pytest)
	pytest --benchmark-only $(ARGS) tests/benchmarks

bars: setup $(NODE_MODULES) programs ## measure what the visualiser promises: figure, bar, met or missed (ARGS=--noted: as last measured)
	python -m tests.bars $(ARGS)

bench-peers: setup $(PADDLE)/.packages $(TORCH)/.packages ## measure static steps against eager ones, Paddle's and PyTorch's (ARGS=--json=FILE)
	PADDLE_PYTHON=$(PADDLE)/bin/python TORCH_PYTHON=$(TORCH)/bin/python \
		python -m tests.benchmarks.peers $(ARGS)

bench-models: setup $(PADDLE)/.packages $(TORCH)/.packages ## measure steps of real models against PyTorch's (ARGS=--cpu where the machine is busy)
	PADDLE_PYTHON=$(PADDLE)/bin/python TORCH_PYTHON=$(TORCH)/bin/python \
		python -m tests.benchmarks.models $(ARGS)

oracle: $(PADDLE)/.packages $(TORCH)/.packages ## ask the real Paddle and PyTorch anew; fails where they answer otherwise
	$(PADDLE)/bin/python -m tests.static.paddle_programs.capture
	$(PADDLE)/bin/python -m tests.oracle.names
	$(PADDLE)/bin/python -m tests.paddle_answers.capture
	$(TORCH)/bin/python -m tests.oracle.capture
	$(TORCH)/bin/python -m tests.oracle.models.vision
	$(TORCH)/bin/python -m tests.oracle.models.bert
	for oracle in $(PADDLE) $(TORCH); do $$oracle/bin/python -m tests.optimizer.capture || exit 1; done
	$(TORCH)/bin/python -m tests.optimizer.capture_lbfgs
	$(TORCH)/bin/python -m tests.onnx.capture
	pytest -q -m oracle
	git diff --exit-code -- 'tests/*.json'

lock: $(VENV)/bin/uv ## pin what pyproject.toml asks for (ARGS=--upgrade: to the newest)
	uv pip compile pyproject.toml --all-extras --group dev --universal --python-version 3.11 \
		--generate-hashes --no-header --no-annotate --quiet $(ARGS) --output-file requirements.lock

site: setup ## build course, gallery, guide and reference as pages: .cache/site/html (ARGS="--lessons 00": a few)
	python -m docs $(ARGS)

lite: setup $(LITE)/.packages ## build JupyterLite, a lab in the browser: .cache/lite/html (ARGS='--numpy FILE')
	python -m docs.lite $(ARGS)

wheel: setup ## build the sdist and the wheel into dist
	python -m build --no-isolation

clean: ## remove all that was made, except your notebooks in learn
	rm -rf $(VENV) .cache .hypothesis .mypy_cache .pytest_cache .ruff_cache .benchmarks
	rm -rf dist widgets/node_modules widgets/teachgraph_widgets/static tests/artefacts
	find course docs teachgraph tests widgets -name __pycache__ -prune -exec rm -rf {} +

setup: $(PROJECT) $(BUNDLE)

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo 'This needs Python 3.11 or later: make PYTHON=python3.12 ...'; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null \
		|| { $(APT_GET) update && $(APT_GET) install --yes python3-venv; }
	$(PYTHON) -m venv $(VENV)

# pip installs uv as the lock pins it, uv the rest, many times faster.
$(VENV)/bin/uv: | $(VENV)/bin/python
	@awk '/^[^ ]/ { keep = /^uv==/ } keep' requirements.lock > $(VENV)/uv.txt
	python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement $(VENV)/uv.txt

$(PACKAGES): requirements.lock | $(VENV)/bin/uv
	uv pip install --quiet --python $(VENV) --require-hashes --requirement requirements.lock
	@touch $@

# Paddle and PyTorch are asked, never imported: each lives in a venv of its own.
$(PADDLE)/.packages: | $(VENV)/bin/uv
	uv venv --quiet --python $(VENV)/bin/python $(PADDLE)
	uv pip install --quiet --python $(PADDLE) 'paddlepaddle==2.6.2' 'numpy<2' setuptools
	@touch $@

$(TORCH)/.packages: Makefile | $(VENV)/bin/uv
	uv venv --quiet --allow-existing --python $(VENV)/bin/python $(TORCH)
	uv pip install --quiet --python $(TORCH) $(TORCH_WHEELS) \
		'torch==2.13.0' 'transformers==5.23.0' 'onnx==1.23.2' 'onnxscript==0.7.2' safetensors numpy
	@touch $@

# JupyterLite's extensions would be loaded by any lab beside which they are installed.
$(LITE)/.packages: Makefile | $(VENV)/bin/uv
	uv venv --quiet --allow-existing --python $(VENV)/bin/python $(LITE)
	uv pip install --quiet --python $(LITE) 'jupyterlite-core==0.8.6' \
		'jupyterlite-pyodide-kernel==0.8.6' jupyter-server 'ipywidgets>=8.1.5' 'anywidget>=0.9.18'
	@touch $@

# Hosts that have ipywidgets 7 still: a kernel of the tests imports it from here.
$(OLD_WIDGETS)/.packages: Makefile | $(VENV)/bin/uv
	uv pip install --quiet --no-deps --target $(OLD_WIDGETS) 'ipywidgets==7.7.5' 'ipython-genutils==0.2.0'
	@touch $@

# nbgrader brings a Jupyter of its own; it grades in a kernel of our environment.
$(NBGRADER)/.packages: Makefile | $(VENV)/bin/uv
	uv venv --quiet --allow-existing --python $(VENV)/bin/python $(NBGRADER)
	uv pip install --quiet --python $(NBGRADER) 'nbgrader==0.9.6'
	@touch $@

$(NODE_MODULES): widgets/package.json widgets/package-lock.json | $(PACKAGES)
	npm --prefix widgets ci --no-audit --no-fund
	@touch $@

$(BUNDLE): $(WIDGETS) | $(NODE_MODULES)
	npm --prefix widgets run build
	@touch $@

$(PROJECT): pyproject.toml widgets/hatch_build.py widgets/teachgraph_command.py $(PACKAGES) | $(BUNDLE)
	uv pip install --quiet --python $(VENV) --no-deps --no-build-isolation --editable .
	@touch $@

# A lesson starts with the lesson, not with a question about news; nothing asks the network.
$(LAB_SETTINGS): | $(PACKAGES)
	@mkdir -p $(@D)
	@echo '{"@jupyterlab/apputils-extension:notification": {"checkForUpdates": false, "fetchNews": "false"}}' > $@

programs:
	@test -z "$(strip $(PROGRAMS))" \
		|| { test -n "$(APT)" && $(APT_GET) update && $(APT_GET) install --yes --no-install-recommends $(PROGRAMS); } \
		|| echo "Not on this system, and what needs them is left out: $(PROGRAMS)"

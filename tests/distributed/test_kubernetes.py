"""The manifest of the guide has the fields that KubeRay's `ray.io/v1` knows."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from teachgraph import distributed
from teachgraph.cli import parser

yaml: Any = pytest.importorskip("yaml")
PAGE = Path(distributed.__file__).with_name("KUBERNETES.md").read_text("utf-8")
QUANTITY = re.compile(r"\d+(\.\d+)?([mkMGT]|[KMGT]i)?")

POD = {
    "spec!": {
        "containers!": [
            {
                "name!": str,
                "image!": str,
                "env": [{"name!": str, "value": str}],
                "ports": [{"containerPort!": int, "name": str}],
                "resources": {"requests": {"*": str}, "limits": {"*": str}},
                "volumeMounts": [{"mountPath!": str, "name!": str}],
            }
        ],
        "volumes": [
            {"name!": str, "persistentVolumeClaim": {"claimName!": str}},
        ],
    }
}
CLUSTER = {
    "rayVersion": str,
    "headGroupSpec!": {
        "serviceType": str,
        "rayStartParams!": {"*": str},
        "template!": POD,
    },
    "workerGroupSpecs": [
        {
            "groupName!": str,
            "replicas": int,
            "minReplicas!": int,
            "maxReplicas!": int,
            "numOfHosts": int,
            "rayStartParams!": {"*": str},
            "template!": POD,
        }
    ],
}
HEAD = {"apiVersion!": str, "kind!": str, "metadata!": {"name!": str}}
KINDS: dict[str, Any] = {
    "RayJob": HEAD
    | {
        "spec!": {
            "activeDeadlineSeconds": int,
            "backoffLimit": int,
            "entrypoint": str,
            "rayClusterSpec": CLUSTER,
            "runtimeEnvYAML": str,
            "shutdownAfterJobFinishes": bool,
            "submissionMode": str,
            "ttlSecondsAfterFinished": int,
        }
    },
    "PersistentVolumeClaim": HEAD
    | {
        "spec!": {
            "accessModes": [str],
            "resources": {"requests": {"*": str}},
        }
    },
}
"""Fields by name: `!` are required, `*` stands for any."""


def documents() -> list[Any]:
    (text,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    return list(yaml.safe_load_all(text))


def wrong(value: Any, schema: Any, where: str) -> list[str]:
    """List the unknown fields, the missing ones, and those of another type."""
    if isinstance(schema, type):
        return [] if type(value) is schema else [f"{where} is {value!r}"]
    if isinstance(schema, list):
        parts = enumerate(value)
        return [w for i, v in parts for w in wrong(v, schema[0], f"{where}[{i}]")]
    known = {name.rstrip("!"): inner for name, inner in schema.items()}
    needed = {name.rstrip("!") for name in schema if name.endswith("!")}
    found = [f"{where}.{name} is missing" for name in needed - {*value}]
    for name, inner in value.items():
        if name not in known and "*" not in known:
            found.append(f"{where}.{name} is no field")
        else:
            found += wrong(inner, known.get(name, known.get("*")), f"{where}.{name}")
    return found


def job() -> Any:
    (found,) = (one for one in documents() if one["kind"] == "RayJob")
    return found


def pods() -> list[Any]:
    cluster = job()["spec"]["rayClusterSpec"]
    return [cluster["headGroupSpec"]["template"]["spec"]] + [
        group["template"]["spec"] for group in cluster["workerGroupSpecs"]
    ]


def test_each_field_is_one_that_is_known() -> None:
    for document in documents():
        assert wrong(document, KINDS[document["kind"]], document["kind"]) == []
    assert job()["apiVersion"] == "ray.io/v1"
    assert job()["spec"]["submissionMode"] in {"K8sJobMode", "HTTPMode"}


def test_a_wrong_field_would_be_noticed() -> None:
    changed = job()
    changed["spec"]["entryPoint"] = "x"
    del changed["spec"]["rayClusterSpec"]["headGroupSpec"]["rayStartParams"]
    changed["spec"]["rayClusterSpec"]["workerGroupSpecs"][0]["replicas"] = "3"
    assert sorted(wrong(changed, KINDS["RayJob"], "job")) == [
        "job.spec.entryPoint is no field",
        "job.spec.rayClusterSpec.headGroupSpec.rayStartParams is missing",
        "job.spec.rayClusterSpec.workerGroupSpecs[0].replicas is '3'",
    ]


def test_the_entrypoint_is_a_command_that_we_have() -> None:
    program, *words = shlex.split(job()["spec"]["entrypoint"])
    assert program == "teachgraph"
    arguments = parser().parse_args(words)
    assert (arguments.trainers, arguments.servers, arguments.every) == (8, 2, 10)
    assert arguments.address == "auto"
    shared = pods()[0]["containers"][0]["volumeMounts"][0]["mountPath"]
    for path in (arguments.script, arguments.checkpoints, arguments.log):
        assert str(path).startswith(f"{shared}/")


def test_all_pods_have_the_image_the_volume_and_room() -> None:
    claims = {d["metadata"]["name"] for d in documents() if d["kind"] != "RayJob"}
    images = set()
    for pod in pods():
        (container,) = pod["containers"]
        images.add(container["image"])
        mounted = {mount["name"] for mount in container["volumeMounts"]}
        assert mounted == {volume["name"] for volume in pod["volumes"]}
        for volume in pod["volumes"]:
            assert volume["persistentVolumeClaim"]["claimName"] in claims
        for amounts in container["resources"].values():
            assert all(QUANTITY.fullmatch(amount) for amount in amounts.values())
    assert len(images) == 1


def test_the_page_names_the_version_in_the_lock() -> None:
    lock = Path(__file__).parents[2] / "requirements.lock"
    version = re.findall(r"^ray==([\d.]+)", lock.read_text("utf-8"), re.MULTILINE)
    assert job()["spec"]["rayClusterSpec"]["rayVersion"] in {*version}
    assert f"rayproject/ray:{version[0]}-" in PAGE

"""The files of deploy/ name commands, options, variables and addresses that there are."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
import yaml
from django.urls import resolve
from server.proxy import DEPLOY, NGINX, write_configuration

from gecbench.cli import gecbench
from gecbench.server.site.folder import ENVIRONMENT

KNOWN = {*ENVIRONMENT, "GECBENCH_SECRET_KEY", "GECBENCH_SITE"}
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))
KUBERNETES = list(yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text("utf-8")))


def mappings(value: object) -> Iterator[dict[str, object]]:
    """All mappings inside a value."""
    if isinstance(value, dict):
        yield value
    for child in value.values() if isinstance(value, dict) else value:
        if isinstance(child, dict | list):
            yield from mappings(child)


@pytest.mark.parametrize("document", [COMPOSE, KUBERNETES], ids=["compose", "kubernetes"])
def test_commands_and_variables_are_known(document):
    commands = [
        inside["command"]
        for inside in mappings(document)
        if "gecbench" in inside.get("command", ())
    ]
    assert {words[2] for words in commands} >= {"init", "serve"}
    for words in commands:
        command: click.Command = gecbench
        context = None
        for name in words[1:3]:
            context = click.Context(command, parent=context)
            command = command.get_command(context, name)
        command.make_context(words[2], words[3:], parent=context)  # wrong options are refused
    names = {key for inside in mappings(document) for key in inside if key.startswith("GECBENCH_")}
    assert names <= KNOWN
    assert names >= {"GECBENCH_DATABASE_URL", "GECBENCH_SECRET_KEY", "GECBENCH_TIME_ZONE"}


def test_compose_names_services_and_volumes_that_it_has():
    services = COMPOSE["services"]
    for service in services.values():
        assert set(service.get("depends_on", {})) <= set(services)
        for volume in service.get("volumes", ()):
            source = volume.partition(":")[0]
            assert source in COMPOSE["volumes"] or source.startswith("./")
    for app in ("app1", "app2"):
        assert f"server {app}:8700" in (DEPLOY / "nginx.conf").read_text("utf-8")
        address = services[app]["networks"]["default"]["ipv4_address"]
        assert f"{app}:{address}" in services["nginx"]["extra_hosts"], "nginx looks up names once"
    build = services["app1"]["build"]
    assert (DEPLOY / build["context"] / build["dockerfile"]).is_file()


def test_the_image_is_built_from_files_that_docker_is_sent():
    sent = (DEPLOY / "Dockerfile.dockerignore").read_text("utf-8").split()
    lines = (DEPLOY / "Dockerfile").read_text("utf-8").splitlines()
    copied = [line.split()[1:-1] for line in lines if line.startswith("COPY") and "=" not in line]
    for name in {name for names in copied for name in names}:
        assert (DEPLOY.parent / name).exists()
        assert f"!{name}" in sent


def test_kubernetes_asks_another_pod_for_a_missing_file_alone_and_hides_metrics():
    routes = {
        path["path"]: (
            path["backend"]["service"]["name"],
            "http_404" in str(ingress["metadata"]["annotations"]),
        )
        for ingress in KUBERNETES
        if ingress["kind"] == "Ingress"
        for path in ingress["spec"]["rules"][0]["http"]["paths"]
    }
    assert routes == {
        "/": ("gecbench", False),
        "/metrics": ("gecbench-nobody", False),
        "/static/": ("gecbench", True),
    }


def test_kubernetes_probes_ask_addresses_that_there_are():
    probes = {inside["httpGet"]["path"] for inside in mappings(KUBERNETES) if "httpGet" in inside}
    assert {resolve(path).url_name for path in probes} == {"alive", "ready"}
    (deployment,) = (part for part in KUBERNETES if part["kind"] == "Deployment")
    pod = deployment["spec"]["template"]["spec"]
    words = pod["containers"][0]["command"]
    drain = float(words[words.index("--drain") + 1])
    assert drain + 30 < pod["terminationGracePeriodSeconds"], "gunicorn waits 30 s for requests"


@pytest.mark.skipif(NGINX is None, reason="no nginx: install Debian's package nginx-light")
def test_nginx_takes_its_configuration(tmp_path: Path):
    path = write_configuration(tmp_path, 8443, ["127.0.0.1:8701", "127.0.0.1:8702"])
    ended = subprocess.run([NGINX, "-t", "-c", path], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert "[warn]" not in ended.stderr.replace('[warn] the "user" directive', "")

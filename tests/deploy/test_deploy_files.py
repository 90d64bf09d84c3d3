"""The files in deploy/ are taken by the programs that read them, and agree with the command line
and with each other.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import tomllib
from importlib import metadata
from pathlib import Path

import click
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from ruamel.yaml import YAML

from believable.cli import group

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
PAGE = (ROOT / "docs" / "how-to" / "deploy.md").read_text(encoding="utf-8")
UNITS = sorted(path.name for pattern in ("*.service", "*.timer") for path in DEPLOY.glob(pattern))


def takes(words: list[str]) -> None:
    """Raises `click.UsageError` where the command line does not take them."""
    context = click.Context(group, info_name="believable")
    name, command, rest = group.resolve_command(context, words)
    assert command is not None
    command.make_parser(click.Context(command, info_name=name, parent=context)).parse_args(rest)


@pytest.mark.skipif(
    shutil.which("nginx") is None, reason="nginx is not installed: apt install nginx-light"
)
def test_nginx_takes_its_file(tmp_path: Path) -> None:
    site = (
        (DEPLOY / "nginx.conf").read_text(encoding="utf-8").replace("/var/log/nginx", str(tmp_path))
    )
    file = tmp_path / "nginx.conf"
    file.write_text(
        f"pid {tmp_path}/pid;\nerror_log {tmp_path}/log;\nevents {{}}\nhttp {{\n{site}\n}}\n"
    )
    result = subprocess.run(
        ["nginx", "-t", "-c", str(file)], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr


@pytest.mark.skipif(
    shutil.which("caddy") is None, reason="caddy is not installed: apt install caddy"
)
def test_caddy_takes_its_file(tmp_path: Path) -> None:
    command = ["caddy", "validate", "--config", str(DEPLOY / "Caddyfile"), "--adapter", "caddyfile"]
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "DOMAIN": "study.example.org"}
    result = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert result.returncode == 0, result.stderr


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
@pytest.mark.parametrize("unit", UNITS)
def test_systemd_takes_its_units(unit: str, tmp_path: Path) -> None:
    for name in UNITS:  # what is not installed here is put in place by something that is
        text = (
            (DEPLOY / name)
            .read_text(encoding="utf-8")
            .replace("/srv/believable/venv/bin/believable", "/bin/true")
        )
        (tmp_path / name).write_text(text)
    verify = ["systemd-analyze", "verify", "--man=no", str(tmp_path / unit)]
    result = subprocess.run(
        verify,
        capture_output=True,
        text=True,
        check=False,
        env={"SYSTEMD_UNIT_PATH": f"{tmp_path}:"},
    )
    about_ours = [line for line in result.stderr.splitlines() if "believable" in line]
    assert about_ours == []


@pytest.mark.parametrize("unit", [name for name in UNITS if name.endswith(".service")])
def test_a_unit_calls_what_the_command_line_takes(unit: str) -> None:
    text = (DEPLOY / unit).read_text(encoding="utf-8")
    line = re.search(r"^ExecStart=\S+/believable (.*)$", text, re.M)
    assert line is not None
    takes(shlex.split(line[1]))
    assert "User=believable" in text
    assert "NoNewPrivileges=true" in text


def test_the_compose_file_names_what_is_there_and_calls_what_is_taken() -> None:
    services = YAML(typ="safe").load(DEPLOY / "compose.yaml")["services"]
    assert set(services) == {"believable", "backup", "database", "caddy"}
    takes(services["believable"]["command"])
    backup = re.search(r"believable (backup [^;]+);", services["backup"]["entrypoint"][-1])
    assert backup is not None
    takes(shlex.split(backup[1]))
    assert (ROOT / services["believable"]["build"]["dockerfile"]).is_file()
    assert (DEPLOY / "Caddyfile").is_file()
    text = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
    wanted = set(re.findall(r"\$\{(\w+)\}", text))
    assert wanted == set(re.findall(r'^echo "(\w+)=.*> \.env\b', PAGE, re.M)), (
        "the page sets what the file reads"
    )


def test_the_image_is_not_root_has_a_health_check_and_copies_what_is_there() -> None:
    text = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    last = text.rpartition("FROM ")[2]
    assert re.search(r"^USER (?!0|root)\S+", last, re.M)
    assert "HEALTHCHECK" in last
    takes(YAML(typ="safe").load(re.findall(r"^CMD (\[.*\])$", last, re.M)[-1]))
    for sources in re.findall(r"^COPY (?!--from)(.*) \S+$", text, re.M):
        for source in sources.split():
            assert (ROOT / source).exists(), source


def test_the_command_for_root_uses_what_the_unit_uses() -> None:
    service = (DEPLOY / "believable.service").read_text(encoding="utf-8")
    script = (DEPLOY / "believable").read_text(encoding="utf-8")
    for pattern in (
        r"^ExecStart=(\S+)",
        r"--data (\S+)",
        r"^EnvironmentFile=(\S+)",
        r"^User=(\S+)",
    ):
        place = re.search(pattern, service, re.M)
        assert place is not None
        assert place[1] in script, pattern
    settings = set(re.findall(r"\$\{?(\w+)\}?", service))
    assert settings == set(re.findall(r'^echo "(\w+)=.*> /etc/believable.env$', PAGE, re.M)), (
        "the page sets what the unit reads"
    )
    assert subprocess.run(["sh", "-n", str(DEPLOY / "believable")], check=False).returncode == 0


def test_the_page_uses_the_paths_of_the_files() -> None:
    service = (DEPLOY / "believable.service").read_text(encoding="utf-8")
    site = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
    data = re.search(r"--data (\S+)", service)
    prefix = re.search(r"--sendfile (\S+)", service)
    assert data is not None
    assert prefix is not None
    assert f"alias {data[1]}/media/;" in site, "nginx sends the media folder of the served data"
    assert f"location {prefix[1]}/ {{" in site
    assert f"{data[1]}/media" in PAGE
    for name in re.findall(r"deploy/([\w.-]+\w)", PAGE):
        assert (DEPLOY / name).exists(), name


def pins(file: Path) -> dict[str, set[str]]:
    """Package → the lines that pin it, with their hashes."""
    found: dict[str, set[str]] = {}
    for block in re.split(r"(?m)^(?=[A-Za-z0-9])", file.read_text(encoding="utf-8")):
        if name := re.match(r"([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==", block):
            lines = [
                line.strip() for line in block.splitlines() if not line.strip().startswith("#")
            ]
            found.setdefault(name[1], set()).add(" ".join(lines))
    return found


def needed(names: set[str]) -> set[str]:
    """These packages of the project's file and all that they need, as they are installed here."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [
        *project["dependencies"],
        *(line for name in names for line in project["optional-dependencies"][name]),
    ]
    todo, seen = [Requirement(line) for line in wanted], set()
    while todo:
        requirement = todo.pop()
        name = canonicalize_name(requirement.name)
        if (name, frozenset(requirement.extras)) in seen:
            continue
        seen.add((name, frozenset(requirement.extras)))
        for line in metadata.requires(name) or []:
            further = Requirement(line)
            extras = requirement.extras or {""}
            if further.marker is None or any(
                further.marker.evaluate({"extra": extra}) for extra in extras
            ):
                todo.append(further)
    return {str(name) for name, _ in seen}


def test_servers_get_what_was_tested_and_nothing_of_the_tests() -> None:
    server, everything = pins(DEPLOY / "server.lock"), pins(ROOT / "requirements.lock")
    assert all("--hash=sha256:" in line for lines in server.values() for line in lines)
    assert {name: everything.get(name) for name in server} == server, (
        "the same versions and hashes as in the tests"
    )
    assert needed({"postgres", "video", "s3", "report", "oidc"}) <= {
        str(canonicalize_name(name)) for name in server
    }
    assert not {"pytest", "mypy", "playwright", "moto", "flask", "hypothesis"} & set(server)


def test_the_image_and_the_page_install_from_the_lock() -> None:
    image = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    assert "--require-hashes -r server.lock" in image
    for line in (image + PAGE).splitlines():
        if "pip install" in line and line.startswith(("RUN", "  &&", "/srv")):
            assert any(
                option in line for option in ("--require-hashes", "--no-index", "--no-deps")
            ), line

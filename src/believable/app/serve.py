"""The settings that start a server: its studies, its address, and how it is deployed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from believable.app.options import (
    AnyPath,
    Options,
    argument,
    from_environment,
    option,
    options,
    setting,
    use_case,
)
from believable.app.settings import Settings
from believable.app.study_data import DataOptions, ExtensionOptions


@options
class AddressOptions(Options):
    """The address that a server listens on."""

    host: str = setting("Address to listen on; 0.0.0.0 for all.", default="127.0.0.1")
    port: int = setting("Port to listen on.", default=8000, ge=1, le=65535)


@options
class DeploymentOptions(Options):
    """How a server is deployed."""

    limit: int | None = option(
        "Connections per process; further visitors are asked to try later. Default: the number of"
        " open files that are allowed, less a reserve.",
        default=None,
        metavar="N",
        ge=1,
    )
    joins_per_minute: int = setting(
        "Sessions that one network address may start through open links; 0 for any number.",
        default=30,
        metavar="N",
        ge=0,
    )
    trusted_proxy: Sequence[str] = option(
        "A proxy whose X-Forwarded-For is believed: its IP address or network. May be given several"
        " times.",
        default=(),
        metavar="ADDRESS",
    )
    listed: bool | None = option(
        "Whether the page at the root address offers the open studies to all visitors; default: to"
        " try, on this machine alone.",
        default=None,
        flags="--listed/--unlisted",
    )
    sendfile: str | None = option(
        "Let the proxy send media: its path of the media folder for X-Accel-Redirect (see"
        " deploy/nginx.conf).",
        default=None,
        metavar="PREFIX",
    )
    oidc_issuer: str | None = option(
        "Let people log in to the console at this OpenID Connect provider, too.",
        default=None,
        metavar="URL",
    )
    oidc_client: str = option(
        "The provider's id of this server; its secret: BELIEVABLE_OIDC_SECRET.",
        default="",
        metavar="ID",
    )
    media: str | None = option(
        "Keep media in storage that several servers share: s3://BUCKET/PREFIX or a folder; default:"
        " $BELIEVABLE_MEDIA. The data folder remembers it.",
        default=None,
        metavar="ADDRESS",
    )


@options
class ServeOptions(AddressOptions, DataOptions, ExtensionOptions, DeploymentOptions):
    studies: AnyPath | Sequence[AnyPath] = argument("Studies.", metavar="STUDY...", kw_only=False)
    base_url: str | None = option(
        "The address that people use, when it is not http://HOST:PORT.", default=None, metavar="URL"
    )
    workers: int = setting("Processes that serve.", default=1, ge=1, le=64)
    rounds: int | None = option(
        "Rounds of 3D games played at once; others wait in line. Default: 3 per core.",
        default=None,
        metavar="N",
        ge=1,
        le=1000,
    )
    end_with_input: bool = option(
        "End when standard input closes, as it does if a parent dies.", default=False, hidden=True
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerPlan:
    """A server that can be started. `media`: the storage that several servers share."""

    settings: Settings
    host: str
    port: int
    media: str | None = None
    end_with_input: bool = False


@use_case(ServeOptions)
def configure_server(options: ServeOptions) -> ServerPlan:
    """Serve studies to participants and researchers.

    Checks and publishes each STUDY, prints its links, and serves until stopped. The first start
    also prints a one-time link with which the first researcher sets a password. A study that
    changed after participants began is refused until `believable revise` has recorded the reason; a
    server that runs keeps the study as it was when it started. Behind a proxy with HTTPS, give the
    public address with --base-url and the proxy's own with --trusted-proxy. `/health` says that the
    process lives, `/ready` that it can store answers.
    """
    listed = [options.studies] if isinstance(options.studies, str | Path) else options.studies
    folders = [options.folder_of(study) for study in listed]
    settings = options.settings(
        folders, options.base_url or f"http://{options.host}:{options.port}"
    )
    settings = replace(
        settings,
        most_rounds=options.rounds,
        workers=options.workers,
        most_connections=options.limit,
        joins_per_minute=options.joins_per_minute or None,
        trusted_proxies=tuple(options.trusted_proxy),
        listed=shown_links(settings.base_url, options.listed),
        sendfile=options.sendfile,
        oidc_issuer=options.oidc_issuer,
        oidc_client=options.oidc_client,
    )
    return ServerPlan(
        settings=settings,
        host=options.host,
        port=options.port,
        media=from_environment(options.media, "BELIEVABLE_MEDIA"),
        end_with_input=options.end_with_input,
    )


def shown_links(base_url: str, listed: bool | None) -> Literal["open", "preview"] | None:
    """Return the kind of links that the page at the root address offers; on a server that only this
    machine reaches, those to try the studies.
    """
    if listed is None:
        local = urlsplit(base_url).hostname in {"127.0.0.1", "::1", "localhost"}
        return "preview" if local else None
    return "open" if listed else None

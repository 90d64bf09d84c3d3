"""Options of `believable serve` for a server on the internet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import wraps
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

import click

from believable.cli.place import with_options

if TYPE_CHECKING:
    from believable.web.settings import Settings


@dataclass(frozen=True, slots=True)
class Deployment:
    """How a server stands among others: proxies before it, storage and log-ins that it shares, how
    much it takes.
    """

    limit: int | None
    joins_per_minute: int
    proxies: tuple[str, ...]
    listed: bool | None
    sendfile: str | None
    oidc_issuer: str | None
    oidc_client: str
    media: str | None

    def applied(self, settings: Settings) -> Settings:
        """The settings with it, checked before anything is written; the data folder remembers where
        media are kept.
        """
        from believable.core.object_storage import remember_storage
        from believable.store.database import owner_folder
        from believable.web.app import oidc_client
        from believable.web.connections import checked_proxies

        settings = replace(
            settings,
            most_connections=self.limit,
            joins_per_minute=self.joins_per_minute or None,
            trusted_proxies=checked_proxies(self.proxies),
            listed=shown_links(settings.base_url, self.listed),
            sendfile=self.sendfile,
            oidc_issuer=self.oidc_issuer,
            oidc_client=self.oidc_client,
        )
        oidc_client(settings)
        if self.media is not None:
            remember_storage(owner_folder(settings.media_dir), self.media)
        return settings


def deployment_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The command gets them as `deployment`."""

    @wraps(command)
    def deployed(**values: Any) -> Any:
        own = {field.name: values.pop(field.name) for field in fields(Deployment)}
        return command(deployment=Deployment(**own), **values)

    return with_options(
        deployed,
        click.option(
            "--limit",
            type=click.IntRange(min=1),
            metavar="N",
            help=(
                "Connections per process; more are told to come back. Default: as many as open"
                " files are allowed, less a reserve."
            ),
        ),
        click.option(
            "--joins-per-minute",
            type=click.IntRange(min=0),
            default=30,
            show_default=True,
            metavar="N",
            help=(
                "Sessions that one network address may start through open links; 0 for any number."
            ),
        ),
        click.option(
            "--trusted-proxy",
            "proxies",
            multiple=True,
            metavar="ADDRESS",
            help=(
                "A proxy whose X-Forwarded-For is believed: its IP address or network. May be given"
                " several times."
            ),
        ),
        click.option(
            "--listed/--unlisted",
            default=None,
            help=(
                "Whether the page at the root address offers the open studies to anybody; default:"
                " to try, on this machine alone."
            ),
        ),
        click.option(
            "--sendfile",
            metavar="PREFIX",
            help=(
                "Let the proxy send media: where it has the media folder for X-Accel-Redirect (see"
                " deploy/nginx.conf)."
            ),
        ),
        click.option(
            "--oidc-issuer",
            metavar="URL",
            help="Let people log in to the console at this OpenID Connect provider, too.",
        ),
        click.option(
            "--oidc-client",
            metavar="ID",
            default="",
            help="What it knows this server by; its secret: BELIEVABLE_OIDC_SECRET.",
        ),
        click.option(
            "--media",
            metavar="ADDRESS",
            envvar="BELIEVABLE_MEDIA",
            help=(
                "Keep media in storage that several servers share: s3://BUCKET/PREFIX or a folder."
                " The data folder remembers it."
            ),
        ),
    )


def shown_links(base_url: str, listed: bool | None) -> Literal["open", "preview"] | None:
    """Which links the page at the root address offers. Where only this machine can come, to try the
    studies.
    """
    if listed is None:
        return (
            "preview" if urlsplit(base_url).hostname in {"127.0.0.1", "::1", "localhost"} else None
        )
    return "open" if listed else None

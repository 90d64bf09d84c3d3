"""`believable gallery`: every instrument and player to try."""

from __future__ import annotations

import click

from believable.app.options import options, setting, use_case
from believable.app.serve import AddressOptions
from believable.cli.derive import derive
from believable.cli.serve import check_port, say_when_serving
from believable.web import gallery as gallery_server


@options
class GalleryOptions(AddressOptions):
    port: int = setting("Port to listen on.", default=8010, ge=1, le=65535)


@use_case(GalleryOptions)
def try_parts(options: GalleryOptions) -> None:
    """Try every instrument and player in the browser.

    One page for each, running as in a study: change its parameters, use it, and see its records
    as they are made. Needs no study; all entries are deleted when the gallery stops.
    """
    check_port(options.host, options.port)
    click.echo(f"Gallery           http://{options.host}:{options.port}/gallery")
    say_when_serving(options.host, options.port)
    gallery_server.serve(options.host, options.port)


command = derive(
    try_parts,
    name="gallery",
    json_option=False,
    example="""
      believable gallery
      believable gallery --port 9000
    """,
)(lambda nothing: None)

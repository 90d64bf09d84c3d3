"""`believable gallery`: every way of answering and of showing, to try."""

from __future__ import annotations

import click

from believable.cli.serve import check_port


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(1, 65535), default=8010, show_default=True)
def command(host: str, port: int) -> None:
    """Try every instrument and player in the browser.

    One page for each, running as in a study: change its parameters, use it, and see what it records as it happens. Needs no
    study; what is entered is forgotten when the gallery stops.

    \b
    Example:
      believable gallery
      believable gallery --port 9000
    """
    from believable.web.gallery import serve

    check_port(host, port)
    click.echo(f"Gallery           http://{host}:{port}/gallery\n\nServing. Stop with Ctrl-C.")
    serve(host, port)

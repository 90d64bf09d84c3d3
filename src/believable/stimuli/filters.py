"""Filters of pictures and sounds, as chains with one way in and one way out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

from believable.stimuli.raster import watermark
from believable.stimuli.recipe import Chain, Recipe, overlay_filter


def one_thread(av: Any) -> Any:
    """A graph of filters that are not spread over threads: files run side by side."""
    graph = av.filter.Graph()
    graph.threads = 1
    return graph


class FilterChain:
    """A row of filters with one way in and one way out."""

    def __init__(self, av: Any, source: Any, graph: Any, chain: Chain, sink: str) -> None:
        self._av, self._source = av, source
        nodes = [source] if source is not None else []
        nodes += [
            graph.add(name, arguments) if arguments else graph.add(name)
            for name, arguments in chain
        ]
        self.last = nodes[-1]
        for node, other in pairwise(nodes):
            node.link_to(other)
        self.sink = graph.add(sink)

    def through(self, frame: Any) -> Iterator[Any]:
        try:
            self._source.push(frame)
        except self._av.EOFError:  # the filters have all they need
            return iter(())
        return self._ready()

    def rest(self) -> Iterator[Any]:
        if self._source is not None:
            self._source.push(None)
        return self._ready()

    def whole(self, frames: Iterable[Any]) -> Iterator[Any]:
        for frame in frames:
            yield from self.through(frame)
        yield from self.rest()

    def _ready(self) -> Iterator[Any]:
        while True:
            try:
                yield self.sink.pull()
            except (self._av.BlockingIOError, self._av.EOFError):
                return


class PictureFilters(FilterChain):
    def __init__(self, av: Any, stream: Any, chain: Chain, recipe: Recipe) -> None:
        graph = one_thread(av)
        super().__init__(av, graph.add_buffer(template=stream), graph, chain, "buffersink")
        if not recipe.watermark:
            self.last.link_to(self.sink)
            graph.configure()
        else:
            image = av.VideoFrame.from_ndarray(
                watermark(recipe.watermark, recipe.width_px, recipe.height_px), format="rgba"
            )
            image.pts, image.time_base = 0, stream.time_base
            words = graph.add_buffer(
                width=image.width, height=image.height, format="rgba", time_base=stream.time_base
            )
            over = graph.add(*overlay_filter(recipe))
            self.last.link_to(over, 0, 0)
            words.link_to(over, 0, 1)
            over.link_to(self.sink)
            graph.configure()
            words.push(image)
            words.push(None)
        self._graph = graph

    def _ready(self) -> Iterator[Any]:
        for frame in super()._ready():
            frame.pict_type = 0  # the source's key frames are none of the encoder's business
            yield frame


class SoundFilters(FilterChain):
    def __init__(self, av: Any, stream: Any, chain: Chain) -> None:
        graph = one_thread(av)
        source = None if stream is None else graph.add_abuffer(template=stream)
        super().__init__(av, source, graph, chain, "abuffersink")
        self.last.link_to(self.sink)
        graph.configure()
        self._graph = graph

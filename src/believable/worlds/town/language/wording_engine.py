"""The small language model in a separate process: an OpenAI-compatible server on this machine with
one thread and low priority.

`python -m believable.worlds.town.language.wording_engine MODEL` serves until its input ends, so it
ends with the process that started it.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from believable.core.child_python import python_command
from believable.core.errors import MissingExtra
from believable.core.system import lower_priority
from believable.worlds.town.language.model import ModelUnavailable

CONTEXT_TOKENS = 2048
NICENESS = 5
TIMEOUT_S = 300.0
TEMPERATURE = 0.7


@dataclass(frozen=True, slots=True)
class WordedText:
    text: str
    tokens_in: int
    tokens_out: int


class WordingEngine:
    """Starts the server with the first request."""

    def __init__(self, model: Path) -> None:
        self._model = model
        self._process: subprocess.Popen[bytes] | None = None
        self._client = httpx.Client(timeout=TIMEOUT_S)
        self._url = ""

    @property
    def url(self) -> str:
        """The address of the server, which is started if necessary."""
        if self._process is None:
            self._start()
        return self._url

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    def _start(self) -> None:
        arguments = python_command("-m", __name__, str(self._model))
        self._process = subprocess.Popen(
            arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        output = self._process.stdout
        line = output.readline().decode().strip() if output is not None else ""
        if line == "missing":
            self.close()
            raise MissingExtra(what="The small language model", extra="town")
        if not line.startswith("http"):
            self.close()
            raise ModelUnavailable(
                f"{self._model}: the engine of the small language model did not start. Fetch the"
                " weights again with: believable town models --again"
            )
        self._url = line

    def words(self, lead: str, *, grammar: str, seed: int, most_tokens: int) -> WordedText:
        """Continue this lead as the grammar allows. The model reads it each time, so that nothing
        depends on earlier requests. It has no frame of a dialogue, which would take longer to read
        than the text to write.
        """
        body = {
            "prompt": lead,
            "max_tokens": most_tokens,
            "temperature": TEMPERATURE,
            "seed": seed % 2**31,
            "grammar": grammar,
            "cache_prompt": False,
        }
        try:
            response = self._client.post(f"{self.url}/v1/completions", json=body)
            tree: dict[str, Any] = response.raise_for_status().json()
        except (httpx.HTTPError, ValueError) as error:
            raise ModelUnavailable(
                "the engine of the small language model on this machine:"
                f" {error or type(error).__name__}. Everything so far is kept: run the same command"
                " again, and the run continues."
            ) from error
        usage = tree["usage"]
        return WordedText(
            str(tree["choices"][0]["text"]), usage["prompt_tokens"], usage["completion_tokens"]
        )

    def close(self) -> None:
        self._client.close()
        if self._process is None:
            return
        process, self._process = self._process, None
        if process.stdin is not None:
            with contextlib.suppress(OSError):
                process.stdin.close()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()


def serve(model: str, *, port: int = 0) -> None:
    """Serve the model until the input ends; the first line of the output is the address."""
    try:
        import xllamacpp  # noqa: PLC0415  the extra `town`
    except ImportError:
        sys.stdout.write("missing\n")
        return
    lower_priority(NICENESS)
    settings = xllamacpp.CommonParams()
    settings.model.path = model
    settings.n_ctx, settings.n_parallel, settings.n_gpu_layers = CONTEXT_TOKENS, 1, 0
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1
    settings.n_threads_http, settings.port = 2, port
    settings.warmup = settings.ui = False
    settings.verbosity = 0
    server = xllamacpp.Server(settings)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    while os.read(0, 4096):
        pass
    os._exit(0)  # the threads of the server would keep running


if __name__ == "__main__":
    serve(sys.argv[1], port=int(sys.argv[2]) if len(sys.argv) > 2 else 0)

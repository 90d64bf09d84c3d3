"""The description of the JSON API, at `/openapi.json`: what the framework knows, and the hot route beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from ruamel.yaml import YAML

from believable.pages.message import TrialMessage
from believable.web.participant.session import AdvanceAnswer, ClaimAnswer

_PARTS = Path(__file__).with_name("api_description.yaml")


def describe(app: FastAPI) -> None:
    """Serves the description and makes it say which errors every operation can give."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            schema = get_openapi(title=app.title, version=app.version, routes=app.routes)
            parts = YAML(typ="safe", pure=True).load(_PARTS)
            content = {"application/json": {"schema": parts["error"]}}
            errors = {status: {"description": words, "content": content} for status, words in parts["reasons"].items()}
            schema["paths"]["/s/{token}/events"] = parts["events"]
            _add_trial(schema)
            for operations in schema["paths"].values():
                for operation in operations.values():
                    operation["responses"] |= errors
            app.openapi_schema = schema
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]

    @app.get("/openapi.json", include_in_schema=False)
    async def description() -> dict[str, Any]:
        return openapi()


def _add_trial(schema: dict[str, Any]) -> None:
    """The message of a trial is written by its own model, past the framework."""
    trial = TrialMessage.model_json_schema(mode="serialization", ref_template="#/components/schemas/{model}")
    schema["components"]["schemas"] |= trial.pop("$defs") | {"TrialMessage": trial}
    _answers(schema["paths"]["/s/{token}/trial"]["get"], "TrialMessage")
    for step, answer in (("claim", ClaimAnswer), ("advance", AdvanceAnswer)):
        model = answer.model_json_schema(mode="serialization", ref_template="#/components/schemas/{model}")
        schema["components"]["schemas"] |= model.pop("$defs") | {answer.__name__: model}
        _answers(schema["paths"][f"/s/{{token}}/{step}"]["post"], answer.__name__)


def _answers(operation: dict[str, Any], model: str) -> None:
    operation["responses"]["200"]["content"] = {
        "application/json": {"schema": {"$ref": f"#/components/schemas/{model}"}}
    }

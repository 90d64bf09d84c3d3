"""The description of the JSON API, at `/openapi.json`: what the framework knows, and the hot route beside it."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from believable.pages.message import TrialMessage
from believable.web.participant.session import AdvanceAnswer, ClaimAnswer

_ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message", "cure"],
            "properties": {name: {"type": "string"} for name in ("code", "message", "cure")},
        }
    },
}
_REASONS = {
    "403": "refused, with the reason as code",
    "404": "no such session or thing",
    "409": "taken over by another tab or device, or a conflict",
    "410": "withdrawn: everything was deleted",
    "413": "too large",
    "422": "malformed",
    "429": "too many tries",
    "503": "the database is away: nothing was acknowledged",
    "507": "the disk is full: nothing was acknowledged",
}
_EVENTS: dict[str, Any] = {
    "post": {
        "tags": ["session"],
        "summary": "Append Events",
        "description": "Numbered events; the answer comes after the durable commit.",
        "operationId": "append_events",
        "parameters": [
            {"name": "token", "in": "path", "required": True, "schema": {"type": "string", "maxLength": 64}}
        ],
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {
                    "schema": {
                        "type": "object",
                        "required": ["epoch", "events"],
                        "properties": {
                            "epoch": {"type": "integer", "minimum": 0, "maximum": 2**31 - 1},
                            "events": {
                                "type": "array",
                                "items": {
                                    "type": "array",
                                    "minItems": 2,
                                    "maxItems": 2,
                                    "prefixItems": [{"type": "integer", "minimum": 1}, {"type": "string"}],
                                },
                            },
                        },
                    }
                }
            },
        },
        "responses": {
            "200": {
                "description": "the highest number up to which nothing is missing",
                "content": {
                    "application/json": {
                        "schema": {"type": "object", "required": ["ack"], "properties": {"ack": {"type": "integer"}}}
                    }
                },
            }
        },
    }
}


def describe(app: FastAPI) -> None:
    """Serves the description and makes it say which errors every operation can give."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            schema = get_openapi(title=app.title, version=app.version, routes=app.routes)
            schema["paths"]["/s/{token}/events"] = _EVENTS
            _add_trial(schema)
            for operations in schema["paths"].values():
                for operation in operations.values():
                    _add_errors(operation)
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


def _add_errors(operation: dict[str, Any]) -> None:
    for status, reason in _REASONS.items():
        operation["responses"][status] = {"description": reason, "content": {"application/json": {"schema": _ERROR}}}

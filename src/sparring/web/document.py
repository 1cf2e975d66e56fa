"""The OpenAPI document: FastAPI's, with problem documents instead of its own errors."""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from sparring.web.bodies import ProblemReply
from sparring.web.problems import MEDIA_TYPE

DESCRIPTION = """Duels between items, and a learner that follows what people prefer.

Every error is a problem document (RFC 9457). The tag of an operation is the role that it needs:
`public` needs none, an `admin` may do what a `writer` may, and that what a `reader` may.
A vote's ticket is its idempotency key: the same again gets the same reply, other answers a 409."""
TAGS = [
    {"name": "public", "description": "Without a key; a writer's key may be used, too."},
    {"name": "reader", "description": "With a key of any role."},
    {"name": "writer", "description": "With a key of the role writer or admin."},
    {"name": "admin", "description": "With a key of the role admin."},
]
WAIT = {"Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}}}


def add_to(app: FastAPI) -> None:
    """Let the app show this document."""

    def document() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _document(app)
        return app.openapi_schema

    app.openapi = document  # type: ignore[method-assign]


def _document(app: FastAPI) -> dict[str, Any]:
    found = get_openapi(
        title="sparring",
        version=app.version,
        description=DESCRIPTION,
        tags=TAGS,
        routes=app.routes,
        license_info={"name": "MIT", "identifier": "MIT"},
    )
    parts = found["components"]
    for unused in ("HTTPValidationError", "ValidationError"):
        parts["schemas"].pop(unused, None)
    parts["schemas"]["ProblemReply"] = ProblemReply.model_json_schema()
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/ProblemReply"}}}
    parts["responses"] = {
        "Problem": {"description": "What is wrong.", "content": content},
        "Later": {"description": "Try again later.", "content": content, "headers": WAIT},
    }
    for operations in found["paths"].values():
        for operation in operations.values():
            _complete(operation)
    return found


def _complete(operation: dict[str, Any]) -> None:
    """Every problem that an operation may have."""
    tag = operation["tags"][0]
    if tag != "public":  # also those that look for a key themselves, as the board does
        operation["security"] = [{"key": []}]
    statuses = ["400", "404", "413", "421", "422", "500"]
    if operation.get("security"):
        statuses += ["401", "403", "409"]
    for status in statuses:
        operation["responses"][status] = {"$ref": "#/components/responses/Problem"}
    for status in ("429", "503") if tag == "public" else ("503",):
        operation["responses"][status] = {"$ref": "#/components/responses/Later"}
    if tag == "public" and operation.get("security"):
        operation["security"] = [{}, *operation["security"]]  # a key may be left out

"""The API keeps what its OpenAPI document says, for calls that fit it and for calls that do not."""

import os
import tempfile
from pathlib import Path

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.specs.openapi import checks

from sparring.web.app import create_app
from sparring.web.config import ServiceConfig
from web_service import hosted

pytestmark = pytest.mark.compiled  # storage and processes are the same without the compiler

EXAMPLES = int(os.environ.get("SPARRING_SCHEMA", "5"))  # for each operation, of each kind
KEPT = [
    schemathesis.checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
    checks.response_headers_conformance,
]
SCHEMA = schemathesis.openapi.from_dict(create_app(ServiceConfig("unused.db")).openapi())
OPERATIONS = {found.ok().label: found.ok() for found in SCHEMA.get_all_operations()}
STREAMS = "/board"  # which the tests of the pages look at
# What would end the test's own key, or call another machine.
UNSAFE = ("DELETE /api/v1/keys", "POST /api/v1/arenas/{name}/hooks")


@pytest.fixture(scope="module")
def service():
    with (
        tempfile.TemporaryDirectory() as folder,
        hosted(Path(folder, "arena.db"), private_hooks=True) as found,
    ):
        yield found


def labels():
    return [label for label in OPERATIONS if STREAMS not in label and not label.startswith(UNSAFE)]


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
@pytest.mark.parametrize("label", labels())
def test_what_the_document_says_holds(service, label, mode):
    operation = OPERATIONS[label]
    if mode is GenerationMode.NEGATIVE and not _can_be_wrong(operation):
        return

    @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck), database=None)
    @given(case=operation.as_strategy(generation_mode=mode))
    def holds(case):
        if "name" in (case.path_parameters or {}) and mode is GenerationMode.POSITIVE:
            case.path_parameters["name"] = "arena"
        reply = _sent(service, case)
        case.validate_response(reply, checks=KEPT)
        if reply.status_code >= 400:
            assert reply.headers["content-type"] == "application/problem+json"

    holds()


def _can_be_wrong(operation):
    return any(len(part) for part in (operation.query, operation.headers, operation.body))


def _sent(service, case):
    given = case.as_transport_kwargs(base_url="http://127.0.0.1")
    given["headers"] = {
        **given.get("headers", {}),
        "Authorization": f"Bearer {service.keys['admin']}",
    }
    ready = requests.Request(
        **{name: value for name, value in given.items() if name not in ("cookies", "timeout")}
    ).prepare()
    return service.client.request(
        ready.method, ready.url, headers=dict(ready.headers), content=ready.body or b""
    )


def test_the_document_is_complete():
    document = create_app(ServiceConfig("unused.db")).openapi()
    assert document["openapi"].startswith("3.1")
    assert document["components"]["securitySchemes"]["key"]["scheme"] == "bearer"
    for path, operations in document["paths"].items():
        for operation in operations.values():
            assert operation["description"], path
            assert {"422", "500", "503"} <= operation["responses"].keys(), path
    text = str(document)
    assert "HTTPValidationError" not in text

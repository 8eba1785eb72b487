"""How typed events travel. Part of the generated package; do not edit."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
import uuid
from collections.abc import Mapping
from typing import NotRequired, Protocol, TypeAlias, TypedDict, TypeVar

_Item = TypeVar("_Item")
_Result_co = TypeVar("_Result_co", covariant=True)

JsonArray: TypeAlias = list[_Item] | tuple[_Item, ...]
JsonValue: TypeAlias = "str | float | bool | None | JsonArray[JsonValue] | Mapping[str, JsonValue]"


class TrackedEvent(TypedDict):
    """One event as it is sent."""

    event: str
    properties: Mapping[str, object]
    contract_version: str


class Sender(Protocol[_Result_co]):
    """Whatever can send an event. What it returns is what the event's function returns."""

    def send(self, event: TrackedEvent, /) -> _Result_co:
        """Send one event."""


class Issue(TypedDict):
    """One thing the gate noticed."""

    code: str
    field: NotRequired[str | None]
    message: NotRequired[str]
    expected: NotRequired[object]
    actual: NotRequired[object]


class Receipt(TypedDict):
    """The answer to an event that was taken: accepted, accepted with a warning, or quarantined."""

    event_id: str
    outcome: str
    duplicate: bool
    issues: list[Issue]
    receipt_url: NotRequired[str]


class AssayError(Exception):
    """The event was not taken. `retryable` says whether the same call may succeed later."""

    def __init__(
        self,
        message: str,
        *,
        status: int | None,
        problem: Mapping[str, object],
        retryable: bool,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.problem = problem
        self.retryable = retryable


class AssayClient:
    """Sends events over HTTP with a secret or public key.

    An event must belong to someone: `client.person(user_id="u_1")` gives a sender that says who.
    """

    def __init__(
        self,
        base_url: str,
        key: str,
        *,
        timeout_seconds: float = 10.0,
        identity: Mapping[str, str] | None = None,
    ) -> None:
        self._base_url = base_url.rstrip("/")
        self._key = key
        self._timeout_seconds = timeout_seconds
        self._identity: dict[str, str] = dict(identity or {})

    def person(
        self,
        *,
        user_id: str | None = None,
        anonymous_id: str | None = None,
        person_id: str | None = None,
        session_id: str | None = None,
    ) -> AssayClient:
        """Return a client whose events belong to this person."""
        given = {
            "user_id": user_id,
            "anonymous_id": anonymous_id,
            "person_id": person_id,
            "session_id": session_id,
        }
        return AssayClient(
            self._base_url,
            self._key,
            timeout_seconds=self._timeout_seconds,
            identity={name: value for name, value in given.items() if value is not None},
        )

    def send(self, event: TrackedEvent, /) -> Receipt:
        """Send one event and return its receipt; raise AssayError when it was not taken."""
        body: dict[str, object] = {"event_id": str(uuid.uuid4()), **self._identity, **event}
        request = urllib.request.Request(
            self._base_url + "/v1/track",
            data=json.dumps(body, allow_nan=False).encode("utf-8"),
            headers={"Authorization": "Bearer " + self._key, "Content-Type": "application/json"},
            method="POST",
        )
        try:
            with urllib.request.urlopen(request, timeout=self._timeout_seconds) as response:
                receipt: Receipt = json.loads(response.read())
                return receipt
        except urllib.error.HTTPError as error:
            raise _refused(error) from error
        except OSError as error:
            raise AssayError(str(error), status=None, problem={}, retryable=True) from error


def _refused(error: urllib.error.HTTPError) -> AssayError:
    with error:
        text = error.read().decode("utf-8", "replace")
    try:
        content: object = json.loads(text)
    except ValueError:
        content = None
    problem: dict[str, object] = content if isinstance(content, dict) else {}
    message = str(problem.get("detail") or problem.get("title") or error)
    retryable = error.code == 429 or error.code >= 500
    return AssayError(message, status=error.code, problem=problem, retryable=retryable)

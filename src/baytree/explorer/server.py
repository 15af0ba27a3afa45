"""Server of the explorer: the page, its parts, and answers in JSON; on loopback only."""

from __future__ import annotations

import asyncio
import json
import secrets
import socket
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from baytree.exceptions import BaytreeError
from baytree.explorer.exploration import BadRequestError, Exploration
from baytree.explorer.guards import MAX_BODY_BYTES, Guard

Endpoint: TypeAlias = Callable[[Mapping[str, Any]], dict[str, Any]]

LOOPBACK = "127.0.0.1"

_STATIC = Path(__file__).parent / "static"
_MAX_CONNECTIONS = 100


class _TooLargeError(ValueError):
    """A body above the limit."""


def explorer_app(exploration: Exploration, *, port: int, token: str) -> ASGIApp:
    """Return the application that serves one exploration.

    Parameters
    ----------
    exploration : Exploration
        Answers to the requests.
    port : int
        Port that the server listens on, as it appears in the address.
    token : str
        Secret in the address, without which no request is answered.

    Returns
    -------
    ASGI application
        Behind its guard.
    """
    endpoints: dict[str, Endpoint] = {
        "graph": exploration.graph,
        "neighbourhood": exploration.neighbourhood,
        "clique-tree": exploration.clique_tree,
        "posteriors": exploration.posteriors,
        "explanation": exploration.explanation,
        "most-informative": exploration.most_informative,
        "clique": exploration.clique,
        "row": exploration.row,
    }
    turn = asyncio.Lock()
    routes = [
        Route("/", lambda _: FileResponse(_STATIC / "index.html"), methods=["GET"]),
        *(
            Route(f"/api/{name}", _answering(endpoint, turn), methods=["POST"])
            for name, endpoint in endpoints.items()
        ),
        Mount("/static", StaticFiles(directory=_STATIC)),
    ]
    return Guard(Starlette(routes=routes), port=port, token=token)


def serve(
    exploration: Exploration,
    *,
    port: int = 0,
    when_ready: Callable[[str], None],
) -> None:
    """Serve until Ctrl-C.

    Parameters
    ----------
    exploration : Exploration
        Answers to the requests.
    port : int, default=0
        Port to listen on; 0 for any that is free.
    when_ready : callable
        Called with the address to open once the server listens.

    Raises
    ------
    OSError
        If the port is taken.
    KeyboardInterrupt
        At Ctrl-C, once the server has ended.
    """
    listener = _listener(port)
    with listener:
        port = listener.getsockname()[1]
        token = secrets.token_urlsafe(24)
        config = uvicorn.Config(
            explorer_app(exploration, port=port, token=token),
            log_config=None,
            access_log=False,
            lifespan="off",
            server_header=False,
            ws="none",
            limit_concurrency=_MAX_CONNECTIONS,
            timeout_graceful_shutdown=1,
        )
        # The socket queues requests until the server accepts them, so the address works already.
        threading.Thread(
            target=when_ready, args=(f"http://{LOOPBACK}:{port}/?token={token}",), daemon=True
        ).start()
        uvicorn.Server(config).run(sockets=[listener])


def _listener(port: int) -> socket.socket:
    # asyncio sends without delay only if the protocol is named; otherwise answers wait 40 ms.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((LOOPBACK, port))
        listener.listen()
    except OSError as error:
        listener.close()
        raise OSError(
            f"Port {port} cannot be used: {error.strerror}. Choose another, or 0 for a free one."
        ) from None
    return listener


def _answering(endpoint: Endpoint, turn: asyncio.Lock) -> Callable[[Request], Any]:
    async def answer(request: Request) -> Response:
        try:
            request_body = await _body(request)
            async with turn:
                if await request.is_disconnected():  # the page has sent another request since
                    return _json({}, 400)
                return _json(await run_in_threadpool(endpoint, request_body))
        except _TooLargeError as error:
            return _json({"error": str(error)}, 413)
        except (BadRequestError, BaytreeError) as error:
            return _json({"error": str(error)}, 400)
        except ClientDisconnect:
            return _json({}, 400)
        except Exception:
            # The page learns that it failed, the terminal why.
            traceback.print_exc(file=sys.stderr)
            return _json({"error": "The explorer failed. The terminal says why."}, 500)

    return answer


async def _body(request: Request) -> Mapping[str, Any]:
    if request.headers.get("content-type") != "application/json":
        raise BadRequestError("A request must be JSON.")
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            raise _TooLargeError(f"A request may have {MAX_BODY_BYTES:,} bytes at most.")
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        raise BadRequestError("A request must be JSON.") from None
    if not isinstance(content, dict):
        raise BadRequestError("A request must be a JSON object.")
    return content


def _json(payload: Mapping[str, Any], status: int = 200) -> Response:
    # Escapes keep text valid that UTF-8 cannot encode, such as half a surrogate pair.
    text = json.dumps(payload, separators=(",", ":"), allow_nan=False, ensure_ascii=True)
    return Response(text, status, media_type="application/json")

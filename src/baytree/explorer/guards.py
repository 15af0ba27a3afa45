"""Checks of every request, and headers of every answer.

The explorer listens on loopback only, but every page that a browser has open can send requests
there. Host stops names that were made to point at loopback, Origin and Sec-Fetch-Site stop other
pages, and the token stops other users of the machine.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_BODY_BYTES = 1_000_000

_ANSWER_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    ),
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class Guard:
    """Lets requests of the explorer's own page through to an application, and no others.

    Parameters
    ----------
    app : ASGI application
        Application behind the guard.
    port : int
        Port that the server listens on.
    token : str
        Secret of the page. It is in the address once, and in a cookie from then on.
    """

    def __init__(self, app: ASGIApp, *, port: int, token: str) -> None:
        self._app = app
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self._token = token
        # Cookies do not know ports: two explorers side by side must not share one.
        self._cookie = f"baytree-{port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "lifespan":  # start and end of the server
            await self._app(scope, receive, send)
        if scope["type"] != "http":  # no other protocol is supported
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_ANSWER_HEADERS)
            await send(message)

        answer = self._refusal(scope) or self._welcome(scope)
        await (answer or self._app)(scope, receive, send_guarded)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if headers.get("host") not in self._hosts:
            return _refused("This address is not the explorer's.", 421)
        if not self._is_own_page(scope["method"], headers):
            return _refused("Requests of other pages are not answered.", 403)
        if not self._knows_token(scope, headers):
            return _refused(
                "Open the address that baytree printed in the terminal: it holds the token of "
                "this explorer.",
                403,
            )
        announced = headers.get("content-length", "0")  # else the body is counted while it is read
        if not announced.isdecimal() or len(announced) > 18 or int(announced) > MAX_BODY_BYTES:
            return _refused(f"A request may have {MAX_BODY_BYTES:,} bytes at most.", 413)
        return None

    def _is_own_page(self, method: str, headers: Mapping[str, str]) -> bool:
        own = f"http://{headers['host']}"
        if headers.get("origin", own) != own:
            return False
        if method in ("GET", "HEAD"):  # other pages may link here, but not load parts of this one
            is_visit = headers.get("sec-fetch-mode", "navigate") == "navigate"
            return is_visit or headers.get("sec-fetch-site") in (None, "same-origin")
        return "origin" in headers

    def _knows_token(self, scope: Scope, headers: Mapping[str, str]) -> bool:
        cookie = cookie_parser(headers.get("cookie", "")).get(self._cookie, "")
        return any(
            secrets.compare_digest(given.encode(), self._token.encode())
            for given in (cookie, _token_in_address(scope))
        )

    def _welcome(self, scope: Scope) -> Response | None:
        """Return a redirect to the address without the token, which goes into a cookie."""
        if not _token_in_address(scope):
            return None
        answer = RedirectResponse(scope["path"], status_code=303)
        answer.set_cookie(self._cookie, self._token, httponly=True, samesite="strict")
        return answer


def _refused(sentence: str, status: int) -> Response:
    return PlainTextResponse(sentence + "\n", status)


def _token_in_address(scope: Scope) -> str:
    if scope["path"] != "/" or scope["method"] != "GET":
        return ""
    query: str = scope["query_string"].decode("latin-1")
    return parse_qs(query).get("token", [""])[0]

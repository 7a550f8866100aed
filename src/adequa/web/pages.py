"""Pages: templates rendered one way, and static files with a version that changes with them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

if TYPE_CHECKING:
    from jinja2 import Environment

_TYPES = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
_ICON = "icon.svg"


@dataclass(frozen=True)
class Pages:
    """The `templates` and `static` folders of one package; every value in a page is escaped."""

    package: str
    static: Sequence[str]
    """Names of the files in the package's `static` folder."""
    shared: Mapping[str, Callable[[], bytes]] = field(default_factory=dict)
    """Static files that other packages provide, by name."""
    filters: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)
    """What every template may use."""

    def render(self, template: str, **values: Any) -> bytes:
        """A page; characters that UTF-8 cannot encode become question marks."""
        text = self._environment.get_template(template).render(**values)
        return text.encode("utf-8", "replace")

    @cached_property
    def files(self) -> Mapping[str, bytes]:
        """The static files by name."""
        own = {name: self._resource(self.package, name) for name in self.static}
        own[_ICON] = self._resource("adequa.web", _ICON)
        return own | {name: read() for name, read in self.shared.items()}

    @property
    def route(self) -> Route:
        """The address of the static files."""
        return Route("/static/{name}", self._file)

    async def _file(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in self.files:
            raise HTTPException(404)
        # Each address carries the version of its file, so browsers may cache it indefinitely.
        headers = {
            "Content-Type": _TYPES[name.rpartition(".")[2]],
            "Cache-Control": "public, max-age=31536000, immutable",
        }
        return Response(self.files[name], headers=headers)

    @cached_property
    def _environment(self) -> Environment:
        from jinja2 import Environment, PackageLoader, StrictUndefined

        environment = Environment(
            loader=PackageLoader(self.package, "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            auto_reload=False,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        version = hashlib.sha256(b"".join(self.files.values())).hexdigest()[:10]
        environment.filters |= self.filters
        environment.globals |= {"version": version, **self.values}
        return environment

    @staticmethod
    def _resource(package: str, name: str) -> bytes:
        return (files(package) / "static" / name).read_bytes()

"""The HTTP API: texts scored on request, runs scored in the background, described by OpenAPI."""

from adequa.web.api.app import api_app
from adequa.web.api.engine import ScoringEngine
from adequa.web.api.runs import Runs

__all__ = ["Runs", "ScoringEngine", "api_app"]

"""The HTTP API: texts scored on request, runs scored in the background, described by OpenAPI."""

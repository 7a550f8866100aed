"""`python -m research.recipe`: the steps of the recipe that are not commands of `adequa train`."""

from research.recipe.findings import app

app(prog_name="python -m research.recipe")

"""A campaign in the browser: raters answer by their own links, the organiser watches by another."""

"""The papers' tables and figures side by side with ours, from the data the papers used."""

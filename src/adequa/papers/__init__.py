"""The papers' tables and pictures side by side with ours, from the data the papers used."""

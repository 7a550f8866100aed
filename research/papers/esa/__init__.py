"""Papers 000 and 001 (Faille, Gatt and Gardent, 2021): entity-based semantic adequacy."""

"""A campaign: who is asked what about which texts, and what they answered."""

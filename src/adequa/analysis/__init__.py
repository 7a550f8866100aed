"""What runs say: comparison of systems, correlation with people, gates, and the doctor."""

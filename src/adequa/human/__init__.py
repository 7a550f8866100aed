"""Human evaluation: what people said of texts, how far to trust it, and what follows."""

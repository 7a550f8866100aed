"""How a fact is said: values a person would understand, and templates for predicates."""

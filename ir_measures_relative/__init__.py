"""Placeholder: the public names of the package go here."""

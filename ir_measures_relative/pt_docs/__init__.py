"""The documentation: pages by hand, and a page per measure made from its declaration."""

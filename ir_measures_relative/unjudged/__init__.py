"""Unjudged documents: the grades they may have, and the distributions of scores that follow from them."""

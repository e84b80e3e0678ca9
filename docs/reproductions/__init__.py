"""The numbers that the papers print, recomputed: ``make reproduce``, or ``python docs/reproduce.py``.

A file per paper. ``from_paper()`` needs nothing but the paper; ``from_data(folder)`` needs the reference data.
"""

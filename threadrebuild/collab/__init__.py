"""The collaboration core: a user and several Bots, their plans, work items, turns and words, over one SQLite store.

Events come in, effects go out (`engine.py`); each other module is one concept of the glossary.
"""

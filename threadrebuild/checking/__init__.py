"""Checks as they really run: on this machine, in the workspace, with nothing of them left behind.

`run.run` takes what effect "run_check" asks for and gives back what event CheckRan says; for a continuity check it
gives the parts' seams, which a model judges (threadrebuild/collab/continuity.py).
"""

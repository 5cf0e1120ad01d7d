"""Stands in for `claude -p`: appends a question and an answer to the session's transcript, and names the session."""

import json
import sys
from pathlib import Path

from harness.world.talk import Talk

folder, session = Path(sys.argv[sys.argv.index("--transcripts") + 1]), sys.argv[sys.argv.index("--resume") + 1]
prompt = sys.stdin.read()
path = folder / f"{session}.jsonl"
talk = Talk(seed=len(path.read_bytes()))
talk.user(prompt)
talk.assistant(f"听到了：{prompt}")
with path.open("ab") as file:
    file.write(talk.bytes())
print(json.dumps({"type": "result", "session_id": session}))

"""The part of the drill that runs in the namespace: the stages, one after the other, to the first that fails.

Called as `python -m harness.lab.drill_inside FOLDER VERSION PROGRAM…`. What is seen is written to FOLDER as it is seen.
"""

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from harness.lab.drill_house import Throwaway
from harness.lab.drill_stages import NOT_REACHED, STAGES, Seen, Stage
from harness.lab.drill_talk import Drill, prepared
from harness.lab.namespace import NoNamespace, confine, enter
from harness.lab.session import Place

SEEN = "stages.jsonl"
REQUESTS = "requests.jsonl"
WIRE = "wire.json"
SCREEN = "screen.txt"


def main(words: Sequence[str]) -> None:
    """Play the drill; what it needs and does not get is the last line on stderr."""
    folder, version, *program = words
    try:
        enter()
        confine(Path(folder))
    except NoNamespace as error:
        sys.exit(str(error))
    play(Place(Path(folder), version, tuple(program)))


def play(place: Place) -> None:
    """Play the stages over a new household and write down what was seen of each."""
    house = Throwaway(place)
    drill = prepared(house)
    failed = False
    for stage in STAGES:
        if failed and stage is not STAGES[-1]:
            seen = Seen(stage.name, stage.rule, None, NOT_REACHED)
        else:
            seen = _see(stage, drill)
        failed = failed or seen.ok is False
        with (place.folder / SEEN).open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(seen)) + "\n")
    with (place.folder / REQUESTS).open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(request.body) + "\n" for request in house.model.main)
    (place.folder / WIRE).write_text(json.dumps(drill.wire), encoding="utf-8")


def _see(stage: Stage, drill: Drill) -> Seen:
    try:
        return Seen(stage.name, stage.rule, True, stage.play(drill))
    except Exception as error:  # whatever it is, its evidence is kept and the processes are ended
        with (drill.house.place.folder / SCREEN).open("a", encoding="utf-8") as file:
            file.write(f"{stage.name}\n{drill.house.terminal.screen()}\n")
        return Seen(stage.name, stage.rule, False, f"{error}" or type(error).__name__)


if __name__ == "__main__":
    main(sys.argv[1:])

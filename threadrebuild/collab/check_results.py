"""What a run of a check is said to have come to: one line, in the language of the user's interface."""

from typing import Any

from threadrebuild.collab import interface
from threadrebuild.database import Database

TAIL_KEPT = 2000  # CHK-05
"""How much of the end of a run's output is kept."""

LINES: dict[str, dict[str, str]] = {
    "there": {"zh": "{path} 在", "en": "{path} is there"},
    "missing": {"zh": "{path} 不在", "en": "{path} is not there"},
    "empty": {"zh": "{path} 是空的", "en": "{path} is empty"},
    "has text": {"zh": "{path} 里有“{text}”", "en": "{path} has “{text}” in it"},
    "lacks text": {"zh": "{path} 里没有“{text}”", "en": "{path} does not have “{text}” in it"},
    "matches": {"zh": "{path} 匹配 {pattern}", "en": "{path} matches {pattern}"},
    "no match": {"zh": "{path} 不匹配 {pattern}", "en": "{path} does not match {pattern}"},
    "pattern too slow": {"zh": "{pattern} 在 {path} 上匹配太久", "en": "matching {pattern} in {path} takes too long"},
    "exit": {"zh": "退出码 {exit_code}，应为 {wanted}", "en": "exit code {exit_code}, {wanted} expected"},
    "output differs": {"zh": "输出和期望的不一样", "en": "the output is not the expected one"},
    "ended as expected": {"zh": "退出码 {exit_code}", "en": "exit code {exit_code}"},
    "timed out": {"zh": "{seconds} 秒没跑完", "en": "not over after {seconds} s"},
    "out of bounds": {"zh": "{path} 在工作区外，没有跑", "en": "{path} is outside the workspace: not run"},
    "unreadable": {"zh": "{path} 读不出来：{why}", "en": "{path} cannot be read: {why}"},
    "no path": {"zh": "还没有对上文件", "en": "there is no file to look at yet"},
    "no ffprobe": {"zh": "没有装 ffprobe", "en": "ffprobe is not installed"},
    "measured": {"zh": "{path}：{value}", "en": "{path}: {value}"},
    "joins": {"zh": "{seams} 处衔接都没有问题", "en": "all {seams} joints are fine"},
    "bad joints": {"zh": "{seams} 处衔接里 {bad} 处有问题：{names}", "en": "{bad} of {seams} joints are bad: {names}"},
    "not judged": {"zh": "没能判：{names}", "en": "could not be judged: {names}"},
    "one part": {"zh": "只有一部分，没有衔接可看", "en": "there is only one part, and no joint to look at"},
    "could not run": {"zh": "没能跑：{why}", "en": "could not be run: {why}"},
}
"""By what they say."""
OUTCOMES = {
    "passed": {"zh": "通过", "en": "passed"},
    "failed": {"zh": "没过", "en": "failed"},
    "out_of_bounds": {"zh": "越界", "en": "out of bounds"},
    "error": {"zh": "出错", "en": "error"},
}


ADVICE = {"zh": "（看图判定，只作参考）", "en": " (judged from pictures: advice only)"}
NOT_RUN = {"zh": "检查还没跑过", "en": "its check has not run yet"}


def not_run(db: Database) -> str:
    """The words for a check that has not run as it is defined now."""
    return NOT_RUN[db.value("SELECT language FROM meta")]


def told(db: Database, outcome: str, detail: dict[str, Any]) -> str:
    """The line for what a run came to; where that names nothing known, only the outcome."""
    language: interface.Language = db.value("SELECT language FROM meta")
    try:
        said = LINES[str(detail.get("says"))][language].format(**detail)
    except (KeyError, IndexError, ValueError):
        said = OUTCOMES[outcome][language]
    if detail.get("advisory"):
        said += ADVICE[language]  # CHK-19
    return " ".join(said.split())

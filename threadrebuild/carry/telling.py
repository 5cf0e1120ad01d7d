"""A plan or a candidate told in the terminal: the figures of its summary, in words."""

from typing import Any

import click


def print_carry(summary: dict[str, Any]) -> None:
    """Print what `plan_summary` or `candidate_summary` gives."""
    said = summary["utterances"]
    click.echo(
        f"{summary['selected_turns']} of {summary['source_turns']} turns "
        f"({said['user']} user and {said['assistant']} assistant texts), about {summary['estimated_tokens']:,} tokens"
        + (
            f"; with all that lies under them the window holds about {summary['window_tokens']:,}"
            if summary["fixed_load_tokens"]
            else ""
        )
    )
    if "calibrated_divisor" in summary:
        click.echo(f"after the host's reading: tokens_per_other_char_divisor = {summary['calibrated_divisor']}")
    if "window" in summary:
        _print_window(summary["window"])
    size = summary["source"]["bytes"]
    for name, count in sorted(summary["ledger"].items(), key=lambda each: -each[1]):
        click.echo(f"  {name:18} {count:>15,} bytes {count / size:7.2%}")
    click.echo(f"  {'sum':18} {sum(summary['ledger'].values()):>15,} bytes of {size:,} in the file")
    for warning in summary["warnings"]:
        place = f" (line {warning['line']})" if warning["line"] else ""
        click.echo(f"warning: {warning['code']}{place}: {warning['detail']}")
    for hit in summary["poison_hits"]:
        quoted = ", quoted" if hit["quoted"] else ""
        click.echo(f"sign: turn {hit['turn']} (line {hit['line']}), {hit['role']}{quoted}: {hit['matched']}")
    for choice in summary.get("choices", ()):
        click.echo(
            f"choice: from turn {choice['turn']} (line {choice['line']}) on, about {choice['from_here']:,} tokens, "
            f"{choice['tokens']:,} of them in this turn"
        )
    for note in summary["notes"]:
        click.echo(f"note: {note}")
    if summary.get("candidate"):
        click.echo(f"verified candidate: {summary['candidate']}")


def _print_window(window: dict[str, Any]) -> None:
    due = "due" if window["due"] else "not due"
    click.echo(
        f"window change {due}: {window['context_tokens']:,} tokens of {window['line_tokens']:,}, "
        f"{window['after_tokens']:,} afterwards"
    )
    click.echo(
        f"retained from line {window['from_line']} on, rows: {window['rows']}, calls: {window['calls']}, rows with "
        f"thinking: {window['thinking_rows']}; note and dialogue take {window['retained_tokens']:,} tokens"
    )
    if window["model"] and window["thinking_rows"]:
        click.echo(f"start the new session with --model {window['model']}, or its thinking is dropped")

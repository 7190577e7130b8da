"""`penstock log accept-loss`: go on with what is left of a damaged partition."""

from pathlib import Path

import click

from penstock.cli.exits import ExitCode, NotFound
from penstock.cli.log.folders import data_option, stopped, yes_option
from penstock.cli.output import json_option, note, print_json
from penstock.log import OfflineFolder, SoundPart, begin_empty, keep_sound, look_for_sound, lost_logs
from penstock.model import TopicPartition


@click.command("accept-loss", no_args_is_help=True)
@click.argument("partition")
@click.option("--empty", is_flag=True, help="Keep nothing: it begins empty, or is fetched anew from another broker.")
@data_option
@yes_option
@json_option
def accept_loss(partition: str, empty: bool, data: tuple[Path, ...], yes: bool, as_json: bool) -> ExitCode:
    """Let PARTITION (orders-0) go on with the records from its start to the first damage, and give up the rest.

    The damaged log is kept, set aside, until `penstock log remove-stray`. Consumers that were further than the end of
    what is left must be set back.

    \b
    penstock log accept-loss orders-0                   read it, and show what would be kept
    penstock log accept-loss orders-0 --yes
    """
    with stopped(data) as folders:
        folder, name = _find(folders, partition)
        sound = None if empty else _sound_part(folder, name)
        if not as_json:
            click.echo(_plan(name, sound))
        aside = None
        if yes:
            aside = begin_empty(folder, name) if sound is None else keep_sound(folder, name, sound)
    if as_json:
        print_json(
            {
                "partition": str(name),
                "start_offset": None if sound is None else sound.start_offset,
                "end_offset": None if sound is None else sound.end_offset,
                "damage": None if sound is None else sound.stopped_by or None,
                "set_aside": None if aside is None else str(aside),
                "done": yes,
            }
        )
    elif not yes:
        note("nothing was changed: --yes does it")
    elif aside is not None:
        click.echo(f"the damaged log is in {aside}")
    return ExitCode.OK


def _find(folders: list[OfflineFolder], partition: str) -> tuple[OfflineFolder, TopicPartition]:
    """Also one that looks whole: a person may know better, and nothing is thrown away."""
    for folder in folders:
        for name in folder.logs():
            if str(name) == partition:
                return folder, name
    for lost in lost_logs(folders):
        if str(lost.partition) == partition:
            return next(folder for folder in folders if folder.path == lost.folder), lost.partition
    raise NotFound(f"there is no {partition} here", hint="`penstock log list` shows what is damaged.")


def _sound_part(folder: OfflineFolder, name: TopicPartition) -> SoundPart | None:
    log = folder.path / str(name)
    sound = look_for_sound(log) if log.exists() else None
    return sound if sound is not None and sound.segments else None


def _plan(name: TopicPartition, sound: SoundPart | None) -> str:
    if sound is None:
        return f"{name}: nothing is kept; the next start begins it empty, or fetches it from another broker"
    kept = f"{name}: offsets {sound.start_offset} to {sound.end_offset - 1} are sound and kept"
    if sound.end_offset == sound.start_offset:
        kept = f"{name}: no record is sound; it goes on at offset {sound.end_offset}"
    return f"{kept}; given up is what comes after: {sound.stopped_by}" if sound.stopped_by else f"{kept}, which is all"

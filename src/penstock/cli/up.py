"""`penstock up`: one broker in this process, from the first banner to the clean stop; or a cluster of several programs.

Imports no client library: what starts here also runs in production, for months.
"""

import gc
from pathlib import Path

import click

from penstock.cli.exits import ExitCode, Failure

PENSTOCK_WEB_LISTENER = "penstock.web.listener"


@click.command()
@click.option("-p", "--port", type=click.IntRange(0, 65_535), help="Listen on this port; 0 takes a free one.  "
              "[default: 9092]")  # fmt: skip
@click.option("--host", help="Listen on this address; 0.0.0.0 is every interface.  [default: 127.0.0.1]")
@click.option("-d", "--data", type=click.Path(file_okay=False, path_type=Path), envvar="PENSTOCK_DATA",
              show_envvar=True, help="The data folder, made if absent.  [default: ./penstock-data]")  # fmt: skip
@click.option("-c", "--config", "file", type=click.Path(exists=True, dir_okay=False, path_type=Path),
              envvar="PENSTOCK_CONFIG", show_envvar=True, help="A file of settings, NAME=VALUE a line.")  # fmt: skip
@click.option("-s", "--set", "pairs", multiple=True, metavar="NAME=VALUE",
              help="A setting, which wins over the file and PENSTOCK_* variables; repeatable.")  # fmt: skip
@click.option("--http-port", type=click.IntRange(0, 65_535), help="Serve /health, /ready and /metrics on this port; "
              "0 takes a free one.  [default: 9644]")  # fmt: skip
@click.option("--no-http", is_flag=True, help="Serve none of these.")
@click.option("--web-port", type=click.IntRange(0, 65_535), help="Have a web process (REST) listen on this port; 0 "
              "takes a free one.  [default: 8080]")  # fmt: skip
@click.option("--no-web", is_flag=True, help="Start no web process.")
@click.option("--log-format", type=click.Choice(["text", "json"]), help="How the log is written, to stderr.  "
              "[default: text]")  # fmt: skip
@click.option("--log-level", type=click.Choice(["debug", "info", "warning", "error"]), help="What is written to "
              "it.  [default: info]")  # fmt: skip
@click.option("-q", "--quiet", is_flag=True, help="No banner.")
@click.option("--brokers", type=click.IntRange(1, 50), help="Run a cluster of so many brokers on this machine, each a "
              "program of its own, with an etcd.")  # fmt: skip
@click.option("--etcd", type=click.IntRange(1, 7), help="With --brokers: how many etcd.  [default: 1]")
@click.option("--restart", is_flag=True, help="With --brokers: start again whoever ends unasked.")
@click.option("--networks", is_flag=True, help="With --brokers: a network for each, so that `penstock local partition` "
              "can cut them apart. Takes root.")  # fmt: skip
@click.option("--secure", is_flag=True, help="With --brokers: TLS between brokers and to etcd; TLS and logins for "
              "clients. `penstock init` secures a single broker.")  # fmt: skip
def up(
    *,
    port: int | None,
    host: str | None,
    data: Path | None,
    file: Path | None,
    pairs: tuple[str, ...],
    http_port: int | None,
    no_http: bool,
    web_port: int | None,
    no_web: bool,
    log_format: str | None,
    log_level: str | None,
    quiet: bool,
    brokers: int | None,
    etcd: int | None,
    restart: bool,
    networks: bool,
    secure: bool,
) -> ExitCode:
    """Run one broker until Ctrl-C or SIGTERM, which stop it cleanly; a second Ctrl-C does not wait.

    With --brokers, run a cluster on this machine, in ./penstock-cluster unless --data names a folder. The first broker
    has the port, the others the next ones. `penstock local` tries failures on it.

    \b
    penstock up
    penstock up --port 19092 --data /var/lib/penstock --set num.partitions=6
    penstock up --brokers 3

    Settings come from --config, then PENSTOCK_* variables (PENSTOCK_NUM_PARTITIONS=6), then --set; the last one wins.
    `penstock settings list --scope broker` shows all of them.
    """
    overrides = dict(_pair(pair) for pair in pairs)
    if no_http and http_port is not None:
        raise click.UsageError("--no-http and --http-port contradict each other")
    if no_web and web_port is not None:
        raise click.UsageError("--no-web and --web-port contradict each other")
    web = "" if no_web else None if web_port is None else f"127.0.0.1:{web_port}"
    _shorthand(overrides, "--no-web and --web-port", PENSTOCK_WEB_LISTENER, web)
    _shorthand(overrides, "--log-format", "penstock.log.format", log_format)
    _shorthand(overrides, "--log-level", "penstock.log.level", log_level)
    if brokers is not None:
        from penstock.cli.local.plan import UpOptions  # noqa: PLC0415 - only for a cluster
        from penstock.cli.local.serving import serve_cluster  # noqa: PLC0415
        from penstock.cli.local.state import DEFAULT_FOLDER  # noqa: PLC0415

        wishes = UpOptions(
            folder=data or DEFAULT_FOLDER,
            brokers=brokers,
            etcd=etcd,
            host=host,
            port=port,
            http_port=http_port,
            has_http=not no_http,
            networks=networks,
            restart=restart,
            secure=secure,
        )
        return serve_cluster(wishes, file, overrides, banner=not quiet)
    if etcd is not None or restart or networks:
        raise click.UsageError("--etcd, --restart and --networks are for a cluster: say --brokers N too")
    if secure:
        raise click.UsageError(
            "--secure is for a cluster: say --brokers N too. For a single broker `penstock init --secure` makes a "
            "configuration"
        )
    _require_no_cluster(data)
    _shorthand(overrides, "--port and --host", "listeners", _listener(host, port))
    _shorthand(overrides, "--data", "log.dirs", None if data is None else str(data))
    http = "" if no_http else None if http_port is None else f"127.0.0.1:{http_port}"
    _shorthand(overrides, "--http-port", "penstock.http.listener", http)

    gc.disable()  # until the broker runs (admin.memory): what a start makes, it keeps
    from penstock.cli.serving import serve  # noqa: PLC0415 - so that `penstock up --help` is quick

    return serve(file, overrides, banner=not quiet)


def _require_no_cluster(data: Path | None) -> None:
    if data is not None and (data / "local-cluster.json").exists():
        raise Failure(f"{data} holds a local cluster", hint="`penstock up --brokers N` runs it.")


def _pair(pair: str) -> tuple[str, str]:
    name, equals, value = pair.partition("=")
    if not equals or not name.strip():
        raise click.UsageError(f"--set wants NAME=VALUE, not {pair!r}")
    return name.strip(), value.strip()


def _listener(host: str | None, port: int | None) -> str | None:
    if host is None and port is None:
        return None
    host = host or "127.0.0.1"
    return f"PLAINTEXT://{f'[{host}]' if ':' in host else host}:{9092 if port is None else port}"


def _shorthand(overrides: dict[str, str], option: str, name: str, value: str | None) -> None:
    if value is None:
        return
    if name in overrides:
        raise click.UsageError(f"{option} and --set {name} say the same thing: give one of them")
    overrides[name] = value

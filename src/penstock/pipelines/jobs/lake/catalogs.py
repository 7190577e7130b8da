"""The catalog that a session needs: embedded in the warehouse folder, REST, or whatever the user's settings name."""

from __future__ import annotations

from pathlib import Path

from penstock.pipelines.jobs.lake.options import LakeOptions

EXTENSIONS = "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
CATALOG = "org.apache.iceberg.spark.SparkCatalog"
LOCK_WAIT_MS = 30_000


def catalog_settings(options: LakeOptions) -> dict[str, str]:
    """Spark settings for `options.catalog`; the user's own come last and win."""
    key = f"spark.sql.catalog.{options.catalog}"
    given = {name: value for name, value in options.settings.items() if name.startswith(key)}
    if key in given:
        return dict(given)
    # Not cached: another program may write the table between two of our commits.
    common = {key: CATALOG, f"{key}.cache-enabled": "false"}
    if options.catalog_uri:
        return {**common, f"{key}.type": "rest", f"{key}.uri": options.catalog_uri, **given}
    folder = Path(options.warehouse).expanduser().resolve()
    return {
        **common,
        f"{key}.type": "jdbc",
        f"{key}.uri": f"jdbc:sqlite:file:{folder}/catalog.db?busy_timeout={LOCK_WAIT_MS}&journal_mode=WAL",
        f"{key}.jdbc.schema-version": "V1",
        f"{key}.warehouse": str(folder),
        **given,
    }


def is_embedded(options: LakeOptions) -> bool:
    return options.catalog_uri is None and f"spark.sql.catalog.{options.catalog}" not in options.settings


def prepare_folder(options: LakeOptions) -> None:
    if is_embedded(options):
        Path(options.warehouse).expanduser().mkdir(parents=True, exist_ok=True)

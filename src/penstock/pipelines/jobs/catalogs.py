"""The catalog that a session needs: embedded in the warehouse folder, REST, or whatever the user's settings name."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from penstock.pipelines.paths import local_path
from penstock.pipelines.session import SparkOptions, lent, spark_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EXTENSIONS = "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
CATALOG = "org.apache.iceberg.spark.SparkCatalog"
LOCK_WAIT_MS = 30_000
WAREHOUSE = "penstock-lake"


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogOptions(SparkOptions):
    """What the options of every job with tables have."""

    catalog: str = "lake"
    warehouse: str = WAREHOUSE
    """A folder of this machine for the embedded catalog. What another one is given as it is, if it is given any."""
    catalog_uri: str | None = None
    """A REST catalog; without it, and without settings for the catalog, the embedded one in the warehouse folder."""


def opened(options: CatalogOptions, spark: SparkSession | None) -> AbstractContextManager[SparkSession]:
    """The session for a job's run: one of our own ends with it."""
    return lent(spark, lambda: session(options, spark), options.settings)


def session(options: CatalogOptions, spark: SparkSession | None) -> SparkSession:
    """The caller's session with the catalog added, or one of our own."""
    prepare_folder(options)
    catalog = catalog_settings(options)
    if spark is None:
        settings = {"spark.sql.extensions": EXTENSIONS, **catalog, **options.settings}
        return spark_session(f"penstock {options.job}", master=options.master, settings=settings)
    for name, value in catalog.items():
        spark.conf.set(name, value)
    return spark


def catalog_settings(options: CatalogOptions) -> dict[str, str]:
    """Spark settings for `options.catalog`; the user's own come last and win."""
    key = f"spark.sql.catalog.{options.catalog}"
    given = {name: value for name, value in options.settings.items() if name.startswith(key)}
    # Not cached: another program may write the table between two of our commits.
    common = {key: CATALOG, f"{key}.cache-enabled": "false"}
    if key in given:
        return {**common, **given}
    if options.catalog_uri:
        chosen = {} if options.warehouse == WAREHOUSE else {f"{key}.warehouse": options.warehouse}
        return {**common, f"{key}.type": "rest", f"{key}.uri": options.catalog_uri, **chosen, **given}
    folder = _folder(options).resolve()
    return {
        **common,
        f"{key}.type": "jdbc",
        f"{key}.uri": f"jdbc:sqlite:file:{folder}/catalog.db?busy_timeout={LOCK_WAIT_MS}&journal_mode=WAL",
        f"{key}.jdbc.schema-version": "V1",
        f"{key}.warehouse": str(folder),
        **given,
    }


def _folder(options: CatalogOptions) -> Path:
    return local_path(
        options.warehouse,
        what="the embedded catalog",
        hint="It is a file beside its tables. For tables elsewhere name a catalog: --catalog-uri URL for one with a\n"
        "REST interface, or Spark's own settings; docs/pipelines/lake.md has an example.",
    )


def is_embedded(options: CatalogOptions) -> bool:
    return options.catalog_uri is None and f"spark.sql.catalog.{options.catalog}" not in options.settings


def is_unmade(options: CatalogOptions) -> bool:
    """Whether there is no catalog yet, and so no table; to look into it would make it."""
    return is_embedded(options) and not _folder(options).exists()


def prepare_folder(options: CatalogOptions) -> None:
    if is_embedded(options):
        _folder(options).mkdir(parents=True, exist_ok=True)

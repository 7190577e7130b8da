"""Where a broker's sealing keys come from."""

from pathlib import Path

import structlog

from penstock.access.sealing import FILE_NAME, SealingKeys, read_keys, write_new_key
from penstock.settings import Config, data_folders
from penstock.settings.broker import PENSTOCK_SECRETS_KEY_FILE

_log = structlog.get_logger(__name__)


class SecretsFile:
    """The file that the setting names. Without it a broker that stands alone has one in its first data folder, made
    when there is a secret to seal: it is as safe as that folder. Brokers of a cluster must be given theirs.
    """

    def __init__(self, config: Config, *, stands_alone: bool) -> None:
        given = config[PENSTOCK_SECRETS_KEY_FILE]
        self._is_given = given is not None
        self._path = data_folders(config)[0] / FILE_NAME if given is None else Path(given)
        self._may_make = given is None and stands_alone
        self._keys: SealingKeys | None = None
        if self._is_given:
            self._keys = read_keys(self._path)

    @property
    def are_there(self) -> bool:
        return self._is_given or (self._may_make and self._path.exists())

    def keys(self) -> SealingKeys | None:
        """None: it was given none, and cannot make them. Fatal where they cannot be read."""
        if self._keys is None and self._may_make:
            if not self._path.exists():
                write_new_key(self._path)
                _log.info("secrets key made", file=str(self._path))
            self._keys = read_keys(self._path)
        return self._keys

"""How the registry refuses, with the codes of Confluent's: the first three digits are the status of the answer."""


class RegistryRefusal(Exception):
    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message

    @property
    def status(self) -> int:
        return self.code if self.code < 1000 else self.code // 100


SUBJECT_NOT_FOUND = 40401
VERSION_NOT_FOUND = 40402
SCHEMA_NOT_FOUND = 40403
SUBJECT_SOFT_DELETED = 40404
SUBJECT_NOT_SOFT_DELETED = 40405
VERSION_SOFT_DELETED = 40406
VERSION_NOT_SOFT_DELETED = 40407
NO_COMPATIBILITY_OF_ITS_OWN = 40408
NO_MODE_OF_ITS_OWN = 40409
INCOMPATIBLE = 409
INVALID_SCHEMA = 42201
INVALID_VERSION = 42202
INVALID_COMPATIBILITY = 42203
INVALID_MODE = 42204
NOT_PERMITTED = 42205
REFERENCED = 42206
INVALID_SUBJECT = 42208


def subject_not_found(subject: str) -> RegistryRefusal:
    return RegistryRefusal(SUBJECT_NOT_FOUND, f"Subject '{subject}' not found.")


def version_not_found(version: object) -> RegistryRefusal:
    return RegistryRefusal(VERSION_NOT_FOUND, f"Version {version} not found.")


def schema_not_found(schema_id: int | None = None) -> RegistryRefusal:
    return RegistryRefusal(SCHEMA_NOT_FOUND, f"Schema {schema_id} not found" if schema_id else "Schema not found")


def not_permitted(words: str) -> RegistryRefusal:
    return RegistryRefusal(NOT_PERMITTED, words)

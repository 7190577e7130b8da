"""Operations that are loaded when first used: a command that lists topics need not load what acts on quotas.

Each module of penstock.client.admin brings its messages along, and making their classes is most of what starting a
client costs.
"""

from importlib import import_module
from typing import Any


class LazyOperation:
    """A function of a module, found when it is called or looked at."""

    def __init__(self, module: str, name: str) -> None:
        self._module = module
        self.__name__ = name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return getattr(import_module(self._module), self.__name__)(*args, **kwargs)


class LazyModule:
    """Stands for a module whose functions are named before they are needed."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> LazyOperation:
        return LazyOperation(self._module, name)

"""One file an API. Importing this package imports them all, and so fills the registry that ApiVersions answers from."""

from importlib import import_module
from pkgutil import iter_modules

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

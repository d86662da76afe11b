"""Lets a framework be imported for its arithmetic where its heavy dependencies are missing.

A module that is named to `missing` and cannot be had becomes one whose every attribute is
an empty class. What a function of the framework computes with torch and numpy runs as it
is. What would need the missing package gives nonsense, and nothing here calls it.
"""

import importlib
import importlib.machinery
import importlib.util
import sys
import types


class _Meta(type):
    def __getattr__(cls, name):
        return _empty(name)

    def __or__(cls, other):  # X | None in an annotation
        return cls

    __ror__ = __or__

    def __add__(cls, other):  # a list of the package, to which another is added
        return other


class Empty(metaclass=_Meta):
    """An attribute of a missing module: a class to inherit from, a decorator, a type."""

    def __new__(cls, *args, **kwargs):
        if len(args) == 1 and not kwargs and isinstance(args[0], (type, types.FunctionType)):
            return args[0]  # a decorator gives back what it decorates
        return object.__new__(cls)

    def __init__(self, *args, **kwargs):
        pass

    def __init_subclass__(cls, **settings):
        pass

    def __class_getitem__(cls, item):
        return cls

    def __getattr__(self, name):
        return _empty(name)

    def __call__(self, *args, **kwargs):
        return Empty(*args, **kwargs)

    def __bool__(self):
        return False

    def __iter__(self):
        return iter(())


def _empty(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return _Meta(name, (Empty,), {})


class _Module(types.ModuleType):
    __version__ = "99.0.0"  # passes for new enough

    def __getattr__(self, name):
        return _empty(name)


class _Finder:
    """Finds empty modules for some names and for all that is below them."""

    def __init__(self):
        self.names = set()

    def find_spec(self, name, path=None, target=None):
        parts = name.split(".")
        if any(".".join(parts[: i + 1]) in self.names for i in range(len(parts))):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return _Module(spec.name)

    def exec_module(self, module):
        pass


_finder = _Finder()


def missing(*names):
    """Makes empty modules of those that are not installed. A module of an installed
    package (with a dot in its name) is tried: PyTorch of another age may lack it."""
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)
    for name in names:
        try:
            if "." in name:
                importlib.import_module(name)
            elif importlib.util.find_spec(name) is None:
                _finder.names.add(name)
        except Exception:
            for loaded in [m for m in sys.modules if m == name or m.startswith(name + ".")]:
                del sys.modules[loaded]
            _finder.names.add(name)

"""The version, in one place: the build reads it from here. Between releases it is the next one with `.dev0`."""

__version__ = "0.2.0.dev0"

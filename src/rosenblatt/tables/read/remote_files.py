"""Files at addresses of Amazon S3, Google Cloud Storage, Azure, Hadoop, or file://, by Arrow's file systems.

Credentials and regions come from where each vendor's tools look for them. Every request ends within a bounded time.
"""

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from ...foundation.errors import InputError

CONNECT_SECONDS, REQUEST_SECONDS, ATTEMPTS = 5, 30, 2
RETRY_SECONDS = 10  # of Google Cloud Storage
BUFFER_BYTES = 1 << 22  # of one request
MAX_REASON = 160  # characters of a file system's own words
WILDCARDS = "*?["
# What the words of a file system's error mean. The first that occurs decides.
CAUSES = (
    (("no_such_bucket", "bucket not found", "bucket does not exist"), "there is no such bucket", "check its name"),
    (
        (
            "access_denied",
            "access denied",
            "credential",
            "forbidden",
            "unauthorized",
            "permission",
            "access_key",
        ),
        "access is refused",
        "check the credentials",
    ),
    (
        ("network", "curl", "timed out", "timeout", "resolve host", "connect", "unavailable"),
        "it cannot be reached",
        "check the address and the network",
    ),
    (("libhdfs", "libjvm"), "the libraries of Hadoop are missing", "set HADOOP_HOME, JAVA_HOME and CLASSPATH"),
    (("not found", "no such", "does not exist", "404"), "it does not exist", "check the address"),
)


def open_remote(address: str) -> Any:
    """An Arrow file for random reads."""
    with remote_errors(address):
        system, path = locate(address)
        return system.open_input_file(path)


def open_remote_bytes(address: str) -> Any:
    """A buffered file of bytes."""
    return io.BufferedReader(RemoteBytes(address), BUFFER_BYTES)


class RemoteBytes(io.RawIOBase):
    """The bytes of a file at an address; errors while they are read name it."""

    def __init__(self, address: str) -> None:
        self._address, self._file = address, open_remote(address)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        with remote_errors(self._address):
            return int(self._file.readinto(buffer))

    def seek(self, offset: int, whence: int = 0) -> int:
        return int(self._file.seek(offset, whence))

    def tell(self) -> int:
        return int(self._file.tell())

    def close(self) -> None:
        if "_file" in self.__dict__:
            self._file.close()
        super().close()


def size_and_change(address: str) -> tuple[int, int]:
    """How large a file is in bytes, and when it changed, in nanoseconds."""
    with remote_errors(address):
        system, path = locate(address)
        found = system.get_file_info(path)
    if not found.is_file:
        raise InputError(f"{address} cannot be read, because it does not exist: check the address.")
    return found.size, found.mtime_ns or 0


def expand_address(address: str) -> list[tuple[str, str]]:
    """The files of an address, folder or pattern, sorted, each with its path in the folder; none if nothing is there.

    Hidden files, whose names begin with a dot or an underscore, are left out of folders.
    """
    with remote_errors(address):
        system, path = locate(address)
        begin = address[: len(address) - len(path)]
        if any(mark in path for mark in WILDCARDS):
            return [(begin + file, "") for file in _matching(system, path)]
        found = system.get_file_info(path)
        if found.is_file:
            return [(address, "")]
        files = _files_below(system, path.rstrip("/")) if found.type.name == "Directory" else []
    inside = [(file, file[len(path.rstrip("/")) + 1 :]) for file in files]
    return [(begin + file, rest) for file, rest in inside if not any(part[0] in "._" for part in rest.split("/"))]


def _matching(system: Any, pattern: str) -> list[str]:
    """The files whose paths match a pattern; ** matches any number of folders."""
    parts = pattern.split("/")
    fixed = next(place for place, part in enumerate(parts) if any(mark in part for mark in WILDCARDS))
    return [file for file in _files_below(system, "/".join(parts[:fixed])) if matches(file.split("/"), parts)]


def matches(path: list[str], pattern: list[str]) -> bool:
    """Whether the parts of a path match those of a pattern.

    >>> matches(["a", "b", "c.csv"], ["a", "**", "*.csv"]), matches(["a", "b", "c.csv"], ["a", "*.csv"])
    (True, False)
    """
    if not pattern or not path:
        return not path and all(part == "**" for part in pattern)
    if pattern[0] == "**":
        return matches(path, pattern[1:]) or matches(path[1:], pattern)
    return fnmatchcase(path[0], pattern[0]) and matches(path[1:], pattern[1:])


def _files_below(system: Any, folder: str) -> list[str]:
    from pyarrow.fs import FileSelector

    return sorted(found.path for found in system.get_file_info(FileSelector(folder, recursive=True)) if found.is_file)


def locate(address: str) -> tuple[Any, str]:
    """The file system of an address, and the path there."""
    scheme, place = urlsplit(address, allow_fragments=False)[:2]
    rest = address[len(scheme) + 3 :]  # a pattern may hold a question mark
    if scheme == "file":
        return file_system(scheme, ""), rest
    if scheme in ("hdfs", "viewfs"):
        return file_system(scheme, place), rest[len(place) :]
    return file_system(scheme, rest.partition("/")[0]), rest


@lru_cache(64)
def file_system(scheme: str, place: str) -> Any:
    """The file system of a scheme; `place` is the bucket or the host."""
    from pyarrow import fs

    if scheme == "s3":
        return fs.S3FileSystem(**s3_options(place))
    if scheme in ("gs", "gcs"):
        return fs.GcsFileSystem(retry_time_limit=timedelta(seconds=RETRY_SECONDS))
    return fs.FileSystem.from_uri(f"{scheme}://{place}/")[0]


def s3_options(bucket: str) -> dict[str, Any]:
    """What a connection to S3 needs. AWS_ENDPOINT_URL names a server other than Amazon's."""
    from pyarrow import fs

    options: dict[str, Any] = {"connect_timeout": CONNECT_SECONDS, "request_timeout": REQUEST_SECONDS}
    options["retry_strategy"] = fs.AwsStandardS3RetryStrategy(max_attempts=ATTEMPTS)
    endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    if endpoint:
        options["scheme"], _, options["endpoint_override"] = endpoint.rstrip("/").partition("://")
    if region or not endpoint:
        options["region"] = region or fs.resolve_s3_region(bucket)
    return options


@contextmanager
def remote_errors(address: str) -> Iterator[None]:
    """Turn errors of a file system into one sentence that names the address."""
    try:
        yield
    except InputError:
        raise
    except (OSError, ValueError, NotImplementedError) as error:
        raise remote_error(address, error) from None


def remote_error(address: str, error: BaseException) -> InputError:
    """
    >>> str(remote_error("s3://b/rows.csv", OSError("AWS Error ACCESS_DENIED during HeadObject operation")))
    's3://b/rows.csv cannot be read, because access is refused: check the credentials.'
    """
    words = " ".join(str(error).split())
    for marks, cause, advice in CAUSES:
        if any(mark in words.lower() for mark in marks):
            return InputError(f"{address} cannot be read, because {cause}: {advice}.")
    return InputError(f"{address} cannot be read ({words[:MAX_REASON].rstrip('. ')}): check the address.")

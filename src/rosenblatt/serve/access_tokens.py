"""Bearer tokens: a file says which scopes each token opens. Tokens are compared in constant time."""

import hmac
from collections.abc import Mapping
from hashlib import sha256
from itertools import takewhile
from pathlib import Path

from ..foundation.errors import InputError

SCOPES = ("predict", "learn", "admin")
MIN_TOKEN = 16  # characters


class AccessTokens:
    """The scopes of each token, by a digest of it.

    >>> tokens = AccessTokens({"0123456789abcdef": {"predict"}})
    >>> tokens.allow("Bearer 0123456789abcdef", "predict"), tokens.allow("Bearer 0123456789abcdef", "learn")
    (True, False)
    """

    def __init__(self, tokens: Mapping[str, set[str]]) -> None:
        self._scopes = {sha256(token.encode()).digest(): scopes for token, scopes in tokens.items()}

    @classmethod
    def read(cls, path: Path) -> "AccessTokens":
        """Tokens of a file: scopes joined by commas, a space, and the token on each line.

        A word that begins with # begins a comment. A token on several lines has the scopes of all of them.
        """
        tokens: dict[str, set[str]] = {}
        for number, line in enumerate(_lines(path), 1):
            words = list(takewhile(lambda word: not word.startswith("#"), line.split()))
            if not words:
                continue
            scopes = set(words[0].split(","))
            if len(words) != 2 or not scopes <= set(SCOPES) or len(words[1]) < MIN_TOKEN:
                wanted = f"scopes ({', '.join(SCOPES)}) joined by commas, and a token of {MIN_TOKEN} characters or more"
                raise InputError(f"{path}, line {number} must hold {wanted}.")
            tokens.setdefault(words[1], set()).update(scopes)
        if not tokens:
            raise InputError(f"{path} holds no tokens: write lines such as `predict,learn TOKEN`.")
        return cls(tokens)

    def allow(self, authorization: str, scope: str) -> bool:
        """Whether the Authorization header of a request opens a scope. Every token is compared."""
        kind, _, token = authorization.partition(" ")
        given = sha256(token.strip().encode("utf-8", "replace")).digest()
        found = [scopes for known, scopes in self._scopes.items() if hmac.compare_digest(known, given)]
        return kind.lower() == "bearer" and any(scope in scopes for scopes in found)


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        raise InputError(f"{path} is not a text in UTF-8: write lines such as `predict,learn TOKEN`.") from None

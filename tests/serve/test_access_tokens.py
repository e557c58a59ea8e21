"""The file of tokens: what a line means, and which files are refused."""

import pytest

from rosenblatt.foundation.errors import InputError
from rosenblatt.serve.access_tokens import AccessTokens

TOKEN = "0123456789abcdef"


def read(tmp_path, content):
    path = tmp_path / "tokens"
    path.write_bytes(content)
    return AccessTokens.read(path)


def test_a_number_sign_within_a_token_belongs_to_it(tmp_path):
    tokens = read(tmp_path, f"#all\npredict {TOKEN}#rest # a comment\nlearn {TOKEN} #another\n".encode())
    assert tokens.allow(f"Bearer {TOKEN}#rest", "predict")
    assert not tokens.allow(f"Bearer {TOKEN}", "predict")
    assert tokens.allow(f"Bearer {TOKEN}", "learn")


def test_a_token_on_two_lines_has_the_scopes_of_both(tmp_path):
    tokens = read(tmp_path, f"predict {TOKEN}\nlearn {TOKEN}\n".encode())
    assert [tokens.allow(f"Bearer {TOKEN}", scope) for scope in ("predict", "learn", "admin")] == [True, True, False]


def test_a_file_that_is_no_text_is_refused(tmp_path):
    with pytest.raises(InputError, match="tokens is not a text in UTF-8"):
        read(tmp_path, b"predict \xff\xfe0123456789abcdef\n")

"""The page of survivors: the sections of one campaign are written, the others stay."""

import survivors
from mutant import Mutant


def test_the_sections_of_other_folders_stay(tmp_path, monkeypatch):
    for name in ("core/loop/a.cpp", "src/b.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("a < 1;\nb < 2\n")
    (tmp_path / "reasons.csv").write_text("src/b.py,b < 2,2 -> 3,equivalent: b is never 2\n")
    monkeypatch.setattr(survivors, "ROOT", tmp_path)
    monkeypatch.setattr(survivors, "PAGE", tmp_path / "page.md")
    monkeypatch.setattr(survivors, "REASONS", tmp_path / "reasons.csv")
    survivors.write_page([Mutant("core/loop/a.cpp", 0, 1, 4, 1, "constant", "1", "2")], "core/loop")
    survivors.write_page([Mutant("src/b.py", 0, 1, 4, 1, "constant", "1", "2")], "src")
    survivors.write_page([Mutant("src/b.py", 1, 2, 4, 2, "constant", "2", "3")], "src")
    page = (tmp_path / "page.md").read_text().removeprefix(survivors.HEADING)
    assert page == (
        "\n## core/loop/a.cpp\n\n- line 1, `1` to `2`: no test yet\n"
        "\n## src/b.py\n\n- line 2, `2` to `3`: equivalent: b is never 2\n"
    )

"""Where ratings and names of raters come from."""

from __future__ import annotations

import shlex

import pytest

from adequa.errors import DataError
from adequa.human.judgments import named_raters, rating_files, shell_command


def test_a_campaigns_folder_stands_for_its_ratings(tmp_path):
    folder = tmp_path / "campaign"
    folder.mkdir()
    with pytest.raises(DataError, match=r"is a folder without ratings\.jsonl"):
        rating_files([folder])
    (folder / "campaign.json").write_text("{}")
    with pytest.raises(DataError, match=r"is a campaign without ratings\.jsonl; export"):
        rating_files([folder])
    (folder / "ratings.jsonl").write_text("")
    other = tmp_path / "other.csv"
    assert rating_files([folder, other]) == [folder / "ratings.jsonl", other]


def test_names_and_files_of_names(tmp_path):
    path = tmp_path / "raters.txt"
    path.write_text("bob\r\n\nann of Aarhus\n", encoding="utf-8")
    assert named_raters(["cy", f"@{path}", "bob", "@@dee", "@"]) == [
        "@",
        "@dee",
        "ann of Aarhus",
        "bob",
        "cy",
    ]
    with pytest.raises(DataError):
        named_raters([f"@{tmp_path / 'absent.txt'}"])


def test_a_command_is_what_a_shell_reads():
    words = ["adequa", "a b", "it's", "$x", "@@ann"]
    assert shlex.split(shell_command(words)) == words
    assert shell_command(["a\tb\\'"]) == r"$'a\U00000009b\\\''"

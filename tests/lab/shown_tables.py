"""Tables to show in the lab: written, and asked about."""

from rosenblatt.lab.user_data import open_user_data


def write_csv(path, bunch):
    header = ",".join([*bunch.feature_names, "kind"])
    rows = [
        ",".join([*map(str, row), str(bunch.target_names[k])]) for row, k in zip(bunch.data, bunch.target, strict=True)
    ]
    path.write_text("\n".join([header, *rows]) + "\n")
    return path


def ask(files, target, drop=(), question="data"):
    """The handler of one question about files."""
    return open_user_data(files, target, drop)[question]

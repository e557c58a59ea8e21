"""The names of the commands. Each is a module or folder of this package with a function of the same name."""

COMMANDS = (
    "train",
    "predict",
    "evaluate",
    "explain",
    "export",
    "check",
    "summary",
    "verify",
    "lab",
    "serve",
    "log",
    "cache",
)

COMPLETION_REQUEST = "_ROSENBLATT_COMPLETE"  # set by a shell that asks for completions, which offer hidden options too

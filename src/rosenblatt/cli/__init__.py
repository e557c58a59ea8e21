"""The command line. One file a command; what takes long to import is imported only by the work that needs it."""


def main() -> None:
    """Run `rosenblatt` with the arguments it was called with."""
    try:
        from .app import app

        app(prog_name="rosenblatt")
    except KeyboardInterrupt:  # so early that no command has begun
        raise SystemExit(130) from None

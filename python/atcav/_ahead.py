"""Hashes of examples that lie whole somewhere, computed beside what a GPU does."""
import contextlib
import threading

_PIECE_BYTES = 1 << 26


class Hashes:
    """Of one set's rows, in order."""

    def __init__(self):
        self._there, self._given = [], 0
        self._over = False
        self._changed = threading.Condition()

    def add(self, more) -> None:
        with self._changed:
            self._there += more
            self._changed.notify_all()

    def end(self) -> None:
        with self._changed:
            self._over = True
            self._changed.notify_all()

    def take(self, first: int, last: int):
        """Waits for them. None where nobody computes them: rows that are read once more may have changed since."""
        with self._changed:
            if first != self._given:
                return None
            self._changed.wait_for(lambda: len(self._there) >= last or self._over)
            if len(self._there) < last:
                return None
            self._given = last
            return self._there[first:last]


@contextlib.contextmanager
def hashed_ahead(sets):
    """Inside, one thread hashes the sets, one after the other in the order in which they are read."""
    for one in sets:
        one.ahead = Hashes()
    over = threading.Event()
    thread = threading.Thread(target=_hash_all, args=(sets, over), daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        for one in sets:
            one.ahead = None


def _hash_all(sets, over) -> None:
    try:
        for one in sets:
            step = max(1, _PIECE_BYTES // max(1, one.row_bytes))
            for first in range(0, one.rows, step):
                if over.is_set():
                    return
                one.ahead.add(one.hashes(first, min(step, one.rows - first)))
    except Exception:  # whoever reads these rows meets it too, and says it
        pass
    finally:
        for one in sets:
            one.ahead.end()

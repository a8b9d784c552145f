"""Which rows each refit uses. Random rows are 0 … n1-1, concept rows n1 … n1+n2-1; a choice is a pair of lists."""
from oracle import streams
from oracle.streams import Stream


def shuffled(first, count, stream):
    return [first + i for i in stream.permutation(count)]


def part(rows, t, parts):
    n = len(rows)
    return rows[t * n // parts : (t + 1) * n // parts]


class Resampling:
    def __init__(self, n1, n2, seed, name):
        self.n1, self.n2, self.seed, self.key = n1, n2, seed, streams.key_word(name)

    def _both(self, stream):
        random = shuffled(0, self.n1, stream)
        return random, shuffled(self.n1, self.n2, stream)

    def full(self):
        return list(range(self.n1)), list(range(self.n1, self.n1 + self.n2))

    def splits(self, runs, both):
        random, positive = self._both(Stream(self.seed, streams.SPLIT, self.key))
        return [(part(random, t, runs), part(positive, t, runs) if both else positive) for t in range(runs)]

    def random_null(self, runs):
        rows = shuffled(0, self.n1, Stream(self.seed, streams.RANDOM_NULL, self.key))
        return [(part(rows, (t + 1) % runs, runs), part(rows, t, runs)) for t in range(runs)]

    def bootstrap(self, count):
        for k in range(count):
            stream = Stream(self.seed, streams.BOOTSTRAP, self.key, k)
            random = [stream.below(self.n1) for _ in range(self.n1)]
            yield random, [self.n1 + stream.below(self.n2) for _ in range(self.n2)]

    def permutations(self, count):
        for k in range(count):
            order = Stream(self.seed, streams.PERMUTATION, self.key, k).permutation(self.n1 + self.n2)
            yield sorted(order[self.n2 :]), order[: self.n2]

    def parts(self, parts, splits):
        for k in range(splits):
            random, positive = self._both(Stream(self.seed, streams.HALVES, self.key, k))
            for t in range(parts):
                yield part(random, t, parts), part(positive, t, parts)

    def jackknife(self, groups, drawing=0):
        """For each group left out: what is kept, and two complementary pairs of halves of it."""
        sets = self._both(Stream(self.seed, streams.JACKKNIFE, self.key, *([drawing] if drawing else [])))

        def kept(group, pairing, half):
            return tuple(
                [row for i, row in enumerate(rows)
                 if i % groups != group and (pairing == 0 or (i // pairing) % 2 == half)]
                for rows in sets
            )

        for group in range(groups):
            whole = kept(group, 0, 0)
            halves = [kept(group, pairing, half) for pairing in (1, 2) for half in (0, 1)]
            yield whole, [h if h[0] and h[1] else whole for h in halves]

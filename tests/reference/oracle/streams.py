"""The keyed SplitMix64 streams of include/atcav/random.h, so that both programs resample the same rows."""
import math

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
SPLIT, BOOTSTRAP, HALVES, JACKKNIFE, PERMUTATION, RANDOM_NULL = range(1, 7)
INPUTS = 11


def mix(z):
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def key_word(name):
    """FNV-1a of the name's bytes."""
    word = 0xCBF29CE484222325
    for byte in name.encode():
        word = ((word ^ byte) * 0x100000001B3) & MASK
    return word


class Stream:
    def __init__(self, seed, *key):
        self.state = mix((seed + GOLDEN) & MASK)
        for word in key:
            self.state = mix(self.state ^ mix((word + GOLDEN) & MASK))

    def next(self):
        self.state = (self.state + GOLDEN) & MASK
        return mix(self.state)

    def uniform(self):
        return (self.next() >> 11) * 2.0**-53

    def below(self, bound):
        return (self.next() * bound) >> 64

    def permutation(self, n):
        order = list(range(n))
        for i in range(n - 1, 0, -1):
            j = self.below(i + 1)
            order[i], order[j] = order[j], order[i]
        return order

    def normals(self, count):
        """Box–Muller pairs, cosine first."""
        values = []
        while len(values) < count:
            radius = math.sqrt(-2 * math.log1p(-self.uniform()))
            angle = 2 * math.pi * self.uniform()
            values += [radius * math.cos(angle), radius * math.sin(angle)]
        return values[:count]

"""The training of a sparse autoencoder in PyTorch, beside the same steps in NumPy's float64."""
import unittest

import numpy
from networks import torch

from atcav import _autoencoder

ADAM = (0.9, 0.999, 1e-8)


class Steps(unittest.TestCase):
    def setUp(self):
        draw = numpy.random.default_rng(0)
        features = draw.normal(size=(16, 32)) / 32 ** 0.5
        codes = draw.uniform(0.5, 1.5, (900, 16)) * (draw.random((900, 16)) < 0.15)
        self.rows = (codes @ features + 0.02 * draw.normal(size=(900, 32))).astype(numpy.float32)
        self.centre = self.rows.mean(0, keepdims=True)
        self.start = self.rows[:12] - self.centre
        self.start /= numpy.linalg.norm(self.start, axis=1, keepdims=True)
        self.batches = [draw.permutation(900)[:200] for _ in range(60)]
        self.trainer = _autoencoder.Trainer(self.rows, self.start, self.start.copy(), self.centre, 1.25, 3, ADAM,
                                            device=torch.device("cpu"))

    def test_are_those_of_float64(self):
        decoder = encoder = self.start.astype(float)
        mean, square, uses = [0, 0], [0, 0], 0
        for number, batch in enumerate(self.batches, 1):
            self.trainer.step(batch, 0.007)
            y = (self.rows[batch].astype(float) - self.centre) / 1.25
            values = y @ encoder.T
            codes = values * ((values >= numpy.sort(values, 1)[:, -3:-2]) & (values > 0))
            errors, used = codes @ decoder - y, codes > 0
            uses = uses + used.sum(0)
            down = codes.T @ errors / 100
            slopes = down - (down * decoder).sum(1, keepdims=True) * decoder, (errors @ decoder.T * used).T @ y / 100
            steps = []
            for i, slope in enumerate(slopes):
                mean[i] = 0.9 * mean[i] + 0.1 * slope
                square[i] = 0.999 * square[i] + 0.001 * slope ** 2
                steps.append(0.007 * mean[i] / (1 - 0.9 ** number) / (numpy.sqrt(square[i] / (1 - 0.999 ** number)) + 1e-8))
            decoder, encoder = decoder - steps[0], encoder - steps[1]
            decoder = decoder / numpy.linalg.norm(decoder, axis=1, keepdims=True)
        found = self.trainer.finish()
        numpy.testing.assert_allclose(found[0], encoder, atol=1e-5)
        numpy.testing.assert_allclose(found[1], decoder, atol=1e-5)
        self.assertEqual(self.trainer.take_uses(), uses.tolist())
        self.assertEqual(self.trainer.take_uses(), [0] * 12)

    def test_features_start_anew_at_the_rows_that_are_told_worst(self):
        self.trainer.step(self.batches[0], 0.0)
        errors = self.trainer._errors.numpy()
        worst = numpy.argsort(-numpy.linalg.norm(errors, axis=1))[:2]
        self.trainer.restart(numpy.array([5, 3]))
        for weights in self.trainer.finish():
            ways = -errors[worst] / numpy.linalg.norm(errors[worst], axis=1, keepdims=True)
            numpy.testing.assert_allclose(weights[[5, 3]], ways, atol=1e-6)
            numpy.testing.assert_allclose(weights[4], self.start[4], atol=1e-6)


if __name__ == "__main__":
    unittest.main()

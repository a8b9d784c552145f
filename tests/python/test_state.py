"""Models with a will of their own: hooks, dropout, in-place operations, changes; the answer is right or an error says why,
and the model is left as it was."""
import copy
import threading
import unittest

import numpy
from networks import RANDOM, STRIPED, ZEBRAS, mlp, run, sensitivities
import torch


def state(model):
    """All that a run could leave behind."""
    return ([module.training for module in model.modules()],
            [(len(m._forward_hooks), len(m._forward_pre_hooks), len(m._backward_hooks)) for m in model.modules()],
            [(p.requires_grad, p.device, p.dtype, p.data_ptr(), p._version) for p in model.parameters()],
            [None if p.grad is None else p.grad.tolist() for p in model.parameters()], torch.is_grad_enabled())


def plain_mlp():
    torch.manual_seed(1)
    return torch.nn.Sequential(torch.nn.Linear(6, 5), torch.nn.Tanh(), torch.nn.Linear(5, 3))


class LeftAsItWas(unittest.TestCase):
    def test_modes_hooks_weights_and_gradients(self):
        model = mlp()  # in training mode, but
        model[3].eval()
        model(ZEBRAS).sum().backward()  # gradients of a training in progress
        noise = []
        model[0].register_forward_hook(lambda *_: noise.append(1))
        before = state(model)
        run(model, ["0", "1"], intervene=4)
        self.assertEqual(state(model), before)
        self.assertGreater(len(noise), 0)

    def test_also_after_an_error(self):
        model = mlp()
        before = state(model)

        def broken():
            yield ZEBRAS[:5]
            raise OSError("disk gone")
        with self.assertRaisesRegex(OSError, "disk gone"):
            run(model, concepts={"striped": broken()})

        class Later:
            def __init__(self):
                self.looks = 0

            def __iter__(self):
                self.looks += 1
                yield STRIPED[:15]
                if self.looks > 1:
                    raise OSError("disk gone")
                yield STRIPED[15:]
        with self.assertRaisesRegex(OSError, "disk gone"):
            run(model, concepts={"striped": Later()})
        self.assertEqual(state(model), before)

    def test_after_an_error_before_the_first_example(self):
        model = torch.nn.Sequential(torch.nn.LazyLinear(5), torch.nn.Dropout())  # weights that are not there yet
        for _ in range(2):  # and nothing stays locked
            with self.assertRaisesRegex(ValueError, "uninitialized parameter"):
                run(model)
        self.assertEqual([module.training for module in model.modules()], [True] * 3)

    def test_after_an_error_in_the_model(self):
        class Breaks(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.body, self.calls = torch.nn.Linear(6, 3), 0

            def forward(self, x):
                self.calls += 1
                if self.calls > 5:
                    raise KeyError("the sixth call")
                return self.body(x)
        model = Breaks()
        before = state(model)
        with self.assertRaisesRegex(KeyError, "the sixth call"):
            run(model, "body", batch=4)
        self.assertEqual(state(model), before)

    def test_weights_that_are_merged_for_evaluation(self):
        class LowRank(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.weight, self.more = torch.nn.Parameter(torch.randn(3, 5)), torch.randn(3, 5)

            def train(self, mode=True):
                if self.training != mode:
                    self.weight.data += -self.more if mode else self.more  # autograd's count of versions misses it
                return super().train(mode)

            def forward(self, x):
                return x @ (self.weight + self.more * self.training).T
        model = torch.nn.Sequential(torch.nn.Linear(6, 5), LowRank()).train()
        before, weight = state(model), model[1].weight.detach().clone()
        want = (model[1].weight + model[1].more)[2].detach()
        found = run(model, "0")
        self.assertEqual(state(model), before)
        torch.testing.assert_close(model[1].weight.detach(), weight)
        cav = found.cavs["0"]["striped"]
        numpy.testing.assert_allclose(sensitivities(found), numpy.full(len(ZEBRAS), want.numpy() @ cav), rtol=1e-4)

    @unittest.skipUnless(torch.cuda.is_available(), "there is no GPU")
    def test_on_a_gpu(self):
        want = sensitivities(run(mlp()))
        model = mlp().cuda()
        before = state(model)
        found = run(model, random=RANDOM.cuda())  # examples here and there
        self.assertEqual(state(model), before)
        numpy.testing.assert_allclose(sensitivities(found), want, atol=1e-5)


class RightAnswer(unittest.TestCase):
    def same(self, model, want=None):
        want = sensitivities(run(plain_mlp())) if want is None else want
        numpy.testing.assert_allclose(sensitivities(run(model)), want, atol=1e-5)

    def test_frozen_weights_and_no_grad_around_change_nothing(self):
        model = mlp()
        free = run(model)
        for weight in model.parameters():
            weight.requires_grad_(False)
        with torch.no_grad():
            self.assertEqual(free.results, run(model).results)
        with torch.inference_mode():
            self.assertEqual(free.results, run(model, random=RANDOM.clone()).results)

    def test_hooks_of_the_user_count(self):
        scaled = plain_mlp()
        with torch.no_grad():
            scaled[0].weight *= 2
            scaled[0].bias *= 2
        want = sensitivities(run(scaled))
        after, before = plain_mlp(), plain_mlp()
        after[0].register_forward_hook(lambda module, inputs, output: 2 * output)
        self.same(after, want)
        before[1].register_forward_pre_hook(lambda module, inputs: (2 * inputs[0],))
        # At layer 0 the doubling lies behind: activations are half as long, gradients twice.
        self.same(before, want)

    def test_backward_hooks_of_the_user_run(self):
        model, seen = plain_mlp(), []
        model[2].register_full_backward_hook(lambda *_: seen.append(1))
        self.same(model)
        self.assertGreater(len(seen), 0)

    def test_dropout_in_training_mode_is_off(self):
        torch.manual_seed(1)
        model = torch.nn.Sequential(torch.nn.Linear(6, 5), torch.nn.Tanh(), torch.nn.Dropout(0.5), torch.nn.Linear(5, 3))
        self.same(model.train())

    def test_in_place_operations_before_at_and_behind_the_layer(self):
        class InPlace(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.body = plain_mlp()

            def forward(self, x):
                x.mul_(2)  # what it was given
                h = self.body[0](x)
                h.tanh_()
                return self.body[2](h).mul_(3)
        before = [ZEBRAS.clone(), STRIPED.clone(), RANDOM.clone()]
        found = run(InPlace(), "body.0")
        plain = plain_mlp()
        with torch.no_grad():
            plain[0].weight *= 2
            plain[2].weight *= 3
        numpy.testing.assert_allclose(sensitivities(found), sensitivities(run(plain)), atol=1e-5)
        for mine, was in zip((ZEBRAS, STRIPED, RANDOM), before):
            torch.testing.assert_close(mine, was, rtol=0, atol=0)

    def test_an_output_that_is_overwritten_now_and_then(self):
        class Net(torch.nn.Module):
            def __init__(self, in_place):
                super().__init__()
                torch.manual_seed(0)
                self.first, self.second, self.last = torch.nn.Linear(6, 5), torch.nn.Linear(5, 4), torch.nn.Linear(4, 3)
                self.in_place = in_place

            def forward(self, x):
                h = self.first(x)
                if len(x) > 2:  # not in the first look
                    h = h.abs_() if self.in_place else h.abs()
                return self.last(torch.tanh(self.second(h)))

        # Without a target's gradient of `first`, which autograd refuses to overwrite.
        given = {"classes": {"zebra": (2, ZEBRAS[:2])}}
        self.assertEqual(run(Net(True), ["first", "second"], **given).results,
                         run(Net(False), ["first", "second"], **given).results)

    def test_batches_that_the_device_has_no_room_for(self):
        class Net(torch.nn.Module):
            def __init__(self, room):
                super().__init__()
                torch.manual_seed(0)
                self.first, self.last, self.room = torch.nn.Linear(6, 5), torch.nn.Linear(5, 3), room

            def forward(self, x):
                if len(x) > self.room:
                    raise torch.cuda.OutOfMemoryError("no room")
                return self.last(torch.tanh(self.first(x)))

        targets = [0, 2] * 10
        want = run(Net(99), "first", {"zebra": (targets, ZEBRAS)})
        for one, other in zip(run(Net(7), "first", {"zebra": (targets, ZEBRAS)}), want):
            numpy.testing.assert_allclose(one.sensitivities, other.sensitivities, rtol=1e-4, atol=1e-7)
        with self.assertRaisesRegex(torch.cuda.OutOfMemoryError, "no room"):
            run(Net(0), "first")

    def test_batch_statistics_are_not_updated(self):
        model = torch.nn.Sequential(torch.nn.Linear(6, 5), torch.nn.BatchNorm1d(5), torch.nn.Linear(5, 3)).train()
        before = copy.deepcopy(model.state_dict())
        run(model)
        for name, value in model.state_dict().items():
            torch.testing.assert_close(value, before[name], rtol=0, atol=0)

    def test_a_model_that_changed_between_two_runs(self):
        model = plain_mlp()
        run(model)
        with torch.no_grad():
            model[2].weight *= -1
        self.same(model, -sensitivities(run(plain_mlp())))

    def test_runs_of_one_model_in_several_threads(self):
        model, found = mlp(), []
        want = sensitivities(run(mlp()))
        threads = [threading.Thread(target=lambda: found.append(sensitivities(run(model, batch=3)))) for _ in range(3)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        numpy.testing.assert_allclose(found, [want] * 3, atol=1e-6)
        self.assertTrue(model.training)

    def test_a_model_that_another_thread_uses(self):
        model, done = plain_mlp(), threading.Event()

        def use():
            while not done.is_set():
                model(torch.ones(7, 6)).sum()
        other = threading.Thread(target=use)
        other.start()
        try:
            self.same(model)
        finally:
            done.set()
            other.join()

    @unittest.skipUnless(hasattr(torch, "compile"), "needs PyTorch 2")
    def test_a_compiled_model(self):
        self.same(torch.compile(plain_mlp(), backend="eager"))


class ClearError(unittest.TestCase):
    def refused(self, forward, error, message, **options):
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.body = torch.nn.Linear(6, 2)
                self.register_buffer("seen", torch.zeros(()))

        Net.forward = forward
        with self.assertRaisesRegex(error, message):
            run(Net(), "body", {"zebra": (1, ZEBRAS)}, **options)

    def test_random_answers(self):
        self.refused(lambda self, x: torch.nn.functional.dropout(self.body(x), 0.5, True), ValueError,
                     "different answers for the same input")

    def test_gradients_that_are_cut(self):
        self.refused(lambda self, x: self.body(x).detach() * 2, RuntimeError, "do not depend on layer 'body'")
        torch.manual_seed(1)
        head = torch.nn.Linear(2, 2)  # whose weights want gradients
        self.refused(lambda self, x: head(self.body(x).detach()), RuntimeError, "do not depend on layer 'body'")

    def test_examples_that_depend_on_the_others(self):
        def pairs(self, x):
            h = self.body(x)
            return h @ h.T

        def statistics(self, x):
            return torch.nn.functional.batch_norm(self.body(x), None, None, training=True)
        for forward in (pairs, statistics, lambda self, x: self.body(x) / len(x)):
            self.refused(forward, ValueError, "other logits for an example when others are run with it.*batch=1")
        with self.assertRaisesRegex(ValueError, "other logits for an example"):
            run(torch.nn.Sequential(torch.nn.Linear(6, 5), torch.nn.BatchNorm1d(5, track_running_stats=False),
                                    torch.nn.Linear(5, 3)))

        class ByOne(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.body = torch.nn.Linear(6, 2)

            def forward(self, x):
                return self.body(x) / len(x)
        run(ByOne(), "body", {"zebra": (1, ZEBRAS)}, batch=1)

    def test_a_layer_that_is_passed_by(self):
        self.refused(lambda self, x: x[:, :2], ValueError, "layer 'body' was not used")

    def test_weights_that_learn_on_the_way(self):
        def forward(self, x):
            with torch.no_grad():
                self.body.weight += 1e-6
            return self.body(x)
        self.refused(forward, RuntimeError, "the model changed while it was used: 'body.weight'")

    def test_a_state_that_drifts(self):
        def forward(self, x):
            self.seen += 1e-6
            return self.body(x) + self.seen
        self.refused(forward, RuntimeError, "the model changed while it was used: 'seen'")

    def test_answers_that_drift_unseen(self):
        def forward(self, x):
            self.calls = getattr(self, "calls", 0) + 1
            return self.body(x) * (1 + 1e-4 * self.calls)
        self.refused(forward, RuntimeError, "other logits for the first examples at the end than at the start", batch=1)

    def test_a_logit_that_is_no_number(self):
        self.refused(lambda self, x: self.body(x) / (x[:, :1] - ZEBRAS[7, 0]), ValueError,
                     "the logit of a class is -?inf for one of its examples, must be finite", batch=4)

    def test_types_without_gradients(self):
        self.refused(lambda self, x: torch.fft.fft(self.body(x)), ValueError, "logits are torch.complex64, must be floating")

        class Rounds(torch.nn.Module):
            def forward(self, x):
                return x.long().abs() % 9
        with self.assertRaisesRegex(ValueError, "layer '0' gives torch.int64, must be floating"):
            run(torch.nn.Sequential(Rounds(), torch.nn.Embedding(9, 3), torch.nn.Flatten()), "0")
        with self.assertRaisesRegex(TypeError, "layer '0' is compiled by torch.jit"):
            run(torch.jit.trace(plain_mlp(), ZEBRAS), "0")

    def test_a_layer_that_runs_less_often_later(self):
        def forward(self, x):
            h = self.body(x)
            return self.body(torch.cat([h, h, h], 1)) if len(x) < 5 else h
        self.refused(forward, ValueError, "layer 'body' was used once, not as often as for the first examples")


if __name__ == "__main__":
    unittest.main()

"""The training of a sparse autoencoder in PyTorch, where a module's activations lie (stats::AutoencoderTrainer in C++, which
says what each function means and what is done when)."""
import torch


class _Weights:
    def __init__(self, values, device):
        self.values = torch.from_numpy(values).to(device, copy=True)
        self.mean, self.square = torch.zeros_like(self.values), torch.zeros_like(self.values)

    def move(self, slope, step, squares_left, adam):
        momentum, squares, epsilon = adam
        self.mean.add_(slope - self.mean, alpha=1 - momentum)
        self.square.add_(slope * slope - self.square, alpha=1 - squares)
        self.values.addcdiv_(self.mean, (self.square / (1 - squares_left)).sqrt_().add_(epsilon), value=-step)

    def restart(self, features, ways):
        self.values[features] = ways
        self.mean[features], self.square[features] = 0, 0


class Trainer:
    def __init__(self, rows, encoder, decoder, centre, scale, active, adam, *, device):
        """rows: NumPy's, which stay; on the device where they fit, else batch by batch."""
        self._device, self._scale, self._active, self._adam = device, scale, active, adam
        self._rows = torch.from_numpy(rows)
        try:
            self._rows = self._rows.to(device)
        except RuntimeError:  # no room
            pass
        self._centre = torch.from_numpy(centre).to(device, copy=True)
        self._encoder, self._decoder = _Weights(encoder, device), _Weights(decoder, device)
        self._uses = torch.zeros(len(decoder), dtype=torch.int64, device=device)
        self._momentum_left = self._squares_left = 1.0

    @torch.inference_mode()
    def step(self, rows, rate):
        chosen = self._rows[torch.from_numpy(rows).to(self._rows.device)].to(self._device)
        y = (chosen - self._centre) / self._scale
        encoder, decoder = self._encoder.values, self._decoder.values
        largest, features = (y @ encoder.T).topk(self._active, 1)
        codes = y.new_zeros(len(y), len(decoder)).scatter_(1, features, largest.clamp_min(0))
        self._errors = codes @ decoder - y
        used = codes > 0
        self._uses += used.sum(0)
        slopes = (self._errors @ decoder.T) * used
        down = codes.T @ self._errors * (2 / len(y))
        down -= (down * decoder).sum(1, keepdim=True) * decoder
        self._momentum_left *= self._adam[0]
        self._squares_left *= self._adam[1]
        step = rate / (1 - self._momentum_left)
        self._decoder.move(down, step, self._squares_left, self._adam)
        self._encoder.move(slopes.T @ y * (2 / len(y)), step, self._squares_left, self._adam)
        decoder /= decoder.norm(dim=1, keepdim=True).clamp_min_(1e-30)

    def take_uses(self):
        uses = self._uses.tolist()
        self._uses.zero_()
        return uses

    @torch.inference_mode()
    def restart(self, features):
        lengths = self._errors.norm(dim=1)
        most = min(len(features), int((lengths > 0).sum()))
        worst = lengths.topk(most).indices
        ways = -self._errors[worst] / lengths[worst, None]
        which = torch.from_numpy(features[:most]).to(self._device)
        self._decoder.restart(which, ways)
        self._encoder.restart(which, ways)

    def finish(self):
        return self._encoder.values.cpu().numpy(), self._decoder.values.cpu().numpy()

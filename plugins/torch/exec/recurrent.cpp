#include "plugins/torch/exec/table.h"

// RNN, GRU and LSTM, step by step: one direction at a time, `gates`·hidden rows per weight matrix in
// ONNX's gate order (LSTM i o f c, GRU z r h).
namespace atcav::plugin {
namespace {

using Activation = at::Tensor (*)(const at::Tensor&);

Activation activation(const Call& call, std::size_t i, const char* otherwise) {
  const auto names = call.texts("activations");
  const std::string name = i < names.size() ? names[i] : otherwise;
  if (name == "Sigmoid") return at::sigmoid;
  if (name == "Tanh") return at::tanh;
  if (name == "Relu") return at::relu;
  call.fail("attribute 'activations' has '{}', which is not supported", name);
}

// What all three share: sizes, weights of one direction, and the walk through time.
struct Layer {
  const Call& call;
  std::int64_t gates, hidden, steps, batch;
  at::Tensor x, lengths;  // x: steps × batch × input
  bool backward = false;
  at::Tensor weight, recurrence, input_bias, state_bias;

  // All input products at once; [steps, batch, gates·hidden].
  at::Tensor inputs() const { return at::matmul(x, weight.t()) + input_bias; }
  at::Tensor clipped(const at::Tensor& gate) const {
    const double limit = call.real("clip", 0);
    return limit > 0 ? gate.clamp(-limit, limit) : gate;
  }
  at::Tensor gate(const at::Tensor& all, std::int64_t i) const { return all.narrow(-1, i * hidden, hidden); }
  // 1 where step t lies within the sequence, 0 beyond its end.
  at::Tensor alive(std::int64_t t) const { return (lengths > t).to(x.scalar_type()).unsqueeze(-1); }
};

at::Tensor initial_state(const Call& call, std::size_t i, std::int64_t direction, const Layer& layer) {
  if (!call.has(i)) return at::zeros({layer.batch, layer.hidden}, layer.x.options());
  const bool batch_first = call.flag("layout");
  const at::Tensor state = call.in(i).select(batch_first ? 1 : 0, direction);
  // A state of one row, made for a batch of one, serves every row.
  return state.expand({layer.batch, layer.hidden});
}

struct States {
  at::Tensor all, hidden, cell;  // all: steps × batch × hidden
};

// next(input products of step t, h, c) → (h, c)
template <typename Next>
States walk(const Layer& layer, at::Tensor h, at::Tensor c, Next next) {
  const at::Tensor inputs = layer.inputs();
  Tensors outputs(static_cast<std::size_t>(layer.steps));
  for (std::int64_t i = 0; i < layer.steps; ++i) {
    const auto t = layer.backward ? layer.steps - 1 - i : i;
    auto [new_h, new_c] = next(inputs[t], h, c);
    if (layer.lengths.defined()) {
      const at::Tensor alive = layer.alive(t);
      outputs[t] = new_h * alive;
      new_h = new_h * alive + h * (1 - alive);
      if (new_c.defined()) new_c = new_c * alive + c * (1 - alive);
    } else {
      outputs[t] = new_h;
    }
    h = new_h;
    c = new_c;
  }
  return {at::stack(outputs), h, c};
}

States run_rnn(const Layer& layer, std::size_t direction, const at::Tensor& h) {
  const Activation f = activation(layer.call, direction, "Tanh");
  return walk(layer, h, {}, [&](const at::Tensor& in, const at::Tensor& state, const at::Tensor&) {
    const at::Tensor sum = in + at::matmul(state, layer.recurrence.t()) + layer.state_bias;
    return std::pair(f(layer.clipped(sum)), at::Tensor());
  });
}

States run_gru(const Layer& layer, std::size_t direction, const at::Tensor& h) {
  const Activation f = activation(layer.call, 2 * direction, "Sigmoid");
  const Activation g = activation(layer.call, 2 * direction + 1, "Tanh");
  const bool reset_after = layer.call.flag("linear_before_reset");
  const auto n = layer.hidden;
  return walk(layer, h, {}, [&](const at::Tensor& in, const at::Tensor& state, const at::Tensor&) {
    const at::Tensor zr =
        at::matmul(state, layer.recurrence.narrow(0, 0, 2 * n).t()) + layer.state_bias.narrow(0, 0, 2 * n);
    const at::Tensor z = f(layer.clipped(layer.gate(in, 0) + layer.gate(zr, 0)));
    const at::Tensor r = f(layer.clipped(layer.gate(in, 1) + layer.gate(zr, 1)));
    const at::Tensor recurrence = layer.recurrence.narrow(0, 2 * n, n).t();
    const at::Tensor bias = layer.state_bias.narrow(0, 2 * n, n);
    const at::Tensor from_state =
        reset_after ? r * (at::matmul(state, recurrence) + bias) : at::matmul(r * state, recurrence) + bias;
    const at::Tensor candidate = g(layer.clipped(layer.gate(in, 2) + from_state));
    return std::pair((1 - z) * candidate + z * state, at::Tensor());
  });
}

States run_lstm(const Layer& layer, std::size_t direction, const at::Tensor& h) {
  const Call& call = layer.call;
  const Activation f = activation(call, 3 * direction, "Sigmoid");
  const Activation g = activation(call, 3 * direction + 1, "Tanh");
  const Activation out = activation(call, 3 * direction + 2, "Tanh");
  const auto n = layer.hidden;
  const at::Tensor peephole = call.has(7) ? call.in(7).select(0, static_cast<std::int64_t>(direction))
                                          : at::zeros({3 * n}, layer.x.options());
  const bool coupled = call.flag("input_forget");
  const at::Tensor c = initial_state(call, 6, static_cast<std::int64_t>(direction), layer);
  return walk(layer, h, c, [&](const at::Tensor& in, const at::Tensor& state, const at::Tensor& cell) {
    const at::Tensor all = in + at::matmul(state, layer.recurrence.t()) + layer.state_bias;
    const at::Tensor i = f(layer.clipped(layer.gate(all, 0) + layer.gate(peephole, 0) * cell));
    const at::Tensor forget =
        coupled ? 1 - i : f(layer.clipped(layer.gate(all, 2) + layer.gate(peephole, 2) * cell));
    const at::Tensor next = forget * cell + i * g(layer.clipped(layer.gate(all, 3)));
    const at::Tensor o = f(layer.clipped(layer.gate(all, 1) + layer.gate(peephole, 1) * next));
    return std::pair(o * out(next), next);
  });
}

using Run = States (*)(const Layer&, std::size_t, const at::Tensor&);

template <std::int64_t gates, Run run>
Tensors recurrent(const Call& call) {
  const bool batch_first = call.flag("layout");
  const at::Tensor x = batch_first ? call.in(0).transpose(0, 1) : call.in(0);
  const at::Tensor& weights = call.in(1);
  if (x.dim() != 3 || weights.dim() != 3) call.fail("X and W must have three dimensions");
  const std::string direction = call.choice("direction", {"forward", "reverse", "bidirectional"});
  const auto hidden = weights.size(1) / gates;
  Tensors all, last_h, last_c;
  for (std::int64_t d = 0; d < weights.size(0); ++d) {
    Layer layer{call, gates, hidden, x.size(0), x.size(1), x, {}, d == 1 || direction == "reverse",
                {},   {},    {},     {}};
    layer.weight = weights.select(0, d);
    layer.recurrence = call.in(2).select(0, d);
    const at::Tensor bias =
        call.has(3) ? call.in(3).select(0, d) : at::zeros({2 * gates * hidden}, x.options());
    layer.input_bias = bias.narrow(0, 0, gates * hidden);
    layer.state_bias = bias.narrow(0, gates * hidden, gates * hidden);
    if (call.has(4)) layer.lengths = call.in(4);
    const States states = run(layer, static_cast<std::size_t>(d), initial_state(call, 5, d, layer));
    all.push_back(states.all);
    last_h.push_back(states.hidden);
    if (states.cell.defined()) last_c.push_back(states.cell);
  }
  const std::int64_t stacked = batch_first ? 1 : 0;
  at::Tensor y = at::stack(all, 1);  // steps × directions × batch × hidden
  if (batch_first) y = y.permute({2, 0, 1, 3});
  Tensors results = {y, at::stack(last_h, stacked)};
  if (!last_c.empty()) results.push_back(at::stack(last_c, stacked));
  return results;
}

constexpr OpEntry kRecurrentOps[] = {{"GRU", recurrent<3, run_gru>, {3, 6, 2}},
                                     {"LSTM", recurrent<4, run_lstm>, {3, 8, 3}},
                                     {"RNN", recurrent<1, run_rnn>, {3, 6, 2}}};

}  // namespace

std::span<const OpEntry> recurrent_ops() { return kRecurrentOps; }

}  // namespace atcav::plugin

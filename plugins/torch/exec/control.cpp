#include "plugins/torch/exec/control.h"

#include <algorithm>
#include <limits>

namespace atcav::plugin {
namespace {

// One value: a tensor, or a sequence of them.
struct Held {
  at::Tensor tensor = {};
  std::optional<Tensors> sequence = {};

  bool is_there() const { return tensor.defined() || sequence.has_value(); }
};

// A control op at work: its step and the values around it.
class Control : public Attributes {
 public:
  Control(const Network& network, const Step& step, Values& values, BatchSize size)
      : Attributes(step.node), step(step), network_(network), values_(values), size_(size) {}

  const Step& step;

  bool has(std::size_t i) const {
    return i < step.inputs.size() &&
           (values_.sequences.contains(step.inputs[i]) || network_.value(values_, step.inputs[i]).defined());
  }
  Held in(std::size_t i) const {
    Held value = i < step.inputs.size() ? held(step.inputs[i]) : Held();
    if (!value.is_there()) fail("input {} is missing", i);
    return value;
  }
  at::Tensor tensor(const Held& value) const {
    if (!value.tensor.defined()) fail("expected a tensor, found a sequence or nothing");
    return value.tensor;
  }
  bool truth(const Held& value) const { return tensor(value).to(at::kBool).item<bool>(); }
  Tensors sequence_in(std::size_t i) const {
    const Held value = in(i);
    if (!value.sequence) fail("input {} must be a sequence", i);
    return *value.sequence;
  }
  std::int64_t number_in(std::size_t i) const {
    const at::Tensor value = tensor(in(i));
    if (value.numel() != 1) fail("input {} has {} numbers, must be 1", i, value.numel());
    return value.to(at::kCPU, at::kLong).item<std::int64_t>();
  }
  // Position in a sequence, counted from its end where negative; `size` itself is allowed for an insertion.
  std::int64_t position_in(std::size_t i, std::size_t size, bool may_be_end) const {
    const auto count = static_cast<std::int64_t>(size);
    const std::int64_t position = number_in(i);
    if (position < -count || position >= count + (may_be_end ? 1 : 0))
      fail("position is {}, but the sequence has {} elements", position, size);
    return position < 0 ? position + count : position;
  }

  void out(std::size_t i, const Held& value) {
    if (i < step.outputs.size() && step.outputs[i] != kNoSlot) put(step.outputs[i], value);
  }

  std::vector<Held> run_body(std::size_t which, const std::vector<Held>& arguments) {
    const Body& body = step.bodies[which];
    values_.budget.take_steps(1);
    for (std::size_t i = 0; i < arguments.size(); ++i) put(body.inputs[i], arguments[i]);
    for (const Step& inner : body.steps) {
      values_.budget.take_steps(weight(inner));
      run_step(network_, inner, values_, {}, size_);
    }
    std::vector<Held> results;
    for (const Slot slot : body.outputs) results.push_back(held(slot));
    return results;
  }

  // Tensors of a sequence that are about to be made, or listed once more, which makes some copies of the
  // list.
  static constexpr std::size_t kBytesOfTensor = 256;
  static constexpr std::size_t kBytesOfCopies = 4 * sizeof(at::Tensor);
  void take_elements(std::int64_t count, std::size_t bytes) const {
    values_.budget.take_bytes(static_cast<std::size_t>(count) * bytes);
  }

 private:
  // In steps on a few numbers: those on many count as several, and so does every time step of a recurrent op.
  std::size_t weight(const Step& inner) const {
    constexpr std::int64_t kFewNumbers = 1 << 12;
    constexpr std::int64_t kOpsPerTime = 32;
    static const std::set<std::string_view> kRecurrent = {"GRU", "LSTM", "LinearAttention", "RNN"};
    std::int64_t sum = 1;
    for (const Slot slot : inner.inputs) {
      const at::Tensor input = network_.value(values_, slot);
      if (input.defined()) sum += input.numel() / kFewNumbers;
    }
    const at::Tensor x = inner.inputs.empty() ? at::Tensor() : network_.value(values_, inner.inputs.front());
    if (kRecurrent.contains(inner.node.op) && x.defined() && x.dim() == 3)
      sum += kOpsPerTime * std::max(x.size(0), x.size(1));
    return static_cast<std::size_t>(sum);
  }

  Held held(Slot slot) const {
    const auto found = values_.sequences.find(slot);
    if (found == values_.sequences.end()) return {network_.value(values_, slot), {}};
    take_elements(std::ssize(found->second), kBytesOfCopies);
    return {{}, found->second};
  }
  void put(Slot slot, const Held& value) {
    values_[slot] = value.tensor;
    values_.sequences.erase(slot);
    if (value.sequence) values_.sequences[slot] = *value.sequence;
  }

  const Network& network_;
  Values& values_;
  BatchSize size_;
};

void run_if(Control& control) {
  const std::vector<Held> results = control.run_body(control.truth(control.in(0)) ? 0 : 1, {});
  for (std::size_t i = 0; i < results.size(); ++i) control.out(i, results[i]);
}

// Results of the rounds, one behind the other.
at::Tensor stacked(const std::vector<Tensors>& rounds, std::size_t which, std::int64_t axis = 0,
                   bool reversed = false) {
  Tensors parts;
  for (const Tensors& round : rounds) parts.push_back(round[which]);
  if (reversed) std::reverse(parts.begin(), parts.end());
  return parts.empty() ? at::empty({0}) : at::stack(parts, axis);
}

void run_loop(Control& control) {
  const std::int64_t most = control.has(0) ? control.number_in(0) : std::numeric_limits<std::int64_t>::max();
  bool goes_on = !control.has(1) || control.truth(control.in(1));
  std::vector<Held> carried;
  for (std::size_t i = 2; i < control.step.inputs.size(); ++i)
    carried.push_back(control.has(i) ? control.in(i) : Held());
  std::vector<Tensors> rounds;
  for (std::int64_t round = 0; goes_on && round < most; ++round) {
    std::vector<Held> arguments = {{at::scalar_tensor(round, at::kLong), {}},
                                   {at::scalar_tensor(goes_on, at::kBool), {}}};
    arguments.insert(arguments.end(), carried.begin(), carried.end());
    const std::vector<Held> results = control.run_body(0, arguments);
    goes_on = control.truth(results[0]);
    carried.assign(results.begin() + 1, results.begin() + 1 + static_cast<std::ptrdiff_t>(carried.size()));
    Tensors scanned;
    for (std::size_t i = carried.size() + 1; i < results.size(); ++i)
      scanned.push_back(control.tensor(results[i]));
    rounds.push_back(std::move(scanned));
  }
  for (std::size_t i = 0; i < carried.size(); ++i) control.out(i, carried[i]);
  for (std::size_t i = carried.size(); i < control.step.outputs.size(); ++i)
    control.out(i, {stacked(rounds, i - carried.size()), {}});
}

// Number i of a list, 0 beyond its end.
std::int64_t listed(const Control& control, const char* attribute, std::size_t i) {
  const Sizes list = control.integers(attribute);
  return i < list.size() ? list[i] : 0;
}

// States and results of a Scan over these states and inputs.
std::vector<at::Tensor> scanned(Control& control, Tensors states, const Tensors& inputs) {
  const std::size_t count = states.size();
  Sizes axes;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::int64_t axis = listed(control, "scan_input_axes", i);
    axes.push_back(axis < 0 ? axis + inputs[i].dim() : axis);
    if (axes.back() < 0 || axes.back() >= inputs[i].dim()) control.fail("a scan axis is out of range");
  }
  const std::int64_t length = inputs.front().size(axes.front());
  std::vector<Tensors> rounds;
  for (std::int64_t round = 0; round < length; ++round) {
    std::vector<Held> arguments;
    for (const at::Tensor& state : states) arguments.push_back({state, {}});
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const bool backwards = listed(control, "scan_input_directions", i) == 1;
      arguments.push_back({inputs[i].select(axes[i], backwards ? length - 1 - round : round), {}});
    }
    const std::vector<Held> results = control.run_body(0, arguments);
    Tensors made;
    for (std::size_t i = 0; i < results.size(); ++i)
      (i < count ? states[i] : made.emplace_back()) = control.tensor(results[i]);
    rounds.push_back(std::move(made));
  }
  for (std::size_t i = 0; i + count < control.step.bodies.front().outputs.size(); ++i) {
    states.push_back(stacked(rounds, i, listed(control, "scan_output_axes", i),
                             listed(control, "scan_output_directions", i) == 1));
  }
  return states;
}

void run_scan(Control& control, std::int64_t opset) {
  const bool by_example = opset < 9;  // with sequence lengths first, and a batch in front of everything
  const auto scans = static_cast<std::size_t>(control.integer("num_scan_inputs", 0));
  const std::size_t first = by_example ? 1 : 0;
  Tensors states, inputs;
  for (std::size_t i = first; i < control.step.inputs.size(); ++i)
    (i + scans < control.step.inputs.size() ? states : inputs).push_back(control.tensor(control.in(i)));
  Tensors results;
  if (!by_example) {
    results = scanned(control, states, inputs);
  } else {
    if (control.has(0)) control.fail("sequence lengths are not supported");
    std::vector<Tensors> examples;
    for (std::int64_t b = 0; b < inputs.front().size(0); ++b) {
      Tensors own_states, own_inputs;
      for (const at::Tensor& state : states) own_states.push_back(state[b]);
      for (const at::Tensor& input : inputs) own_inputs.push_back(input[b]);
      examples.push_back(scanned(control, own_states, own_inputs));
    }
    for (std::size_t i = 0; i < control.step.outputs.size(); ++i) results.push_back(stacked(examples, i));
  }
  for (std::size_t i = 0; i < results.size(); ++i) control.out(i, {results[i], {}});
}

void sequence_map(Control& control) {
  const Tensors first = control.sequence_in(0);
  std::vector<Tensors> results(control.step.outputs.size());
  for (std::size_t element = 0; element < first.size(); ++element) {
    std::vector<Held> arguments = {{first[element], {}}};
    for (std::size_t i = 1; i < control.step.inputs.size(); ++i) {
      const Held value = control.in(i);
      if (value.sequence && element >= value.sequence->size()) control.fail("its sequences differ in length");
      arguments.push_back(value.sequence ? Held{(*value.sequence)[element], {}} : value);
    }
    const std::vector<Held> made = control.run_body(0, arguments);
    for (std::size_t i = 0; i < results.size(); ++i) results[i].push_back(control.tensor(made[i]));
  }
  for (std::size_t i = 0; i < results.size(); ++i) control.out(i, {{}, results[i]});
}

void split_to_sequence(Control& control) {
  const at::Tensor x = control.tensor(control.in(0));
  std::int64_t axis = control.integer("axis", 0);
  if (axis < 0) axis += x.dim();
  if (axis < 0 || axis >= x.dim()) control.fail("axis is out of range");
  control.take_elements(x.size(axis), Control::kBytesOfTensor);
  Tensors parts;
  if (!control.has(1)) {
    for (std::int64_t i = 0; i < x.size(axis); ++i)
      parts.push_back(control.flag("keepdims", true) ? x.narrow(axis, i, 1) : x.select(axis, i));
  } else {
    const at::Tensor sizes = control.tensor(control.in(1)).to(at::kCPU, at::kLong).contiguous();
    const auto* list = sizes.data_ptr<std::int64_t>();
    if (sizes.dim() == 0 && *list < 1) control.fail("split is {}, must be > 0", *list);
    parts =
        sizes.dim() == 0 ? x.split(*list, axis) : x.split_with_sizes(Sizes(list, list + sizes.numel()), axis);
  }
  control.out(0, {{}, parts});
}

void sequence_op(Control& control, const std::string& op) {
  if (op == "SequenceEmpty") {
    control.out(0, {{}, Tensors()});
  } else if (op == "SequenceConstruct") {
    Tensors all;
    for (std::size_t i = 0; i < control.step.inputs.size(); ++i) all.push_back(control.tensor(control.in(i)));
    control.out(0, {{}, all});
  } else if (op == "SequenceLength") {
    control.out(0,
                {at::scalar_tensor(static_cast<std::int64_t>(control.sequence_in(0).size()), at::kLong), {}});
  } else if (op == "SequenceAt") {
    const Tensors all = control.sequence_in(0);
    control.out(0, {all[static_cast<std::size_t>(control.position_in(1, all.size(), false))], {}});
  } else if (op == "SequenceErase") {
    Tensors all = control.sequence_in(0);
    if (all.empty()) control.fail("the sequence is empty");
    const auto last = static_cast<std::int64_t>(all.size()) - 1;
    all.erase(all.begin() + (control.has(1) ? control.position_in(1, all.size(), false) : last));
    control.out(0, {{}, all});
  } else if (op == "SequenceInsert") {
    Tensors all = control.sequence_in(0);
    const auto end = static_cast<std::int64_t>(all.size());
    all.insert(all.begin() + (control.has(2) ? control.position_in(2, all.size(), true) : end),
               control.tensor(control.in(1)));
    control.out(0, {{}, all});
  } else if (op == "ConcatFromSequence") {
    const Tensors all = control.sequence_in(0);
    const std::int64_t axis = control.integer("axis", 0);
    control.out(0, {control.flag("new_axis") ? at::stack(all, axis) : at::cat(all, axis), {}});
  } else if (op == "OptionalHasElement") {
    control.out(0, {at::scalar_tensor(control.has(0), at::kBool), {}});
  } else {  // Optional, OptionalGetElement
    control.out(0, control.has(0) || op == "OptionalGetElement" ? control.in(0) : Held());
  }
}

constexpr OpEntry kControlOps[] = {
    {"ConcatFromSequence", nullptr},      {"If", nullptr, {1, 1, kAny}},
    {"Loop", nullptr, {0, kAny, kAny}},   {"Optional", nullptr, {0, 1}},
    {"OptionalGetElement", nullptr},      {"OptionalHasElement", nullptr, {0, 1}},
    {"Scan", nullptr, {0, kAny, kAny}},   {"SequenceAt", nullptr, {2, 2}},
    {"SequenceConstruct", nullptr, kAll}, {"SequenceEmpty", nullptr, {0, 0}},
    {"SequenceErase", nullptr, {1, 2}},   {"SequenceInsert", nullptr, {2, 3}},
    {"SequenceLength", nullptr},          {"SequenceMap", nullptr, {kAny, kAny, kAny}},
    {"SplitToSequence", nullptr, {1, 2}}};

}  // namespace

std::span<const OpEntry> control_ops() { return kControlOps; }

std::vector<const char*> body_names(const onnx::Node& node) {
  if (node.op == "If") return {"then_branch", "else_branch"};
  if (node.op == "Loop" || node.op == "Scan" || node.op == "SequenceMap") return {"body"};
  return {};
}

void check_body(const onnx::Node& node, const Body& body, std::int64_t opset) {
  const Attributes attributes(node);
  std::size_t takes = node.inputs.size();
  std::size_t gives = node.outputs.size();
  if (node.op == "If") {
    takes = 0;
  } else if (node.op == "Loop") {  // the round and whether to go on, then what is carried
    takes = std::max<std::size_t>(takes, 2);
    gives = 1 + std::max(gives, takes - 2);
  } else if (node.op == "Scan") {
    takes -= opset < 9 && takes > 0 ? 1 : 0;
    const std::int64_t scans = attributes.integer("num_scan_inputs", 0);
    if (scans < 1 || scans > static_cast<std::int64_t>(takes))
      attributes.fail("attribute 'num_scan_inputs' is {}, must be from 1 to {}", scans, takes);
    gives = std::max(gives, takes - static_cast<std::size_t>(scans));
  }
  if (body.inputs.size() != takes)
    attributes.fail("its body has {} inputs, must have {}", body.inputs.size(), takes);
  if (body.outputs.size() < gives)
    attributes.fail("its body has {} outputs, must have {}", body.outputs.size(), gives);
}

void run_control(const Network& network, const Step& step, Values& values, BatchSize size) {
  Control control(network, step, values, size);
  const std::string& op = step.node.op;
  try {
    if (op == "If") {
      run_if(control);
    } else if (op == "Loop") {
      run_loop(control);
    } else if (op == "Scan") {
      run_scan(control, network.opset);
    } else if (op == "SequenceMap") {
      sequence_map(control);
    } else if (op == "SplitToSequence") {
      split_to_sequence(control);
    } else {
      sequence_op(control, op);
    }
  } catch (const c10::Error& error) {
    control.fail(first_line(error));
  }
}

}  // namespace atcav::plugin

#include "plugins/torch/import/fuse_relu.h"

#include <algorithm>

namespace atcav::plugin {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

class ReluFuser {
 public:
  ReluFuser(const Network& network, Plan& plan) : network_(network), plan_(plan) {
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
      const Step& step = *plan.steps[i].step;
      for (const Slot slot : step.reads) readers_[slot].push_back(i);
      for (const Slot slot : step.outputs) {
        if (slot != kNoSlot) maker_[slot] = i;
      }
    }
  }

  void run() {
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
      const Step* step = plan_.steps[i].step;
      if (step == nullptr || step->node.op != "Conv") continue;
      const std::size_t next = only_reader(*step);
      if (next == kNone) continue;
      const Step& reader = *plan_.steps[next].step;
      if (reader.node.op == "Relu") {
        replace({i}, next, kNoSlot);
      } else if (const Slot other = addend(reader, *step, i); other != kNoSlot) {
        const std::size_t last = only_reader(reader);
        if (last != kNone && plan_.steps[last].step->node.op == "Relu") replace({i, next}, last, other);
      }
    }
    std::erase_if(plan_.steps, [](const PlannedStep& planned) { return planned.step == nullptr; });
  }

 private:
  bool is_seen(Slot slot) const {
    return slot == plan_.start ||
           std::find(plan_.targets.begin(), plan_.targets.end(), slot) != plan_.targets.end();
  }

  std::size_t only_reader(const Step& step) const {
    if (step.outputs.size() != 1 || is_seen(step.outputs.front())) return kNone;
    const auto found = readers_.find(step.outputs.front());
    return found != readers_.end() && found->second.size() == 1 ? found->second.front() : kNone;
  }

  // What an Add adds to the convolution: another value, which must be there when the convolution runs.
  Slot addend(const Step& add, const Step& conv, std::size_t position) const {
    if (add.node.op != "Add" || add.inputs[0] == add.inputs[1]) return kNoSlot;
    const Slot other = add.inputs[0] == conv.outputs.front() ? add.inputs[1] : add.inputs[0];
    if (network_.is_constant(other)) return kNoSlot;
    const auto made = maker_.find(other);
    // Of two convolutions that are added the later one takes the other.
    if (made != maker_.end() && made->second > position) return kNoSlot;
    return other;
  }

  void replace(const std::vector<std::size_t>& gone, std::size_t relu, Slot addend) {
    const Step& conv = *plan_.steps[gone.front()].step;
    auto step = std::make_shared<Step>(conv);
    step->node.op = "ConvRelu";
    step->op = &conv_relu_op();
    step->inputs.resize(3, kNoSlot);
    if (addend != kNoSlot) step->inputs.push_back(addend);
    step->outputs = plan_.steps[relu].step->outputs;
    step->reads.clear();
    for (const Slot slot : step->inputs) {
      if (slot != kNoSlot) step->reads.push_back(slot);
    }
    for (const std::size_t i : gone) plan_.steps[i].step = nullptr;
    plan_.steps[relu].step = step.get();
    maker_[step->outputs.front()] = relu;
    plan_.fused.push_back(std::move(step));
  }

  const Network& network_;
  Plan& plan_;
  std::map<Slot, std::vector<std::size_t>> readers_;
  std::map<Slot, std::size_t> maker_;
};

}  // namespace

void fuse_relu(const Network& network, Plan& plan) { ReluFuser(network, plan).run(); }

}  // namespace atcav::plugin

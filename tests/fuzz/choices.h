#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "tests/support/onnx_model.h"

// Bytes as decisions: numbers, odd ones among them, shapes, and attributes that some op reads.
namespace atcav::fuzz {

class Choices {
 public:
  Choices(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  std::size_t below(std::size_t limit) { return next() % limit; }
  std::uint8_t next() { return at_ < size_ ? data_[at_++] : static_cast<std::uint8_t>(37 * at_++); }
  bool done() const { return at_ >= size_; }
  std::int64_t number() {
    static constexpr std::array<std::int64_t, 14> kOdd = {
        -1, 0, 1, 2, 3, 4, 5, -2, -3, 7, 1 << 20, std::int64_t{1} << 40, INT64_MAX, INT64_MIN};
    return kOdd[below(next() % 8 == 0 ? kOdd.size() : 10)];
  }
  std::vector<std::int64_t> numbers(std::size_t most) {
    std::vector<std::int64_t> list(below(most + 1));
    for (auto& value : list) value = number();
    return list;
  }
  std::vector<std::int64_t> shape() {
    std::vector<std::int64_t> sizes(below(5));
    for (auto& size : sizes) size = static_cast<std::int64_t>(below(5));
    return sizes;
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
};

using namespace testing_support;  // NOLINT: as in the tests of the ops

// Names that some op reads.
inline constexpr std::array kIntegerNames = {"axis",
                                             "keepdims",
                                             "group",
                                             "ceil_mode",
                                             "transA",
                                             "transB",
                                             "to",
                                             "blocksize",
                                             "largest",
                                             "sorted",
                                             "exclusive",
                                             "reverse",
                                             "fmod",
                                             "p",
                                             "size",
                                             "hidden_size",
                                             "batch_axis",
                                             "time_axis",
                                             "upper",
                                             "allowzero",
                                             "num_groups",
                                             "start",
                                             "align_corners",
                                             "noop_with_empty_axes",
                                             "count_include_pad",
                                             "storage_order",
                                             "num_outputs"};
inline constexpr std::array kListNames = {
    "axes",         "kernel_shape", "strides", "pads",           "dilations", "perm",  "split",
    "output_shape", "starts",       "ends",    "output_padding", "repeats",   "scales"};
inline constexpr std::array kTextNames = {"auto_pad",
                                          "mode",
                                          "direction",
                                          "equation",
                                          "nearest_mode",
                                          "reduction",
                                          "coordinate_transformation_mode",
                                          "padding_mode"};
inline constexpr std::array kTexts = {"NOTSET",        "SAME_UPPER", "SAME_LOWER", "VALID", "constant",
                                      "reflect",       "edge",       "linear",     "cubic", "nearest",
                                      "bidirectional", "LEFT",       "ij,jk->ik",  "ii->i", "DCR",
                                      "align_corners", "border",     "add",        "mul",   "…"};
inline constexpr std::array kRealNames = {"alpha", "beta",  "epsilon",  "bias",
                                          "lambd", "gamma", "momentum", "ratio"};

inline std::vector<onnx::Attribute> attributes(Choices& choose) {
  std::vector<onnx::Attribute> list;
  std::set<std::string> names;
  for (std::size_t i = choose.below(4); i > 0; --i) {
    onnx::Attribute one;
    switch (choose.below(4)) {
      case 0:
        one = integer(kIntegerNames[choose.below(kIntegerNames.size())], choose.number());
        break;
      case 1:
        one = integers(kListNames[choose.below(kListNames.size())], choose.numbers(5));
        break;
      case 2:
        one = text(kTextNames[choose.below(kTextNames.size())], kTexts[choose.below(kTexts.size())]);
        break;
      default:
        one = real(kRealNames[choose.below(kRealNames.size())], static_cast<float>(choose.number()));
    }
    if (names.insert(one.name).second) list.push_back(one);
  }
  return list;
}

}  // namespace atcav::fuzz

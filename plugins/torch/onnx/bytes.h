#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

// A read-only range of bytes together with what keeps it alive, so that weights can point into the
// model file instead of being copied out of it.
namespace atcav::onnx {

class Bytes {
 public:
  Bytes() = default;
  Bytes(std::shared_ptr<const void> owner, std::string_view view) : owner_(std::move(owner)), view_(view) {}

  // Takes the text over.
  static Bytes own(std::string text) {
    auto owner = std::make_shared<const std::string>(std::move(text));
    return {owner, *owner};
  }
  // The same owner, a part of the range.
  Bytes part(std::string_view view) const { return {owner_, view}; }

  std::string_view view() const { return view_; }
  const void* data() const { return view_.data(); }
  std::size_t size() const { return view_.size(); }
  bool empty() const { return view_.empty(); }

 private:
  std::shared_ptr<const void> owner_;
  std::string_view view_;
};

}  // namespace atcav::onnx

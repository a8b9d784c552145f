#include "atcav/model.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "core/check.h"
#include "model/plugin.h"

namespace atcav::model {
namespace {

struct PoolWord {
  const char* text;
  Pool pool;
};
constexpr PoolWord kPoolWords[] = {{"none", Pool::kNone},
                                   {"mean", Pool::kMean},
                                   {"max", Pool::kMax},
                                   {"cls", Pool::kFirst},
                                   {"last", Pool::kLast}};

std::optional<Pool> find_pool(const std::string& text) {
  for (const PoolWord& word : kPoolWords) {
    if (word.text == text) return word.pool;
  }
  Index token = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), token);
  if (error != std::errc() || end != text.data() + text.size() || token < 0) return std::nullopt;
  return Pool::at(token);
}

}  // namespace

std::string pool_text(Pool pool) {
  for (const PoolWord& word : kPoolWords) {
    if (word.pool == pool) return word.text;
  }
  return std::to_string(pool.token);
}

Pool read_pool(const std::string& text) {
  if (const auto pool = find_pool(text)) return *pool;
  fail_argument("options", "pool is '" + text + "', must be none, mean, max, cls, last or a token's number");
}

bool is_pool(const std::string& text) { return find_pool(text).has_value(); }

std::string device_text(const std::vector<Device>& devices) {
  std::string text;
  for (const Device& device : devices) {
    text += text.empty() ? "" : ",";
    text += device.gpu ? "cuda" : "cpu";
    if (device.gpu && device.number >= 0) text += ":" + std::to_string(device.number);
  }
  return text;
}

Device device_of_rank(const OpenOptions& options, int gpus) {
  Device device = options.device;
  if (device.gpu && device.number < 0 && gpus > 0) device.number = options.local_rank % gpus;
  return device;
}

std::vector<Device> read_devices(const std::string& text) {
  std::vector<Device> devices;
  for (std::size_t first = 0; first <= text.size();) {
    const std::size_t comma = std::min(text.find(',', first), text.size());
    const std::string one = text.substr(first, comma - first);
    first = comma + 1;
    Device& device = devices.emplace_back(Device{one.starts_with("cuda")});
    if (one.starts_with("cuda:"))
      std::from_chars(one.data() + std::string_view("cuda:").size(), one.data() + one.size(), device.number);
    if (device_text({device}) != one)
      fail_argument("options", "device is '" + one + "', must be cpu, cuda or cuda:N");
  }
  return devices;
}

}  // namespace atcav::model

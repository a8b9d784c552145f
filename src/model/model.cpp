#include "atcav/model.h"

#include <charconv>
#include <optional>

#include "core/check.h"

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

}  // namespace atcav::model

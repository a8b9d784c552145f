#pragma once

#include <fmt/core.h>

#include <span>
#include <string>
#include <string_view>
#include <utility>

// What messages about files and names are made of. One shape: "[read_npy] random.npy: header is cut short".
namespace atcav::data {

// Throws std::runtime_error; `function` is the caller's name, `file` what the user called the file.
[[noreturn]] void fail_file(std::string_view function, std::string_view file, std::string_view message);

template <typename First, typename... Rest>
[[noreturn]] void fail_file(std::string_view function, std::string_view file,
                            fmt::format_string<First, Rest...> message, First&& first, Rest&&... rest) {
  fail_file(function, file,
            std::string_view(fmt::format(message, std::forward<First>(first), std::forward<Rest>(rest)...)));
}

// The same with the system's reason for `error` (an errno value) at the end:
// "[AtomicFile] out/results.json: cannot write: No space left on device".
[[noreturn]] void fail_system(std::string_view function, std::string_view file, std::string_view message,
                              int error);

// 'text' fit for a message: bytes that do not print become \xNN, at most 60 characters are kept.
std::string quote(std::string_view text);

// "Did you mean": the names most like `wanted` (fewest letters to add, drop or change), quoted, best first,
// with the number of those left out: "'conv1.weight', 'conv2.weight' and 158 more". "none" for no names.
std::string closest_names(std::string_view wanted, std::span<const std::string> names, std::size_t most = 8);

}  // namespace atcav::data

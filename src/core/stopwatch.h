#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace atcav {

// Seconds by stage, for timings.json.
class Stopwatch {
 public:
  // The time since the last call belongs to this stage.
  void lap(const std::string& stage) {
    const auto now = std::chrono::steady_clock::now();
    seconds_.emplace_back(stage, std::chrono::duration<double>(now - last_).count());
    last_ = now;
  }
  const std::vector<std::pair<std::string, double>>& seconds() const { return seconds_; }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  std::vector<std::pair<std::string, double>> seconds_;
};

}  // namespace atcav

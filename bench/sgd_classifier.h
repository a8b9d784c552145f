#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "atcav/matrix.h"

// scikit-learn's SGDClassifier, what Captum runs, on the rows that we fit.
namespace atcav::bench {

// Seconds per fit of `fits` fits on equal parts of `random` and all of `positive`; 0 without scikit-learn.
inline double sgd_seconds(const MatrixF& random, const MatrixF& positive, Index fits) {
  namespace fs = std::filesystem;
  const fs::path path = fs::temp_directory_path() / fmt::format("atcav_sgd_{}.f32", getpid());
  {
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(random.data()), random.size() * 4);
    file.write(reinterpret_cast<const char*>(positive.data()), positive.size() * 4);
  }
  const std::string command =
      fmt::format("/usr/bin/python3 {}/sgd_classifier.py {} {} {} {} {}", ATCAV_BENCH_FOLDER, path.string(),
                  random.rows(), positive.rows(), random.cols(), fits);
  double time = 0;
  FILE* script = popen(command.c_str(), "r");
  const bool answered = script != nullptr && std::fscanf(script, "%lf", &time) == 1;
  if (script != nullptr) pclose(script);
  fs::remove(path);
  return answered ? time : 0;
}

}  // namespace atcav::bench

#include <filesystem>
#include <memory>

#include "atcav/report.h"
#include "data/file/reader.h"
#include "data/file/sha256.h"
#include "pipeline/influences.h"
#include "report/json_text.h"

namespace atcav {

RunResult read_report(const std::string& folder) {
  namespace fs = std::filesystem;
  const std::string path = (fs::path(folder) / kReportFiles[0]).string();
  const std::string text = data::read_file(path);
  RunResult run = report::read_results(text, path);
  const fs::path kept = fs::path(folder) / kInfluencesFile;
  if (fs::exists(kept))
    run.influences = std::make_shared<Influences>(read_influences(kept.string(), data::sha256(text)));
  return run;
}

}  // namespace atcav

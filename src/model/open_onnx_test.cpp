#include <dlfcn.h>
#include <gmock/gmock.h>
#include <stdlib.h>

#include <stdexcept>

#include "atcav/model.h"

namespace atcav::model {
namespace {

// Nothing of LibTorch is needed here: what is wrong with the plugin is said before it is used.
TEST(OpenOnnx, SaysWhatIsWrongWithThePlugin) {
  const auto message = [](const char* plugin) -> std::string {
    ::setenv("ATCAV_PLUGIN", plugin, 1);
    try {
      open_onnx("model.onnx", {});
    } catch (const std::runtime_error& error) {
      ::unsetenv("ATCAV_PLUGIN");
      return error.what();
    }
    return "opened";
  };
  if (onnx_engine().empty()) {
    EXPECT_THAT(message("/nowhere/plugin.so"), testing::HasSubstr("without LibTorch"));
    return;
  }
  EXPECT_THAT(message("/nowhere/plugin.so"), testing::HasSubstr("\n  /nowhere/plugin.so\n"));
  EXPECT_THAT(message("/dev/null"), testing::HasSubstr("cannot be loaded: /dev/null"));
  Dl_info libc{};
  ASSERT_NE(dladdr(reinterpret_cast<const void*>(&::setenv), &libc), 0);
  EXPECT_THAT(message(libc.dli_fname), testing::HasSubstr("is not a plugin of atcav"));
  // Of the same version, compiled from other headers.
  EXPECT_THAT(message(ATCAV_STALE_PLUGIN), testing::HasSubstr("belongs to atcav 0.1.0 with"));
}

}  // namespace
}  // namespace atcav::model

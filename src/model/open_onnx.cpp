#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <pthread.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <mutex>
#include <sstream>
#include <stdexcept>

#include "atcav/model.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "model/build_id.h"
#include "model/plugin.h"

namespace atcav::model {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFile = "libatcav_torch.so";

[[noreturn]] void fail_to_open(const std::string& why) {
  throw std::runtime_error(fmt::format("[open_onnx] {}", why));
}

// Of the program and, where this code is part of a shared library (a Python module, say), of that library.
std::vector<fs::path> own_folders() {
  std::error_code ignored;
  std::vector<fs::path> folders = {fs::read_symlink("/proc/self/exe", ignored).parent_path()};
  Dl_info info{};
  link_map* library = nullptr;
  if (dladdr1(reinterpret_cast<const void*>(&onnx_engine), &info, reinterpret_cast<void**>(&library),
              RTLD_DL_LINKMAP) != 0 &&
      library->l_name[0] != '\0') {  // the program itself has no name here
    folders.push_back(fs::absolute(library->l_name, ignored).parent_path());
  }
  return folders;
}

std::vector<fs::path> places() {
  if (const char* file = std::getenv("ATCAV_PLUGIN"); file != nullptr && *file != '\0') return {file};
  std::vector<fs::path> files;
  for (const fs::path& folder : own_folders()) {
    std::istringstream relative(ATCAV_PLUGIN_FOLDERS);
    for (std::string part; std::getline(relative, part, ':');)
      files.push_back((folder / part / kFile).lexically_normal());
  }
  files.emplace_back(kFile);  // where the linker looks
  return files;
}

void* open_plugin() {
  std::string looked_at;
  for (const fs::path& file : places()) {
    std::error_code ignored;
    const bool bare = !file.has_parent_path();
    if (bare || fs::exists(file, ignored)) {
      if (void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
      if (!bare) fail_to_open(fmt::format("the plugin cannot be loaded: {}", dlerror()));
    }
    looked_at += fmt::format("\n  {}", bare ? dlerror() : file.string());
  }
  fail_to_open(fmt::format(
      "networks need the plugin libatcav_torch.so, not found in:{}\n"
      "Build atcav with ATCAV_TORCH=ON, or let the environment variable ATCAV_PLUGIN name the file",
      looked_at));
}

std::string path_of(void* library) {
  link_map* found = nullptr;
  return dlinfo(library, RTLD_DI_LINKMAP, &found) == 0 ? found->l_name : kFile;
}

void* wait_for_lock(void* mutex) {
  const std::lock_guard lock(*static_cast<std::mutex*>(mutex));
  return nullptr;
}

// Whether so many threads can be there at once besides those that run: false where the system says that there
// are too many, and not where it refuses a stack this small.
bool can_start_threads(std::size_t wanted) {
  constexpr std::size_t kStack = std::size_t{1} << 20;  // libraries' thread-local data lie there too
  pthread_attr_t small{};
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, kStack);
  std::vector<pthread_t> started;
  started.reserve(wanted);
  std::mutex mutex;
  int error = 0;
  {
    const std::lock_guard lock(mutex);
    while (started.size() < wanted && error == 0) {
      pthread_t thread{};
      error = pthread_create(&thread, &small, wait_for_lock, &mutex);
      if (error == 0) started.push_back(thread);
    }
  }
  for (const pthread_t thread : started) pthread_join(thread, nullptr);
  pthread_attr_destroy(&small);
  return error != EAGAIN;
}

// Where it gets no thread LibTorch waits for ever and OpenBLAS interrupts the process; where it gets no
// address space OpenBLAS tries again and again. So both are asked for first.
void check_limits(int threads) {
  constexpr double kAddressSpace = 2e9;
  if (const double left = address_space_left(); left < kAddressSpace) {
    fail_to_open(
        fmt::format("LibTorch needs {:g} GB of address space, the limit (ulimit -v) leaves {:.2g} GB",
                    kAddressSpace / 1e9, left / 1e9));
  }
  // Of OpenBLAS, OpenMP and two thread pools.
  const auto own = static_cast<std::size_t>(threads > 0 ? threads : available_threads());
  const std::size_t wanted = static_cast<std::size_t>(available_threads()) - 1 + 3 * (own - 1);
  if (!can_start_threads(wanted))
    fail_to_open(fmt::format("LibTorch needs {} threads more, the limit (ulimit -u) leaves fewer", wanted));
}

const Plugin& plugin(int threads) {
  if (onnx_engine().empty()) fail_to_open("this atcav was built without LibTorch (ATCAV_TORCH=OFF)");
  static const Plugin* const opened = [threads] {
    check_limits(threads);
    limit_openmp_spinning();  // LibTorch brings OpenMP
    void* library = open_plugin();
    const auto* found = static_cast<const Plugin*>(dlsym(library, "atcav_plugin"));
    if (found == nullptr) fail_to_open(fmt::format("{} is not a plugin of atcav", path_of(library)));
    if (std::string(found->build) != kBuildId || found->engine != onnx_engine()) {
      fail_to_open(fmt::format("{} belongs to atcav {} with {}, this is atcav {} with {}", path_of(library),
                               found->build, found->engine, kBuildId, onnx_engine()));
    }
    return found;
  }();
  return *opened;
}

void make_context(const OpenOptions& options) {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) return;
  const auto init = reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
  const auto count = reinterpret_cast<int (*)(int*)>(dlsym(driver, "cuDeviceGetCount"));
  const auto get = reinterpret_cast<int (*)(int*, int)>(dlsym(driver, "cuDeviceGet"));
  const auto retain = reinterpret_cast<int (*)(void**, int)>(dlsym(driver, "cuDevicePrimaryCtxRetain"));
  if (init == nullptr || count == nullptr || get == nullptr || retain == nullptr) return;
  int gpus = 0;
  int gpu = 0;
  void* context = nullptr;
  if (init(0) != 0 || count(&gpus) != 0 || gpus < 1 || get(&gpu, device_of_rank(options, gpus).number) != 0)
    return;
  retain(&context, gpu);  // for as long as the process lives
}

// The driver makes a GPU's context in about the time that LibTorch takes to load: beside it, where CUDA finds
// the context later. What is missing here LibTorch will say.
std::future<void> wake_gpu(const OpenOptions& options) {
  if (!options.device.gpu) return {};
  ::setenv("CUDA_MODULE_LOADING", "LAZY", 0);  // as LibTorch does, but before the driver looks
  return in_background([options] { make_context(options); });
}

}  // namespace

std::unique_ptr<Model> open_onnx(const std::string& path, const OpenOptions& options) {
  const std::future<void> gpu = wake_gpu(options);
  return plugin(options.threads).open(path, options);
}

ErasedOnnx erase_in_onnx(const std::string& path, const OpenOptions& options, const LayerEraser& eraser) {
  return plugin(options.threads).erase(path, options, eraser);
}

std::string onnx_engine() { return ATCAV_ENGINE; }

}  // namespace atcav::model

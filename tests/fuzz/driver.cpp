// Runs a fuzz target where there is no libFuzzer (GCC): inputs from a corpus, changed at random, without the
// guidance that libFuzzer gets from coverage. Options as libFuzzer has them:
//   TARGET [-runs=N] [-max_total_time=SECONDS] [-seed=N] [-max_len=N] [-dict=FILE] [-timeout=SECONDS]
//          [-rss_limit_mb=N] CORPUS…
// A run fails when it crashes, takes more processor time than -timeout (10), or more memory than
// -rss_limit_mb (1024) above what the process had at its start. Its input is then in crash-SEED-RUN, slow-…
// or large-…, and the next runs follow in a new process; so that the input is there whatever happens, it is
// written before each run into memory shared with a parent process, which watches.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

struct Settings {
  std::uint64_t runs = 10000;
  double seconds = 0;
  std::uint64_t seed = 1;
  std::size_t longest = 4096;
  double timeout = 10;
  std::size_t megabytes = 1024;
  std::vector<std::string> corpus = {""};
  std::vector<std::string> words;
};

struct Shared {
  std::uint64_t run;
  std::uint64_t large;    // runs that took too much memory
  double processor_time;  // when this run began
  std::uint64_t size;
  std::uint8_t bytes[1 << 20];
};

std::string content(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The strings of a dictionary, between quotes, with \" \\ and \xNN.
void read_words(const std::string& file, std::vector<std::string>& words) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find('"');
    const std::size_t last = line.rfind('"');
    if (line.starts_with('#') || first == std::string::npos || last <= first) continue;
    std::string word;
    for (std::size_t i = first + 1; i < last; ++i) {
      if (line[i] == '\\' && line[i + 1] == 'x') {
        word += static_cast<char>(std::stoi(line.substr(i + 2, 2), nullptr, 16));
        i += 3;
      } else {
        if (line[i] == '\\') ++i;
        word += line[i];
      }
    }
    words.push_back(word);
  }
}

Settings read_settings(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const auto value = [&](const char* name) -> const char* {
      return argument.starts_with(name) ? argv[i] + std::strlen(name) : nullptr;
    };
    if (const char* text = value("-runs=")) {
      settings.runs = std::stoull(text);
    } else if (const char* text = value("-max_total_time=")) {
      settings.seconds = std::stod(text);
    } else if (const char* text = value("-seed=")) {
      settings.seed = std::stoull(text);
    } else if (const char* text = value("-max_len=")) {
      settings.longest = std::min<std::size_t>(std::stoull(text), sizeof(Shared::bytes));
    } else if (const char* text = value("-timeout=")) {
      settings.timeout = std::stod(text);
    } else if (const char* text = value("-rss_limit_mb=")) {
      settings.megabytes = std::stoull(text);
    } else if (const char* text = value("-dict=")) {
      read_words(text, settings.words);
    } else if (std::filesystem::is_directory(argument)) {
      for (const auto& entry : std::filesystem::directory_iterator(argument)) {
        if (entry.is_regular_file()) settings.corpus.push_back(content(entry.path()));
      }
    } else if (std::filesystem::exists(argument)) {
      settings.corpus.push_back(content(argument));
    }
  }
  std::sort(settings.corpus.begin(), settings.corpus.end());
  return settings;
}

using Generator = std::mt19937_64;

std::size_t below(Generator& generator, std::size_t limit) { return limit == 0 ? 0 : generator() % limit; }

void change(std::string& text, const Settings& settings, Generator& generator) {
  static const std::vector<std::string> numbers = {
      std::string(4, '\0'),   std::string(8, '\0'),         std::string(4, '\xff'),
      std::string(8, '\xff'), std::string("\0\0\0\x80", 4), std::string("\xff\xff\xff\x7f", 4)};
  const std::size_t at = below(generator, text.size() + 1);
  switch (below(generator, 9)) {
    case 0:
      if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(generator, 8)));
      break;
    case 1:
      if (at < text.size()) text[at] = static_cast<char>(generator());
      break;
    case 2:
      if (at < text.size())
        text[at] = static_cast<char>(text[at] + static_cast<int>(below(generator, 33)) - 16);
      break;
    case 3:
      text.insert(at, 1 + below(generator, 8), static_cast<char>(generator()));
      break;
    case 4:
      text.erase(at, 1 + below(generator, 16));
      break;
    case 5: {
      const std::string part = text.substr(at, 1 + below(generator, 64));
      text.insert(below(generator, text.size() + 1), part);
      break;
    }
    case 6: {
      const std::string& other = settings.corpus[below(generator, settings.corpus.size())];
      const std::size_t from = below(generator, other.size() + 1);
      text = text.substr(0, at) + other.substr(from);
      break;
    }
    case 7: {
      const auto& list = settings.words.empty() ? numbers : settings.words;
      text.insert(at, list[below(generator, list.size())]);
      break;
    }
    default: {
      const std::string& number = numbers[below(generator, numbers.size())];
      if (at + number.size() <= text.size()) text.replace(at, number.size(), number);
    }
  }
}

double seconds_of(clockid_t clock) {
  timespec now = {};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// A line of /proc/self/status, in MB.
std::size_t status_megabytes(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name)) return std::stoull(line.substr(name.size() + 1)) / 1024;
  }
  return 0;
}

void save(const char* kind, const Settings& settings, const Shared& shared) {
  const std::string name =
      std::string(kind) + "-" + std::to_string(settings.seed) + "-" + std::to_string(shared.run);
  std::ofstream(name, std::ios::binary)
      .write(reinterpret_cast<const char*>(shared.bytes), static_cast<std::streamsize>(shared.size));
  std::fprintf(stderr, "the input of run %llu is in %s\n", static_cast<unsigned long long>(shared.run),
               name.c_str());
}

// Runs from shared.run on, which ends as the number of runs that were made.
void fuzz(const Settings& settings, Shared& shared) {
  const double start = seconds_of(CLOCK_MONOTONIC);
  const std::size_t before = status_megabytes("VmRSS:");
  for (; shared.run < settings.runs; ++shared.run) {
    Generator generator(settings.seed * 1'000'000'007 + shared.run);
    const bool as_it_is = shared.run < settings.corpus.size();
    std::string text = settings.corpus[as_it_is ? shared.run : below(generator, settings.corpus.size())];
    const std::size_t changes = as_it_is ? 0 : std::size_t{1} << below(generator, 5);
    for (std::size_t i = 0; i < changes; ++i) change(text, settings, generator);
    text.resize(std::min(text.size(), settings.longest));
    shared.size = text.size();
    std::memcpy(shared.bytes, text.data(), text.size());
    std::ofstream("/proc/self/clear_refs") << "5";  // VmHWM anew
    shared.processor_time = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    // A copy of exactly this size: a read past its end is one past the heap.
    const std::vector<std::uint8_t> exact(text.begin(), text.end());
    LLVMFuzzerTestOneInput(exact.data(), exact.size());
    if (status_megabytes("VmHWM:") > before + settings.megabytes) {
      ++shared.large;
      save("large", settings, shared);
    }
    if (settings.seconds > 0 && seconds_of(CLOCK_MONOTONIC) - start > settings.seconds) {
      ++shared.run;
      return;
    }
  }
}

// Waits for the child; false if it was ended because a run took too long.
bool watch(pid_t child, const Settings& settings, const Shared& shared, int& status) {
  clockid_t clock = 0;
  if (clock_getcpuclockid(child, &clock) != 0) clock = CLOCK_MONOTONIC;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (seconds_of(clock) - shared.processor_time > settings.timeout) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return false;
    }
    usleep(10'000);
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const Settings settings = read_settings(argc, argv);
  auto* shared = static_cast<Shared*>(
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (shared == MAP_FAILED) return 1;
  std::size_t crashes = 0, slow = 0;
  constexpr std::size_t kEnough = 20;
  for (bool done = false; !done && crashes + slow < kEnough;) {
    shared->processor_time = 1e18;  // until a run begins
    const pid_t child = fork();
    if (child == 0) {
      fuzz(settings, *shared);
      std::fflush(stderr);
      std::_Exit(0);
    }
    int status = 0;
    const bool in_time = watch(child, settings, *shared, status);
    done = in_time && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (done) break;
    save(in_time ? "crash" : "slow", settings, *shared);
    ++(in_time ? crashes : slow);
    ++shared->run;
  }
  std::fprintf(stderr,
               "Done %llu runs, %zu inputs in the corpus: %zu crashes, %zu over %g s, %llu over %zu MB\n",
               static_cast<unsigned long long>(shared->run), settings.corpus.size(), crashes, slow,
               settings.timeout, static_cast<unsigned long long>(shared->large), settings.megabytes);
  return crashes + slow + shared->large > 0 ? 1 : 0;
}

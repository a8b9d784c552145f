// Runs a fuzz target where there is no libFuzzer (GCC): inputs from a corpus, changed at random, without the
// guidance that libFuzzer gets from coverage. Options as libFuzzer has them:
//   TARGET [-runs=N] [-max_total_time=SECONDS] [-seed=N] [-max_len=N] [-dict=FILE] CORPUS…
// A crash leaves the input in crash-SEED-RUN; so that it is there whatever happens, it is written before each
// run into memory shared with a parent process, which waits.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
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
  std::vector<std::string> corpus = {""};
  std::vector<std::string> words;
};

struct Shared {
  std::uint64_t run;
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

std::uint64_t fuzz(const Settings& settings, Shared& shared) {
  const auto start = std::chrono::steady_clock::now();
  Generator generator(settings.seed);
  for (std::uint64_t run = 0; run < settings.runs; ++run) {
    std::string text =
        settings.corpus[run < settings.corpus.size() ? run : below(generator, settings.corpus.size())];
    const std::size_t changes = run < settings.corpus.size() ? 0 : std::size_t{1} << below(generator, 5);
    for (std::size_t i = 0; i < changes; ++i) change(text, settings, generator);
    text.resize(std::min(text.size(), settings.longest));
    shared.run = run;
    shared.size = text.size();
    std::memcpy(shared.bytes, text.data(), text.size());
    // A copy of exactly this size: a read past its end is one past the heap.
    const std::vector<std::uint8_t> exact(text.begin(), text.end());
    LLVMFuzzerTestOneInput(exact.data(), exact.size());
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    if (settings.seconds > 0 && passed.count() > settings.seconds) return run + 1;
  }
  return settings.runs;
}

}  // namespace

int main(int argc, char** argv) {
  const Settings settings = read_settings(argc, argv);
  auto* shared = static_cast<Shared*>(
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (shared == MAP_FAILED) return 1;
  const pid_t child = fork();
  if (child == 0) {
    const std::uint64_t runs = fuzz(settings, *shared);
    std::fprintf(stderr, "Done %llu runs, %zu inputs in the corpus\n", static_cast<unsigned long long>(runs),
                 settings.corpus.size());
    std::fflush(stderr);
    std::_Exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return 0;
  const std::string name = "crash-" + std::to_string(settings.seed) + "-" + std::to_string(shared->run);
  std::ofstream(name, std::ios::binary)
      .write(reinterpret_cast<const char*>(shared->bytes), static_cast<std::streamsize>(shared->size));
  std::fprintf(stderr, "run %llu failed (status %d), its input is in %s\n",
               static_cast<unsigned long long>(shared->run), status, name.c_str());
  return 1;
}

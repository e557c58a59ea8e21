// Runs a fuzz target on stored inputs: `fuzz_NAME PATH...` reads files, and all files of folders.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "fuzz/input.hpp"

namespace files = std::filesystem;

static void run(const files::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  std::printf("%s\n", path.c_str());
  std::fflush(stdout);  // the last line names the input of a crash
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

int main(const int count, char** arguments) {
  std::vector<files::path> paths;
  for (int k = 1; k < count; ++k)
    if (files::is_directory(arguments[k]))
      std::copy(files::directory_iterator(arguments[k]), {}, std::back_inserter(paths));
    else paths.emplace_back(arguments[k]);
  std::sort(paths.begin(), paths.end());
  for (const auto& path : paths) run(path);
  return paths.empty();  // a test without inputs tests nothing
}

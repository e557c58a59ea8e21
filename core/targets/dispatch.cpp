#include <cstdlib>
#include <cstring>

#include "targets/function_table.hpp"

namespace rosenblatt {
namespace {

#if defined(__x86_64__)
bool runs(const Kernels& k) noexcept {
  __builtin_cpu_init();
  if (&k == &avx512_kernels)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  if (&k == &avx2_kernels) return __builtin_cpu_supports("avx2");
  return true;
}
constexpr const Kernels* widest_first[] = {&avx512_kernels, &avx2_kernels, &baseline_kernels};
#else
bool runs(const Kernels&) noexcept { return true; }
constexpr const Kernels* widest_first[] = {&baseline_kernels};
#endif

}  // namespace

const Kernels* find_kernels(const char* name) noexcept {
  for (const Kernels* k : widest_first)
    if (runs(*k) && (name == nullptr || std::strcmp(name, k->name) == 0)) return k;
  return nullptr;
}

const Kernels* choose_kernels() noexcept {
  const char* forced = std::getenv("ROSENBLATT_TARGET");
  return find_kernels(forced && *forced ? forced : nullptr);
}

}  // namespace rosenblatt

#include <cstdlib>
#include <cstring>

#include "targets/function_table.hpp"

namespace rosenblatt {
namespace {

#if defined(__x86_64__) && !defined(ROSENBLATT_BASELINE_ONLY)
bool runs(const FunctionTable& k) noexcept {
  __builtin_cpu_init();
  if (&k == &avx512_functions)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  if (&k == &avx2_functions) return __builtin_cpu_supports("avx2");
  return true;
}
constexpr const FunctionTable* widest_first[] = {&avx512_functions, &avx2_functions, &baseline_functions};
#else
bool runs(const FunctionTable&) noexcept { return true; }
constexpr const FunctionTable* widest_first[] = {&baseline_functions};
#endif

}  // namespace

const FunctionTable* find_functions(const char* name) noexcept {
  for (const FunctionTable* k : widest_first)
    if (runs(*k) && (name == nullptr || std::strcmp(name, k->name) == 0)) return k;
  return nullptr;
}

const FunctionTable* choose_functions() noexcept {
  const char* forced = std::getenv("ROSENBLATT_TARGET");
  return find_functions(forced && *forced ? forced : nullptr);
}

}  // namespace rosenblatt

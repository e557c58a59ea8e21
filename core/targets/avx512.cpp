#define ROSENBLATT_TARGET avx512
#include "targets/target.inc"

namespace rosenblatt {
constinit const Kernels avx512_kernels = avx512::make_kernels("avx512");
}

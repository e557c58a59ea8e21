#define ROSENBLATT_TARGET avx2
#include "targets/target.inc"

namespace rosenblatt {
constinit const Kernels avx2_kernels = avx2::make_kernels("avx2");
}

#define ROSENBLATT_TARGET avx2
#include "targets/target.inc"

namespace rosenblatt {
constinit const FunctionTable avx2_functions = avx2::make_functions("avx2");
}

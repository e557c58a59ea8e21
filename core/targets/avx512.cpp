#define ROSENBLATT_TARGET avx512
#include "targets/target.inc"

namespace rosenblatt {
constinit const FunctionTable avx512_functions = avx512::make_functions("avx512");
}

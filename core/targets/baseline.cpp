#define ROSENBLATT_TARGET baseline
#include "targets/target.inc"

namespace rosenblatt {
constinit const Kernels baseline_kernels = baseline::make_kernels("baseline");
}

#define ROSENBLATT_TARGET baseline
#include "targets/target.inc"

namespace rosenblatt {
constinit const FunctionTable baseline_functions = baseline::make_functions("baseline");
}

// The Python module: instruction sets, names of the parts, and everything that the other files bind.
#include "bindings/module.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <vector>

#define ROSENBLATT_TARGET common
#include "parts/losses.hpp"
#include "system/default_threads.hpp"

namespace nb = nanobind;

namespace rosenblatt {
namespace {

std::atomic<const FunctionTable*> active = choose_functions();

template <std::size_t count>
std::vector<std::string> list_names(const char* const (&names)[count]) {
  return {names, names + count};
}

// The parts in the order of their numbers.
nb::dict part_names() {
  nb::dict parts;
  parts["loss"] = list_names(loss_names);
  parts["order"] = list_names(order_names);
  parts["step"] = list_names(step_names);
  parts["keep"] = list_names(keep_names);
  return parts;
}

nb::dict py_loss_facts() {
  nb::dict losses;
  for (std::size_t k = 0; k < loss_count; ++k) {
    const common::LossFacts facts = common::loss_facts(static_cast<Loss>(k));
    nb::dict each;
    each["has_curvature"] = facts.has_curvature;
    each["rests_when_correct"] = facts.rests_when_correct;
    each["squares_slack"] = facts.squares_slack;
    losses[loss_names[k]] = each;
  }
  return losses;
}

std::vector<std::string> target_names() {
  std::vector<std::string> names;
  for (const char* name : {"baseline", "avx2", "avx512"})
    if (find_functions(name)) names.emplace_back(name);
  return names;
}

void set_target(const std::string& name) {
  const FunctionTable* found = find_functions(name.c_str());
  if (!found) throw std::invalid_argument("this CPU cannot run '" + name + "'");
  active = found;
}

}  // namespace

const FunctionTable& active_functions() {
  const FunctionTable* functions = active;
  if (!functions)
    throw std::invalid_argument("ROSENBLATT_TARGET must name an instruction set of this CPU: baseline, avx2 or avx512");
  return *functions;
}

}  // namespace rosenblatt

NB_MODULE(_core, m) {
  using namespace rosenblatt;
  bind_rows(m);
  bind_labels(m);
  bind_problem(m);
  bind_state(m);
  bind_given_rows(m);
  bind_row_learner(m);
  bind_passes(m);
  bind_prove(m);
  bind_dual(m);
  bind_newton(m);
  bind_jeffreys(m);
  bind_joint_hinge(m);
  bind_files(m);
  bind_tables(m);
  bind_word_counter(m);
  bind_vocabulary(m);
  bind_kernels(m);
  m.def("part_names", &part_names);
  m.def("loss_facts", &py_loss_facts);
  m.def("default_threads", &default_threads);
  m.def("target", [] { return std::string(active_functions().name); });
  m.def("targets", &target_names);
  m.def("set_target", &set_target, nb::arg("name"));
}

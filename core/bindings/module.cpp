// The one file that speaks Python. Docstrings and rules live in the .py files that call it.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <stdexcept>

#include "bindings/bindings.hpp"
#include "loop/advance.hpp"
#include "rows/check_csr.hpp"
#define ROSENBLATT_TARGET common
#include "loop/state_memory.hpp"
#include "loop/working_set.hpp"
#include "numerics/elementary.hpp"
#include "passes/passes.hpp"
#include "system/parallel.hpp"
#include "system/uninitialized_vector.hpp"

namespace nb = nanobind;
using namespace rosenblatt;

namespace {

template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Dense = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;

const Kernels* active_kernels = choose_kernels();

}  // namespace

const Kernels& rosenblatt::kernels() {
  if (!active_kernels)
    throw std::invalid_argument("ROSENBLATT_TARGET must name an instruction set of this CPU: baseline, avx2 or avx512");
  return *active_kernels;
}

namespace {

template <class T>
Rows dense(const Dense<T>& x, const RowKind kind, nb::object owner) {
  const bool empty = x.shape(0) == 0;             // then the strides mean nothing
  if (!empty && x.shape(1) > 1 && x.stride(1) != 1) throw std::invalid_argument("dense rows must be contiguous");
  if (x.shape(0) > 1 && x.stride(0) < static_cast<std::int64_t>(x.shape(1)))
    throw std::invalid_argument("dense rows must follow each other in memory");
  RowsView v;
  v.kind = kind;
  v.count = x.shape(0);
  v.columns = v.stored_columns = x.shape(1);
  v.stride = x.shape(0) > 1 ? static_cast<std::size_t>(x.stride(0)) : x.shape(1);
  v.values = x.data();
  v.stored_values = v.count * v.columns;
  return {v, std::move(owner)};
}

template <class T, class Index>
Rows csr(const Vector<T>& values, const Vector<Index>& indices, const Vector<Index>& starts, std::size_t columns,
         const std::size_t threads, const RowKind kind, nb::object owner) {
  if (starts.shape(0) == 0) throw std::invalid_argument("indptr must not be empty");
  const std::size_t stored = std::min(values.shape(0), indices.shape(0));
  bool repeats = false;
  {
    nb::gil_scoped_release release;
    repeats = check_csr(starts.data(), starts.shape(0) - 1, indices.data(), stored, columns,
                        stored < std::size_t{1} << 17 ? 1 : threads);
  }
  RowsView v;
  v.kind = kind;
  v.count = starts.shape(0) - 1;
  v.columns = v.stored_columns = columns;
  v.values = values.data();
  v.indices = indices.data();
  v.starts = starts.data();
  v.stored_values = static_cast<std::size_t>(starts.data()[v.count]) * 2;     // values and indices are both read
  return {v, std::move(owner), repeats};
}

template <class T, class Index>
Rows sparse_every(const RowsView& v, const nb::object& owner, const std::size_t step) {
  const auto* values = static_cast<const T*>(v.values);
  const auto *indices = static_cast<const Index*>(v.indices), *starts = static_cast<const Index*>(v.starts);
  std::vector<T> some;
  std::vector<Index> at, begins{0};
  for (std::size_t i = 0; i < v.count; i += step) {
    some.insert(some.end(), values + starts[i], values + starts[i + 1]);
    at.insert(at.end(), indices + starts[i], indices + starts[i + 1]);
    begins.push_back(static_cast<Index>(some.size()));
  }
  RowsView out = v;
  out.count = begins.size() - 1;
  out.stored_values = v.lift ? v.stored_values / step : 2 * some.size();
  const std::size_t size = some.size();
  const auto kept_values = to_numpy(std::move(some), {size});
  const auto kept_indices = to_numpy(std::move(at), {size});
  const auto kept_starts = to_numpy(std::move(begins), {out.count + 1});
  out.values = kept_values.data();
  out.indices = kept_indices.data();
  out.starts = kept_starts.data();
  return {out, nb::make_tuple(kept_values, kept_indices, kept_starts, owner)};
}

// Narrow rows far apart would take whole cache lines of other rows with them.
bool is_worth_a_copy(const RowsView& v) {
  const std::size_t bytes = v.stored_columns * v.value_bytes();
  return bytes <= 512 && bytes * v.count <= std::size_t{1} << 26;
}

template <class T>
Rows close_together(const Rows& base, const std::size_t threads) {
  const RowsView& v = base.view;
  const auto* values = static_cast<const T*>(v.values);
  UnsetVector<T> some(v.count * v.stored_columns);
  const std::size_t parts = std::min<std::size_t>(32, v.count);
  parallel(some.size() < 1 << 16 ? 1 : threads, parts, [&](const std::size_t part) {
    const std::size_t end = v.count * (part + 1) / parts;
    for (std::size_t i = v.count * part / parts; i < end; ++i)
      std::copy_n(values + i * v.stride, v.stored_columns, some.data() + i * v.stored_columns);
  });
  const auto kept = to_numpy(std::move(some), {v.count, v.stored_columns});
  Rows out{v, nb::make_tuple(kept, base.keep_alive)};
  out.view.values = kept.data();
  out.view.stride = v.stored_columns;
  return out;
}

// Rows 0, step, 2 step, ...: wide dense ones without a copy.
Rows every(const Rows& base, const std::size_t step, const std::size_t threads) {
  if (step == 0) throw std::invalid_argument("a step must not be 0");
  switch (base.view.stored()) {
    case RowKind::csr_f64_i32: return sparse_every<double, std::int32_t>(base.view, base.keep_alive, step);
    case RowKind::csr_f64_i64: return sparse_every<double, std::int64_t>(base.view, base.keep_alive, step);
    case RowKind::csr_f32_i32: return sparse_every<float, std::int32_t>(base.view, base.keep_alive, step);
    case RowKind::csr_f32_i64: return sparse_every<float, std::int64_t>(base.view, base.keep_alive, step);
    default: break;
  }
  Rows out = base;
  out.view.count = (base.view.count + step - 1) / step;
  out.view.stride = base.view.stride * step;
  out.view.stored_values = base.view.stored_values / std::max<std::size_t>(base.view.count, 1) * out.view.count;
  if (!is_worth_a_copy(out.view)) return out;
  return out.view.value_bytes() == 4 ? close_together<float>(out, threads) : close_together<double>(out, threads);
}

std::size_t first_bad(const Rows& rows, const std::size_t threads) {
  nb::gil_scoped_release release;
  return first_bad_row(kernels(), rows.view, threads);
}

auto largest(const Rows& rows, const std::size_t threads) {
  std::vector<double> sizes(rows.view.columns);
  {
    nb::gil_scoped_release release;
    largest_sizes(kernels(), rows.view, threads, sizes.data());
  }
  return to_numpy(std::move(sizes), {sizes.size()});
}

BoundProblem problem(const Rows& rows, nb::object rows_owner, std::optional<Vector<std::int8_t>> signs,
                     std::optional<Vector<std::int32_t>> codes, std::optional<Vector<double>> weights,
                     const Recipe& recipe, const std::size_t threads) {
  BoundProblem p;
  p.rows = rows.view;
  p.rows_owner = std::move(rows_owner);
  if (signs.has_value() == codes.has_value()) throw std::invalid_argument("give signs or codes");
  if ((signs ? signs->shape(0) : codes->shape(0)) != rows.view.count)
    throw std::invalid_argument("there must be one label for each row");
  if (signs) p.labels.signs = signs->data(), p.labels_owner = nb::find(*signs);
  if (codes) p.labels.codes = codes->data(), p.labels_owner = nb::find(*codes);
  if (weights) {
    if (weights->shape(0) != rows.view.count) throw std::invalid_argument("there must be one weight for each row");
    p.labels.weights = weights->data();
    p.weights_owner = nb::find(*weights);
  }
  p.recipe = recipe;
  p.kernels = &kernels();
  p.threads = threads;
  return p;
}

struct BoundTrace {
  std::vector<Trace::Line> lines;
  std::size_t size = 0;

  nb::dict drain() {
    const auto column = [&]<class T>(T Trace::Line::* field) {
      std::vector<T> out(size);
      for (std::size_t i = 0; i < size; ++i) out[i] = lines[i].*field;
      return to_numpy(std::move(out), {size});
    };
    nb::dict d;
    d["visit"] = column(&Trace::Line::visit);
    d["row"] = column(&Trace::Line::row);
    d["rival"] = column(&Trace::Line::rival);
    d["margin"] = column(&Trace::Line::margin);
    d["change"] = column(&Trace::Line::change);
    d["norm"] = column(&Trace::Line::norm);
    size = 0;
    return d;
  }
};

struct BoundState {
  Storage state;
  Workspace work;
  Keep keep;
  std::size_t working_sets_of = 0;      // rows they were checked against
  std::atomic_flag busy;

  BoundState(std::size_t planes, std::size_t columns, Keep k, std::uint64_t seed) : state(planes, columns, k), keep(k) {
    state.seed = seed;
  }
  BoundState(const BoundState& other) : state(other.state), keep(other.keep), working_sets_of(other.working_sets_of) {}
};

// A state moves in one thread at a time.
class Hold {
 public:
  explicit Hold(BoundState& s) : state_(s) {
    if (s.busy.test_and_set()) throw std::runtime_error("this state is being trained in another thread");
  }
  ~Hold() { state_.busy.clear(); }
  Hold(const Hold&) = delete;

 private:
  BoundState& state_;
};

void check_fits(const BoundState& s, const BoundProblem& p) {
  if (s.state.columns != p.rows.columns) throw std::invalid_argument("rows and state differ in columns");
  if (p.labels.signs ? s.state.planes != 1 : s.state.planes < 2)
    throw std::invalid_argument("labels and state differ in classes");
  if (s.keep != p.recipe.keep) throw std::invalid_argument("recipe and state differ in what they keep");
  if (!p.labels.codes) return;
  for (std::size_t i = 0; i < p.rows.count; ++i)
    if (p.labels.codes[i] < 0 || static_cast<std::size_t>(p.labels.codes[i]) >= s.state.planes)
      throw std::invalid_argument("a label lies outside the classes");
}

// A restored state, or one that comes from other rows, must not point beyond these.
void check_working_sets(BoundState& s, const std::size_t rows) {
  if (s.working_sets_of == rows) return;
  s.state.reserve_working_sets(working_set_size(rows));
  const auto& members = s.state.members();
  const bool outside = std::any_of(members.begin(), members.end(), [&](std::uint32_t row) { return row >= rows; });
  if (outside || (s.state.level > 0 && is_lowest(rows, s.state.level - 1)))
    throw std::invalid_argument("the state's working sets are of other rows");
  s.working_sets_of = rows;
}

// A run that starts from 0 on all rows of a kernel matrix, all in memory, keeps v.x of every row.
void prepare_activation(Storage& s, const BoundProblem& p) {
  if (s.activation) {
    if (s.remembered() != s.planes * p.rows.count || !p.rows.gram)
      throw std::invalid_argument("the state remembers other rows");
    return;
  }
  const GramView* gram = p.rows.gram;
  if (!gram || p.recipe.stream || p.recipe.order == Order::batch || p.recipe.penalty != 0.0 || s.visits > 0) return;
  const bool whole = gram->first == 0 && gram->cached == p.rows.count && p.rows.count == p.rows.columns;
  if (whole && std::all_of(s.v, s.v + s.size(), [](const double a) { return a == 0.0; })) s.remember(p.rows.count);
}

void py_advance(BoundState& s, const BoundProblem& p, const std::uint64_t budget, const std::uint64_t last_visit,
                BoundTrace* trace) {
  const Hold hold(s);
  check_fits(s, p);
  if (p.rows.count == 0) return;
  const bool beyond = s.state.position > p.rows.count && p.recipe.order != Order::random_mistake;
  if (beyond || s.state.check_position > p.rows.count)
    throw std::invalid_argument("the state stands beyond these rows");
  if (p.recipe.order == Order::working_set) check_working_sets(s, p.rows.count);
  prepare_activation(s.state, p);
  Trace view;
  if (trace) view = {trace->lines.data(), trace->lines.size(), trace->size};
  {
    nb::gil_scoped_release release;
    advance(s.state, p, s.work, view, budget, last_visit);
  }
  if (trace) trace->size = view.size;
}

nb::tuple kept(BoundState& s) {
  const Hold hold(s);
  std::vector<double> w(s.state.size()), b(s.state.planes);
  s.state.kept(s.keep, w.data(), b.data());
  return nb::make_tuple(to_numpy(std::move(w), {s.state.planes, s.state.columns}),
                        to_numpy(std::move(b), {s.state.planes}));
}

void set_weights(BoundState& s, const Matrix<double>& w, const Vector<double>& b) {
  const Hold hold(s);
  if (w.shape(0) != s.state.planes || w.shape(1) != s.state.columns || b.shape(0) != s.state.planes)
    throw std::invalid_argument("the weights have another shape than the state");
  std::copy(w.data(), w.data() + s.state.size(), s.state.v);
  std::copy(b.data(), b.data() + s.state.planes, s.state.offset);
  s.state.forget();
}

// Weights of one or more planes, as classifiers keep them.
Weights planes_of(const Rows& rows, const Matrix<double>& w, const Vector<double>& b) {
  if (w.shape(1) != rows.view.columns || w.shape(0) != b.shape(0))
    throw std::invalid_argument("rows and weights differ in columns");
  return {w.data(), b.data(), w.shape(0), 1.0, 1.0};
}

template <class T, class Fill>
nb::tuple filled(const std::size_t rows, const std::size_t planes, const Fill& fill) {
  auto* out = new T[rows * planes];
  nb::capsule owner(out, [](void* p) noexcept { delete[] static_cast<T*>(p); });
  bool finite = false;
  {
    nb::gil_scoped_release release;
    finite = fill(out);
  }
  return nb::make_tuple(nb::ndarray<nb::numpy, T>(out, {rows, planes}, owner), finite);
}

nb::tuple scores(const Rows& rows, const Matrix<double>& w, const Vector<double>& b, const std::size_t threads) {
  const Weights weights = planes_of(rows, w, b);
  return filled<double>(rows.view.count, weights.planes, [&](double* out) {
    return compute_scores(kernels(), rows.view, weights, {0, rows.view.count}, threads, out);
  });
}

// The same into memory that is there: fresh pages cost more than filling them.
bool scores_into(const Rows& rows, const Matrix<double>& w, const Vector<double>& b, const std::size_t threads,
                 nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu> out) {
  const Weights weights = planes_of(rows, w, b);
  if (out.shape(0) != rows.view.count * weights.planes) throw std::invalid_argument("one score a row and plane");
  nb::gil_scoped_release release;
  return compute_scores(kernels(), rows.view, weights, {0, rows.view.count}, threads, out.data());
}

nb::tuple choices(const Rows& rows, const Matrix<double>& w, const Vector<double>& b,
                  const Vector<std::uint64_t>& labels, const std::size_t threads) {
  const Weights weights = planes_of(rows, w, b);
  if (weights.planes != 1 || labels.shape(0) != 2) throw std::invalid_argument("one plane chooses from two labels");
  return filled<std::uint64_t>(rows.view.count, 1, [&](std::uint64_t* out) {
    return choose(kernels(), rows.view, weights, labels.data(), threads, out);
  });
}

nb::tuple py_inspect(const BoundProblem& p, const Matrix<double>& w, const Vector<double>& b, const bool want_margins,
                     const bool want_gradient) {
  if (w.shape(1) != p.rows.columns || w.shape(0) != b.shape(0) || (p.labels.signs && w.shape(0) != 1))
    throw std::invalid_argument("rows and weights do not fit");
  const std::size_t planes = w.shape(0), size = planes * p.rows.columns;
  std::vector<double> margins(want_margins ? p.rows.count : 0), gradient(want_gradient ? size + planes : 0);
  Totals totals;
  {
    nb::gil_scoped_release release;
    totals =
        inspect(*p.kernels, p.rows, p.labels, {w.data(), b.data(), planes, 1.0, 1.0}, p.recipe.loss, {0, p.rows.count},
                p.threads, want_margins ? margins.data() : nullptr, want_gradient ? gradient.data() : nullptr);
  }
  return nb::make_tuple(totals.wrong_rows, totals.mistakes, totals.loss, to_numpy(std::move(margins), {margins.size()}),
                        to_numpy(std::move(gradient), {gradient.size()}));
}

template <class T>
T member(const std::int64_t value, const std::int64_t count, const char* what) {
  if (value < 0 || value >= count) throw std::invalid_argument(std::string("unknown ") + what);
  return static_cast<T>(value);
}

Recipe recipe(std::int64_t loss, std::int64_t order, std::int64_t step, std::int64_t keep, double eta0,
              double aggressiveness, double penalty, double offset_value, bool penalize_offset, bool stream) {
  return {member<Loss>(loss, 4, "loss"),
          member<Order>(order, 6, "order"),
          member<Step>(step, 7, "step"),
          member<Keep>(keep, 3, "keep"),
          eta0,
          aggressiveness,
          penalty,
          offset_value,
          penalize_offset,
          stream};
}

}  // namespace

namespace {

// Every number a run remembers, by name: what is read, saved and restored.
template <class S, class Each>
void each_number(S& s, const Each& each) {
  each("visits", s.visits);
  each("steps", s.steps);
  each("updates", s.updates);
  each("mistakes", s.mistakes);
  each("passes", s.pass);
  each("position", s.position);
  each("pass_mistakes", s.pass_mistakes);
  each("pass_updates", s.pass_updates);
  each("run", s.run);
  each("bar", s.bar);
  each("check_position", s.check_position);
  each("level", s.level);
  each("seed", s.seed);
  each("check_mistakes", s.check_mistakes);
  each("best_mistakes", s.best_mistakes);
  each("mistake_weight", s.mistake_weight);
  each("loss_sum", s.loss_sum);
  each("loss_product", s.loss_product);
  each("averaged", s.averaged);
  each("scale", s.scale);
  each("scale_sum", s.scale_sum);
  each("clean", s.clean);
  each("overflow", s.overflow);
}

template <class Each>
void each_array(State& s, const Each& each) {
  each("v", s.v, s.size());
  each("offset", s.offset, s.planes);
  if (s.banked) each("banked", s.banked, s.size()), each("offset_sum", s.offset_sum, s.planes);
  if (s.best) each("best", s.best, s.size()), each("best_offset", s.best_offset, s.planes);
}

nb::dict save(BoundState& s) {
  const Hold hold(s);
  nb::dict d;
  d["planes"] = s.state.planes;
  d["columns"] = s.state.columns;
  d["keep"] = static_cast<int>(s.keep);
  d["checking"] = s.state.phase == Phase::check;
  each_number(s.state, [&](const char* name, const auto& value) { d[name] = value; });
  each_array(s.state, [&](const char* name, const double* values, std::size_t size) {
    d[name] = to_numpy(std::vector<double>(values, values + size), {size});
  });
  if (s.state.activation)
    d["activation"] = to_numpy(std::vector<double>(s.state.activation, s.state.activation + s.state.remembered()),
                               {s.state.remembered()});
  d["working_sets"] = to_numpy(std::vector<std::uint32_t>(s.state.members()), {s.state.members().size()});
  return d;
}

void restore(BoundState* where, const nb::dict& d) {
  const auto planes = nb::cast<std::size_t>(d["planes"]), columns = nb::cast<std::size_t>(d["columns"]);
  auto* s = new (where) BoundState(planes, columns, member<Keep>(nb::cast<std::int64_t>(d["keep"]), 3, "keep"), 0);
  s->state.phase = nb::cast<bool>(d["checking"]) ? Phase::check : Phase::learn;
  each_number(s->state, [&](const char* name, auto& value) {
    value = nb::cast<std::remove_reference_t<decltype(value)>>(d[name]);
  });
  each_array(s->state, [&](const char* name, double* values, std::size_t size) {
    const auto array = nb::cast<Vector<double>>(d[name]);
    if (array.shape(0) != size) throw std::invalid_argument(std::string("a saved state holds too few or many ") + name);
    std::copy(array.data(), array.data() + size, values);
  });
  if (d.contains("activation")) {
    const auto array = nb::cast<Vector<double>>(d["activation"]);
    s->state.remember(array.shape(0) / std::max<std::size_t>(planes, 1));
    if (array.shape(0) != s->state.remembered())
      throw std::invalid_argument("a saved state holds too few or many rows");
    std::copy(array.data(), array.data() + array.shape(0), s->state.activation);
  }
  const auto members = nb::cast<Vector<std::uint32_t>>(d["working_sets"]);
  s->state.reserve_working_sets(members.shape(0));
  std::copy(members.data(), members.data() + members.shape(0), s->state.working_sets);
}

template <class T, class Index>
void bind_csr(nb::class_<Rows>& rows, const RowKind kind) {
  rows.def_static(
      "csr",
      [kind](Vector<T> values, Vector<Index> indices, Vector<Index> starts, std::size_t columns, std::size_t threads) {
        return csr<T, Index>(values, indices, starts, columns, threads, kind,
                             nb::make_tuple(nb::find(values), nb::find(indices), nb::find(starts)));
      },
      nb::arg("values").noconvert(), nb::arg("indices").noconvert(), nb::arg("starts").noconvert(), nb::arg("columns"),
      nb::arg("threads"));
}

}  // namespace

NB_MODULE(_core, m) {
  nb::class_<Rows> rows(m, "Rows");
  rows.def_static(
      "dense", [](Dense<double> x) { return dense<double>(x, RowKind::dense_f64, nb::find(x)); },
      nb::arg("x").noconvert());
  rows.def_static(
      "dense", [](Dense<float> x) { return dense<float>(x, RowKind::dense_f32, nb::find(x)); },
      nb::arg("x").noconvert());
  bind_csr<double, std::int32_t>(rows, RowKind::csr_f64_i32);
  bind_csr<double, std::int64_t>(rows, RowKind::csr_f64_i64);
  bind_csr<float, std::int32_t>(rows, RowKind::csr_f32_i32);
  bind_csr<float, std::int64_t>(rows, RowKind::csr_f32_i64);
  bind_lift(m, rows);
  rows.def("every", &every, nb::arg("step"), nb::arg("threads") = 1)
      .def_prop_ro("sparse",
                   [](const Rows& r) { return r.view.indices != nullptr && r.view.kind != RowKind::lifted_dense; })
      .def("first_bad", &first_bad, nb::arg("threads"))
      .def("largest", &largest, nb::arg("threads"))
      .def_ro("repeats_columns", &Rows::repeats_columns)
      .def_prop_ro("count", [](const Rows& r) { return r.view.count; })
      .def_prop_ro("columns", [](const Rows& r) { return r.view.columns; })
      .def_prop_ro("stored_values", [](const Rows& r) { return r.view.stored_values; });

  nb::class_<Recipe>(m, "Recipe")
      .def(
          "__init__",
          [](Recipe* where, std::int64_t loss, std::int64_t order, std::int64_t step, std::int64_t keep, double eta0,
             double aggressiveness, double penalty, double offset_value, bool penalize_offset, bool stream) {
            new (where) Recipe(
                recipe(loss, order, step, keep, eta0, aggressiveness, penalty, offset_value, penalize_offset, stream));
          },
          nb::arg("loss"), nb::arg("order"), nb::arg("step"), nb::arg("keep"), nb::arg("eta0"),
          nb::arg("aggressiveness"), nb::arg("penalty"), nb::arg("offset_value"), nb::arg("penalize_offset"),
          nb::arg("stream"));

  nb::class_<BoundProblem>(m, "Problem")
      .def(
          "__init__",
          [](BoundProblem* where, nb::object rows, std::optional<Vector<std::int8_t>> signs,
             std::optional<Vector<std::int32_t>> codes, std::optional<Vector<double>> weights, const Recipe& recipe,
             std::size_t threads) {
            new (where)
                BoundProblem(problem(nb::cast<const Rows&>(rows), rows, signs, codes, weights, recipe, threads));
          },
          nb::arg("rows"), nb::arg("signs").none(), nb::arg("codes").none(), nb::arg("weights").none(),
          nb::arg("recipe"), nb::arg("threads"));

  nb::class_<BoundTrace>(m, "Trace")
      .def(
          "__init__",
          [](BoundTrace* where, std::size_t capacity) {
            if (capacity == 0) throw std::invalid_argument("a trace needs room");
            new (where) BoundTrace{std::vector<Trace::Line>(capacity), 0};
          },
          nb::arg("capacity"))
      .def("drain", &BoundTrace::drain);

  nb::class_<BoundState> state(m, "State");
  state
      .def(
          "__init__",
          [](BoundState* where, std::size_t planes, std::size_t columns, std::int64_t keep, std::uint64_t seed) {
            new (where) BoundState(planes, columns, member<Keep>(keep, 3, "keep"), seed);
          },
          nb::arg("planes"), nb::arg("columns"), nb::arg("keep"), nb::arg("seed"))
      .def("advance", &py_advance, nb::arg("problem"), nb::arg("budget"), nb::arg("last_visit"),
           nb::arg("trace") = nb::none())
      .def("copy",
           [](BoundState& s) {
             const Hold hold(s);
             return new BoundState(s);
           })
      .def("counts",
           [](BoundState& s) {
             const State& now = s.state;
             return nb::make_tuple(now.visits, now.updates, now.mistakes, now.mistake_weight,
                                   now.loss_sum + common::log(now.loss_product), now.steps);
           })
      .def("kept", &kept)
      .def("set_weights", &set_weights, nb::arg("weights"), nb::arg("offsets"))
      .def("new_rows",
           [](BoundState& s) {
             const Hold hold(s);
             s.state.position = s.state.pass_updates = s.state.pass_mistakes = 0;
             s.state.clean = s.state.overflow = false;
             s.state.forget();
           })
      .def("__getstate__", &save)
      .def("__setstate__", [](BoundState* where, const nb::dict& d) { restore(where, d); });
  State numbers;
  each_number(numbers, [&](const char* name, const auto&) {
    state.def_prop_ro(name, [name](BoundState& s) {
      nb::object found = nb::none();
      each_number(s.state, [&](const char* other, const auto& value) {
        if (other == name) found = nb::cast(value);
      });
      return found;
    });
  });

  m.def("scores", &scores, nb::arg("rows"), nb::arg("weights"), nb::arg("offsets"), nb::arg("threads"));
  m.def("scores_into", &scores_into, nb::arg("rows"), nb::arg("weights"), nb::arg("offsets"), nb::arg("threads"),
        nb::arg("out"));
  m.def("choices", &choices, nb::arg("rows"), nb::arg("weights"), nb::arg("offsets"), nb::arg("labels"),
        nb::arg("threads"));
  m.def("inspect", &py_inspect, nb::arg("problem"), nb::arg("weights"), nb::arg("offsets"), nb::arg("margins") = false,
        nb::arg("gradient") = false);
  bind_branches(m);
  bind_circles(m);
  bind_delimited(m);
  bind_dual(m);
  bind_mapped(m);
  bind_newton(m);
  bind_scaled(m);
  bind_text(m);
  bind_similarity(m);
  m.def("target", [] { return std::string(kernels().name); });
  m.def("targets", [] {
    std::vector<std::string> names;
    for (const char* name : {"baseline", "avx2", "avx512"})
      if (find_kernels(name)) names.emplace_back(name);
    return names;
  });
  m.def(
      "set_target",
      [](const std::string& name) {
        const Kernels* found = find_kernels(name.c_str());
        if (!found) throw std::invalid_argument("this CPU cannot run '" + name + "'");
        active_kernels = found;
      },
      nb::arg("name"));
}

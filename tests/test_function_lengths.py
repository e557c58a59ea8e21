"""Nine functions of the core in ten have at most 15 lines, and the counter knows the forms that functions take."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SPEC = importlib.util.spec_from_file_location("function_lengths", ROOT / "docs" / "function_lengths.py")
function_lengths = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(function_lengths)

pytestmark = pytest.mark.skipif(not function_lengths.CORE.is_dir(), reason="the sources are not beside the tests")


def found(text):
    return [(function.name, function.line, function.lines) for function in function_lengths.functions_of(text)]


def test_most_functions_of_the_core_have_at_most_fifteen_lines():
    functions = [function for _, function in function_lengths.functions_of_core()]
    assert len(functions) >= 700  # a counter that finds few functions proves nothing
    assert function_lengths.share_of_short(functions) >= 0.90


@pytest.mark.parametrize("count", [1, 15, 16])
def test_the_lines_of_a_body_are_counted(count):
    body = "  work();\n" * count
    assert found(f"void f() noexcept {{\n{body}}}\n") == [("f", 1, count)]


def test_comments_count_between_statements_and_not_around_them():
    assert found("int f() {\n  // why\n  int a = 1;\n\n  // then }\n  return a; /* { */\n\n}") == [("f", 1, 4)]


def test_bodies_on_the_line_of_their_header_count():
    assert found("int f() { return 1; }\nvoid g() {}\nint h();\nint k() = delete;") == [("f", 1, 1), ("g", 2, 0)]


def test_literals_hide_braces():
    text = """const char* f() {
  const char open = '{', quote = '\\'';
  const std::uint64_t many = 1'000'000ull + 0xff'ff;
  return R"json({"a": ") {"})json" "\\"{";
}
int g() { return 0; }"""
    assert found(text) == [("f", 1, 3), ("g", 6, 1)]


def test_directives_are_left_out():
    text = "#define OPEN(x) \\\n  if (x) {\n#if A  // {\nint f() { return 1; }\n#else\nint f() { return 2; }\n#endif"
    assert found(text) == [("f", 4, 1), ("f", 6, 1)]


def test_lambdas_count_in_their_function():
    text = "auto f() {\n  const auto add = [&](int k) {\n    sum += k;\n  };\n  return add;\n}"
    assert found(text) == [("f", 1, 4)]


def test_initialisers_are_no_functions_and_count_in_their_constructor():
    text = """struct Row : Base {
  explicit Row(const View& v) noexcept
      : values{v.values},
        size(v.size) {
    check();
  }
  Row() : Base{}, values{} {}
  double* values = nullptr;
  std::vector<int> list{1, 2}, made = [] { return std::vector<int>{3}; }();
};"""
    assert found(text) == [("Row", 2, 3), ("Row", 7, 1)]


def test_tables_and_types_are_no_functions():
    text = """constexpr double powers[] = {1e0, 1e-1};
constexpr auto squares = [] { return 1; }();
enum class Loss { hinge, log };
template <class R = Row<int>>
concept Rows = requires(const R& r) {
  { r.row() } -> std::same_as<Row>;
};
struct alignas(64) Line { double x[8]; };
extern "C" { int f() { return 1; } }"""
    assert found(text) == [("f", 9, 1)]


def test_templates_and_operators_are_functions():
    text = """namespace a::b {
template <class T, class U = std::enable_if_t<(sizeof(T) > 4)>>
  requires std::same_as<T, U>
auto f(T t) -> std::vector<T> {
  return {t};
}
struct S {
 public:
  bool operator==(const S&) const { return true; }
  int operator()(int k) const { return k; }
  template <std::size_t n>
  void g(int (&out)[n] = {}) const {
    out[0] = 1;
  }
};
}  // namespace a::b"""
    assert found(text) == [("f", 4, 1), ("operator==", 9, 1), ("operator()", 10, 1), ("g", 12, 1)]


def test_functions_of_local_classes_count_by_themselves_too():
    text = "void f() {\n  struct Busy {\n    ~Busy() {\n      end();\n    }\n  } busy;\n  work();\n}"
    assert found(text) == [("f", 1, 6), ("Busy", 3, 1)]


@pytest.mark.parametrize("text", ["void f() {", "void f() { g(]; }", "}"])
def test_braces_that_do_not_match_are_refused(text):
    with pytest.raises(ValueError, match="line 1"):
        function_lengths.functions_of(text)

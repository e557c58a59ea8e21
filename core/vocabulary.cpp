#include "vocabulary.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

#include "attempt.hpp"

#define ROSENBLATT_TARGET baseline
#include "elementary.hpp"

namespace rosenblatt {
namespace {

constexpr std::size_t rows_in_block = 128;
constexpr std::size_t batch = 64;             // words looked up together, so that their slots are fetched meanwhile

std::uint64_t mixed(const std::uint64_t a, const std::uint64_t b) noexcept {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// The first `bytes` of 16, the others 0.
WordKey short_key(const char* p, const std::size_t bytes) noexcept {
  static constexpr auto masks = [] {
    std::array<unsigned char, 32> m{};
    std::fill_n(m.begin(), 16, 0xff);
    return m;
  }();
  WordKey key, mask;
  std::memcpy(&key, p, 16);
  std::memcpy(&mask, masks.data() + 16 - bytes, 16);
  return {key.a & mask.a, key.b & mask.b};
}

double natural_log(const double x) noexcept {
  int exponent;
  const double half = std::frexp(x, &exponent);
  constexpr double log_two_high = 6.93147180369123816490e-01, log_two_low = 1.90821492927058770002e-10;
  return (exponent - 1) * log_two_high + ((exponent - 1) * log_two_low + baseline::log1p(2.0 * half - 1.0));
}

// Blocks of rows, shared among threads: work(thread, block, its first row, its last). Throws what they throw.
template <class Work>
void in_blocks(const std::size_t rows, const std::size_t threads, const Work& work) {
  const std::size_t blocks = (rows + rows_in_block - 1) / rows_in_block;
  std::atomic<std::size_t> next{0};
  attempt(std::max<std::size_t>(threads, 1), std::min(blocks, std::max<std::size_t>(threads, 1)),
          [&](const std::size_t thread) {
            for (std::size_t block; (block = next.fetch_add(1)) < blocks;)
              work(thread, block, block * rows_in_block, std::min(rows, (block + 1) * rows_in_block));
          });
}

// Looks up each word of a text, some at a time: look(word) numbers it, have(number) is told.
template <class Look, class Have>
void look_up(const WordTable& table, const FoldedText& text, const std::size_t shortest,
             std::vector<WordTable::Word>& pending, const Look& look, const Have& have) {
  pending.clear();
  const auto flush = [&] {
    for (const auto& w : pending) have(look(w));
    pending.clear();
  };
  each_word(text, shortest, [&](const char* begin, const std::size_t bytes) {
    pending.push_back(table.word(begin, bytes));
    table.fetch(pending.back());
    if (pending.size() == batch) flush();
  });
  flush();
}

// Looks up the runs of 2 words, then of 3 and so on; each is the run before it and one word more.
template <class Look, class Have>
void look_up_runs(const WordTable& table, const std::vector<std::uint32_t>& words, std::vector<std::uint32_t>& runs,
                  const std::size_t ngrams, const Look& look, const Have& have) {
  runs = words;
  std::array<WordTable::Word, batch> pending;
  for (std::size_t n = 2; n <= ngrams && n <= words.size(); ++n) {
    const std::size_t count = words.size() - n + 1;
    for (std::size_t from = 0; from < count; from += batch) {
      const std::size_t some = std::min(batch, count - from);
      for (std::size_t i = 0; i < some; ++i) {
        const auto front = runs[from + i], last = words[from + i + n - 1];
        pending[i] = table.run(front, last);
        table.fetch(pending[i]);
      }
      for (std::size_t i = 0; i < some; ++i) {
        const auto front = runs[from + i], last = words[from + i + n - 1];
        const bool known = front != WordTable::none && last != WordTable::none;
        runs[from + i] = known ? look(pending[i]) : WordTable::none;
        if (runs[from + i] != WordTable::none) have(runs[from + i]);
      }
    }
  }
}

// Sorts by column, a byte at a time; rows are short.
void sort_words(std::vector<WordCount>& words, std::vector<WordCount>& other, const std::uint32_t columns) {
  if (words.size() < 24) {
    std::sort(words.begin(), words.end(), [](const auto& p, const auto& q) { return p.word < q.word; });
    return;
  }
  other.resize(words.size());
  for (unsigned shift = 0; shift < 32 && columns >> shift != 0; shift += 8) {
    std::array<std::uint32_t, 257> begins{};
    for (const auto& w : words) ++begins[(w.word >> shift & 0xff) + 1];
    for (std::size_t i = 1; i < 257; ++i) begins[i] += begins[i - 1];
    for (const auto& w : words) other[begins[w.word >> shift & 0xff]++] = w;
    words.swap(other);
  }
}

double worth_of(const std::uint32_t count, const bool sublinear) noexcept {
  static const auto logs = [] {
    std::array<double, 256> l{};
    for (std::size_t i = 1; i < l.size(); ++i) l[i] = 1.0 + natural_log(static_cast<double>(i));
    return l;
  }();
  if (!sublinear) return count;
  return count < logs.size() ? logs[count] : 1.0 + natural_log(count);
}

template <class Value>
void write_values(const std::vector<WordCount>& words, const Worth& worth, std::int32_t* columns, Value* values,
                  std::vector<double>& exact) {
  exact.resize(words.size());
  double squares = 0.0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto [column, count] = words[i];
    const double value = worth_of(count, worth.sublinear) * (worth.weights.empty() ? 1.0 : worth.weights[column]);
    columns[i] = static_cast<std::int32_t>(column);
    exact[i] = value;
    squares += value * value;
  }
  const double length = worth.unit && squares > 0.0 ? std::sqrt(squares) : 1.0;
  for (std::size_t i = 0; i < words.size(); ++i) values[i] = static_cast<Value>(exact[i] / length);
}

// Rows in their order, columns rising. `column(owner, word)` is the column of a word, or no_column.
template <class Value, class Column>
SparseTexts<Value> sparse(const std::vector<CountedRows>& blocks, const std::size_t rows, const std::uint32_t columns,
                          const Worth& worth, const std::size_t threads, const Column& column) {
  SparseTexts<Value> out;
  out.starts.assign(rows + 1, 0);
  attempt(threads, blocks.size(), [&](const std::size_t b) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < blocks[b].ends.size(); ++i)
      for (; at < blocks[b].ends[i]; ++at)
        out.starts[blocks[b].first_row + i + 1] += column(blocks[b].owner, blocks[b].words[at].word) != no_column;
  });
  for (std::size_t i = 0; i < rows; ++i) out.starts[i + 1] += out.starts[i];
  out.columns.resize(static_cast<std::size_t>(out.starts[rows]));
  out.values.resize(static_cast<std::size_t>(out.starts[rows]));
  attempt(threads, blocks.size(), [&](const std::size_t b) {
    std::vector<WordCount> row, other;
    std::vector<double> exact;
    std::size_t at = 0;
    for (std::size_t i = 0; i < blocks[b].ends.size(); ++i) {
      row.clear();
      for (; at < blocks[b].ends[i]; ++at) {
        const auto [word, count] = blocks[b].words[at];
        if (const auto c = column(blocks[b].owner, word); c != no_column) row.push_back({c, count});
      }
      sort_words(row, other, columns);
      const auto start = out.starts[blocks[b].first_row + i];
      write_values(row, worth, out.columns.data() + start, out.values.data() + start, exact);
    }
  });
  return out;
}

}  // namespace

void Texts::check() const {
  const auto rise = [&](const auto* at) {
    auto last = at[0];
    for (std::size_t i = 1; i <= count; last = at[i++])
      if (at[i] < last || last < 0 || static_cast<std::uint64_t>(at[i]) > data.size())
        throw std::invalid_argument("the text of row " + std::to_string(i - 1) + " lies outside of its column's data");
  };
  offsets ? rise(offsets) : rise(wide_offsets);
}

std::string_view Texts::row(const std::size_t i) const noexcept {
  const std::size_t bit = first_bit + i;
  if (valid && !(valid[bit / 8] >> bit % 8 & 1)) return {};
  const std::int64_t begin = offsets ? offsets[i] : wide_offsets[i];
  const std::int64_t end = offsets ? offsets[i + 1] : wide_offsets[i + 1];
  return {data.data() + begin, static_cast<std::size_t>(end - begin)};
}

// The seed differs from run to run, so that nobody can prepare words that meet in one slot; no result depends on it.
WordTable::WordTable() : slots_(1 << 10, {0, none}), mask_(slots_.size() - 1) {
  static const std::uint64_t seed = [] {
    std::random_device device;
    return (static_cast<std::uint64_t>(device()) << 32 | device()) | 1;
  }();
  seed_ = seed;
}

std::uint32_t WordTable::hash(const WordKey key) const noexcept {
  const std::uint64_t h = mixed(mixed(key.a ^ seed_, 0x9e3779b97f4a7c15) ^ key.b, 0xd6e8feb86659fd93 ^ seed_);
  return static_cast<std::uint32_t>(h ^ h >> 32);
}

WordTable::Word WordTable::word(const char* folded, const std::size_t bytes) const noexcept {
  if (bytes <= 16) {
    const WordKey key = short_key(folded, bytes);
    return {key, {}, hash(key)};
  }
  WordKey key{bytes, long_mark << 56};
  for (std::size_t i = 0; i < bytes; i += 16) {
    const WordKey next = short_key(folded + i, std::min<std::size_t>(16, bytes - i));
    key.a = mixed(mixed(key.a ^ next.a ^ seed_, 0x9e3779b97f4a7c15) ^ next.b, 0xd6e8feb86659fd93 ^ seed_);
  }
  return {key, {folded, bytes}, hash(key)};
}

WordTable::Word WordTable::run(const std::uint32_t front, const std::uint32_t last) const noexcept {
  const WordKey key{static_cast<std::uint64_t>(front) << 32 | last, run_mark << 56};
  return {key, {}, hash(key)};
}

std::string_view WordTable::long_word(const std::uint64_t b) const noexcept {
  const char* at = long_words_.data() + (b & 0xffffffffffffff);
  std::uint64_t bytes;
  std::memcpy(&bytes, at, sizeof bytes);
  return {at + sizeof bytes, bytes};
}

std::uint32_t WordTable::find(const Word& w) const noexcept {
  for (std::size_t at = w.hash & mask_;; at = (at + 1) & mask_) {
    const Slot slot = slots_[at];
    if (slot.id == none) return none;
    if (slot.hash != w.hash) continue;
    const WordKey& key = keys_[slot.id];
    if (w.bytes.empty() ? key == w.key : key.a == w.key.a && key.b >> 56 == long_mark && long_word(key.b) == w.bytes)
      return slot.id;
  }
}

std::uint32_t WordTable::add(const Word& w) {
  if (const auto id = find(w); id != none) return id;
  if (keys_.size() >= std::numeric_limits<std::int32_t>::max())
    throw std::length_error("more than 2,147,483,647 different words");
  if (2 * (keys_.size() + 1) > slots_.size()) grow();
  WordKey key = w.key;
  if (!w.bytes.empty()) {
    key.b |= long_words_.size();
    const std::uint64_t bytes = w.bytes.size();
    const auto* length = reinterpret_cast<const char*>(&bytes);
    long_words_.insert(long_words_.end(), length, length + sizeof bytes);
    long_words_.insert(long_words_.end(), w.bytes.begin(), w.bytes.end());
  }
  const auto id = static_cast<std::uint32_t>(keys_.size());
  keys_.push_back(key);
  std::size_t at = w.hash & mask_;
  while (slots_[at].id != none) at = (at + 1) & mask_;
  slots_[at] = {w.hash, id};
  return id;
}

void WordTable::grow() {
  std::vector<Slot> larger(2 * slots_.size(), {0, none});
  const std::size_t mask = larger.size() - 1;
  for (const Slot slot : slots_) {
    if (slot.id == none) continue;
    std::size_t at = slot.hash & mask;
    while (larger[at].id != none) at = (at + 1) & mask;
    larger[at] = slot;
  }
  slots_.swap(larger);
  mask_ = mask;
}

WordTable::Word WordTable::stored(const std::uint32_t id) const noexcept {
  const WordKey key = keys_[id];
  if (key.b >> 56 != long_mark) return {key, {}, hash(key)};
  const WordKey bare{key.a, long_mark << 56};
  return {bare, long_word(key.b), hash(bare)};
}

void WordTable::append_name(const std::uint32_t id, std::string& out) const {
  const WordKey key = keys_[id];
  if (is_run(id)) {
    append_name(front(id), out);
    out += ' ';
    append_name(last(id), out);
  } else if (key.b >> 56 == long_mark) {
    out += long_word(key.b);
  } else {
    char bytes[16];
    std::memcpy(bytes, &key, 16);
    out.append(bytes, strnlen(bytes, 16));
  }
}

void WordCounter::count_row(Shard& s, const std::string_view text, std::vector<WordCount>& out) const {
  ++s.row;
  s.text.fold(text);
  s.words.clear();
  const auto look = [&](const WordTable::Word& w) { return s.table.add(w); };
  const auto count = [&](const std::uint32_t id) {
    if (id == s.marks.size()) s.marks.emplace_back();
    Mark& mark = s.marks[id];
    if (mark.row == s.row) {
      ++out[mark.place].count;
    } else {
      mark = {s.row, static_cast<std::uint32_t>(out.size()), mark.rows + 1};
      out.push_back({id, 1});
    }
  };
  const bool runs = reading_.ngrams > 1;
  look_up(s.table, s.text, reading_.shortest, s.pending, look, [&](const std::uint32_t id) {
    count(id);
    if (runs) s.words.push_back(id);
  });
  if (runs) look_up_runs(s.table, s.words, s.runs, reading_.ngrams, look, count);
}

void WordCounter::learn(const Texts& texts, const bool keep, const std::size_t threads) {
  texts.check();
  const std::size_t blocks = (texts.count + rows_in_block - 1) / rows_in_block, first = kept_.size();
  if (shards_.size() < std::min(std::max<std::size_t>(threads, 1), blocks))
    shards_.resize(std::min(std::max<std::size_t>(threads, 1), blocks));
  if (keep) kept_.resize(first + blocks);
  in_blocks(texts.count, threads,
            [&](const std::size_t t, const std::size_t b, const std::size_t from, const std::size_t to) {
              CountedRows counted{rows_ + from, t, {}, {}};
              counted.words.reserve(rows_in_block * 64);
              for (std::size_t i = from; i < to; ++i) {
                count_row(shards_[t], texts.row(i), counted.words);
                counted.ends.push_back(counted.words.size());
              }
              if (keep) kept_[first + b] = std::move(counted);
            });
  rows_ += texts.count;
}

ChosenWords WordCounter::choose(const std::size_t least, const std::size_t most, const std::size_t at_most) {
  // One table for all: the first shard's, with the words that only others met.
  if (shards_.empty()) shards_.resize(1);
  WordTable& table = shards_[0].table;
  std::vector<std::uint64_t> rows(table.size());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = shards_[0].marks[i].rows;
  std::vector<std::vector<std::uint32_t>> numbers(shards_.size());
  for (std::size_t s = 1; s < shards_.size(); ++s) {
    const WordTable& other = shards_[s].table;
    auto& number = numbers[s];
    number.resize(other.size());
    for (std::uint32_t i = 0; i < number.size(); ++i) {
      number[i] =
          table.add(other.is_run(i) ? table.run(number[other.front(i)], number[other.last(i)]) : other.stored(i));
      if (number[i] == rows.size()) rows.push_back(0);
      rows[number[i]] += shards_[s].marks[i].rows;
    }
  }

  // Sorted by rows, then by name. The names' first bytes, as a number, decide nearly always.
  struct Candidate {
    std::uint64_t rows, beginning;
    std::size_t name, end;
    std::uint32_t id;
  };
  std::string names;
  std::vector<Candidate> candidates;
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    if (rows[i] < std::max<std::size_t>(least, 1) || rows[i] > most) continue;
    const std::size_t name = names.size();
    table.append_name(i, names);
    std::uint64_t beginning = 0;
    for (std::size_t k = 0; k < 8; ++k)
      beginning = beginning << 8 | (name + k < names.size() ? static_cast<unsigned char>(names[name + k]) : 0);
    candidates.push_back({rows[i], beginning, name, names.size(), i});
  }
  const auto name_of = [&](const Candidate& c) { return std::string_view(names).substr(c.name, c.end - c.name); };
  std::sort(candidates.begin(), candidates.end(), [&](const Candidate& p, const Candidate& q) {
    if (p.rows != q.rows) return p.rows > q.rows;
    if (p.beginning != q.beginning) return p.beginning < q.beginning;
    return name_of(p) < name_of(q);
  });
  if (candidates.size() > at_most) candidates.resize(at_most);

  ChosenWords chosen;
  std::vector<std::uint32_t> columns(rows.size(), no_column);
  for (const auto& c : candidates) {
    columns[c.id] = static_cast<std::uint32_t>(chosen.ends.size());
    chosen.bytes += name_of(c);
    chosen.ends.push_back(static_cast<std::int64_t>(chosen.bytes.size()));
    chosen.rows.push_back(static_cast<std::int64_t>(c.rows));
  }
  for (std::size_t s = 1; s < shards_.size(); ++s) {
    for (auto& n : numbers[s]) n = columns[n];
    shards_[s].columns = std::move(numbers[s]);
  }
  shards_[0].columns = std::move(columns);
  return chosen;
}

template <class Value>
SparseTexts<Value> WordCounter::kept_rows(const Worth& worth, const std::size_t threads) const {
  std::uint32_t columns = 0;
  for (const auto& s : shards_)
    for (const auto c : s.columns)
      if (c != no_column) columns = std::max(columns, c);
  return sparse<Value>(kept_, rows_, columns, worth, threads,
                       [&](const std::size_t owner, const std::uint32_t word) { return shards_[owner].columns[word]; });
}

Vocabulary::Vocabulary(const std::string_view bytes, const std::span<const std::int64_t> ends, const Reading reading)
    : reading_(reading), size_(ends.size()) {
  if (size_ > std::numeric_limits<std::int32_t>::max()) throw std::invalid_argument("there are too many words");
  if (size_ ? ends[size_ - 1] != static_cast<std::int64_t>(bytes.size()) : !bytes.empty())
    throw std::invalid_argument("the words do not end where their bytes end");
  const auto strange = [](const char c) { return c == 0 || static_cast<unsigned char>(c) >= 0xf8; };
  if (std::any_of(bytes.begin(), bytes.end(), strange)) throw std::invalid_argument("the words are not UTF-8");
  std::string folded;
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < size_; begin = ends[i++]) {
    if (ends[i] <= begin || ends[i] > static_cast<std::int64_t>(bytes.size()))
      throw std::invalid_argument("word " + std::to_string(i) + " has no bytes");
    std::string_view left = bytes.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(ends[i] - begin));
    std::uint32_t id = WordTable::none;
    for (std::size_t n = 1;; ++n) {
      const std::string_view word = left.substr(0, left.find(' '));
      if (n > reading.ngrams || word.empty())
        throw std::invalid_argument("word " + std::to_string(i) + " is not a run of 1 to " +
                                    std::to_string(reading.ngrams) + " words");
      folded.assign(word);
      folded.append(16, '\0');
      const auto last = table_.add(table_.word(folded.data(), word.size()));
      id = n == 1 ? last : table_.add(table_.run(id, last));
      if (word.size() == left.size()) break;
      left.remove_prefix(word.size() + 1);
    }
    columns_.resize(table_.size(), no_column);
    if (columns_[id] != no_column) throw std::invalid_argument("word " + std::to_string(i) + " comes twice");
    columns_[id] = static_cast<std::uint32_t>(i);
  }
}

struct Vocabulary::Counting {
  struct Mark {
    std::uint64_t row = 0;
    std::size_t place = 0;
  };
  std::vector<Mark> marks;
  FoldedText text;
  std::vector<WordTable::Word> pending;
  std::vector<std::uint32_t> words, runs;
  std::uint64_t row = 0;
};

void Vocabulary::count_row(Counting& c, const std::string_view text, std::vector<WordCount>& out) const {
  ++c.row;
  c.text.fold(text);
  c.words.clear();
  const auto look = [&](const WordTable::Word& w) { return table_.find(w); };
  const auto count = [&](const std::uint32_t id) {
    const auto column = columns_[id];
    if (column == no_column) return;
    auto& mark = c.marks[column];
    if (mark.row == c.row) {
      ++out[mark.place].count;
    } else {
      mark = {c.row, out.size()};
      out.push_back({column, 1});
    }
  };
  look_up(table_, c.text, reading_.shortest, c.pending, look, [&](const std::uint32_t id) {
    if (id != WordTable::none) count(id);
    if (reading_.ngrams > 1) c.words.push_back(id);
  });
  if (reading_.ngrams > 1) look_up_runs(table_, c.words, c.runs, reading_.ngrams, look, count);
}

template <class Value>
SparseTexts<Value> Vocabulary::encode(const Texts& texts, const Worth& worth, const std::size_t threads) const {
  texts.check();
  std::vector<CountedRows> blocks((texts.count + rows_in_block - 1) / rows_in_block);
  std::vector<Counting> each(std::min(std::max<std::size_t>(threads, 1), blocks.size()));
  in_blocks(texts.count, threads,
            [&](const std::size_t t, const std::size_t b, const std::size_t from, const std::size_t to) {
              if (each[t].marks.empty()) each[t].marks.resize(size_);
              CountedRows counted{from, 0, {}, {}};
              for (std::size_t i = from; i < to; ++i) {
                count_row(each[t], texts.row(i), counted.words);
                counted.ends.push_back(counted.words.size());
              }
              blocks[b] = std::move(counted);
            });
  return sparse<Value>(blocks, texts.count, static_cast<std::uint32_t>(size_), worth, threads,
                       [](std::size_t, const std::uint32_t column) { return column; });
}

std::vector<double> inverse_row_frequency(const std::span<const std::int64_t> rows, const std::int64_t n) {
  std::vector<double> out(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    out[i] = natural_log((1.0 + static_cast<double>(n)) / (1.0 + static_cast<double>(rows[i]))) + 1.0;
  return out;
}

template SparseTexts<float> WordCounter::kept_rows(const Worth&, std::size_t) const;
template SparseTexts<double> WordCounter::kept_rows(const Worth&, std::size_t) const;
template SparseTexts<float> Vocabulary::encode(const Texts&, const Worth&, std::size_t) const;
template SparseTexts<double> Vocabulary::encode(const Texts&, const Worth&, std::size_t) const;

}  // namespace rosenblatt

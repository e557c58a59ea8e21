#include "text/vocabulary.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <new>
#include <stdexcept>

#include "system/attempt.hpp"

#define ROSENBLATT_TARGET baseline
#include "numerics/elementary.hpp"

namespace rosenblatt {
namespace {

constexpr std::size_t rows_in_block = 128;
constexpr std::size_t batch = 64;             // words looked up together, so that their slots are fetched meanwhile

double natural_log(const double x) noexcept {
  int exponent;
  const double half = std::frexp(x, &exponent);
  constexpr double log_two_high = 6.93147180369123816490e-01, log_two_low = 1.90821492927058770002e-10;
  return (exponent - 1) * log_two_high + ((exponent - 1) * log_two_low + baseline::log1p(2.0 * half - 1.0));
}

std::size_t blocks_of(const std::size_t rows) noexcept { return (rows + rows_in_block - 1) / rows_in_block; }

// Blocks of rows, shared among threads: work(thread, block, its first row, the row after its last).
template <class Work>
void in_blocks(const std::size_t rows, const std::size_t threads, const Work& work) {
  const std::size_t blocks = blocks_of(rows);
  std::atomic<std::size_t> next{0};
  attempt(threads, std::min(blocks, threads), [&](const std::size_t thread) {
    for (std::size_t block; (block = next.fetch_add(1)) < blocks;)
      work(thread, block, block * rows_in_block, std::min(rows, (block + 1) * rows_in_block));
  });
}

// Numbers each word of a text, some at a time: look(word) finds its number, have(number) is told.
template <class Look, class Have>
void look_up(const WordTable& table, const FoldedText& text, const std::size_t shortest, const Look& look,
             const Have& have) {
  std::array<WordTable::Word, batch> pending;
  std::array<std::uint32_t, batch> ids;
  std::size_t count = 0;
  const auto flush = [&] {
    for (std::size_t i = 0; i < count; ++i) ids[i] = look(pending[i]);
    for (std::size_t i = 0; i < count; ++i) have(ids[i]);
    count = 0;
  };
  text.each_word(shortest, [&](const char* begin, const std::size_t bytes) {
    new (&pending[count]) WordTable::Word(table.word(begin, bytes));  // in its place: no copy through the stack
    table.fetch(pending[count]);
    if (++count == batch) flush();
  });
  flush();
}

// Numbers the runs of 2 words, then of 3 and so on; each is the run before it and one word more.
template <class Look, class Have>
void look_up_runs(const WordTable& table, Reader& r, const std::size_t ngrams, const Look& look, const Have& have) {
  r.runs = r.words;
  std::array<WordTable::Word, batch> pending;
  for (std::size_t n = 2; n <= ngrams && n <= r.words.size(); ++n) {
    const std::size_t count = r.words.size() - n + 1;
    for (std::size_t from = 0; from < count; from += batch) {
      const std::size_t some = std::min(batch, count - from);
      for (std::size_t i = 0; i < some; ++i) {
        new (&pending[i]) WordTable::Word(table.run(r.runs[from + i], r.words[from + i + n - 1]));
        table.fetch(pending[i]);
      }
      for (std::size_t i = 0; i < some; ++i) {
        auto& front = r.runs[from + i];
        const bool known = front != WordTable::none && r.words[from + i + n - 1] != WordTable::none;
        front = known ? look(pending[i]) : WordTable::none;
        have(front);
      }
    }
  }
}

// The words of a text, and its runs of words, counted. look(word) finds a number, column(number) what is counted.
template <class Look, class Column>
std::span<const WordCount> count_words(const WordTable& table, const Reading& reading, const std::string_view text,
                                       Reader& r, const Look& look, const Column& column) {
  r.text.fold(text);
  r.count.begin(r.text.most_words() * reading.ngrams + 1);
  const auto count = [&](const std::uint32_t id) {
    if (id == WordTable::none) return;
    if (const auto c = column(id); c != no_column) r.count.add(c);
  };
  if (reading.ngrams == 1) {
    look_up(table, r.text, reading.shortest, look, count);
  } else {
    r.words.clear();
    look_up(table, r.text, reading.shortest, look, [&](const std::uint32_t id) {
      count(id);
      r.words.push_back(id);
    });
    look_up_runs(table, r, reading.ngrams, look, count);
  }
  return r.count.words();
}

// The rows of a block, each counted by `count`.
template <class Count>
CountedRows counted(const Texts& texts, const std::size_t from, const std::size_t to, const std::size_t owner,
                    std::vector<WordCount>& scratch, const Count& count) {
  CountedRows block{from, owner, {}, {}};
  block.ends.reserve(to - from);
  scratch.clear();
  for (std::size_t i = from; i < to; ++i) {
    const auto words = count(texts.row(i));
    scratch.insert(scratch.end(), words.begin(), words.end());
    block.ends.push_back(scratch.size());
  }
  block.words.assign(scratch.begin(), scratch.end());
  return block;
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

void WordCounter::learn(const Texts& texts, const bool keep, const std::size_t threads) {
  texts.check();
  const std::size_t blocks = blocks_of(texts.count), first = kept_.size();
  shards_.resize(std::max(shards_.size(), std::min(threads, blocks)));
  if (keep) kept_.resize(first + blocks);
  in_blocks(texts.count, threads,
            [&](const std::size_t t, const std::size_t b, const std::size_t from, const std::size_t to) {
              Shard& s = shards_[t];
              const auto look = [&](const WordTable::Word& w) {
                const auto id = s.table.add(w);
                s.reader.count.make_room(id);
                return id;
              };
              const auto count = [&](const std::string_view text) {
                return count_words(s.table, reading_, text, s.reader, look, [](const std::uint32_t id) { return id; });
              };
              if (!keep) {
                for (std::size_t i = from; i < to; ++i) count(texts.row(i));
                return;
              }
              CountedRows block = counted(texts, from, to, t, s.reader.scratch, count);
              block.first_row += rows_;
              kept_[first + b] = std::move(block);
            });
  rows_ += texts.count;
}

std::vector<std::uint32_t> WordCounter::merge() {
  WordTable& table = shards_[0].table;
  std::vector<std::uint32_t> rows(table.size());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = shards_[0].reader.count.rows(i);
  for (std::size_t s = 1; s < shards_.size(); ++s) {
    const WordTable& other = shards_[s].table;
    std::vector<std::uint32_t> number(other.size());
    for (std::uint32_t i = 0; i < number.size(); ++i) {
      number[i] =
          table.add(other.is_run(i) ? table.run(number[other.front(i)], number[other.last(i)]) : other.stored(i));
      if (number[i] == rows.size()) rows.push_back(0);
      rows[number[i]] += shards_[s].reader.count.rows(i);
    }
  }
  shards_.resize(1);
  shards_[0].reader.count.renumber(rows);
  return rows;
}

bool WordCounter::bound(const std::size_t most) {
  std::size_t met = 0;
  for (const auto& s : shards_) met += s.table.size();
  if (met <= most) return true;
  kept_ = {};
  std::vector<std::uint32_t> rows = merge();
  if (rows.size() <= most) return false;
  for (std::uint32_t rare = 1; rows.size() > most / 2; rare *= 2) {
    // A run has no more rows than its words, so these are there as long as it is.
    const WordTable old = std::move(shards_[0].table);
    WordTable& table = shards_[0].table = WordTable();
    std::vector<std::uint32_t> number(rows.size(), WordTable::none), left;
    for (std::uint32_t i = 0; i < rows.size(); ++i) {
      if (rows[i] <= rare) continue;
      number[i] = table.add(old.is_run(i) ? table.run(number[old.front(i)], number[old.last(i)]) : old.stored(i));
      left.push_back(rows[i]);
    }
    rows = std::move(left);
  }
  shards_[0].reader.count.renumber(rows);
  return false;
}

ChosenWords WordCounter::choose(const std::size_t least, const std::size_t most, const std::size_t at_most) {
  // One table for all: the first shard's, with the words that only others met.
  if (shards_.empty()) shards_.resize(1);
  WordTable& table = shards_[0].table;
  std::vector<std::uint64_t> rows(table.size());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = shards_[0].reader.count.rows(i);
  std::vector<std::vector<std::uint32_t>> numbers(shards_.size());
  for (std::size_t s = 1; s < shards_.size(); ++s) {
    const WordTable& other = shards_[s].table;
    auto& number = numbers[s];
    number.resize(other.size());
    for (std::uint32_t i = 0; i < number.size(); ++i) {
      number[i] =
          table.add(other.is_run(i) ? table.run(number[other.front(i)], number[other.last(i)]) : other.stored(i));
      if (number[i] == rows.size()) rows.push_back(0);
      rows[number[i]] += shards_[s].reader.count.rows(i);
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

template <class Value>
SparseTexts<Value> Vocabulary::encode(const Texts& texts, const Worth& worth, const std::size_t threads) const {
  texts.check();
  std::vector<CountedRows> blocks(blocks_of(texts.count));
  std::vector<Reader> readers(std::min(threads, blocks.size()));
  in_blocks(texts.count, threads,
            [&](const std::size_t t, const std::size_t b, const std::size_t from, const std::size_t to) {
              Reader& r = readers[t];
              r.count.make_room(static_cast<std::uint32_t>(size_));
              blocks[b] = counted(texts, from, to, 0, r.scratch, [&](const std::string_view text) {
                return count_words(
                    table_, reading_, text, r, [&](const WordTable::Word& w) { return table_.find(w); },
                    [&](const std::uint32_t id) { return columns_[id]; });
              });
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

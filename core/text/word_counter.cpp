#include "text/word_counter.hpp"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

namespace rosenblatt {

void WordCounter::learn(const Texts& texts, const bool keep, const std::size_t threads) {
  texts.check();
  const std::size_t blocks = blocks_of(texts.count), first = kept_.size();
  shards_.resize(std::max(shards_.size(), std::min(threads, blocks)));
  if (keep) kept_.resize(first + blocks);
  for_each_text_block(texts.count, threads,
                      [&](const std::size_t t, const std::size_t b, const std::size_t from, const std::size_t to) {
                        const auto count = [&](const std::string_view text) { return count_row(shards_[t], text); };
                        if (!keep) {
                          for (std::size_t i = from; i < to; ++i) count(texts.row(i));
                          return;
                        }
                        CountedRows block = count_block(texts, from, to, t, shards_[t].reader.scratch, count);
                        block.first_row += rows_;
                        kept_[first + b] = std::move(block);
                      });
  rows_ += texts.count;
}

// Counts the words of a text. Words that the shard does not know yet get a number.
std::span<const WordCount> WordCounter::count_row(Shard& s, const std::string_view text) const {
  const auto find_number = [&](const WordTable::Word& w) {
    const auto id = s.table.add(w);
    s.reader.count.make_room(id);
    return id;
  };
  return count_words(s.table, rules_, text, s.reader, find_number, [](const std::uint32_t id) { return id; });
}

void WordCounter::add(const ChosenWords& words, const std::size_t rows) {
  if (shards_.empty()) shards_.resize(1);
  Shard& s = shards_[0];
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < words.ends.size(); begin = words.ends[i++]) {
    const auto size = static_cast<std::size_t>(words.ends[i] - begin);
    const auto id =
        s.table.add_name(std::string_view(words.bytes).substr(static_cast<std::size_t>(begin), size), rules_.ngrams);
    s.reader.count.make_room(static_cast<std::uint32_t>(s.table.size()));
    s.reader.count.add_rows(id, static_cast<std::uint32_t>(words.rows[i]));
  }
  rows_ += rows;
}

template <class Count>
std::vector<Count> WordCounter::merge(std::vector<std::vector<std::uint32_t>>* numbers) {
  WordTable& table = shards_[0].table;
  std::vector<Count> rows(table.size());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = shards_[0].reader.count.rows(i);
  if (numbers) numbers->resize(shards_.size());
  for (std::size_t s = 1; s < shards_.size(); ++s) {
    const WordTable& other = shards_[s].table;
    std::vector<std::uint32_t> number(other.size());
    for (std::uint32_t i = 0; i < number.size(); ++i) {
      number[i] =
          table.add(other.is_run(i) ? table.run(number[other.front(i)], number[other.last(i)]) : other.stored(i));
      if (number[i] == rows.size()) rows.push_back(0);
      rows[number[i]] += shards_[s].reader.count.rows(i);
    }
    if (numbers) (*numbers)[s] = std::move(number);
  }
  return rows;
}

namespace {

// Drops the words of up to `rare` rows from a table. Returns the number of rows of each word left. A run occurs in no
// more rows than its words do, so its words stay as long as the run does.
std::vector<std::uint32_t> drop_words(WordTable& table, const std::vector<std::uint32_t>& rows,
                                      const std::uint32_t rare) {
  const WordTable old = std::move(table);
  table = WordTable();
  std::vector<std::uint32_t> number(rows.size(), WordTable::none), left;
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    if (rows[i] <= rare) continue;
    number[i] = table.add(old.is_run(i) ? table.run(number[old.front(i)], number[old.last(i)]) : old.stored(i));
    left.push_back(rows[i]);
  }
  return left;
}

}  // namespace

bool WordCounter::limit_words(const std::size_t most) {
  std::size_t met = 0;
  for (const auto& s : shards_) met += s.table.size();
  if (met <= most) return true;
  kept_ = {};
  std::vector<std::uint32_t> rows = merge<std::uint32_t>(nullptr);
  shards_.resize(1);
  shards_[0].reader.count.renumber(rows);
  if (rows.size() <= most) return false;
  for (std::uint32_t rare = 1; rows.size() > most / 2; rare *= 2) rows = drop_words(shards_[0].table, rows, rare);
  shards_[0].reader.count.renumber(rows);
  return false;
}

namespace {

struct Candidate {
  std::uint64_t rows, beginning;  // the first 8 bytes of the name, as a number: they decide nearly every tie
  std::size_t name, end;
  std::uint32_t id;
};

// The words that occur in `least` to `most` rows. Appends their names to `names`.
std::vector<Candidate> find_candidates(const WordTable& table, const std::vector<std::uint64_t>& rows,
                                       const std::size_t least, const std::size_t most, std::string& names) {
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
  return candidates;
}

std::string_view name_of(const Candidate& c, const std::string& names) {
  return std::string_view(names).substr(c.name, c.end - c.name);
}

// Sorts by the number of rows, then by name, and keeps the first `at_most`.
void rank(std::vector<Candidate>& candidates, const std::string& names, const std::size_t at_most) {
  std::sort(candidates.begin(), candidates.end(), [&](const Candidate& p, const Candidate& q) {
    if (p.rows != q.rows) return p.rows > q.rows;
    if (p.beginning != q.beginning) return p.beginning < q.beginning;
    return name_of(p, names) < name_of(q, names);
  });
  if (candidates.size() > at_most) candidates.resize(at_most);
}

}  // namespace

ChosenWords WordCounter::choose(const std::size_t least, const std::size_t most, const std::size_t at_most) {
  if (shards_.empty()) shards_.resize(1);
  std::vector<std::vector<std::uint32_t>> numbers;
  const std::vector<std::uint64_t> rows = merge<std::uint64_t>(&numbers);
  std::string names;
  std::vector<Candidate> candidates = find_candidates(shards_[0].table, rows, least, most, names);
  rank(candidates, names, at_most);

  ChosenWords chosen;
  std::vector<std::uint32_t> columns(rows.size(), no_column);
  for (const auto& c : candidates) {
    columns[c.id] = static_cast<std::uint32_t>(chosen.ends.size());
    chosen.bytes += name_of(c, names);
    chosen.ends.push_back(static_cast<std::int64_t>(chosen.bytes.size()));
    chosen.rows.push_back(static_cast<std::int64_t>(c.rows));
  }
  give_columns(std::move(columns), std::move(numbers));
  return chosen;
}

// Tells each shard the columns of its words. `columns` has those of the merged table, and `numbers` the numbers there.
void WordCounter::give_columns(std::vector<std::uint32_t> columns, std::vector<std::vector<std::uint32_t>> numbers) {
  for (std::size_t s = 1; s < shards_.size(); ++s) {
    for (auto& n : numbers[s]) n = columns[n];
    shards_[s].columns = std::move(numbers[s]);
  }
  shards_[0].columns = std::move(columns);
}

template <class Value>
CsrTexts<Value> WordCounter::kept_rows(const TermWeighting& weighting, const std::size_t threads) const {
  std::uint32_t columns = 0;
  for (const auto& s : shards_)
    for (const auto c : s.columns)
      if (c != no_column) columns = std::max(columns, c);
  return to_csr<Value>(kept_, rows_, columns, weighting, threads,
                       [&](const std::size_t owner, const std::uint32_t word) { return shards_[owner].columns[word]; });
}

template CsrTexts<float> WordCounter::kept_rows(const TermWeighting&, std::size_t) const;
template CsrTexts<double> WordCounter::kept_rows(const TermWeighting&, std::size_t) const;

}  // namespace rosenblatt

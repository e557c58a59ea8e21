#include "text/word_table.hpp"

#include <algorithm>
#include <limits>
#include <random>
#include <stdexcept>

namespace rosenblatt {

// The seed differs from run to run, so nobody can prepare words that all share one slot. No result depends on it.
WordTable::WordTable() : slots_(1 << 10, {0, none}), mask_(slots_.size() - 1) {
  static const std::uint64_t seed = [] {
    std::random_device device;
    return static_cast<std::uint64_t>(device()) << 32 | device();
  }();
  seed_ = seed;
}

WordTable::Word WordTable::long_word(const char* folded, const std::size_t bytes) const noexcept {
  WordKey key{bytes, long_mark << 56};
  for (std::size_t i = 0; i < bytes; i += 16) {
    const WordKey next = first_bytes(folded + i, std::min<std::size_t>(16, bytes - i));
    key.a = key.a * 0xd6e8feb86659fd93 + mix({next.a ^ key.a, next.b});
  }
  return {key, {folded, bytes}, hash(key)};
}

std::string_view WordTable::long_bytes(const WordKey& key) const noexcept {
  const char* at = long_words_.data() + (key.b & 0xffffffffffffff);
  std::size_t bytes;
  std::memcpy(&bytes, at, sizeof bytes);
  return {at + sizeof bytes, bytes};
}

std::uint32_t WordTable::insert(const Word& w) {
  if (keys_.size() >= std::numeric_limits<std::int32_t>::max())
    throw std::length_error("There are more than 2,147,483,647 different words.");
  if (2 * (keys_.size() + 1) > slots_.size()) grow();
  WordKey key = w.key;
  if (!w.long_bytes.empty()) key.b |= store_long(w.long_bytes);
  const auto id = static_cast<std::uint32_t>(keys_.size());
  keys_.push_back(key);
  std::size_t at = w.hash & mask_;
  while (slots_[at].id != none) at = (at + 1) & mask_;
  slots_[at] = {w.hash, id};
  return id;
}

// Returns the place of the word among the long ones.
std::size_t WordTable::store_long(const std::string_view word) {
  const std::size_t place = long_words_.size(), bytes = word.size();
  const auto* length = reinterpret_cast<const char*>(&bytes);
  long_words_.insert(long_words_.end(), length, length + sizeof bytes);
  long_words_.insert(long_words_.end(), word.begin(), word.end());
  return place;
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
  return {bare, long_bytes(key), hash(bare)};
}

std::uint32_t WordTable::add_name(std::string_view name, const std::size_t most) {
  std::string folded;
  std::uint32_t id = none;
  for (std::size_t n = 1;; ++n) {
    const std::string_view one = name.substr(0, name.find(' '));
    if (n > most || one.empty())
      throw std::invalid_argument("a word is not a run of 1 to " + std::to_string(most) + " words");
    folded.assign(one);
    folded.append(16, '\0');
    const auto last = add(word(folded.data(), one.size()));
    id = n == 1 ? last : add(run(id, last));
    if (one.size() == name.size()) return id;
    name.remove_prefix(one.size() + 1);
  }
}

void WordTable::append_name(const std::uint32_t id, std::string& out) const {
  const WordKey key = keys_[id];
  if (is_run(id)) {
    append_name(front(id), out);
    out += ' ';
    append_name(last(id), out);
  } else if (key.b >> 56 == long_mark) {
    out += long_bytes(key);
  } else {
    std::array<char, 16> bytes;
    std::memcpy(bytes.data(), &key, 16);
    out.append(bytes.begin(), std::find(bytes.begin(), bytes.end(), 0));
  }
}

}  // namespace rosenblatt

// Numbers words in the order of their first appearance: a hash table with open addressing. Words in the same slot are
// compared in full, so no two words share a number.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace rosenblatt {

// A word of up to 16 bytes is its own key. The key of a longer word is its hash and its position among the long words.
// The key of a run of words is the number of the run without its last word, and the number of the last word.
struct WordKey {
  std::uint64_t a, b;
  bool operator==(const WordKey&) const = default;
};

class WordTable {
 public:
  static constexpr std::uint32_t none = UINT32_MAX;

  // A word to look up: its key, and its bytes if it is long.
  struct Word {
    WordKey key;
    std::string_view long_bytes;
    std::uint32_t hash;
  };

  WordTable();
  std::size_t size() const noexcept { return keys_.size(); }

  // Memory must be readable in blocks of 16 bytes from `folded` to the end of the word.
  Word word(const char* folded, const std::size_t bytes) const noexcept {
    if (bytes > 16) return long_word(folded, bytes);
    const WordKey key = first_bytes(folded, bytes);
    return {key, {}, hash(key)};
  }
  Word run(const std::uint32_t front, const std::uint32_t last) const noexcept {
    const WordKey key{static_cast<std::uint64_t>(front) << 32 | last, run_mark << 56};
    return {key, {}, hash(key)};
  }
  // Inlined always: GCC 12 takes a call that only prefetches for one without effect, and drops it.
  [[gnu::always_inline]] void fetch(const Word& w) const noexcept { __builtin_prefetch(&slots_[w.hash & mask_]); }

  [[gnu::always_inline]] std::uint32_t find(const Word& w) const noexcept {
    for (std::size_t at = w.hash & mask_;; at = (at + 1) & mask_) {
      const Slot slot = slots_[at];
      if (slot.id == none || (slot.hash == w.hash && matches(keys_[slot.id], w))) return slot.id;
    }
  }
  std::uint32_t add(const Word& w) {
    const std::uint32_t id = find(w);
    return id != none ? id : insert(w);
  }

  bool is_run(const std::uint32_t id) const noexcept { return keys_[id].b >> 56 == run_mark; }
  std::uint32_t front(const std::uint32_t id) const noexcept { return static_cast<std::uint32_t>(keys_[id].a >> 32); }
  std::uint32_t last(const std::uint32_t id) const noexcept { return static_cast<std::uint32_t>(keys_[id].a); }
  // The number of a run of at most `most` words that are separated by single spaces, and of each word before it. Throws
  // std::invalid_argument if there are more words, or one without bytes.
  std::uint32_t add_name(std::string_view name, std::size_t most);

  Word stored(std::uint32_t id) const noexcept;                      // for single words only
  void append_name(std::uint32_t id, std::string& out) const;        // words of a run are separated by spaces

 private:
  static constexpr std::uint64_t long_mark = 0xff, run_mark = 0xfe;  // in the last byte: UTF-8 never uses these values
  struct Slot {
    std::uint32_t hash, id;
  };

  static WordKey first_bytes(const char* p, const std::size_t bytes) noexcept {
    static constexpr auto masks = [] {
      std::array<unsigned char, 32> m{};
      for (std::size_t i = 0; i < 16; ++i) m[i] = 0xff;
      return m;
    }();
    WordKey key, mask;
    std::memcpy(&key, p, 16);
    std::memcpy(&mask, masks.data() + 16 - bytes, 16);
    return {key.a & mask.a, key.b & mask.b};
  }
  std::uint64_t mix(const WordKey key) const noexcept {
    const auto product = static_cast<unsigned __int128>(key.a ^ seed_) * (key.b ^ 0x9e3779b97f4a7c15);
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }
  std::uint32_t hash(const WordKey key) const noexcept {
    const std::uint64_t h = mix(key);
    return static_cast<std::uint32_t>(h ^ h >> 32);
  }
  bool matches(const WordKey& key, const Word& w) const noexcept {
    if (w.long_bytes.empty()) return key == w.key;
    return key.a == w.key.a && key.b >> 56 == long_mark && long_bytes(key) == w.long_bytes;
  }
  Word long_word(const char* folded, std::size_t bytes) const noexcept;
  std::string_view long_bytes(const WordKey& key) const noexcept;
  std::uint32_t insert(const Word& w);
  std::size_t store_long(std::string_view word);
  void grow();

  std::vector<Slot> slots_;
  std::size_t mask_;
  std::vector<WordKey> keys_;
  std::vector<char> long_words_;  // each after its length
  std::uint64_t seed_;
};

}  // namespace rosenblatt

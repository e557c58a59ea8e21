#include "text/tokens.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace rosenblatt {
namespace {

enum Kind : std::uint8_t { breaks, word, mark };

struct CharacterRecord {
  std::uint8_t kind;
  std::int32_t fold;                          // the difference of the folded character
};

#include "text/characters.inc"

const CharacterRecord& record(const std::uint32_t code) noexcept {
  return character_records[character_entries[character_pages[code >> 8]][code & 0xff]];
}

// Lower-case letters, digits and the underscore; 0 for everything else. No branches, so loops vectorize.
constexpr unsigned char fold_ascii(const unsigned char c) noexcept {
  const bool upper = static_cast<unsigned char>(c - 'A') < 26;
  const auto lower = static_cast<unsigned char>(c + (upper ? 32 : 0));
  const bool letter = static_cast<unsigned char>(lower - 'a') < 26;
  const bool digit = static_cast<unsigned char>(c - '0') < 10;
  return (letter | digit | (c == '_')) ? lower : 0;
}

struct Decoded {
  std::uint32_t code;
  std::size_t bytes;                          // 0 if the bytes are not UTF-8
};

Decoded decode(const unsigned char* p, const std::size_t left) noexcept {
  const unsigned first = p[0];
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || left < bytes) return {0, 0};
  std::uint32_t code = first & (0x7fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((p[i] & 0xc0) != 0x80) return {0, 0};
    code = code << 6 | (p[i] & 0x3fu);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code - 0xd800 < 0x800;
  if (code < least[bytes] || code > 0x10ffff || surrogate) return {0, 0};
  return {code, bytes};
}

unsigned char* encode(unsigned char* out, const std::uint32_t code) noexcept {
  const auto rest = [&](const int shift) { return static_cast<unsigned char>(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) {
    *out++ = static_cast<unsigned char>(code);
  } else if (code < 0x800) {
    *out++ = static_cast<unsigned char>(0xc0 | code >> 6);
    *out++ = rest(0);
  } else if (code < 0x10000) {
    *out++ = static_cast<unsigned char>(0xe0 | code >> 12);
    *out++ = rest(6);
    *out++ = rest(0);
  } else {
    *out++ = static_cast<unsigned char>(0xf0 | code >> 18);
    *out++ = rest(12);
    *out++ = rest(6);
    *out++ = rest(0);
  }
  return out;
}

constexpr std::size_t step = 32, block = 64;

bool is_ascii_step(const unsigned char* p) noexcept {
  std::array<std::uint64_t, step / 8> words;
  std::memcpy(words.data(), p, step);
  std::uint64_t all = 0;
  for (const auto w : words) all |= w;
  return (all & 0x8080808080808080) == 0;
}

// A bit for each of 64 bytes that is not 0; the first byte is the lowest bit.
std::uint64_t nonzero_bytes(const char* p) noexcept {
  std::uint64_t mask = 0;
  for (unsigned i = 0; i < 8; ++i) {
    std::uint64_t x;
    std::memcpy(&x, p + 8 * i, 8);
    if constexpr (std::endian::native == std::endian::big) x = __builtin_bswap64(x);
    constexpr std::uint64_t low = 0x7f7f7f7f7f7f7f7f;
    const std::uint64_t bits = ((((x & low) + low) | x) & ~low) >> 7;
    mask |= (bits * 0x0102040810204080 >> 56) << (8 * i);  // collects the eight bits in the top byte
  }
  return mask;
}

// Folds bytes from `in` on to `out`, which is at `begin` first.
struct Folding {
  const unsigned char *in, *const end;
  unsigned char *const begin, *out = begin;
  bool ascii = true;

  // Folds steps of ASCII, as many as follow each other.
  [[gnu::always_inline]] void fold_ascii_steps() noexcept {
    while (static_cast<std::size_t>(end - in) >= step && is_ascii_step(in)) {
      for (std::size_t i = 0; i < step; ++i) out[i] = fold_ascii(in[i]);
      in += step;
      out += step;
    }
  }
  // Folds the character at `in`, which is not ASCII. A byte that is not UTF-8 ends a word.
  [[gnu::always_inline]] void fold_long_character() noexcept {
    ascii = false;
    const Decoded character = decode(in, static_cast<std::size_t>(end - in));
    in += std::max<std::size_t>(character.bytes, 1);
    const CharacterRecord& r = record(character.code);
    const bool goes_on = r.kind == word || (r.kind == mark && out != begin && out[-1] != 0);
    if (character.bytes && goes_on) out = encode(out, character.code + static_cast<std::uint32_t>(r.fold));
    else *out++ = 0;
  }
  // Folds one step, character by character.
  [[gnu::always_inline]] void fold_step() noexcept {
    const auto* const stop = in + std::min<std::size_t>(step, static_cast<std::size_t>(end - in));
    while (in < stop) {
      if (*in < 0x80) *out++ = fold_ascii(*in++);
      else fold_long_character();
    }
  }
};

}  // namespace

void FoldedText::fold(const std::string_view text) {
  // A folded character has at most 1.5 times as many bytes.
  const std::size_t enough = text.size() + text.size() / 2 + 2 * block;
  if (bytes_.size() < enough) bytes_.resize(std::max(enough, 2 * bytes_.size()));
  const auto* const in = reinterpret_cast<const unsigned char*>(text.data());
  Folding folding{in, in + text.size(), reinterpret_cast<unsigned char*>(bytes_.data())};
  while (folding.in < folding.end) {
    folding.fold_ascii_steps();
    folding.fold_step();
  }
  ascii_ = folding.ascii;
  size_ = static_cast<std::size_t>(folding.out - folding.begin);
  std::fill_n(folding.out, block, 0);
  find_edges();
}

// Edges are written eight at a time, even where there are fewer: the branch predictor then knows the loop count.
void FoldedText::find_edges() {
  constexpr std::size_t group = 8;
  if (edges_.size() < size_ + block + group) edges_.resize(size_ + size_ / 2 + block + group);
  std::size_t* out = edges_.data();
  std::uint64_t inside = 0;                   // 1 after a block that ends within a word
  for (std::size_t at = 0; at <= size_; at += block) {
    const std::uint64_t mask = nonzero_bytes(bytes_.data() + at);
    std::uint64_t edges = mask ^ (mask << 1 | inside);
    inside = mask >> 63;
    const auto count = static_cast<std::size_t>(std::popcount(edges));
    for (std::size_t first = 0; first < count; first += group)
      for (std::size_t i = 0; i < group; ++i) {
        out[first + i] = at + static_cast<std::size_t>(std::countr_zero(edges | std::uint64_t{1} << 63));
        edges &= edges - 1;
      }
    out += count;
  }
  edge_count_ = static_cast<std::size_t>(out - edges_.data());
}

}  // namespace rosenblatt

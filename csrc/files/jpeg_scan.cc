#include "files/jpeg_scan.h"

#include <algorithm>
#include <array>
#include <vector>

namespace hybrid {

namespace {

constexpr int kTables = 4;  // of a class: DC or AC

// The end of the bytes, or what no encoder writes.
struct Broken {};

struct Code {
  uint8_t length = 0;  // bits; 0: there is no such code
  uint8_t symbol = 0;
};
using HuffmanTable = std::vector<Code>;  // by the next 16 bits; empty: not defined

struct Component {
  int id = 0, h = 1, v = 1;        // sampling factors
  int dc_table = 0, ac_table = 0;  // in the scan
};

struct Bytes {
  const uint8_t* data;
  size_t size;
  size_t at = 0;

  int byte() {
    if (at >= size) throw Broken();
    return data[at++];
  }
  int word() {
    const int high = byte();
    return high << 8 | byte();
  }
};

// Bits of entropy-coded data: up to the next marker, then Broken.
class Bits {
 public:
  explicit Bits(Bytes* bytes) : bytes_(*bytes) {}

  // Behind the last bit come zeros, which only skip() counts.
  uint32_t peek16() {
    while (count_ < 16) {
      held_ = held_ << 8 | static_cast<uint32_t>(next());
      count_ += 8;
    }
    return held_ >> (count_ - 16) & 0xffff;
  }
  void skip(int bits) {
    if (bits > 16) throw Broken();
    peek16();
    count_ -= bits;
    if (count_ < missing_) throw Broken();
  }
  uint8_t symbol(const HuffmanTable& table) {
    const Code code = table[peek16()];
    if (code.length == 0) throw Broken();
    skip(code.length);
    return code.symbol;
  }
  // To the restart marker, which has to stand here.
  void restart() {
    count_ = missing_ = 0;
    while (bytes_.byte() != 0xff) {
    }
    int marker = 0xff;
    while (marker == 0xff) marker = bytes_.byte();
    if (marker < 0xd0 || marker > 0xd7) throw Broken();
  }

 private:
  int next() {
    if (bytes_.at < bytes_.size) {
      const int byte = bytes_.data[bytes_.at];
      const int after = bytes_.at + 1 < bytes_.size ? bytes_.data[bytes_.at + 1] : 0xd9;
      if (byte != 0xff || after == 0) {
        bytes_.at += byte == 0xff ? 2 : 1;
        return byte;
      }
    }
    missing_ += 8;
    return 0;
  }

  Bytes& bytes_;
  uint64_t held_ = 0;
  int count_ = 0;    // bits that are held
  int missing_ = 0;  // of these, those behind the end
};

class Scan {
 public:
  Scan(const uint8_t* data, size_t size) : bytes_{data, size} {}

  void follow() {
    if (bytes_.word() != 0xffd8) throw Broken();
    while (true) {
      int marker = bytes_.byte();
      if (marker != 0xff) continue;
      while (marker == 0xff) marker = bytes_.byte();
      if (marker <= 1 || (marker >= 0xd0 && marker <= 0xd8)) continue;  // these have no length
      const size_t begin = bytes_.at;
      const size_t end = begin + static_cast<size_t>(bytes_.word());
      if (marker == 0xc4) read_tables(end);
      if (marker >= 0xc0 && marker <= 0xc2) read_frame(marker == 0xc2);
      if (marker == 0xc3 || marker == 0xd9 || (marker > 0xc8 && marker < 0xd0)) throw Broken();
      if (marker == 0xdd) interval_ = bytes_.word();
      if (marker == 0xda) return read_scan();
      bytes_.at = end;
    }
  }

 private:
  void read_tables(size_t end) {
    while (bytes_.at < end) {
      const int which = bytes_.byte();
      if ((which & 15) >= kTables || which >> 4 > 1) throw Broken();
      HuffmanTable& table = tables_[which >> 4][which & 15];
      table.assign(1 << 16, {});
      std::array<int, 16> counts{};
      for (int& count : counts) count = bytes_.byte();
      size_t next = 0;
      for (size_t length = 1; length <= 16; ++length) {
        const size_t span = size_t{1} << (16 - length);
        for (int i = 0; i < counts[length - 1]; ++i) {
          const auto symbol = static_cast<uint8_t>(bytes_.byte());
          if (next + span > table.size()) throw Broken();
          for (size_t k = 0; k < span; ++k) {
            table[next + k] = {static_cast<uint8_t>(length), symbol};
          }
          next += span;
        }
      }
    }
  }

  void read_frame(bool progressive) {
    progressive_ = progressive;
    bytes_.byte();  // precision
    height_ = bytes_.word();
    width_ = bytes_.word();
    components_.resize(static_cast<size_t>(bytes_.byte()));
    for (Component& c : components_) {
      c.id = bytes_.byte();
      const int factors = bytes_.byte();
      bytes_.byte();  // quantization table
      c.h = factors >> 4;
      c.v = factors & 15;
      if (c.h < 1 || c.h > 4 || c.v < 1 || c.v > 4) throw Broken();
      h_ = std::max(h_, c.h);
      v_ = std::max(v_, c.v);
    }
  }

  void read_scan() {
    std::vector<Component> scanned;
    for (int n = bytes_.byte(); n > 0; --n) {
      const int id = bytes_.byte(), tables = bytes_.byte();
      for (const Component& c : components_) {
        if (c.id != id) continue;
        scanned.push_back(c);
        scanned.back().dc_table = tables >> 4 & 3;
        scanned.back().ac_table = tables & 3;
      }
    }
    first_ = bytes_.byte();
    last_ = std::min(bytes_.byte(), 63);
    bytes_.byte();  // bits of successive approximation
    if (scanned.empty() || (progressive_ && (first_ != 0 || last_ != 0))) throw Broken();
    for (const Component& c : scanned) {
      if (tables_[0][c.dc_table].empty()) throw Broken();
      if (!progressive_ && tables_[1][c.ac_table].empty()) throw Broken();
    }
    follow_units(scanned);
  }

  static int64_t divided(int64_t a, int64_t b) { return (a + b - 1) / b; }

  void follow_units(const std::vector<Component>& scanned) {
    int64_t units = divided(width_, 8 * h_) * divided(height_, 8 * v_);
    const bool alone = scanned.size() == 1;  // then a unit is a block
    if (alone) {
      units = divided(divided(width_ * scanned[0].h, h_), 8) *
              divided(divided(height_ * scanned[0].v, v_), 8);
    }
    Bits bits(&bytes_);
    for (int64_t unit = 0; unit < units; ++unit) {
      if (interval_ > 0 && unit > 0 && unit % interval_ == 0) bits.restart();
      for (const Component& c : scanned) {
        for (int block = alone ? 1 : c.h * c.v; block > 0; --block) follow_block(c, &bits);
      }
    }
  }

  void follow_block(const Component& c, Bits* bits) {
    bits->skip(bits->symbol(tables_[0][c.dc_table]));
    if (progressive_) return;
    for (int k = 1; k <= last_; ++k) {
      const int symbol = bits->symbol(tables_[1][c.ac_table]);
      const int zeros = symbol >> 4, size = symbol & 15;
      if (size == 0 && zeros != 15) return;
      k += zeros;
      if (size > 0) bits->skip(size);
    }
  }

  Bytes bytes_;
  std::array<std::array<HuffmanTable, kTables>, 2> tables_;
  std::vector<Component> components_;
  int64_t width_ = 0, height_ = 0;
  int h_ = 1, v_ = 1;  // the largest sampling factors
  int first_ = 0, last_ = 63;
  int interval_ = 0;  // units between restart markers; 0: there are none
  bool progressive_ = false;
};

}  // namespace

bool jpeg_is_whole(const uint8_t* data, size_t size) {
  try {
    Scan(data, size).follow();
    return true;
  } catch (const Broken&) {
    return false;
  }
}

}  // namespace hybrid

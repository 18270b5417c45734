// .npy files: what NumPy writes is read, what we write is NumPy's, and damaged files are refused.
#include <cstring>
#include <random>

#include "capi/hybrid.h"
#include "capi/run/npy.h"
#include "core/error.h"
#include "doctest/doctest.h"

using namespace hybrid;

namespace {

std::string bytes_of(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

std::string file(const std::string& header, const std::string& data, int version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(version);
  bytes += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) {
    bytes += static_cast<char>(header.size() >> (8 * i) & 0xff);
  }
  return bytes + header + data;
}

std::string dict(const std::string& descr, const std::string& order, const std::string& shape) {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

void refused(const std::string& bytes, const std::string& why) {
  try {
    read_npy(bytes);
    FAIL("was read: " << why);
  } catch (const Error& error) {
    CHECK_MESSAGE(std::string(error.what()).find(why) != std::string::npos, error.what());
  }
}

const std::vector<float> kSix = {0, 1, 2, 3, 4, 5};

}  // namespace

TEST_CASE("npy: versions 1 to 3 and both orders") {
  for (const int version : {1, 2, 3}) {
    const NpyArray rows = read_npy(file(dict("<f4", "False", "(2, 3)"), bytes_of(kSix), version));
    CHECK(rows.dtype == HYBRID_FLOAT32);
    CHECK(rows.shape == std::vector<int64_t>{2, 3});
    CHECK(rows.data == bytes_of(kSix));
    const NpyArray columns =
        read_npy(file(dict("<f4", "True", "(2, 3)"), bytes_of({0, 3, 1, 4, 2, 5}), version));
    CHECK(columns.data == bytes_of(kSix));
  }
  const NpyArray three = read_npy(file(dict("|u1", "True", "(2, 2, 2)"), "aecgbfdh"));
  CHECK(three.data == "abcdefgh");
}

TEST_CASE("npy: scalars, empty arrays, keys in any order, Python 2's integers") {
  CHECK(read_npy(file(dict("<f4", "False", "()"), bytes_of({7}))).shape.empty());
  CHECK(read_npy(file(dict("<f8", "True", "(0, 5)"), "")).data.empty());
  CHECK(read_npy(file("{\"shape\":(3L,),\"fortran_order\":False,\"descr\":\"<u1\"}", "abc")).data ==
        "abc");
  CHECK(read_npy(file(dict("|b1", "False", "(2,)"), std::string("\x07\0", 2))).data ==
        std::string("\1\0", 2));
}

TEST_CASE("npy: what is written is read again, and starts as NumPy's files do") {
  for (int dtype = 0; dtype <= HYBRID_COMPLEX128; ++dtype) {
    const NpyArray array{dtype, {2, 1}, std::string(2 * hybrid_dtype_size(dtype), '\1')};
    if (dtype == HYBRID_BFLOAT16) {
      CHECK_THROWS_AS(write_npy(array), Error);
      continue;
    }
    const std::string bytes = write_npy(array);
    CHECK(bytes.compare(0, 8, std::string("\x93NUMPY\1\0", 8)) == 0);
    CHECK((bytes.size() - array.data.size()) % 64 == 0);
    const NpyArray again = read_npy(bytes);
    CHECK(again.dtype == dtype);
    CHECK(again.shape == array.shape);
    CHECK(again.data == array.data);
  }
  CHECK_THROWS_AS(write_npy({HYBRID_FLOAT32, {3}, "short"}), Error);
}

TEST_CASE("npy: what is refused is named") {
  const std::string good = file(dict("<f4", "False", "(2, 3)"), bytes_of(kSix));
  refused("", "first bytes");
  refused("PK\3\4 an archive", "first bytes");
  refused(good.substr(0, 9), "first bytes");
  refused(good.substr(0, 40), "truncated in its header");
  refused(good.substr(0, good.size() - 1), "needs 24 bytes, the file has 23");
  refused(good + "x", "needs 24 bytes, the file has 25");
  refused(file("{}", "", 4), "version 4");
  refused(file("{}", ""), "once each");
  refused(file(dict(">f4", "False", "(1,)"), "abcd"), "big-endian");
  refused(file(dict("|O", "False", "(1,)"), "abcdefgh"), "Python objects");
  refused(file(dict("<U4", "False", "(1,)"), "abcd"), "'<U4'");
  refused(file(dict("", "False", "(1,)"), "abcd"), "the dtype ''");
  refused(file(dict("<\xff\x1b", "False", "(1,)"), "abcd"), "the dtype '<?");
  refused(file("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "abcd"),
          "structured");
  refused(file(dict("<f4", "Maybe", "(1,)"), "abcd"), "True or False");
  refused(file(dict("<f4", "False", "(-1,)"), "abcd"), "a size");
  refused(file(dict("<f4", "False", "(1 2)"), "abcd"), "','");
  refused(file(dict("<f4", "False", "(1,)") + "import os", "abcd"), "nothing after");
  refused(file(dict("<f4", "False", "(1,1,1,1,1,1,1,1,1)"), "abcd"), "more than 8 dimensions");
  const std::string huge(70000, ' ');
  refused(file(huge, "", 2), "a header of 70000 bytes");
}

TEST_CASE("npy: sizes beyond all bounds are refused before anything is allocated") {
  refused(file(dict("<f4", "False", "(1000000000000000,)"), "abcd"), "needs 4000000000000000");
  refused(file(dict("<f8", "True", "(4611686018427387904, 8)"), ""), "more bytes than there are");
  refused(file(dict("<f4", "False", "(99999999999999999999,)"), ""), "below 2^62");
  refused(file(dict("<f4", "False", "(0, 4611686018427387904, 9)"), ""), "more bytes");
}

TEST_CASE("npy: casts round floats and keep integers") {
  const double values[] = {1.5, -2, 1e300, -1e300, 0.1};
  NpyArray wide{HYBRID_FLOAT64, {5}, std::string(reinterpret_cast<const char*>(values), 40)};
  const NpyArray narrow = cast_npy(wide, HYBRID_FLOAT32);
  float found[5];
  std::memcpy(found, narrow.data.data(), sizeof found);
  CHECK(found[0] == 1.5f);
  CHECK(found[2] == std::numeric_limits<float>::infinity());
  CHECK(found[3] == -std::numeric_limits<float>::infinity());
  CHECK(found[4] == 0.1f);
  CHECK_THROWS_AS(cast_npy(wide, HYBRID_INT32), Error);
  const NpyArray bytes{HYBRID_UINT8, {2}, "\x03\xff"};
  CHECK(elements_text(cast_npy(bytes, HYBRID_INT64), 9) == "3 255");
  CHECK(elements_text(cast_npy(bytes, HYBRID_FLOAT32), 1) == "3 ...");
  wide.dtype = HYBRID_COMPLEX128;
  wide.data.resize(16);
  CHECK(elements_text(wide, 5) == "1.5-2j");
  CHECK(elements_text({HYBRID_FLOAT16, {1}, "ab"}, 5) == " ...");
  CHECK_THROWS_AS(cast_npy(wide, HYBRID_FLOAT64), Error);
  CHECK_THROWS_AS(cast_npy(bytes, HYBRID_INT8), Error);
  CHECK_THROWS_AS(cast_npy(bytes, HYBRID_FLOAT16), Error);
}

TEST_CASE("npy: a file with any bytes changed is read or refused, never worse") {
  std::mt19937 random(5);
  const std::string good = file(dict("<f4", "True", "(2, 3)"), bytes_of(kSix));
  int refusals = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string bad = good;
    for (uint32_t n = 1 + random() % 4; n > 0; --n) {
      const size_t at = random() % bad.size();
      if (random() % 3 == 0) {
        bad.erase(at, 1 + random() % 8);
      } else {
        bad[at] = static_cast<char>(random());
      }
      if (bad.empty()) bad = "x";
    }
    try {
      const NpyArray array = read_npy(bad);
      CHECK(array.data.size() <= bad.size());
    } catch (const Error&) {
      ++refusals;
    }
  }
  CHECK(refusals > 1000);
}

#include "lib/checkpoint/Pickle.h"

#include <gmock/gmock.h>

#include <string>

using namespace proa;
using namespace proa::checkpoints;
using testing::HasSubstr;

namespace {

Result<Pickle> read(const std::string &content) {
  return Pickle::read(std::as_bytes(std::span(content)), "test");
}

std::string errorOf(const std::string &content) {
  Result<Pickle> pickle = read(content);
  return pickle ? "no error" : pickle.diagnostics().text();
}

} // namespace

/// Little-endian two's complement of any number of bytes (pickletools, LONG1); no bytes are 0.
TEST(PickleTest, LongIntegers) {
  using namespace std::string_literals;
  const std::pair<std::string, int64_t> cases[] = {{"\x8a\x00."s, 0},
                                                   {"\x8a\x01\x7f."s, 127},
                                                   {"\x8a\x01\xff."s, -1},
                                                   {"\x8a\x02\x00\x80."s, -32768},
                                                   {"\x8a\x02\xff\x00."s, 255}};
  for (const auto &[content, expected] : cases) {
    Result<Pickle> pickle = read(content);
    ASSERT_TRUE(pickle) << pickle.diagnostics().text();
    EXPECT_TRUE(pickle->root().is(PickleValue::Kind::Integer));
    EXPECT_EQ(pickle->root().integer, expected);
  }
  EXPECT_THAT(errorOf("\x8a"s), HasSubstr("the file ends"));
  EXPECT_THAT(errorOf("\x8a\x04\x01"s), HasSubstr("the file ends"));
  EXPECT_THAT(errorOf("\x8a\x09" + std::string(9, '\x01') + "."), HasSubstr("more than 64 bits"));
}

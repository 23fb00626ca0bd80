#include <gtest/gtest.h>

#include <string>

#include "harness/codec/crc32.h"

namespace traceml {
namespace {

TEST(Crc32, GivesTheCheckValueOfItsStandard) {
  EXPECT_EQ(crc32("123456789"), 0xCBF43926U);
  EXPECT_EQ(crc32(""), 0U);
}

TEST(Crc32, OfPartsIsThatOfTheWhole) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += static_cast<char>(i * 37);
  for (const std::size_t at : {0UL, 1UL, 7UL, 8UL, 9UL, 500UL, 993UL, 1000UL}) {
    EXPECT_EQ(crc32(text.substr(at), crc32(text.substr(0, at))), crc32(text)) << at;
  }
}

}  // namespace
}  // namespace traceml

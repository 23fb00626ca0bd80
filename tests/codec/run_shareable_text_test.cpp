#include <gtest/gtest.h>

#include "harness/codec/shareable_text.h"

namespace traceml {
namespace {

TEST(ShareableText, KeepsTheNameOfAFileAndHidesWhereItLies) {
  EXPECT_EQ(without_folders("cannot read /home/ann/food-101/a.jpg: torn"),
            "cannot read .../a.jpg: torn");
  EXPECT_EQ(without_folders("/data/food-101/"), ".../food-101");
  EXPECT_EQ(without_folders("'~/data/x'"), "'.../x'");
  EXPECT_EQ(without_folders("dataset=/a/b, other=(/c/d)"), "dataset=.../b, other=(.../d)");
}

TEST(ShareableText, LeavesWhatIsNoHostPath) {
  for (const char* text : {"images/pho/12.jpg", "6,068 images/s", "shipped/none",
                           "see https://example.org/a/b", "and / or", "a /s", "", "/", "1/2"}) {
    EXPECT_EQ(without_folders(text), text);
  }
}

}  // namespace
}  // namespace traceml

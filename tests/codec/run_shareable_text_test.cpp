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

TEST(ShareableText, OfAPathKeepsItsLastName) {
  EXPECT_EQ(path_without_folders("/home/ann/my secret run/a b.json"), ".../a b.json");
  EXPECT_EQ(path_without_folders("~/my runs/2/"), ".../2");
  EXPECT_EQ(path_without_folders("C:\\Users\\ann\\a.json"), ".../a.json");
  for (const char* text : {"my runs/a.json", "a.json", "../runs/1", "/", "/s", ""}) {
    EXPECT_EQ(path_without_folders(text), text);
  }
}

TEST(ShareableText, OfAPythonFrameKeepsTheFileAndTheFunction) {
  EXPECT_EQ(name_without_folders("/home/ann/my job (2)/train.py(12): main"),
            ".../train.py(12): main");
  EXPECT_EQ(name_without_folders("C:\\Users\\ann b\\train.py(7): <lambda>"),
            ".../train.py(7): <lambda>");
  EXPECT_EQ(name_without_folders("load /data/ann/a.jpg"), "load .../a.jpg");
  for (const char* name : {"torch/nn/modules/module.py(1500): _call_impl", "nn.Module: ResNet_0",
                           "<built-in method run of Tensor object at 0x7f>", "aten::add", "(): x",
                           "): x", "12): x", "void gemm<float, 4>(int, float*)"}) {
    EXPECT_EQ(name_without_folders(name), name);
  }
}

TEST(ShareableText, ShortensAValueThatIsAPathWithBlanksAndThePathsWithinOthers) {
  EXPECT_EQ(value_without_folders("/home/ann/my data/food-101"), ".../food-101");
  EXPECT_EQ(value_without_folders("[python3, /home/ann/train.py]"), "[python3, .../train.py]");
  EXPECT_EQ(value_without_folders("8"), "8");
}

}  // namespace
}  // namespace traceml

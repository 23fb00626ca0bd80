#include "harness/plan/first_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace traceml {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(FirstConfig, gives_each_rank_a_core_and_the_loaders_the_rest) {
  EXPECT_EQ(ranks_of({.cores = 1}), 1);
  EXPECT_EQ(ranks_of({.cores = 2}), 2);
  EXPECT_EQ(ranks_of({.cores = 64}), 2);
  EXPECT_THAT(first_config({.cores = 1}), HasSubstr("workers: 1 "));
  EXPECT_THAT(first_config({.cores = 8}), HasSubstr("workers: 3 "));
  EXPECT_THAT(first_config({.cores = 64}), HasSubstr("workers: 8 "));
}

TEST(FirstConfig, names_the_data_set_that_it_is_given) {
  const std::string text =
      first_config({.cores = 4, .dataset = "../food-101", .classes = 101, .images = 75750});
  EXPECT_THAT(text, HasSubstr("dataset: ../food-101   # 75,750 images to train on, 101 classes"));
  EXPECT_THAT(text, HasSubstr("classes: 101"));
  EXPECT_THAT(text, Not(HasSubstr("datagen")));
}

TEST(FirstConfig, tells_how_to_make_a_data_set_where_it_is_given_none) {
  EXPECT_THAT(first_config({.cores = 4}),
              HasSubstr("traceml-bench datagen data/food101-like --classes 4 --images 300"));
}

TEST(FirstConfig, makes_the_data_set_where_the_config_looks_for_it) {
  const std::string text = first_config({.folder = "sub/"});
  EXPECT_THAT(text, HasSubstr("traceml-bench datagen sub/data/food101-like"));
  EXPECT_THAT(text, HasSubstr("dataset: data/food101-like "));
}

TEST(FirstConfig, quotes_what_yaml_would_read_otherwise) {
  EXPECT_THAT(first_config({.dataset = "a b's"}), HasSubstr("dataset: 'a b''s'   #"));
  EXPECT_THAT(first_config({.dataset = "101"}), HasSubstr("dataset: '101'   #"));
}

TEST(FirstConfig, keeps_batches_that_a_small_data_set_can_fill) {
  EXPECT_THAT(first_config({.cores = 2, .dataset = "x", .classes = 2, .images = 12}),
              HasSubstr("batch_size: 3 "));
  EXPECT_THAT(first_config({.cores = 2, .dataset = "x", .classes = 1, .images = 1}),
              HasSubstr("batch_size: 1 "));
}

}  // namespace
}  // namespace traceml

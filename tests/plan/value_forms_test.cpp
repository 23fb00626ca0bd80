#include "harness/plan/value_forms.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace traceml {
namespace {

template <class T>
void expect_refused(const ValueForm<T>& form, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    const Reading<T> reading = form.read(text);
    EXPECT_FALSE(reading.value) << text;
    EXPECT_EQ(reading.fault.rfind("is ", 0), 0u) << text << ": " << reading.fault;
  }
}

TEST(IntegerForm, takes_plain_digits_in_its_range_only) {
  const auto form = integer_form(1, 256);
  EXPECT_EQ(form.read("1").value, 1);
  EXPECT_EQ(form.read("256").value, 256);
  expect_refused(form, {"0", "257", "-1", "+1", "010", "00", "0x10", "1.0", "1e2", "1_0", " 1",
                        "1 ", "", "one", "yes", "9999999999999999999999", "1,000", "\xD9\xA1"});
}

TEST(IntegerForm, says_what_a_leading_zero_would_have_meant) {
  EXPECT_EQ(integer_form(0, 256).read("010").fault,
            "is '010'; a leading zero means octal to YAML; write 10");
  EXPECT_EQ(integer_form(0, 256).read("000").fault,
            "is '000'; a leading zero means octal to YAML; write 0");
}

TEST(SeedForm, takes_all_of_64_bits) {
  EXPECT_EQ(seed_form().read("18446744073709551615").value, 18446744073709551615u);
  expect_refused(seed_form(), {"18446744073709551616", "-1", "1.5", "07"});
}

TEST(DecimalForm, takes_finite_numbers_in_its_range_only) {
  const auto form = decimal_form(0, 100, true);
  EXPECT_EQ(form.read("0.1").value, 0.1);
  EXPECT_EQ(form.read("1e-4").value, 1e-4);
  EXPECT_EQ(form.read("1E+1").value, 10.0);
  EXPECT_EQ(form.read("100").value, 100.0);
  expect_refused(form, {"0", "0.0", "100.1", "-1", "nan", "NaN", ".nan", "inf", ".inf", "1e999",
                        "1e-999", ".5", "5.", "1e", "0x1p3", "01.5", "1.5.5", "1,5", ""});
  EXPECT_EQ(decimal_form(0, 1, false).read("0").value, 0.0);
  expect_refused(decimal_form(1, 2, false), {"0.5", "2.5"});
}

TEST(DecimalForm, prints_what_reads_back_to_the_same_double) {
  const auto form = decimal_form(0, 100, false);
  for (const double value : {0.0, 0.1, 1.0 / 3, 1e-4, 99.999999999999986, 12.5}) {
    EXPECT_EQ(form.read(form.print(value)).value, value) << form.print(value);
  }
}

TEST(MarginForm, needs_its_unit) {
  EXPECT_EQ(margin_form().read("2%").value, 0.02);
  EXPECT_EQ(margin_form().read("0%").value, 0.0);
  EXPECT_EQ(margin_form().read("0.7%").value, 0.7 / 100);
  EXPECT_EQ(margin_form().read("2").fault, "is '2'; a margin needs its unit, as 2%");
  expect_refused(margin_form(),
                 {"2", "0.02", "2 %", "-2%", "%", "%2", "02%", "nan%", "1001%", "2%%"});
}

TEST(MarginForm, prints_what_reads_back_to_the_same_margin) {
  const auto form = margin_form();
  for (int tenth_of_percent = 0; tenth_of_percent <= 10000; ++tenth_of_percent) {
    const double margin = tenth_of_percent / 10.0 / 100;
    EXPECT_EQ(form.read(form.print(margin)).value, margin) << form.print(margin);
  }
  EXPECT_EQ(form.print(0.07), "7%");
  EXPECT_EQ(form.print(0.1), "10%");
  const double odd = 1 / 0.95 - 1;
  EXPECT_EQ(form.read(form.print(odd)).value, odd);
}

TEST(FractionForm, takes_a_fraction_or_per_cent) {
  EXPECT_EQ(fraction_form().read("0.95").value, 0.95);
  EXPECT_EQ(fraction_form().read("95%").value, 0.95);
  EXPECT_EQ(fraction_form().read("1").value, 1.0);
  EXPECT_EQ(fraction_form().read("95").fault,
            "is '95'; a fraction above 1 needs its unit: write 95% or 0.95");
  expect_refused(fraction_form(), {"0", "0%", "1.01", "101%", "95", "-0.5", ".95", "nan", "", "%"});
}

TEST(DurationForm, needs_its_unit) {
  const auto form = seconds_form(Millis(100), Millis(7200000));
  EXPECT_EQ(form.read("500ms").value, Seconds(0.5));
  EXPECT_EQ(form.read("60s").value, Seconds(60));
  EXPECT_EQ(form.read("1.5s").value, Seconds(1.5));
  EXPECT_EQ(form.read("20min").value, Seconds(1200));
  EXPECT_EQ(form.read("2h").value, Seconds(7200));
  EXPECT_EQ(form.read("60").fault, "is '60'; a duration needs its unit, as 60s or 60min");
  expect_refused(form, {"60", "60 s", "60S", "1m", "s", "-1s", "060s", "99ms", "3h", "0.1234s2",
                        "100.5ms", "nans", "1e9999s", ""});
}

TEST(DurationForm, prints_the_largest_whole_unit) {
  const auto form = seconds_form(Millis(0), Millis(1e9));
  EXPECT_EQ(form.print(Seconds(0)), "0s");
  EXPECT_EQ(form.print(Seconds(0.5)), "500ms");
  EXPECT_EQ(form.print(Seconds(90)), "90s");
  EXPECT_EQ(form.print(Seconds(1200)), "20min");
  EXPECT_EQ(form.print(Seconds(7200)), "2h");
  EXPECT_EQ(millis_form(Millis(0), Millis(1e9)).print(Millis(2000)), "2s");
}

TEST(LineForm, refuses_control_characters_and_keeps_other_text) {
  EXPECT_EQ(line_form().read("folded\n").value, "folded");
  EXPECT_EQ(line_form().read("").value, "");
  EXPECT_EQ(line_form().read("ünïcode & more").value, "ünïcode & more");
  expect_refused(line_form(), {"a\nb", "\x1b[31m", "a\tb", std::string(5000, 'x')});
}

TEST(IdentifierForm, takes_what_is_safe_as_a_folder_name) {
  EXPECT_EQ(identifier_form().read("food-101_resnet.50").value, "food-101_resnet.50");
  expect_refused(identifier_form(), {"", ".", "..", "-x", ".x", "a/b", "a b", "a\\b", "ä", "a\nb",
                                     std::string(65, 'a')});
}

TEST(OptionalForm, reads_and_prints_its_word) {
  const auto form = optional_form("auto", integer_form(1, 9));
  EXPECT_EQ(form.form, "auto | integer, 1 to 9");
  ASSERT_TRUE(form.read("auto").value);
  EXPECT_FALSE(form.read("auto").value->has_value());
  EXPECT_EQ(form.read("3").value, std::optional<int>(3));
  EXPECT_FALSE(form.read("10").value);
  EXPECT_EQ(form.print(std::nullopt), "auto");
  EXPECT_EQ(form.print(3), "3");
}

}  // namespace
}  // namespace traceml

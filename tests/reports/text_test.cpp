#include "harness/reports/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace traceml {
namespace {

using ::testing::ElementsAre;

TEST(PlainText, HasNoControlCharacterOfAnyKind) {
  EXPECT_EQ(plain_text("a\x1b[31mb\x07\x7f"), "a[31mb");
  EXPECT_EQ(plain_text("one\ntwo\tthree\r"), "one two three ");
  EXPECT_EQ(plain_text("c1\xc2\x9b"
                       "31m"),
            "c131m");  // CSI in one character
  EXPECT_EQ(plain_text("\xe2\x80\xae"
                       "gnp.exe"),
            "gnp.exe");  // right-to-left override
  EXPECT_EQ(plain_text(std::string_view("nul\0!", 5)), "nul!");
}

TEST(PlainText, KeepsOtherScriptsAndReplacesWhatIsNotUtf8) {
  EXPECT_EQ(plain_text("\xe6\xb8\xac\xe5\xae\x9a \xc3\xa9 \xf0\x9f\x9a\x80"),
            "\xe6\xb8\xac\xe5\xae\x9a \xc3\xa9 \xf0\x9f\x9a\x80");
  const std::string bad = "\xef\xbf\xbd";
  EXPECT_EQ(plain_text("caf\xe9"), "caf" + bad);
  EXPECT_EQ(plain_text("\xc0\xaf"), bad + bad);            // an overlong slash
  EXPECT_EQ(plain_text("\xed\xa0\x80"), bad + bad + bad);  // half of a surrogate pair
  EXPECT_EQ(plain_text("\xe6\xb8"), bad + bad);            // cut short
}

TEST(XmlText, LeavesNothingThatXmlReads) {
  EXPECT_EQ(xml_text("<a b=\"c\" d='e'>&amp;]]>\x01"),
            "&lt;a b=&quot;c&quot; d=&apos;e&apos;&gt;&amp;amp;]]&gt;");
  EXPECT_EQ(xml_text("in /home/ann/x.jpg"), "in .../x.jpg");
}

TEST(MarkdownText, LeavesNothingThatMarkdownReads) {
  EXPECT_EQ(markdown_text("a|b"), "a\\|b");
  EXPECT_EQ(markdown_text("*_`~#$"), "\\*\\_\\`\\~\\#\\$");
  EXPECT_EQ(markdown_text("[x](http://y)"), "\\[x](http://y)");
  EXPECT_EQ(markdown_text("<img src=x>"), "&lt;img src=x&gt;");
  EXPECT_EQ(markdown_text("@team"), "&#64;team");
  EXPECT_EQ(markdown_text("back\\slash"), "back\\\\slash");
  EXPECT_EQ(markdown_text("two\nlines"), "two lines");
}

TEST(MarkdownText, KeepsThePhaseNamesReadable) {
  EXPECT_EQ(markdown_text("input_wait"), "input_wait");
  EXPECT_EQ(markdown_text("_input"), "\\_input");
}

TEST(WidthOf, CountsColumnsOfATerminal) {
  EXPECT_EQ(width_of("abc"), 3);
  EXPECT_EQ(width_of("\xc3\xa9"), 1);
  EXPECT_EQ(width_of("e\xcc\x81"), 1);                 // a combining accent
  EXPECT_EQ(width_of("\xe6\xb8\xac\xe5\xae\x9a"), 4);  // two wide characters
}

TEST(Shortened, KeepsBothEnds) {
  EXPECT_EQ(shortened("a-long-name-of-an-arm", 12), "a-long...arm");
  EXPECT_EQ(shortened("short", 12), "short");
  EXPECT_EQ(width_of(shortened("\xe6\xb8\xac\xe5\xae\x9a\xe6\xb8\xac\xe5\xae\x9a-name", 10)), 9);
}

TEST(Wrapped, BreaksAtSpacesUnderItsIndent) {
  EXPECT_THAT(wrapped("one two three four", "- ", 10),
              ElementsAre("- one two", "  three", "  four"));
  EXPECT_THAT(wrapped("", "- ", 10), ElementsAre("- "));
}

TEST(Wrapped, BreaksAWordThatNoLineHolds) {
  EXPECT_THAT(wrapped("abcdefghij", "> ", 6), ElementsAre("> abcd", "  efgh", "  ij"));
  for (const std::string& line : wrapped("x " + std::string(500, 'y') + " z", "   ", 40)) {
    EXPECT_LE(width_of(line), 40);
  }
}

}  // namespace
}  // namespace traceml

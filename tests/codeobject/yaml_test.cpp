#include "codeobject/yaml.h"

#include <gtest/gtest.h>

namespace {

using namespace Atoll;

TEST(Yaml, MappingsSequencesScalars) {
  auto y = read_yaml(R"(---
version:         '1.20'
# a comment
kernels:
  - name:            add
    env:
      simd_size: 32
      on: true
    args:
      - type: pointer
        offset: -8
      - type: 'it''s'
    order: [ 0, 1, 2 ]
  - name: two
empty:
list:
- 1
- 2
text: "a\tb: c"
...
)");
  ASSERT_TRUE(y) << y.error().message;
  EXPECT_EQ(y->text("version"), "1.20");
  ASSERT_EQ(y->list("kernels").size(), 2u);
  const Yaml& k = y->list("kernels")[0];
  EXPECT_EQ(k.text("name"), "add");
  EXPECT_EQ(k.find("env")->number("simd_size"), 32);
  EXPECT_TRUE(k.find("env")->flag("on"));
  EXPECT_EQ(k.list("args")[0].number("offset"), -8);
  EXPECT_EQ(k.list("args")[1].text("type"), "it's");
  ASSERT_EQ(k.list("order").size(), 3u);
  EXPECT_EQ(k.list("order")[2].as_number(), 2);
  EXPECT_EQ(y->list("list").size(), 2u);
  EXPECT_EQ(y->text("empty"), "");
  EXPECT_EQ(y->text("text"), "a\tb: c");
  EXPECT_EQ(y->number("nothing", 7), 7);
}

TEST(Yaml, DamageHasALine) {
  auto bad = read_yaml("a: 1\nb\n");
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().message.find("line 2"), std::string::npos);
  bad = read_yaml("  a: 1\nb: 2\n");
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().message.find("line 2"), std::string::npos);
  std::string deep;
  for (int n = 0; n < 100; n++) deep += std::string(size_t(n), ' ') + "a:\n";
  EXPECT_FALSE(read_yaml(deep));
  EXPECT_TRUE(read_yaml(""));
}

}  // namespace

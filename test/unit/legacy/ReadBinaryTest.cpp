#include "translator/legacy/ReadBinary.h"

#include "lib/base/support/Files.h"
#include "translator/legacy/framework.pb.h"

#include <gmock/gmock.h>

using namespace proa;
using namespace proa::legacy;
using testing::HasSubstr;

namespace {

Result<Program> read(const std::string &bytes) {
  return readBinaryBytes(std::as_bytes(std::span(bytes)), "p.pdmodel");
}

std::string readBadBytes(const std::string &bytes) {
  auto program = read(bytes);
  EXPECT_FALSE(program);
  return program ? "" : program.diagnostics().text();
}

/// A program with one block and one op.
proto::ProgramDesc oneOp() {
  proto::ProgramDesc program;
  proto::BlockDesc &block = *program.add_blocks();
  block.set_idx(0);
  block.set_parent_idx(-1);
  block.add_ops()->set_type("t");
  return program;
}

proto::OpDesc::Attr &addAttribute(proto::ProgramDesc &program, proto::AttrType type) {
  proto::OpDesc::Attr &attribute = *program.mutable_blocks(0)->mutable_ops(0)->add_attrs();
  attribute.set_name("a");
  attribute.set_type(type);
  return attribute;
}

TEST(ReadBinary, ScalarsAndVariablesAsAttributes) {
  proto::ProgramDesc message = oneOp();
  proto::Scalar &scalar = *addAttribute(message, proto::SCALAR).mutable_scalar();
  scalar.set_type(proto::Scalar::COMPLEX128);
  scalar.mutable_c()->set_r(1);
  scalar.mutable_c()->set_i(-2);
  addAttribute(message, proto::VARS).add_vars_name("x");
  addAttribute(message, proto::FLOAT64).set_float64(0.1);
  auto program = read(message.SerializeAsString());
  ASSERT_TRUE(program) << program.diagnostics().text();
  const auto &attributes = program->blocks[0].operations[0].attributes;
  ASSERT_EQ(attributes.size(), 3u);
  EXPECT_EQ(std::get<Scalar>(attributes[0].value), (Scalar{Complex{1, -2}}));
  EXPECT_EQ(std::get<VariableNames>(attributes[1].value), VariableNames{{"x"}});
  EXPECT_EQ(std::get<double>(attributes[2].value), 0.1);
}

TEST(ReadBinary, MissingFieldsHaveLocations) {
  proto::ProgramDesc message = oneOp();
  message.mutable_blocks(0)->clear_parent_idx();
  message.mutable_blocks(0)->mutable_ops(0)->clear_type();
  message.mutable_blocks(0)->add_vars()->set_name("x");
  std::string diagnostics = readBadBytes(message.SerializePartialAsString());
  EXPECT_THAT(diagnostics, HasSubstr("p.pdmodel: blocks[0].parent_idx: "));
  EXPECT_THAT(diagnostics, HasSubstr("blocks[0].ops[0].type: "));
  EXPECT_THAT(diagnostics, HasSubstr("blocks[0].vars[0].type: "));
}

TEST(ReadBinary, AttributesThatNeedAValue) {
  proto::ProgramDesc message = oneOp();
  addAttribute(message, proto::BLOCK);
  addAttribute(message, proto::VAR);
  std::string diagnostics = readBadBytes(message.SerializeAsString());
  EXPECT_THAT(diagnostics, HasSubstr("blocks[0].ops[0].attrs[0]: attribute 'a' of type BLOCK has no value"));
  EXPECT_THAT(diagnostics, HasSubstr("blocks[0].ops[0].attrs[1]: attribute 'a' of type VAR has no value"));
}

TEST(ReadBinary, EveryTruncationOfAProgramIsReadOrReported) {
  auto bytes = readFile(PROA_CORPUS_DIR "/ops/abs/c64/program.pdmodel");
  ASSERT_TRUE(bytes);
  size_t reported = 0;
  for (size_t size = 0; size < bytes->size(); ++size)
    if (auto program = read(bytes->substr(0, size)); !program) {
      EXPECT_FALSE(program.diagnostics().empty());
      ++reported;
    }
  EXPECT_GT(reported, bytes->size() / 2);
}

TEST(ReadBinary, EveryChangedByteIsReadOrReported) {
  auto bytes = readFile(PROA_CORPUS_DIR "/ops/abs/c64/program.pdmodel");
  ASSERT_TRUE(bytes);
  for (size_t at = 0; at < bytes->size(); ++at)
    for (char value : {'\0', '\x7F', '\xFF'}) {
      std::string changed = *bytes;
      changed[at] = value;
      auto program = read(changed);
      EXPECT_TRUE(program || !program.diagnostics().empty());
    }
}

TEST(ReadBinary, OtherBytes) {
  EXPECT_THAT(readBadBytes(""), HasSubstr("the file is empty"));
  EXPECT_THAT(readBadBytes("not a model"), HasSubstr("no ProgramDesc"));
  EXPECT_THAT(readBadBytes("\x22\x02\x08\x01"), HasSubstr("blocks: found none"));
}

} // namespace

#include "lib/base/support/UniqueDiagnostics.h"

#include <gtest/gtest.h>

#include <vector>

using namespace proa;

namespace {

Diagnostic at(int64_t op, const char *code, const char *variable, const char *message) {
  Diagnostic diagnostic;
  diagnostic.severity = Diagnostic::Severity::Warning;
  diagnostic.file = "net.json";
  diagnostic.block = 0;
  diagnostic.op = op;
  diagnostic.opType = "relu";
  diagnostic.code = code;
  diagnostic.variable = variable;
  diagnostic.message = message;
  diagnostic.locate();
  return diagnostic;
}

TEST(Diagnostics, TextHasLocationAndMessage) {
  Diagnostic diagnostic = at(3, "declared-type", "x", "it differs");
  EXPECT_EQ(diagnostic.text(), "warning: net.json: blocks[0].ops[3] (relu): it differs\n");
  diagnostic.output = "y";
  diagnostic.pythonFile = "net.py";
  diagnostic.pythonLine = 42;
  diagnostic.severity = Diagnostic::Severity::Remark;
  diagnostic.locate();
  EXPECT_EQ(diagnostic.text(), "remark: net.json: blocks[0].ops[3] (relu) -> y at net.py:42: it differs\n");
  diagnostic = {.message = "it differs"};
  diagnostic.locate();
  EXPECT_EQ(diagnostic.text(), "error: it differs\n");
}

TEST(Diagnostics, EachIsReportedOnce) {
  std::vector<std::string> delivered;
  DiagnosticHandler handler = onceEach([&](const Diagnostic &given) { delivered.push_back(given.message); });
  DiagnosticHandler copy = handler; // of a later import
  handler(at(1, "declared-type", "x", "dims are -1"));
  copy(at(1, "declared-type", "x", "dims are 8")); // the same at a later import
  copy(at(1, "declared-type", "y", "another variable"));
  copy(at(2, "declared-type", "x", "another op"));
  copy(at(1, "state-lod", "x", "another kind"));
  EXPECT_EQ(delivered,
            (std::vector<std::string>{"dims are -1", "another variable", "another op", "another kind"}));
  EXPECT_FALSE(onceEach(nullptr));
}

} // namespace

#include "lib/compiler/program/LocateErrors.h"

#include <algorithm>

namespace proa {
namespace {

bool computes(const legacy::Operation &op, const std::string &name) {
  return std::ranges::any_of(op.outputs, [&](const legacy::Slot &slot) {
    return std::ranges::find(slot.arguments, name) != slot.arguments.end();
  });
}

} // namespace

void locateInProgram(Diagnostic &error, const legacy::Program &program, const std::string &file) {
  for (size_t block = 0; block < program.blocks.size(); ++block) {
    const std::vector<legacy::Operation> &operations = program.blocks[block].operations;
    auto op =
        std::ranges::find_if(operations, [&](const auto &other) { return computes(other, error.output); });
    if (op == operations.end())
      continue;
    error.file = file;
    error.block = static_cast<int64_t>(block);
    error.op = op - operations.begin();
    error.opType = op->type;
    if (auto line = op->sourceLine()) {
      error.pythonFile = line->file;
      error.pythonLine = line->line;
    }
    return error.locate();
  }
}

} // namespace proa

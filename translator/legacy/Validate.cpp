#include "translator/legacy/Validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <unordered_set>

namespace proa::legacy {
namespace {

class Validator {
public:
  Validator(const Program &program, FileReport &report) : program(program), report(report) {}

  void run() {
    if (program.blocks.empty())
      report.add("blocks", "found none, expected at least one");
    for (size_t i = 0; i < program.blocks.size(); ++i) {
      path = fmt::format("blocks[{}]", i);
      checkBlock(program.blocks[i], static_cast<int64_t>(i));
    }
    checkCycles();
  }

private:
  struct Found {
    std::string where, message;
  };

  int64_t blockCount() const { return static_cast<int64_t>(program.blocks.size()); }
  bool isBlock(int64_t index) const { return index >= 0 && index < blockCount(); }

  void checkBlock(const Block &block, int64_t position) {
    if (block.index != position)
      report.add(path + ".idx",
                 fmt::format("found {}, expected the block's position {}", block.index, position));
    if (position == 0 && block.parent != -1)
      report.add(path + ".parent_idx",
                 fmt::format("found {}, expected -1 for the first block", block.parent));
    if (position != 0 && !isBlock(block.parent))
      report.add(path + ".parent_idx",
                 fmt::format("found {}, expected the index of one of {} blocks", block.parent, blockCount()));
    if (block.forwardBlock != -1 && !isBlock(block.forwardBlock))
      report.add(path + ".forward_block_idx",
                 fmt::format("found {}, expected -1 or the index of one of {} blocks", block.forwardBlock,
                             blockCount()));
    // Looking for names that occur twice takes as long as all else.
    constexpr size_t manyVariables = 4096;
    auto mayRepeat =
        std::async(block.variables.size() < manyVariables ? std::launch::deferred : std::launch::async,
                   [&] { return !haveNamesOfTheirOwn(block.variables); });
    std::vector<Found> ofOperations;
    for (size_t i = 0; i < block.operations.size(); ++i)
      checkOperation(block.operations[i], i, ofOperations);
    checkVariables(block, mayRepeat.get());
    for (Found &found : ofOperations)
      report.add(found.where, std::move(found.message));
  }

  /// Whether no two variables have the same name, as is usual: numbers in order tell so quicker than a table
  /// of names that is filled.
  static bool haveNamesOfTheirOwn(const std::vector<Variable> &variables) {
    std::vector<size_t> hashes;
    hashes.reserve(variables.size());
    for (const Variable &variable : variables)
      hashes.push_back(std::hash<std::string_view>()(variable.name));
    std::sort(hashes.begin(), hashes.end());
    return std::adjacent_find(hashes.begin(), hashes.end()) == hashes.end();
  }

  void checkVariables(const Block &block, bool mayRepeat) {
    std::unordered_set<std::string_view> names;
    for (size_t i = 0; i < block.variables.size(); ++i) {
      const Variable &variable = block.variables[i];
      auto at = [&] { return fmt::format("{}.vars[{}]", path, i); };
      if (variable.name.empty())
        report.add(at() + ".name", "found an empty name");
      else if (mayRepeat && !names.insert(variable.name).second)
        report.add(at() + ".name",
                   fmt::format("variable '{}' is declared twice in this block", variable.name));
      if (std::string wrong = errorOfDims(variable.dims); !wrong.empty())
        report.add(at(), fmt::format("variable '{}': {}", variable.name, wrong));
    }
  }

  /// Any negative dim is unknown: Paddle computes with -1 as with a size, so that twice an unknown one is -2.
  static std::string errorOfDims(const std::vector<int64_t> &dims) {
    int64_t product = 1;
    bool overflows = false, isEmpty = false;
    for (size_t i = 0; i < dims.size(); ++i) {
      isEmpty |= dims[i] == 0;
      if (dims[i] > 0)
        overflows |= __builtin_mul_overflow(product, dims[i], &product);
    }
    if (overflows && !isEmpty)
      return fmt::format("dims [{}] have more elements than an int64 can count", fmt::join(dims, ", "));
    return {};
  }

  void checkOperation(const Operation &operation, size_t position, std::vector<Found> &found) {
    auto at = [&] { return fmt::format("{}.ops[{}]", path, position); };
    if (operation.type.empty())
      found.push_back({at() + ".type", "found an empty op type"});
    for (size_t i = 0; i < operation.attributes.size(); ++i) {
      const Attribute &attribute = operation.attributes[i];
      auto check = [&](int32_t index) {
        if (!isBlock(index))
          found.push_back({fmt::format("{}.attrs[{}]", at(), i),
                           fmt::format("attribute '{}' of op '{}' is block {}, expected one of {} blocks",
                                       attribute.name, operation.type, index, blockCount())});
      };
      if (const auto *block = std::get_if<BlockIndex>(&attribute.value))
        check(block->index);
      if (const auto *blocks = std::get_if<BlockIndices>(&attribute.value))
        std::ranges::for_each(blocks->indices, check);
    }
  }

  /// Each block is walked once: a walk up ends at a block that is known to lead to the root, or to be in a
  /// cycle.
  void checkCycles() {
    enum : uint8_t { unknown, onWalk, done };
    std::vector<uint8_t> state(program.blocks.size(), unknown);
    for (int64_t start = 0; start < blockCount(); ++start) {
      std::vector<int64_t> walk;
      int64_t at = start;
      while (isBlock(at) && state[at] == unknown) {
        state[at] = onWalk;
        walk.push_back(at);
        at = program.blocks[at].parent;
      }
      if (isBlock(at) && state[at] == onWalk)
        report.add(fmt::format("blocks[{}].parent_idx", at), "the parents of this block form a cycle");
      for (int64_t block : walk)
        state[block] = done;
    }
  }

  const Program &program;
  FileReport &report;
  std::string path;
};

} // namespace

void validate(const Program &program, FileReport &report) { Validator(program, report).run(); }

} // namespace proa::legacy

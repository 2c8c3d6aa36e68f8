/// Variables that share memory: tensors that coalesce_tensor has laid out in one buffer, and parameters in
/// the memory of others (ImportOptions::sharedParameters).
#pragma once

#include "translator/import/legacy/control/Blocks.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

#include <algorithm>
#include <string>
#include <vector>

namespace proa::import {

class ProgramImporter;

/// One memory with several names: the names of the buffer and of its members. SSA values have no memory:
/// a write to one name makes the values of other names outdated.
struct SharedBuffer {
  struct Member {
    std::string name;
    mlir::RankedTensorType type;
    int64_t begin;           ///< index of its first element in the buffer
    bool isOutdated = false; ///< the buffer was written since
    bool isNewer = false;    ///< the member was written since the buffer was
  };
  int32_t block; ///< the block of the coalesce_tensor
  std::string buffer;
  std::vector<Member> members;

  bool isOutdated() const {
    return std::any_of(members.begin(), members.end(), [](const Member &member) { return member.isNewer; });
  }
};

/// Brings the values of variables in shared buffers up to date before an op reads them.
class SharedBuffers {
public:
  explicit SharedBuffers(ProgramImporter &program) : program(program) {}

  bool empty() const { return buffers.empty(); }
  /// Adds the buffers of ImportOptions::sharedParameters that the program reads.
  void addParameters();
  /// Brings the values of these buffers up to date and makes them states.
  void finishParameters();
  /// To be called before an op: updates the variables that it reads.
  void beforeOp(const legacy::Operation &op);
  /// To be called after an op: marks the variables that are outdated now.
  void afterOp(const legacy::Operation &op);
  /// Updates the variables of the current block with these names.
  void refresh(const Names &names);
  /// Removes the buffers of a block that ends.
  void removeBlock(int32_t block);

  /// The state, which the import of a branch restores.
  using State = std::vector<SharedBuffer>;
  const State &state() const { return buffers; }
  void restore(State state) { buffers = std::move(state); }

private:
  void add(const legacy::Operation &coalesce);
  void refreshMember(SharedBuffer &shared, SharedBuffer::Member &member);
  void refreshBuffer(SharedBuffer &shared);
  void checkType(const SharedBuffer &shared, const std::string &name, mlir::RankedTensorType expected);

  ProgramImporter &program;
  State buffers;
};

} // namespace proa::import

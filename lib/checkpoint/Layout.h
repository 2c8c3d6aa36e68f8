/// Layouts: which boxes of a tensor exist, and which rank or file has each.
#pragma once

#include "lib/base/spmd/Mesh.h"
#include "lib/base/spmd/Placement.h"
#include "lib/checkpoint/Catalog.h"

#include "proa/Result.h"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace proa::checkpoints {

/// Elements that a rank holds, as a box of the tensor and as one of its local tensor.
struct LocalBox {
  Box box;
  Box local;
};

/// The boxes that a position of a mesh holds. A dimension that is split in blocks gives several. Boxes
/// without elements are left out. The placement has no partial axes.
std::vector<LocalBox> localBoxes(const spmd::Mesh &mesh, const spmd::Placement &placement, spmd::Dims dims,
                                 int64_t position);

/// A box of a tensor and the devices that hold it, ascending.
struct HeldBox {
  Box box;
  std::vector<int64_t> holders;
};

/// The boxes of a tensor in a placement; replicas are one box with several holders. A tensor without elements
/// is one box, which all devices hold.
std::vector<HeldBox> heldBoxes(const spmd::Mesh &mesh, const spmd::Placement &placement, spmd::Dims dims);

/// The devices that may store a box of this size.
struct StoredSize {
  std::vector<int64_t> holders;
  int64_t bytes = 0;
};

/// Chooses a holder for each box, so that devices store about equally many bytes: the largest boxes first,
/// each on its least loaded holder. Equal arguments give equal results in all processes.
std::vector<int64_t> chooseHolders(std::span<const StoredSize> boxes);

/// A box, and the number of the file that stores it.
struct StoredBox {
  Box box;
  int64_t file = 0;
};
using StoredBoxes = std::map<std::string, std::vector<StoredBox>>; ///< by name of the tensor
using HeldBoxes = std::map<std::string, std::vector<HeldBox>>;

/// Stores each box of the tensors in the file of one of its holders (chooseHolders).
StoredBoxes storeOnHolders(const std::map<std::string, TensorEntry> &tensors, const HeldBoxes &boxes);

/// The layout of a checkpoint that is written by a conversion.
class Layout {
public:
  virtual ~Layout() = default;
  /// The boxes of all tensors, by name. Error: tensors that the layout does not fit.
  virtual Result<StoredBoxes> place(const std::map<std::string, TensorEntry> &tensors) const = 0;
};

/// Whole tensors, in files of at most `bytesOfFile` bytes, or of one tensor. 0: one file.
std::unique_ptr<Layout> wholeTensors(int64_t bytesOfFile);
/// Each tensor in row-major order in `count` shards of equal sizes, as ZeRO flattens them.
std::unique_ptr<Layout> flattenedTensors(int64_t count);
/// The boxes and files of another checkpoint, which must have the same tensors with the same dims.
std::unique_ptr<Layout> layoutLike(const Catalog &catalog);
/// Shardings of a file as proa-run --shardings reads it, with a file for each device: {"mesh": {"dp": 2},
/// "shardings": [{"name": PATTERN, "sharding": "[{dp}, {}]"}]}. Other tensors are whole. Errors: as the
/// file, all at once.
Result<std::unique_ptr<Layout>> readLayout(const std::string &path);

/// Parses "[{dp, mp}, {}]", "[{mp} blocks(8, 2 * 4)]" or "[{dp:(1)2}]". `where` begins messages. Error:
/// another text, or an axis that the mesh lacks.
Result<spmd::Placement> parsePlacement(const spmd::Mesh &mesh, const std::string &text,
                                       const std::string &where);

} // namespace proa::checkpoints

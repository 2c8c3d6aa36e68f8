//! Hooks of ops of ONNX that read and change shapes.
#include "translator/import/onnx/hooks/Dims.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/shape/JoinOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/pd/ops/shape/View.h"

using namespace mlir;

namespace proa::import::onnxhooks {

void importShape(NodeImporter &node) {
  Expression data = node.operand("data");
  auto bound = [&](llvm::StringRef name, int64_t otherwise) {
    int64_t index = node.intAttribute(name, otherwise);
    return std::clamp<int64_t>(index < 0 ? index + data.rank() : index, 0, data.rank());
  };
  int64_t start = bound("start", 0), end = std::max(start, bound("end", data.rank()));
  Dims dims = pd::dimSizesOf(data);
  llvm::ArrayRef<DimSize> range = llvm::ArrayRef(dims).slice(start, end - start);
  if (std::optional<Ints> sizes = numbersIn(range))
    return node.setOutput("shape", node.integers(*sizes));
  node.setOutput("shape", pd::shapeTensor(node.tensors(), range));
}

void importSize(NodeImporter &node) {
  node.setOutput("size", pd::elementsOf(node.operand("data")).getValue(node.tensors()));
}

void importReshape(NodeImporter &node) {
  Expression data = node.operand("data"), shape = node.operand("shape");
  bool zeroIsSize = node.since() >= 14 && node.boolAttribute("allowzero");
  std::optional<Ints> known = knownInts(node, shape);
  if (known && zeroIsSize && llvm::is_contained(*known, 0))
    return node.setOutput("reshaped", pd::reshapeTo(data, Dims(known->begin(), known->end())));
  if (known)
    return node.setOutput("reshaped", node.tensors().reshape(data, *known));
  if (!pd::tensorType(shape).hasStaticShape()) {
    node.reportOpen("has a shape of dynamic length, expected a static one");
    node.stop();
  }
  node.setOutput("reshaped", node.create<pd::ReshapeOp>(data, shape, llvm::ArrayRef<int64_t>()));
}

void importFlatten(NodeImporter &node) {
  Expression input = node.operand("input");
  int64_t axis = node.intAttribute("axis");
  if (axis != input.rank())
    axis = axisIn(node, axis, input.rank());
  node.setOutput("output", asMatrix(input, axis));
}

void importTranspose(NodeImporter &node) {
  Expression data = node.operand("data");
  Ints reversed;
  for (int64_t i = data.rank(); i-- > 0;)
    reversed.push_back(i);
  node.setOutput("transposed", node.tensors().transpose(data, node.intsAttribute("perm", reversed)));
}

void importSqueeze(NodeImporter &node) {
  Expression data = node.operand("data");
  std::optional<Ints> listed = node.optionalInts("axes");
  Ints axes;
  if (listed && !listed->empty()) {
    axes = axesIn(node, *listed, data.rank());
  } else if (!data.type().hasStaticShape()) {
    node.reportOpen("lists no axes and its operand has dynamic dims, expected static ones");
    node.stop();
  } else {
    for (auto [axis, size] : llvm::enumerate(data.type().getShape()))
      if (size == 1)
        axes.push_back(static_cast<int64_t>(axis));
  }
  for (int64_t axis : axes)
    if (int64_t size = data.type().getDimSize(axis); size != 1 && size != pd::unknown) {
      node.report("has dim " + llvm::Twine(size) + " at axis " + llvm::Twine(axis) + ", expected 1");
      node.stop();
    }
  node.setOutput("squeezed",
                 axes.empty() ? data : node.create<pd::SqueezeOp>(data, Value(), llvm::ArrayRef(axes)));
}

void importUnsqueeze(NodeImporter &node) {
  Expression data = node.operand("data");
  Ints listed = node.intsAttribute("axes");
  Ints axes = axesIn(node, listed, data.rank() + static_cast<int64_t>(listed.size()));
  // In ascending order each axis is the index in the shape so far.
  llvm::sort(axes);
  node.setOutput("expanded",
                 axes.empty() ? data : node.create<pd::UnsqueezeOp>(data, Value(), llvm::ArrayRef(axes)));
}

void importExpandDims(NodeImporter &node) {
  Expression x = node.operand("X");
  node.setOutput("Y", insertDim(x, axisIn(node, node.intAttribute("axis"), x.rank() + 1)));
}

/// The dim of two dims that broadcast together, of which one is a size in x.
static DimSize broadcastDim(TensorBuilder &e, const DimSize &x, const DimSize &size) {
  if (x.isNumber(1) || size.isNumber(1))
    return x.isNumber(1) ? size : x;
  if (x.isKnown() || size.isKnown())
    return x.isKnown() ? x : size;
  Expression one = e.constant(1, e.getBuilder().getI64Type());
  return pd::dimSizeOf(e.select(valueOf(e, size) == one, valueOf(e, x), valueOf(e, size)));
}

void importExpand(NodeImporter &node) {
  Expression input = node.operand("input");
  Dims shape = dimsInput(node, "shape"), own = pd::dimSizesOf(input);
  while (shape.size() < own.size())
    shape.insert(shape.begin(), DimSize(1));
  size_t offset = shape.size() - own.size();
  for (size_t i = 0; i < own.size(); ++i)
    shape[offset + i] = broadcastDim(node.tensors(), own[i], shape[offset + i]);
  node.setOutput("output", pd::expandTo(input, shape));
}

/// Reads the block size, which must be positive, and checks that x is an image.
static int64_t blockSizeFor(NodeImporter &node, Expression x) {
  int64_t block = node.intAttribute("blocksize");
  if (block > 0 && x.rank() == 4)
    return block;
  node.report("has blocksize " + llvm::Twine(block) + " and an operand of rank " + llvm::Twine(x.rank()) +
              ", expected a positive blocksize and rank 4");
  node.stop();
}

/// Whether the channels of a block are the slow index (DCR) of the channels, not the block (CRD).
static bool isDepthFirst(NodeImporter &node) {
  std::string mode = node.stringAttribute("mode", "DCR");
  if (mode != "DCR" && mode != "CRD")
    node.report("has mode '" + mode + "', expected DCR or CRD");
  return mode == "DCR";
}

void importDepthToSpace(NodeImporter &node) {
  Expression x = node.operand("input");
  TensorBuilder &e = node.tensors();
  int64_t block = blockSizeFor(node, x);
  bool isDcr = isDepthFirst(node);
  Dims dims = pd::dimSizesOf(x);
  DimSize channels = pd::divide(e, dims[1], block * block);
  Dims split = isDcr ? Dims{dims[0], block, block, channels, dims[2], dims[3]}
                     : Dims{dims[0], channels, block, block, dims[2], dims[3]};
  Expression moved =
      e.transpose(pd::reshapeTo(x, split), isDcr ? Ints{0, 3, 4, 1, 5, 2} : Ints{0, 1, 4, 2, 5, 3});
  node.setOutput("output", pd::reshapeTo(moved, {dims[0], channels, multiply(e, dims[2], block),
                                                 multiply(e, dims[3], block)}));
}

void importSpaceToDepth(NodeImporter &node) {
  Expression x = node.operand("input");
  TensorBuilder &e = node.tensors();
  int64_t block = blockSizeFor(node, x);
  bool isDcr = isDepthFirst(node);
  Dims dims = pd::dimSizesOf(x);
  DimSize rows = pd::divide(e, dims[2], block), columns = pd::divide(e, dims[3], block);
  Expression split = pd::reshapeTo(x, {dims[0], dims[1], rows, block, columns, block});
  Expression moved = e.transpose(split, isDcr ? Ints{0, 3, 5, 1, 2, 4} : Ints{0, 1, 3, 5, 2, 4});
  node.setOutput("output",
                 pd::reshapeTo(moved, {dims[0], multiply(e, dims[1], block * block), rows, columns}));
}

} // namespace proa::import::onnxhooks

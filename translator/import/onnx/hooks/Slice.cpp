//! Hooks of ops of ONNX that take pieces along axes.
#include "translator/import/onnx/hooks/Dims.h"

#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/shape/SliceOps.h"

using namespace mlir;

namespace proa::import::onnxhooks {

/// The ends of a slice as pd.slice counts them: there an end of -1 with a negative step is before the first
/// element, here it is the last element, so that the slice is empty.
static void adjustEnds(NodeImporter &node, IntList &ends, const IntList &steps) {
  if (steps.numbers && llvm::none_of(*steps.numbers, [](int64_t step) { return step < 0; }))
    return;
  if (steps.isAbsent())
    return;
  if (ends.numbers && steps.numbers) {
    for (auto [end, step] : llvm::zip(*ends.numbers, *steps.numbers))
      if (step < 0 && end == -1)
        end = pd::toTheEnd;
    return;
  }
  TensorBuilder &e = node.tensors();
  Expression end = ends.asTensor(node), last = e.wrap(node.integers({pd::toTheEnd}));
  Expression isLast = e.wrap(e.create<pd::LogicalAndOp>(e.equal(end, -1.0), steps.asTensor(node) < 0.0));
  ends = {std::nullopt, e.select(isLast, last, end)};
}

/// The least integer is any position before the first element, as each other one is that is small enough; in
/// pd it means that a position is not known.
static void avoidUnknown(IntList &positions) {
  if (positions.numbers)
    for (int64_t &position : *positions.numbers)
      position = std::max(position, pd::unknown + 1);
}

void importSlice(NodeImporter &node) {
  Expression data = node.operand("data");
  IntList starts = IntList::of(node, "starts"), ends = IntList::of(node, "ends");
  IntList steps = IntList::of(node, "steps");
  if (starts.isAbsent() || ends.isAbsent()) {
    node.report("input '" + llvm::Twine(starts.isAbsent() ? "starts" : "ends") + "' is missing");
    node.stop();
  }
  auto all = llvm::to_vector(llvm::seq<int64_t>(0, starts.size(node)));
  Ints axes = axesIn(node, node.intsAttribute("axes", all), data.rank());
  adjustEnds(node, ends, steps);
  avoidUnknown(starts);
  avoidUnknown(ends);
  auto values = [](const IntList &list) { return list.numbers.value_or(Ints()); };
  node.setOutput("output",
                 node.create<pd::SliceOp>(data, starts.tensor, ends.tensor, steps.tensor,
                                          llvm::ArrayRef(axes), values(starts), values(ends), values(steps)));
}

/// The sizes of `count` pieces of a dimension: equal ones, of which the last may be smaller.
static Ints equalPieces(int64_t size, int64_t count) {
  Ints sizes;
  int64_t whole = (size + count - 1) / count;
  for (int64_t i = 0; i < count; ++i)
    sizes.push_back(std::clamp<int64_t>(size - i * whole, 0, whole));
  return sizes;
}

/// The same for a dimension of dynamic size.
static NodeImporter::Values splitDynamically(NodeImporter &node, Expression x, int64_t axis, int64_t count) {
  TensorBuilder &e = node.tensors();
  DimSize whole = pd::divide(e, pd::add(e, DimSize(x, axis), count - 1), count);
  NodeImporter::Values pieces;
  for (int64_t i = 0; i < count; ++i)
    pieces.push_back(pd::sliceBetween(x, axis, multiply(e, whole, i), multiply(e, whole, i + 1)));
  return pieces;
}

void importSplit(NodeImporter &node) {
  Expression input = node.operand("input");
  int64_t axis = axisOf(node, input), count = node.intAttribute("num_outputs", node.outputCount());
  IntList sections = IntList::of(node, "split");
  if (sections.isAbsent() && node.since() >= 18 && input.type().isDynamicDim(axis))
    return node.setOutputs("outputs", splitDynamically(node, input, axis, count));
  if (sections.isAbsent() && !input.type().isDynamicDim(axis))
    sections.numbers = equalPieces(input.type().getDimSize(axis), count);
  int64_t pieces = sections.isAbsent() ? count : sections.size(node);
  if (pieces != static_cast<int64_t>(node.outputCount())) {
    node.report("splits into " + llvm::Twine(pieces) + " pieces, expected " +
                llvm::Twine(node.outputCount()) + ", one for each output");
    node.stop();
  }
  auto split = node.createOp<pd::SplitOp>(input, sections.tensor, Value(), sections.numbers.value_or(Ints()),
                                          sections.isAbsent() ? count : 0, static_cast<uint64_t>(axis));
  node.setOutputs("outputs", NodeImporter::Values(split->getResults()));
}

} // namespace proa::import::onnxhooks

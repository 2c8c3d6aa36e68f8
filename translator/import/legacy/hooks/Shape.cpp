//! Hooks of slices, paddings and ranges.
#include "translator/import/common/DroppedDims.h"
#include "translator/import/common/TensorOps.h"
#include "translator/import/legacy/LegacyTable.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/creation/RangeOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/shape/KnownElements.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/pd/ops/shape/View.h"

using namespace mlir;

namespace proa::import::hooks {

void importArraySlice(OpImporter &importer, Value array);

namespace {

/// A list of one-element tensors stacked, else the one tensor; null where neither is present.
Value indexOperand(OpImporter &importer, llvm::StringRef list, llvm::StringRef tensor) {
  if (llvm::SmallVector<Value> values = importer.inputs(list); !values.empty())
    return importer.stackScalars(values);
  return importer.input(tensor);
}

} // namespace

/// One-element tensors with the bounds of a slice along each axis.
static Operands boundsByAxis(OpImporter &importer, llvm::StringRef list, llvm::StringRef tensor,
                             llvm::StringRef attribute, size_t count) {
  Operands bounds = importer.inputs(list);
  if (!bounds.empty())
    return bounds;
  Value all = importer.input(tensor);
  llvm::SmallVector<int64_t> literal = importer.intsAttribute(attribute);
  for (size_t i = 0; i < count && (all || i < literal.size()); ++i)
    bounds.push_back(all ? slice(importer.wrap(all), 0, i, i + 1) : importer.integers({literal[i]}));
  return bounds;
}

/// The tensor of the ends of a slice, or null. Where tensors hold the bounds, the slice from -1 to 0 of a
/// dimension that is dropped is the last element.
static Value endsOfSlice(OpImporter &importer) {
  Value ends = indexOperand(importer, "EndsTensorList", "EndsTensor");
  llvm::SmallVector<int64_t> axes = importer.intsAttribute("axes"),
                             flags = importer.intsAttribute("infer_flags"),
                             dropped = importer.intsAttribute("decrease_axis");
  bool hasTensors = ends || importer.input("StartsTensor") || !importer.inputs("StartsTensorList").empty();
  if (!hasTensors || dropped.empty() || flags.size() != axes.size() || !llvm::is_contained(flags, -1))
    return ends;
  Operands from = boundsByAxis(importer, "StartsTensorList", "StartsTensor", "starts", axes.size());
  Operands to = boundsByAxis(importer, "EndsTensorList", "EndsTensor", "ends", axes.size());
  if (from.size() != axes.size() || to.size() != axes.size())
    return ends;
  TensorBuilder &e = importer.tensors();
  Type type = importer.getBuilder().getI64Type();
  auto isOther = [](Value value, int64_t literal) {
    auto known = pd::allKnownElements(value);
    return known && known->size() == 1 && known->front() != literal;
  };
  bool isChanged = false;
  for (auto [start, end, axis, flag] : llvm::zip(from, to, axes, flags)) {
    if (flag != -1 || !llvm::is_contained(dropped, axis) || isOther(start, -1) || isOther(end, 0))
      continue;
    isChanged = true;
    Expression last = importer.integers({std::numeric_limits<int32_t>::max()});
    if (pd::allKnownElements(start) && pd::allKnownElements(end)) {
      end = last;
      continue;
    }
    auto scalar = [&](Value bound) { return e.reshape(e.cast(e.wrap(bound), type), {1}); };
    Expression first = scalar(start), given = scalar(end);
    Expression isLast =
        apply<pd::LogicalAndOp>(first == importer.integers({-1}), given == importer.integers({0}));
    end = e.select(isLast, last, given);
  }
  return isChanged ? importer.stackScalars(to) : ends;
}

/// Adjusts the ends of a slice with negative strides. Paddle 2.6's strided_slice leaves out the first element
/// where an end is before it, and includes it for the end -1 only; pd.slice includes it in both cases.
static void keepFirstOut(OpImporter &importer, Value x, Value &ends, llvm::SmallVector<int64_t> &known,
                         bool isBackwards) {
  llvm::SmallVector<int64_t> axes = importer.intsAttribute("axes");
  auto type = pd::tensorType(x);
  auto isInside = [&](int64_t axis) { return axis >= -type.getRank() && axis < type.getRank(); };
  if (!isBackwards || !llvm::all_of(axes, isInside))
    return;
  if (!ends && known.size() == axes.size())
    for (auto [axis, end] : llvm::zip(axes, known))
      if (int64_t own = axis < 0 ? axis + type.getRank() : axis; end < -1 && !type.isDynamicDim(own))
        end = std::max<int64_t>(end + type.getDimSize(own), 0);
  if (!ends && llvm::none_of(known, [](int64_t end) { return end < -1; }))
    return;
  TensorBuilder &e = importer.tensors();
  Type wide = importer.getBuilder().getI64Type();
  auto count = static_cast<int64_t>(axes.size());
  Expression given = ends ? e.reshape(e.cast(e.wrap(ends), wide), {count}) : importer.integers(known);
  Expression dims = gather(e.cast(apply<pd::ShapeOp>(e.wrap(x)), wide), importer.integers(axes));
  Expression fromEnd = e.maximum(given + dims, importer.integers({0}));
  ends = e.select(given < importer.integers({-1}), fromEnd, given);
}

void importSlice(OpImporter &importer) {
  if (Value array = importer.array("Input"))
    return importArraySlice(importer, array);
  Value x = importer.requiredInput("Input");
  if (!x)
    return;
  Value starts = indexOperand(importer, "StartsTensorList", "StartsTensor"), ends = endsOfSlice(importer),
        strides = indexOperand(importer, "StridesTensorList", "StridesTensor");
  llvm::SmallVector<int64_t> knownEnds = importer.intsAttribute("ends");
  bool isBackwards =
      strides || llvm::any_of(importer.intsAttribute("strides"), [](int64_t stride) { return stride < 0; });
  keepFirstOut(importer, x, ends, knownEnds, isBackwards);
  TensorBuilder &e = importer.tensors();
  Value slice =
      e.create<pd::SliceOp>(x, starts, ends, strides, importer.intsAttribute("axes"),
                            importer.intsAttribute("starts"), knownEnds, importer.intsAttribute("strides"));
  llvm::SmallVector<int64_t> dropped = importer.intsAttribute("decrease_axis");
  if (std::string reason = whyNotDropped(slice, dropped); !reason.empty())
    return importer.report(reason);
  if (!dropped.empty())
    slice = e.create<pd::SqueezeOp>(slice, Value(), dropped);
  importer.setOutput("Out", slice);
}

void importTransferLayout(OpImporter &importer) {
  int64_t from = importer.intAttribute("src_layout", -1), to = importer.intAttribute("dst_layout", -1);
  if (from != to)
    importer.report("attributes 'src_layout' and 'dst_layout' are " + llvm::Twine(from) + " and " +
                    llvm::Twine(to) + ", expected equal layouts");
  else
    importer.importByTable();
}

/// Images are volumes of depth 1.
void importPad2d(OpImporter &importer) {
  Value x = importer.requiredInput("X"), tensor = importer.input("Paddings");
  if (!x)
    return;
  llvm::SmallVector<int64_t> paddings = importer.intsAttribute("paddings", {0, 0, 0, 0});
  if (tensor) {
    auto known = pd::allKnownElements(tensor);
    if (!known)
      return importer.reportOpen("input 'Paddings' must be constant");
    paddings.assign(known->begin(), known->end());
  }
  std::string mode = importer.stringAttribute("mode", "constant"),
              format = importer.stringAttribute("data_format", "NCHW");
  if (paddings.size() != 4 || (format != "NCHW" && format != "NHWC") || pd::tensorType(x).getRank() != 4)
    return importer.report("expected images (rank 4) in NCHW or NHWC and 4 paddings, found rank " +
                           llvm::Twine(pd::tensorType(x).getRank()) + ", '" + format + "' and " +
                           llvm::Twine(paddings.size()));
  std::optional<pd::PadMode> padMode = mode == "edge"
                                           ? std::optional(pd::PadMode::Replicate)
                                           : importer.enumAttribute<pd::PadMode>("mode", "constant");
  if (!padMode)
    return;
  TensorBuilder &e = importer.tensors();
  bool channelsFirst = format == "NCHW";
  int64_t depth = channelsFirst ? 2 : 1;
  Value volume = e.create<pd::UnsqueezeOp>(x, Value(), llvm::ArrayRef(depth));
  // Paddle's order is above, below, left, right; pd.pad3d's is left, right, above, below.
  Value padded = e.create<pd::Pad3dOp>(
      volume, Value(), llvm::ArrayRef<int64_t>{paddings[2], paddings[3], paddings[0], paddings[1], 0, 0},
      *padMode, llvm::APFloat(importer.floatAttribute("pad_value", 0)),
      channelsFirst ? pd::DataFormat::NCDHW : pd::DataFormat::NDHWC);
  importer.setOutput("Out", e.create<pd::SqueezeOp>(padded, Value(), llvm::ArrayRef(depth)));
}

void importUnbind(OpImporter &importer) {
  Value x = importer.requiredInput("X");
  // The result slot of unbind is Out, of unstack Y. Only the slot says how many there are.
  llvm::StringRef slot = importer.outputSlot("Out") ? "Out" : "Y";
  const legacy::Slot *outputs = importer.outputSlot(slot);
  if (!x)
    return;
  if (!outputs)
    return importer.report("output '" + slot + "' is missing");
  auto unbind = pd::UnbindOp::create(importer.getBuilder(), importer.getLocation(), x,
                                     importer.intAttribute("axis", 0), outputs->arguments.size());
  importer.setOutputs(slot, llvm::SmallVector<Value>(unbind->getResults()));
}

void importRange(OpImporter &importer) {
  Value start = importer.requiredInput("Start"), end = importer.requiredInput("End"),
        step = importer.requiredInput("Step");
  if (start && end && step)
    importer.setOutput("Out", importer.tensors().create<pd::ArangeOp>(
                                  start, end, step, pd::tensorType(start).getElementType()));
}

} // namespace proa::import::hooks

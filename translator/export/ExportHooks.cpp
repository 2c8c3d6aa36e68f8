//! Export hooks: legacy ops that the table does not describe. Each record names its own (`exportHook` and
//! `writtenIf` in dialects/pd/ir/Base.td).
#include "translator/export/OpExporter.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/detection/Nms.h"
#include "dialects/pd/ops/detection/Proposals.h"
#include "dialects/pd/ops/detection/Targets.h"
#include "dialects/pd/ops/index/ScatterOps.h"
#include "dialects/pd/ops/loss/LossOps.h"
#include "dialects/pd/ops/math/ActivationOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/ClosenessOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/nn/Hash.h"
#include "dialects/pd/ops/nn/RecurrentOps.h"
#include "dialects/pd/ops/optimizer/OptimizerOps.h"
#include "dialects/pd/ops/optimizer/ScalingOps.h"
#include "dialects/pd/ops/reduce/NormOps.h"
#include "dialects/pd/ops/reduce/ReduceOps.h"
#include "dialects/pd/ops/search/CountOps.h"
#include "dialects/pd/ops/search/SearchOps.h"
#include "dialects/pd/ops/sequence/Labels.h"
#include "dialects/pd/ops/sequence/SequenceOps.h"
#include "dialects/pd/ops/shape/SliceBox.h"
#include "dialects/pd/ops/shape/SliceOps.h"

#include "llvm/ADT/SmallString.h"

#include <fmt/format.h>

#include <numeric>

using namespace mlir;

namespace proa::exporter {
namespace {

Type elementOf(Value value) { return pd::tensorType(value).getElementType(); }

void exportCast(OpExporter &exporter) {
  exporter.exportByTable();
  exporter.setAttribute("in_dtype", dtypeCode(elementOf(exporter.get<pd::CastOp>().getX())));
}

/// Paddle stores the bounds as integers.
void exportHistogram(OpExporter &exporter) {
  exporter.exportByTable();
  auto op = exporter.get<pd::HistogramOp>();
  exporter.setAttribute("min", static_cast<int32_t>(op.getMin().convertToDouble()));
  exporter.setAttribute("max", static_cast<int32_t>(op.getMax().convertToDouble()));
}

/// Paddle stores the tolerances as text.
void exportCloseness(OpExporter &exporter) {
  exporter.exportByTable();
  Operation *op = exporter.getOp();
  for (const char *name : {"rtol", "atol"})
    exporter.setAttribute(name,
                          fmt::format("{}", cast<FloatAttr>(*op->getInherentAttr(name)).getValueAsDouble()));
}

/// Paddle counts the results by the attribute, also where tensors hold their sizes.
void exportSplit(OpExporter &exporter) {
  exporter.exportByTable();
  auto op = exporter.get<pd::SplitOp>();
  if (op.getSectionsTensor())
    exporter.setAttribute("sections", std::vector<int32_t>(op->getNumResults(), -1));
}

void exportUnbind(OpExporter &exporter) {
  exporter.exportByTable();
  exporter.setAttribute("num", static_cast<int32_t>(exporter.getOp()->getNumResults()));
}

void exportArg(OpExporter &exporter) {
  exporter.exportByTable();
  exporter.setAttribute("dtype", dtypeCode(elementOf(exporter.getOp()->getResult(0))));
}

void exportSequenceConv(OpExporter &exporter) {
  exporter.exportByTable();
  exporter.setAttribute("paddingTrainable", exporter.legacyOp().input("PaddingData") != nullptr);
}

/// Paddle has no lists of windows that are empty, which means strides of 1 and no padding here.
void exportPool(OpExporter &exporter) {
  exporter.exportByTable();
  size_t spatial = static_cast<size_t>(pd::tensorType(exporter.getOp()->getOperand(0)).getRank()) - 2;
  for (auto [name, element] : {std::pair("strides", 1), std::pair("paddings", 0)})
    if (exporter.getOp()->getAttrOfType<DenseI64ArrayAttr>(name).empty())
      exporter.setAttribute(name, std::vector<int32_t>(spatial, element));
}

/// By offsets the second result is the LoD of the labels.
void exportCtcAlign(OpExporter &exporter) {
  exporter.exportInputs();
  exporter.exportAttributes();
  auto align = exporter.get<pd::CtcAlignOp>();
  std::string labels = exporter.getNames().of(align.getOut());
  exporter.legacyOp().outputs = {{"Output", {labels}}};
  if (align.getOffsets())
    exporter.getNames().bindLod(align.getCounts(), labels);
  else
    exporter.legacyOp().outputs.push_back({"OutputLength", {exporter.getNames().of(align.getCounts())}});
}

/// Paddle requires lists, which this op never reads: they are empty, or without effect. Any variable of
/// floats is one.
void exportPyramidHash(OpExporter &exporter) {
  exporter.exportByTable();
  for (const char *length : {"white_list_len", "black_list_len"})
    exporter.setAttribute(length, int32_t(0));
  std::string table = exporter.getNames().of(exporter.get<pd::PyramidHashOp>().getW());
  for (const char *list : {"WhiteList", "BlackList"})
    exporter.legacyOp().inputs.push_back({list, {table}});
}

/// The bounds of a slice as attributes, in a form that Paddle and proa read in the same way. They differ in
/// starts before the first element and in ends beyond the last one. Nothing if they depend on the run.
struct SliceBounds {
  std::vector<int64_t> starts, ends, strides;

  static std::optional<SliceBounds> of(const pd::SliceOperands &slice) {
    if (slice.startsTensor || slice.endsTensor || slice.stridesTensor || !slice.x.hasStaticShape())
      return std::nullopt;
    FailureOr<pd::SliceBox> box = pd::sliceBox(slice, slice.x.getShape());
    if (failed(box))
      return std::nullopt;
    SliceBounds bounds;
    for (int64_t axis : slice.axes) {
      axis += axis < 0 ? slice.x.getRank() : 0;
      int64_t first = box->firsts[axis], stride = box->strides[axis], count = box->counts[axis];
      // -1 for a negative stride: down to the first element.
      int64_t last = first + (count - 1) * stride, end = last + (stride > 0 ? 1 : -1);
      if (count == 0)
        first = end = 0, stride = 1;
      bounds.starts.push_back(first);
      bounds.ends.push_back(end);
      bounds.strides.push_back(stride);
    }
    return bounds;
  }
};

void exportSetValue(OpExporter &exporter) {
  exporter.exportByTable();
  auto op = exporter.get<pd::SetValueOp>();
  if (op.getSteps().empty() && !op.getStepsTensor())
    exporter.setAttribute("steps", std::vector<int64_t>(op.getAxes().size(), 1));
  if (auto bounds =
          SliceBounds::of({pd::tensorType(op.getX()), op.getAxes(), op.getStarts(), op.getEnds(),
                           op.getSteps(), op.getStartsTensor(), op.getEndsTensor(), op.getStepsTensor()})) {
    exporter.setAttribute("starts", bounds->starts);
    exporter.setAttribute("ends", bounds->ends);
    exporter.setAttribute("steps", bounds->strides);
  }
  exporter.setAttribute("decrease_axes", std::vector<int64_t>());
  exporter.setAttribute("none_axes", std::vector<int64_t>());
}

/// The legacy op updates lists of parameters.
void exportLarsMomentum(OpExporter &exporter) {
  exporter.useLists();
  exporter.exportByTable();
  double decay = exporter.get<pd::LarsMomentumOp>().getLarsWeightDecay().convertToDouble();
  exporter.setAttribute("lars_weight_decay", std::vector<float>{static_cast<float>(decay)});
}

/// Paddle writes only the elements that change, so the variables must be shared.
void exportUpdateLossScaling(OpExporter &exporter) {
  exporter.shareVariables("Out", "X");
  exporter.shareVariables("LossScaling", "PrevLossScaling");
  exporter.shareVariables("OutGoodSteps", "InGoodSteps");
  exporter.shareVariables("OutBadSteps", "InBadSteps");
  exporter.exportByTable();
}

/// Paddle reads and writes the variables of the results.
void exportAverageAccumulates(OpExporter &exporter) {
  for (const char *name :
       {"sum_1", "sum_2", "sum_3", "num_accumulates", "old_num_accumulates", "num_updates"})
    exporter.shareVariables(std::string("out_") + name, std::string("in_") + name);
  exporter.exportByTable();
}

/// One list of operands here, two or three lists there.
void exportCollectFpnProposals(OpExporter &exporter) {
  exporter.exportOutputs();
  auto op = exporter.get<pd::CollectFpnProposalsOp>();
  std::vector<legacy::Slot> inputs;
  const char *const slots[] = {"MultiLevelRois", "MultiLevelScores", "MultiLevelRoIsNum"};
  for (auto [i, value] : llvm::enumerate(op.getInputs())) {
    if (i % op.getLevels() == 0)
      inputs.push_back({slots[i / op.getLevels()], {}});
    inputs.back().arguments.push_back(exporter.getNames().of(value));
  }
  exporter.legacyOp().inputs = std::move(inputs);
  exporter.setAttribute("post_nms_topN", static_cast<int32_t>(op.getPostNmsTopn()));
}

/// The results are the boxes of each level, their order, and the counts of each level if they are asked for.
void exportDistributeFpnProposals(OpExporter &exporter) {
  exporter.exportInputs();
  exporter.exportAttributes();
  ResultRange results = exporter.getOp()->getResults();
  size_t levels = results.size() / 2;
  std::vector<legacy::Slot> outputs{{"MultiFpnRois", {}}, {"RestoreIndex", {}}, {"MultiLevelRoIsNum", {}}};
  for (auto [i, result] : llvm::enumerate(results))
    outputs[i < levels ? 0 : i == levels ? 1 : 2].arguments.push_back(exporter.getNames().of(result));
  exporter.legacyOp().outputs = std::move(outputs);
}

/// Each of the inputs has a LoD in Paddle, which they share.
void exportGenerateMaskLabels(OpExporter &exporter) {
  exporter.exportByTable();
  auto op = exporter.get<pd::GenerateMaskLabelsOp>();
  exporter.setAttribute("num_classes", static_cast<int32_t>(op.getNumClasses()));
  exporter.setAttribute("resolution", static_cast<int32_t>(op.getResolution()));
  for (legacy::Slot &input : exporter.legacyOp().inputs)
    if (input.name == "GtClasses" || input.name == "IsCrowd")
      input.arguments = {
          exporter.getNames().withLod(exporter.valuesIn(input.name).front(), op.getObjectOffsets())};
    else if (input.name == "LabelsInt32")
      input.arguments = {exporter.getNames().withLod(op.getLabels(), op.getRoiOffsets())};
}

/// Paddle's op takes operands of one shape only.
void exportWhere(OpExporter &exporter) {
  exporter.exportByTable();
  auto op = exporter.get<pd::WhereOp>();
  auto shapeOf = [](Value value) { return pd::tensorType(value).getShape(); };
  auto whole = llvm::find_if(op->getOperands(), [&](Value v) { return shapeOf(v) == shapeOf(op.getOut()); });
  if (whole == op->operand_end())
    return;
  for (legacy::Slot &slot : exporter.legacyOp().inputs)
    for (auto [name, value] : llvm::zip(slot.arguments, exporter.valuesIn(slot.name)))
      if (shapeOf(value) != shapeOf(*whole))
        name = exporter.getNames().expandedAs(value, *whole);
}

void exportReduction(OpExporter &exporter, const char *axisName, const char *keepName) {
  exporter.exportByTable();
  Operation *op = exporter.getOp();
  auto axes = cast<DenseI64ArrayAttr>(*op->getInherentAttr("axis")).asArrayRef();
  // For all axes, Paddle's reduce_amax and reduce_amin still read the list of axes, and gradients read its
  // first entry.
  std::vector<int32_t> all;
  if (int64_t rank = pd::tensorType(op->getOperand(0)).getRank(); rank > 0)
    all.resize(isa<pd::AmaxOp, pd::AminOp>(op) ? static_cast<size_t>(rank) : 1);
  std::iota(all.begin(), all.end(), 0);
  exporter.setAttribute(axisName, axes.empty() ? all : vectorOf<int32_t>(axes));
  exporter.setAttribute(keepName, cast<BoolAttr>(*op->getInherentAttr("keepdim")).getValue());
  exporter.setAttribute("reduce_all", axes.empty());
  // -1: the default. Gradient ops do not accept all types.
  exporter.setAttribute("in_dtype", int32_t(-1));
  exporter.setAttribute("out_dtype", int32_t(-1));
  if (auto sum = dyn_cast<pd::SumOp>(op); sum && sum.getDtype()) {
    exporter.setAttribute("in_dtype", dtypeCode(elementOf(sum.getX())));
    exporter.setAttribute("out_dtype", dtypeCode(*sum.getDtype()));
  }
}

void exportReduce(OpExporter &exporter) { exportReduction(exporter, "dim", "keep_dim"); }
void exportLogsumexp(OpExporter &exporter) { exportReduction(exporter, "axis", "keepdim"); }

void exportSlice(OpExporter &exporter) {
  exporter.exportByTable();
  auto op = exporter.get<pd::SliceOp>();
  std::vector<int64_t> starts(op.getStarts()), ends(op.getEnds()), strides(op.getStrides());
  if (strides.empty())
    strides.resize(op.getAxes().size(), 1);
  if (auto bounds =
          SliceBounds::of({pd::tensorType(op.getX()), op.getAxes(), op.getStarts(), op.getEnds(),
                           op.getStrides(), op.getStartsTensor(), op.getEndsTensor(), op.getStridesTensor()}))
    std::tie(starts, ends, strides) = std::tie(bounds->starts, bounds->ends, bounds->strides);
  bool strided = op.getStridesTensor() || llvm::any_of(strides, [](int64_t s) { return s != 1; });
  exporter.legacyOp().type = strided ? "strided_slice" : "slice";
  exporter.setAttribute("axes", vectorOf<int32_t>(op.getAxes()));
  exporter.setAttribute("starts", vectorOf<int32_t>(clamped(starts)));
  exporter.setAttribute("ends", vectorOf<int32_t>(clamped(ends)));
  if (strided)
    exporter.setAttribute("strides", vectorOf<int32_t>(strides));
  exporter.setAttribute("decrease_axis", std::vector<int32_t>{});
  // 1: the attributes hold the bounds. -1: tensors do.
  bool tensors = op.getStartsTensor() || op.getEndsTensor();
  exporter.setAttribute("infer_flags", std::vector<int32_t>(op.getAxes().size(), tensors ? -1 : 1));
}

void exportFull(OpExporter &exporter) {
  exporter.exportByTable();
  auto op = exporter.get<pd::FullOp>();
  exporter.setAttribute("shape", vectorOf<int64_t>(op.getShape()));
  exporter.setAttribute("dtype", dtypeCode(op.getDtype()));
  exporter.setAttribute("value", static_cast<float>(op.getValue().convertToDouble()));
  // The float attribute holds 24 bits, the text holds all.
  llvm::SmallString<32> digits;
  if (op.getValue().isFinite())
    op.getValue().toString(digits);
  else // as Paddle spells them
    digits = op.getValue().isNaN() ? "nan" : op.getValue().isNegative() ? "-inf" : "inf";
  exporter.setAttribute("str_value", op.getIntegerValue()
                                         ? std::to_string(static_cast<int64_t>(*op.getIntegerValue()))
                                         : digits.str().str());
}

/// A line of AllHooks.inc.
template <class Entry> struct OfMapping {
  llvm::StringRef legacyType;
  bool (*isOf)(Operation *);
  Entry entry;
};

template <class Entry, size_t Size>
const Entry *find(const OfMapping<Entry> (&table)[Size], Operation *op, llvm::StringRef legacyType) {
  for (const OfMapping<Entry> &mapping : table)
    if (mapping.legacyType == legacyType && mapping.isOf(op))
      return &mapping.entry;
  return nullptr;
}

template <class Op> bool is(Operation *op) { return isa<Op>(op); }

const OfMapping<ExportHook> hooks[] = {
#define EXPORT_HOOK(legacyType, Op, hook) {legacyType, &is<Op>, &hook},
#include "dialects/pd/AllHooks.inc"
#undef EXPORT_HOOK
};

const OfMapping<bool (*)(Operation *)> conditions[] = {
#define WRITTEN_IF(legacyType, Op, condition)                                                                \
  {legacyType, &is<Op>, [](Operation *operation) -> bool {                                                   \
     auto op = cast<Op>(operation);                                                                          \
     return condition;                                                                                       \
   }},
#include "dialects/pd/AllHooks.inc"
#undef WRITTEN_IF
};

} // namespace

ExportHook findExportHook(Operation *op, llvm::StringRef legacyType) {
  const ExportHook *hook = find(hooks, op, legacyType);
  return hook ? *hook : nullptr;
}

bool isExpressible(Operation *op, llvm::StringRef legacyType) {
  auto *condition = find(conditions, op, legacyType);
  return !condition || (*condition)(op);
}

} // namespace proa::exporter

//! Hooks of ops that take tensors apart, and of ranges.
#include "translator/import/LegacyTable.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/shape/KnownElements.h"
#include "translator/import/hooks/Formula.h"

using namespace mlir;

namespace proa::import::hooks {

void importArraySlice(OpImporter &importer, Value array);

namespace {

/// A list of one-element tensors stacked, else the one tensor; empty where neither is there.
llvm::SmallVector<Value> indexOperand(OpImporter &importer, llvm::StringRef list, llvm::StringRef tensor) {
  if (llvm::SmallVector<Value> values = importer.inputs(list); !values.empty())
    return {importer.stackScalars(values)};
  if (Value value = importer.input(tensor))
    return {value};
  return {};
}

} // namespace

/// One-element tensors with the bounds of a slice along each axis.
static Operands boundsByAxis(OpImporter &importer, llvm::StringRef list, llvm::StringRef tensor,
                             llvm::StringRef attribute, size_t count) {
  Operands bounds = importer.inputs(list);
  if (!bounds.empty())
    return bounds;
  Formula f(importer);
  Value all = importer.input(tensor);
  llvm::SmallVector<int64_t> literal = importer.intsAttribute(attribute);
  for (size_t i = 0; i < count && (all || i < literal.size()); ++i)
    bounds.push_back(all ? f.slice(all, 0, i, i + 1) : importer.constantInts({literal[i]}));
  return bounds;
}

/// The ends of a slice. Along a dimension that goes away from -1 to 0 is the last element, where tensors give
/// the bounds.
static Operands endsOfSlice(OpImporter &importer) {
  Operands ends = indexOperand(importer, "EndsTensorList", "EndsTensor");
  llvm::SmallVector<int64_t> axes = importer.intsAttribute("axes"),
                             flags = importer.intsAttribute("infer_flags"),
                             dropped = importer.intsAttribute("decrease_axis");
  bool isGiven =
      !ends.empty() || importer.input("StartsTensor") || !importer.inputs("StartsTensorList").empty();
  if (!isGiven || dropped.empty() || flags.size() != axes.size() || !llvm::is_contained(flags, -1))
    return ends;
  Operands from = boundsByAxis(importer, "StartsTensorList", "StartsTensor", "starts", axes.size());
  Operands to = boundsByAxis(importer, "EndsTensorList", "EndsTensor", "ends", axes.size());
  if (from.size() != axes.size() || to.size() != axes.size() || llvm::is_contained(from, Value()) ||
      llvm::is_contained(to, Value()))
    return ends;
  Formula f(importer);
  Type type = importer.getBuilder().getI64Type();
  auto isOther = [](Value value, int64_t number) {
    auto known = pd::allKnownElements(value);
    return known && known->size() == 1 && known->front() != number;
  };
  bool isChanged = false;
  for (auto [start, end, axis, flag] : llvm::zip(from, to, axes, flags)) {
    if (flag != -1 || !llvm::is_contained(dropped, axis) || isOther(start, -1) || isOther(end, 0))
      continue;
    isChanged = true;
    Value toTheLast = importer.constantInts({std::numeric_limits<int32_t>::max()});
    if (pd::allKnownElements(start) && pd::allKnownElements(end)) {
      end = toTheLast;
      continue;
    }
    Value first = f.reshape(f.cast(start, type), {1}), last = f.reshape(f.cast(end, type), {1});
    Value isLast = f.binary("pd.logical_and", f.binary("pd.equal", first, importer.constantInts({-1})),
                            f.binary("pd.equal", last, importer.constantInts({0})));
    end = f.make("pd.where", {{isLast}, {toTheLast}, {last}});
  }
  return isChanged && !llvm::is_contained(to, Value()) ? Operands{importer.stackScalars(to)} : ends;
}

/// Backwards, Paddle 2.6's strided_slice stops at the first element, and leaves it out, where an end lies
/// before it; -1 alone takes it in. In pd.slice both do.
static void keepFirstOut(OpImporter &importer, Value x, Operands &ends, llvm::SmallVector<int64_t> &known,
                         bool isBackwards) {
  llvm::SmallVector<int64_t> axes = importer.intsAttribute("axes");
  auto type = pd::tensorType(x);
  auto isInside = [&](int64_t axis) { return axis >= -type.getRank() && axis < type.getRank(); };
  if (!isBackwards || !llvm::all_of(axes, isInside))
    return;
  if (ends.empty() && known.size() == axes.size())
    for (auto [axis, end] : llvm::zip(axes, known))
      if (int64_t own = axis < 0 ? axis + type.getRank() : axis; end < -1 && !type.isDynamicDim(own))
        end = std::max<int64_t>(end + type.getDimSize(own), 0);
  if (ends.empty() && llvm::none_of(known, [](int64_t end) { return end < -1; }))
    return;
  Formula f(importer);
  Type wide = importer.getBuilder().getI64Type();
  auto count = static_cast<int64_t>(axes.size());
  Value given = ends.empty() ? importer.constantInts(known) : f.reshape(f.cast(ends.front(), wide), {count});
  Value dims = f.gather(f.cast(f.make("pd.shape", {{x}}), wide), importer.constantInts(axes));
  Value counted = f.binary("pd.maximum", f.add(given, dims), importer.constantInts({0}));
  Value isCounted = f.binary("pd.less_than", given, importer.constantInts({-1}));
  if (Value all = f.make("pd.where", {{isCounted}, {counted}, {given}}))
    ends = {all};
}

void importSlice(OpImporter &importer) {
  if (Value array = importer.array("Input"))
    return importArraySlice(importer, array);
  Builder &builder = importer.getBuilder();
  Value x = importer.requiredInput("Input");
  if (!x)
    return;
  auto ints = [&](llvm::StringRef name) {
    return importer.named(name, builder.getDenseI64ArrayAttr(importer.intsAttribute(name)));
  };
  Operands starts = indexOperand(importer, "StartsTensorList", "StartsTensor"), ends = endsOfSlice(importer),
           strides = indexOperand(importer, "StridesTensorList", "StridesTensor");
  llvm::SmallVector<int64_t> knownEnds = importer.intsAttribute("ends");
  bool isBackwards = !strides.empty() || llvm::any_of(importer.intsAttribute("strides"),
                                                      [](int64_t stride) { return stride < 0; });
  keepFirstOut(importer, x, ends, knownEnds, isBackwards);
  llvm::SmallVector<NamedAttribute> attributes{
      ints("axes"), ints("starts"), importer.named("ends", builder.getDenseI64ArrayAttr(knownEnds)),
      ints("strides")};
  Value slice = importer.createOne("pd.slice", {{x}, starts, ends, strides}, attributes);
  llvm::SmallVector<int64_t> dropped = importer.intsAttribute("decrease_axis");
  if (slice && !dropped.empty())
    slice = importer.createOne("pd.squeeze", {{slice}, {}},
                               {importer.named("axis", builder.getDenseI64ArrayAttr(dropped))});
  importer.setOutput("Out", slice);
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
  Formula f(importer);
  Builder &builder = importer.getBuilder();
  int64_t depth = format == "NCHW" ? 2 : 1;
  // Above, below, left, right there; left, right, above, below here.
  Value padded =
      f.make("pd.pad3d", {{f.make("pd.unsqueeze", {{x}, {}}, {f.integers("axis", depth)})}, {}},
             {f.integers("paddings", {paddings[2], paddings[3], paddings[0], paddings[1], 0, 0}),
              importer.named("mode", builder.getStringAttr(mode == "edge" ? "replicate" : mode)),
              f.number("pad_value", importer.floatAttribute("pad_value", 0)),
              importer.named("data_format", builder.getStringAttr(depth == 2 ? "NCDHW" : "NDHWC"))});
  importer.setOutput("Out", f.make("pd.squeeze", {{padded}, {}}, {f.integers("axis", depth)}));
}

void importUnbind(OpImporter &importer) {
  Builder &builder = importer.getBuilder();
  Value x = importer.requiredInput("X");
  // unbind calls its result Out, unstack Y; their number is nowhere else.
  llvm::StringRef slot = importer.outputSlot("Out") ? "Out" : "Y";
  const legacy::Slot *outputs = importer.outputSlot(slot);
  if (!x)
    return;
  if (!outputs) {
    importer.report("output '" + slot + "' is missing");
    return;
  }
  importer.setOutputs(
      slot,
      importer.create("pd.unbind", {{x}},
                      {importer.named("axis", builder.getI64IntegerAttr(importer.intAttribute("axis", 0))),
                       importer.named("num", builder.getI64IntegerAttr(outputs->arguments.size()))}));
}

void importRange(OpImporter &importer) {
  Value start = importer.requiredInput("Start"), end = importer.requiredInput("End"),
        step = importer.requiredInput("Step");
  if (!start || !end || !step)
    return;
  Type dtype = pd::tensorType(start).getElementType();
  importer.setOutput("Out", importer.createOne("pd.arange", {{start}, {end}, {step}},
                                               {importer.named("dtype", TypeAttr::get(dtype))}));
}

} // namespace proa::import::hooks

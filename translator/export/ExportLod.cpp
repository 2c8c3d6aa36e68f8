//! LoD. Offsets are values of their own here; in Paddle they belong to a tensor. `lod_reset` gives them to
//! one; a sum of ones by sequence reads them from one.
#include "translator/export/ProgramExporter.h"

#include "dialects/pd/autodiff/CountedLoop.h"
#include "dialects/pd/ir/FunctionAttributes.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/control/ArrayOps.h"
#include "dialects/pd/ops/detection/Targets.h"
#include "dialects/pd/ops/sequence/BeamSearch.h"

using namespace mlir;

namespace proa::exporter {

namespace {

constexpr size_t maxReadableLevels = 2;

} // namespace

/// Writes an op with one output that matters, to a new variable.
std::string ProgramExporter::writeTensorOp(legacy::Operation op, Type element, std::vector<int64_t> dims,
                                           const char *slot) {
  for (int64_t &dim : dims)
    dim = dim < 0 ? ShapedType::kDynamic : dim;
  std::string name = temporary(RankedTensorType::get(dims, element));
  op.outputs.insert(op.outputs.begin(), {slot, {name}});
  write(std::move(op));
  return name;
}

std::string ProgramExporter::narrowed(Value offsets) {
  legacy::Operation cast;
  cast.type = "cast";
  cast.inputs = {{"X", {of(offsets)}}};
  cast.attributes = {{"in_dtype", legacy::numberOf(DType::Int64)},
                     {"out_dtype", legacy::numberOf(DType::Int32)}};
  return writeTensorOp(std::move(cast), IntegerType::get(main.getContext(), 32), {-1});
}

std::string ProgramExporter::zerosBelow(Value offsets, Type element) {
  legacy::Operation last, zeros;
  last.type = "slice";
  last.inputs = {{"Input", {of(offsets)}}};
  last.attributes = {{"axes", std::vector<int32_t>{0}},
                     {"starts", std::vector<int32_t>{-1}},
                     {"ends", std::vector<int32_t>{std::numeric_limits<int32_t>::max()}},
                     {"decrease_axis", std::vector<int32_t>()},
                     {"infer_flags", std::vector<int32_t>{1}}};
  zeros.type = "fill_constant";
  zeros.inputs = {{"ShapeTensor", {writeTensorOp(last, pd::tensorType(offsets).getElementType(), {1})}}};
  zeros.attributes = {{"shape", std::vector<int64_t>{-1}},
                      {"dtype", legacy::numberOf(*pd::dtypeOf(element))},
                      {"value", 0.0F}};
  return writeTensorOp(zeros, element, {-1});
}

void ProgramExporter::writeReset(const std::string &from, const std::string &like, bool append,
                                 const std::string &to) {
  legacy::Operation reset;
  reset.type = "lod_reset";
  reset.inputs = {{"X", {from}}, {"Y", {like}}};
  reset.outputs = {{"Out", {to}}};
  reset.attributes = {{"target_lod", std::vector<int32_t>()}, {"append", append}};
  write(std::move(reset));
}

/// A level is appended to a tensor that has the outer ones, with as many rows as the level says, which a
/// gather from one with fewer rows is. Of that one the tensor gets them all.
void ProgramExporter::resetLod(const std::string &from, llvm::ArrayRef<Value> levels, const std::string &to) {
  if (levels.size() == 1)
    return writeReset(from, narrowed(levels.front()), /*append=*/false, to);
  MLIRContext *context = main.getContext();
  Type real = Float32Type::get(context);
  auto carrier = RankedTensorType::get({ShapedType::kDynamic}, real);
  std::string outer = temporary(carrier);
  writeReset(zerosBelow(levels.front(), real), narrowed(levels.front()), /*append=*/false, outer);
  for (Value level : levels.drop_front()) {
    legacy::Operation gather;
    gather.type = "gather";
    gather.inputs = {{"X", {outer}}, {"Index", {zerosBelow(level, IntegerType::get(context, 64))}}};
    std::string rows = writeTensorOp(gather, real, {-1});
    outer = temporary(carrier);
    writeReset(rows, narrowed(level), /*append=*/true, outer);
  }
  writeReset(from, outer, /*append=*/false, to);
}

std::string ProgramExporter::withLod(Value tensor, llvm::ArrayRef<Value> levels) {
  if (asked) {
    std::string from = tensor ? of(tensor) : "";
    asked->needsOps |= levels.size() > 1;
    asked->lods[from] = levels.back();
    return from;
  }
  // A feed keeps its LoD. Levels that the program cannot read are the same for all feeds that an op asks for.
  if (auto fed = tensor ? fedLevels(tensor) : llvm::SmallVector<Value>();
      fed.size() == levels.size() && (levels == llvm::ArrayRef(fed) || !names.contains(levels.front())))
    return of(tensor);
  if (llvm::any_of(levels, [&](Value level) { return isa<BlockArgument>(level) && !names.contains(level); }))
    diagnostics.add(of(tensor), "Paddle 2.6 cannot read LoDs of three levels");
  Type real = Float32Type::get(main.getContext());
  std::string from = tensor ? of(tensor) : zerosBelow(levels.back(), real), to = freshName();
  declareType(tensor ? tensor.getType() : RankedTensorType::get({ShapedType::kDynamic}, real), to,
              /*persistable=*/false, /*fed=*/false);
  block().variables.back().lodLevel = static_cast<int32_t>(levels.size());
  resetLod(from, levels, to);
  return to;
}

std::string ProgramExporter::innermostOffsets(std::string &variable) {
  MLIRContext *context = main.getContext();
  Type narrow = IntegerType::get(context, 32), wide = IntegerType::get(context, 64),
       real = Float64Type::get(context);
  legacy::Operation shape, rows, ones, reset, sums, lengths, ends, zero, offsets;
  shape.type = "shape";
  shape.inputs = {{"Input", {variable}}};
  rows.type = "slice";
  rows.inputs = {{"Input", {writeTensorOp(shape, narrow, {-1})}}};
  rows.attributes = {{"axes", std::vector<int32_t>{0}},
                     {"starts", std::vector<int32_t>{0}},
                     {"ends", std::vector<int32_t>{1}},
                     {"decrease_axis", std::vector<int32_t>()},
                     {"infer_flags", std::vector<int32_t>{1}}};
  ones.type = "fill_constant";
  ones.inputs = {{"ShapeTensor", {writeTensorOp(rows, narrow, {1})}}};
  ones.attributes = {
      {"shape", std::vector<int64_t>{-1}}, {"dtype", legacy::numberOf(DType::Float64)}, {"value", 1.0F}};
  reset.type = "lod_reset";
  reset.inputs = {{"X", {writeTensorOp(ones, real, {-1})}}, {"Y", {variable}}};
  reset.attributes = {{"target_lod", std::vector<int32_t>()}, {"append", false}};
  sums.type = "sequence_pool";
  sums.inputs = {{"X", {writeTensorOp(reset, real, {-1})}}};
  sums.outputs = {{"MaxIndex", {temporary(RankedTensorType::get({ShapedType::kDynamic}, narrow))}}};
  sums.attributes = {{"pooltype", std::string("SUM")}, {"is_test", false}, {"pad_value", 0.0F}};
  variable = writeTensorOp(sums, real, {-1});
  lengths.type = "cast";
  lengths.inputs = {{"X", {variable}}};
  lengths.attributes = {{"in_dtype", legacy::numberOf(DType::Float64)},
                        {"out_dtype", legacy::numberOf(DType::Int64)}};
  ends.type = "cumsum";
  ends.inputs = {{"X", {writeTensorOp(lengths, wide, {-1})}}};
  ends.attributes = {{"axis", int32_t(0)}, {"flatten", false}, {"exclusive", false}, {"reverse", false}};
  zero.type = "fill_constant";
  zero.attributes = {
      {"shape", std::vector<int64_t>{1}}, {"dtype", legacy::numberOf(DType::Int64)}, {"value", 0.0F}};
  offsets.type = "concat";
  std::string first = writeTensorOp(zero, wide, {1}), rest = writeTensorOp(ends, wide, {-1});
  offsets.inputs = {{"X", {first, rest}}};
  offsets.attributes = {{"axis", int32_t(0)}};
  return writeTensorOp(offsets, wide, {-1});
}

/// The arrays are copied by a loop that gives each element its LoD.
bool ProgramExporter::addBeamSearchDecode(Operation &op) {
  auto decode = dyn_cast<pd::BeamSearchDecodeOp>(op);
  if (!decode)
    return false;
  OpBuilder builder(&op);
  Location location = op.getLoc();
  Operation *before = op.getPrevNode();
  const std::array arrays{decode.getIds(), decode.getScores()};
  llvm::SmallVector<Value> empty;
  for (Value array : arrays)
    empty.push_back(
        pd::widened(builder, location, pd::ArrayCreateOp::create(builder, location), array.getType()));
  Value count = pd::ArrayLengthOp::create(builder, location, arrays[0]);
  auto body = [&](OpBuilder &inside, Value index, ValueRange copies) {
    auto read = [&](Value array) -> Value { return pd::ArrayReadOp::create(inside, location, array, index); };
    llvm::SmallVector<Value> next, levels{read(decode.getSourceOffsets()), read(decode.getPrefixOffsets())};
    for (auto [array, copy] : llvm::zip(arrays, copies)) {
      auto write = pd::ArrayWriteOp::create(inside, location, copy, index, read(array));
      writtenLods[write] = levels;
      next.push_back(pd::widened(inside, location, write, array.getType()));
    }
    return next;
  };
  llvm::SmallVector<Value> copies = pd::countedLoop(builder, location, count, empty, body);
  addCreated(op, before);
  legacy::Operation out;
  out.type = "beam_search_decode";
  out.inputs = {{"Ids", {of(copies[0])}}, {"Scores", {of(copies[1])}}};
  for (Value result : {decode.getSentenceIds(), decode.getSentenceScores()})
    declare(result, of(result));
  out.outputs = {{"SentenceIds", {of(decode.getSentenceIds())}},
                 {"SentenceScores", {of(decode.getSentenceScores())}}};
  out.attributes = {{"beam_size", static_cast<int32_t>(decode.getBeamSize())},
                    {"end_id", static_cast<int32_t>(decode.getEndId())}};
  write(std::move(out));
  std::string from = of(decode.getSentenceIds());
  for (Value level : {decode.getSentenceOffsets(), decode.getTranslationOffsets()})
    names[level] = innermostOffsets(from);
  return true;
}

void ProgramExporter::writeLods() {
  for (auto &[offsets, variable] : std::exchange(lods, {})) {
    std::string from = variable;
    if (!offsets.use_empty())
      names[offsets] = innermostOffsets(from);
  }
}

llvm::SmallVector<Value> ProgramExporter::fedLevels(Value tensor) {
  llvm::SmallVector<Value> levels;
  auto fed = dyn_cast<BlockArgument>(tensor);
  StringAttr feed =
      fed && fed.getOwner() == &main.getBody().front() ? roleOf(fed, pd::feedAttribute) : nullptr;
  for (BlockArgument argument : main.getArguments())
    if (StringAttr owner = roleOf(argument, pd::lodOwnerAttribute); feed && owner == feed)
      levels.push_back(argument);
  return levels;
}

/// Feeds get a LoD level for each of their arguments of offsets, which the program reads from them.
void ProgramExporter::addLodArguments() {
  llvm::MapVector<llvm::StringRef, std::vector<BlockArgument>> levels;
  for (BlockArgument argument : main.getArguments())
    if (StringAttr feed = roleOf(argument, pd::lodOwnerAttribute))
      levels[feed.getValue()].push_back(argument);
  for (auto &[feed, arguments] : levels) {
    for (legacy::Variable &variable : block().variables)
      if (variable.name == feed)
        variable.lodLevel = static_cast<int32_t>(arguments.size());
    std::string from = feed.str();
    bool isRead = false;
    for (BlockArgument argument : arguments)
      isRead |= !argument.use_empty();
    if (arguments.size() > maxReadableLevels) { // sequence_pool refuses more
      for (BlockArgument argument : arguments)
        for (Operation *user : argument.getUsers())
          if (!isa<pd::GenerateMaskLabelsOp>(user))
            diagnostics.add(feed.str(), "Paddle 2.6 cannot read LoDs of three levels");
      continue;
    }
    for (BlockArgument argument : llvm::reverse(arguments))
      if (isRead)
        names[argument] = innermostOffsets(from);
  }
}

/// Erases ops of the main block whose results nothing reads. A feed keeps its LoD if only the LoD
/// is fetched.
void ProgramExporter::eraseUnread(size_t begin, size_t end) {
  llvm::StringSet<> read, unread;
  auto addInputs = [&](const legacy::Operation &op) {
    for (const legacy::Slot &slot : op.inputs)
      for (const std::string &name : slot.arguments)
        read.insert(name);
  };
  for (const legacy::Block &any : program.blocks)
    for (auto [i, op] : llvm::enumerate(any.operations))
      if (&any != &program.blocks.front() || i < begin || i >= end)
        addInputs(op);
  legacy::Block &body = program.blocks.front();
  for (size_t i = end; i-- > begin;) {
    const legacy::Operation &op = body.operations[i];
    auto isRead = [&](const std::string &name) { return read.contains(name); };
    if (llvm::any_of(op.outputs,
                     [&](const legacy::Slot &slot) { return llvm::any_of(slot.arguments, isRead); })) {
      addInputs(op);
      continue;
    }
    for (const legacy::Slot &slot : op.outputs)
      for (const std::string &name : slot.arguments)
        unread.insert(name);
    body.operations.erase(body.operations.begin() + static_cast<ptrdiff_t>(i));
  }
  llvm::erase_if(body.variables,
                 [&](const legacy::Variable &variable) { return unread.contains(variable.name); });
}

/// The levels of a fetched variable, the outermost first.
std::vector<Value> ProgramExporter::fetchedLod(llvm::StringRef name) {
  std::vector<Value> levels;
  for (auto [i, value] : llvm::enumerate(main.getBody().front().getTerminator()->getOperands()))
    if (auto owner = main.getResultAttrOfType<StringAttr>(i, pd::lodOwnerAttribute);
        owner && owner.getValue() == name)
      levels.push_back(value);
  return levels;
}

} // namespace proa::exporter

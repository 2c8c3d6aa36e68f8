//! Assembly and verification of dist.schedule.
#include "dialects/dist/Schedule.h"

#include "lib/base/pipeline/Check.h"
#include "lib/base/pipeline/Text.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/dist/Schedule.cpp.inc"

namespace proa::dist {

/// The jobs of a rank: "F0 BW0". None if a word is not a job, which is `wrong` then.
static std::optional<std::vector<pipeline::Job>> parseJobs(StringRef text, StringRef &wrong) {
  std::vector<pipeline::Job> jobs;
  SmallVector<StringRef> words;
  llvm::SplitString(text, words);
  for (StringRef word : words) {
    std::optional<pipeline::Job> job = pipeline::parseJob(word);
    if (!job) {
      wrong = word;
      return std::nullopt;
    }
    jobs.push_back(*job);
  }
  return jobs;
}

static std::string jobsText(ArrayRef<pipeline::Job> jobs, int64_t chunks) {
  std::string text;
  for (const pipeline::Job &job : jobs)
    text += (text.empty() ? "" : " ") + pipeline::textOf(job, chunks);
  return text;
}

pipeline::Schedule ScheduleOp::toSchedule() {
  pipeline::Schedule schedule;
  schedule.shape = {static_cast<int64_t>(getRanks().size()), static_cast<int64_t>(getChunks()),
                    static_cast<int64_t>(getMicrobatches()),
                    pipeline::parsePlacement(getPlacement()).value_or(pipeline::ChunkPlacement::RoundRobin)};
  StringRef wrong;
  for (StringRef rank : getRanks().getAsValueRange<StringAttr>())
    schedule.jobs.push_back(parseJobs(rank, wrong).value_or(std::vector<pipeline::Job>()));
  return schedule;
}

ScheduleOp ScheduleOp::create(OpBuilder &builder, Location location, StringRef name,
                              const pipeline::Schedule &schedule) {
  SmallVector<Attribute> ranks;
  for (const std::vector<pipeline::Job> &jobs : schedule.jobs)
    ranks.push_back(builder.getStringAttr(jobsText(jobs, schedule.shape.chunks)));
  return ScheduleOp::create(builder, location, builder.getStringAttr(name), builder.getArrayAttr(ranks),
                            builder.getI64IntegerAttr(schedule.shape.microBatches),
                            builder.getI64IntegerAttr(schedule.shape.chunks),
                            builder.getStringAttr(pipeline::textOf(schedule.shape.placement)), FloatAttr());
}

/// The constraint of an error of the check.
static StringRef constraintOf(const proa::Diagnostic &error) {
  return llvm::StringSwitch<StringRef>(error.code)
      .Case("job", "C2")
      .Case("complete", "C3")
      .Case("order", "C4")
      .Case("deadlock", "C5")
      .Case("memory", "C6")
      .Default("C1");
}

LogicalResult ScheduleOp::verify() {
  constexpr int64_t mostOfEach = 4096; // bounds the time of the check
  for (auto [what, size] : {std::pair<StringRef, int64_t>("ranks", getRanks().size()),
                            {"chunks", static_cast<int64_t>(getChunks())},
                            {"micro-batches", static_cast<int64_t>(getMicrobatches())}})
    if (size < 1 || size > mostOfEach)
      return emitOpError() << "C1: expected a number of " << what << " from 1 to " << mostOfEach << ", found "
                           << size;
  if (!pipeline::parsePlacement(getPlacement()))
    return emitOpError() << "C1: expected the placement roundrobin or v, found '" << getPlacement() << "'";
  for (auto [rank, jobs] : llvm::enumerate(getRanks().getAsValueRange<StringAttr>())) {
    StringRef wrong;
    if (!parseJobs(jobs, wrong))
      return emitOpError() << "C2: rank " << rank << ": expected F, B, W or BW with a micro-batch, found '"
                           << wrong << "'";
  }
  pipeline::CheckOptions options;
  options.costs = pipeline::Costs::ofRank({}, static_cast<int64_t>(getChunks()));
  if (std::optional<APFloat> limit = getActivations())
    options.memoryLimit = limit->convertToDouble();
  Diagnostics errors = pipeline::check(toSchedule(), options);
  if (errors.empty())
    return success();
  InFlightDiagnostic diagnostic = emitOpError();
  diagnostic << constraintOf(errors[0]) << ": " << errors[0].location << ": " << errors[0].message;
  for (size_t i = 1; i < errors.size(); ++i)
    diagnostic.attachNote() << constraintOf(errors[i]) << ": " << errors[i].location << ": "
                            << errors[i].message;
  return diagnostic;
}

/// `0: F0 BW0`: the rank, a colon and its jobs.
static ParseResult parseRank(OpAsmParser &parser, SmallVectorImpl<Attribute> &ranks) {
  SMLoc location = parser.getCurrentLocation();
  int64_t rank = 0;
  if (parser.parseInteger(rank) || parser.parseColon())
    return failure();
  if (rank != static_cast<int64_t>(ranks.size()))
    return parser.emitError(location)
           << "expected the jobs of rank " << ranks.size() << ", found the jobs of rank " << rank;
  std::string text;
  StringRef word;
  while (succeeded(parser.parseOptionalKeyword(&word)))
    text += (text.empty() ? "" : " ") + word.str();
  ranks.push_back(parser.getBuilder().getStringAttr(text));
  return success();
}

ParseResult ScheduleOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  StringAttr name;
  int64_t count = 0;
  StringRef placement;
  if (parser.parseSymbolName(name, "sym_name", result.attributes) || parser.parseKeyword("microbatches") ||
      parser.parseEqual() || parser.parseInteger(count))
    return failure();
  result.addAttribute("microbatches", builder.getI64IntegerAttr(count));
  if (succeeded(parser.parseOptionalKeyword("chunks"))) {
    if (parser.parseEqual() || parser.parseInteger(count))
      return failure();
    result.addAttribute("chunks", builder.getI64IntegerAttr(count));
  }
  if (succeeded(parser.parseOptionalKeyword("placement"))) {
    if (parser.parseEqual() || parser.parseKeyword(&placement))
      return failure();
    result.addAttribute("placement", builder.getStringAttr(placement));
  }
  if (succeeded(parser.parseOptionalKeyword("activations"))) {
    double value = 0;
    if (parser.parseEqual() || parser.parseFloat(value))
      return failure();
    result.addAttribute("activations", builder.getF64FloatAttr(value));
  }
  SmallVector<Attribute> ranks;
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes) || parser.parseLBrace())
    return failure();
  while (failed(parser.parseOptionalRBrace()))
    if (parseRank(parser, ranks))
      return failure();
  result.addAttribute("ranks", builder.getArrayAttr(ranks));
  return success();
}

void ScheduleOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printer << " microbatches = " << getMicrobatches();
  if (getChunks() != 1)
    printer << " chunks = " << getChunks();
  if (getPlacement() != "roundrobin")
    printer << " placement = " << getPlacement();
  if (FloatAttr limit = getActivationsAttr()) {
    printer << " activations = ";
    printer.printAttributeWithoutType(limit);
  }
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {"sym_name", "microbatches", "chunks", "placement", "activations", "ranks"});
  printer << " {";
  printer.increaseIndent();
  for (auto [rank, jobs] : llvm::enumerate(getRanks().getAsValueRange<StringAttr>())) {
    printer.printNewline();
    printer << rank << ": " << jobs;
  }
  printer.decreaseIndent();
  printer.printNewline();
  printer << "}";
}

} // namespace proa::dist

#include "lib/checkpoint/transform/Macro.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <numeric>

namespace proa::transform {
namespace {

/// Characters of a name that no statement of a user can have without quotes.
constexpr std::string_view temporaryMark = "#";

std::optional<int64_t> positiveInteger(const Statement &statement, std::string_view key) {
  const Attribute *attribute = statement.find(key);
  int64_t value = 0;
  if (!attribute ||
      std::from_chars(attribute->value.data(), attribute->value.data() + attribute->value.size(), value)
              .ptr != attribute->value.data() + attribute->value.size() ||
      value <= 0 || value > (1 << 20))
    return std::nullopt;
  return value;
}

/// A split or a merge of an expansion.
Statement statementOf(const Statement &origin, std::vector<Term> sources, std::vector<Term> targets) {
  const Attribute *axis = origin.find("axis");
  return {std::move(sources), std::move(targets), {{"axis", axis ? axis->value : "1"}}, origin.location};
}

/// Equal pieces of a tensor along an axis: heads of queries, or slices of a gate.
struct Block {
  std::string prefix;
  int64_t count;

  Term piece(int64_t index) const { return {fmt::format("{}{}{}", prefix, temporaryMark, index)}; }
  std::vector<Term> pieces() const {
    std::vector<Term> all;
    for (int64_t i = 0; i < count; ++i)
      all.push_back(piece(i));
    return all;
  }
};

/// The pieces of a fused tensor of `shards` shards: each shard has its share of each block, in the order of
/// the blocks.
std::vector<Term> orderOfShards(const std::vector<Block> &blocks, int64_t shards) {
  std::vector<Term> pieces;
  for (int64_t shard = 0; shard < shards; ++shard)
    for (const Block &block : blocks)
      for (int64_t i = 0; i < block.count / shards; ++i)
        pieces.push_back(block.piece(shard * (block.count / shards) + i));
  return pieces;
}

/// Statements that split a fused tensor into blocks or merge blocks into it: `fused` has the pieces in
/// `order`, `whole` are the tensors of the blocks.
void splitBlocks(const Statement &origin, const std::vector<Term> &whole, const std::vector<Block> &blocks,
                 std::vector<Statement> &statements) {
  for (size_t i = 0; i < blocks.size(); ++i)
    statements.push_back(statementOf(origin, {whole[i]}, blocks[i].pieces()));
}
void mergeBlocks(const Statement &origin, const std::vector<Term> &whole, const std::vector<Block> &blocks,
                 std::vector<Statement> &statements) {
  for (size_t i = 0; i < blocks.size(); ++i)
    statements.push_back(statementOf(origin, blocks[i].pieces(), {whole[i]}));
}

/// The number of shards of the tensor that `name` is renamed to or comes from; 1 if it is not known.
int64_t shardsOf(const MacroContext &context, std::string name, bool isTarget) {
  const TensorInfos *infos = isTarget == context.isInverse ? &context.inputs : context.outputs;
  const auto &next = isTarget ? context.targetsOf : context.sourcesOf;
  std::unordered_set<std::string> visited;
  while (infos && visited.insert(name).second) {
    if (auto at = infos->find(name); at != infos->end())
      return at->second.shards;
    auto at = next.find(name);
    if (at == next.end() || at->second.size() != 1)
      break;
    name = at->second.front();
  }
  return 1;
}

/// An error if the heads do not fit; sets the numbers of heads of queries, and of keys and values.
std::string headsOf(const Statement &statement, int64_t &heads, int64_t &groups) {
  for (std::string_view key : {"num_heads", "num_key_value_groups"})
    if (!statement.find(key))
      return fmt::format("`{}` is missing, expected a positive number", key);
  heads = *positiveInteger(statement, "num_heads");
  groups = *positiveInteger(statement, "num_key_value_groups");
  if (heads % groups != 0)
    return fmt::format("`num_heads` is {}, expected a multiple of `num_key_value_groups`, which is {}", heads,
                       groups);
  return "";
}

std::string formsOf(std::string_view macro, size_t pieces, bool hasOneToOne) {
  std::string list = pieces == 3 ? "q, k, v" : "gate, up";
  return fmt::format("`{}` has other numbers of names, expected `{} -> fused`, {}`fused -> {}`", macro, list,
                     hasOneToOne ? "`fused -> fused`, " : "", list);
}

/// An error if a statement has other attributes than the flag, `axis` and `keys`, or a number that is not
/// positive.
std::string checkAttributes(const Statement &statement, std::string_view flag,
                            const std::vector<std::string_view> &keys) {
  for (const Attribute &attribute : statement.attributes) {
    if (attribute.key == flag || attribute.key == "axis")
      continue;
    if (std::ranges::find(keys, attribute.key) == keys.end())
      return fmt::format("`{}` does not take the attribute `{}`, expected axis, {}", flag, attribute.key,
                         fmt::join(keys, ", "));
    if (!positiveInteger(statement, attribute.key))
      return fmt::format("`{}` is \"{}\", expected a positive number", attribute.key, attribute.value);
  }
  return "";
}

/// Groups of heads: the queries of a group, its key and its value.
std::optional<Expansion> expandQkv(const Statement &statement, const MacroContext &) {
  constexpr std::string_view flag = "fused_qkv";
  if (!statement.find(flag))
    return std::nullopt;
  int64_t heads = 0, groups = 0;
  std::string error = checkAttributes(statement, flag, {"num_heads", "num_key_value_groups"});
  if (error.empty())
    error = headsOf(statement, heads, groups);
  if (!error.empty())
    return expansionError(error);
  bool isSplit = statement.sources.size() == 1 && statement.targets.size() == 3;
  if (!isSplit && !(statement.sources.size() == 3 && statement.targets.size() == 1))
    return expansionError(formsOf(flag, 3, false));
  const std::vector<Term> &whole = isSplit ? statement.targets : statement.sources;
  std::vector<Block> blocks{{whole[0].name, heads}, {whole[1].name, groups}, {whole[2].name, groups}};
  std::vector<Term> order;
  for (int64_t group = 0; group < groups; ++group) {
    for (int64_t head = 0; head < heads / groups; ++head)
      order.push_back(blocks[0].piece(group * (heads / groups) + head));
    order.push_back(blocks[1].piece(group));
    order.push_back(blocks[2].piece(group));
  }
  Expansion expansion;
  if (isSplit) {
    expansion.statements.push_back(statementOf(statement, statement.sources, order));
    mergeBlocks(statement, whole, blocks, expansion.statements);
  } else {
    splitBlocks(statement, whole, blocks, expansion.statements);
    expansion.statements.push_back(statementOf(statement, order, statement.targets));
  }
  return expansion;
}

/// A fused tensor whose shards each have their share of each block.
Expansion expandSharded(const Statement &statement, const std::vector<Block> &blocks, int64_t sourceShards,
                        int64_t targetShards) {
  for (int64_t shards : {sourceShards, targetShards})
    for (const Block &block : blocks)
      if (block.count % shards != 0)
        return expansionError(
            fmt::format("the {} heads of `{}` cannot be divided among the {} shards of the fused "
                        "tensor",
                        block.count, block.prefix, shards));
  Expansion expansion;
  if (statement.sources.size() == 1)
    expansion.statements.push_back(
        statementOf(statement, statement.sources, orderOfShards(blocks, sourceShards)));
  else
    splitBlocks(statement, statement.sources, blocks, expansion.statements);
  if (statement.targets.size() == 1)
    expansion.statements.push_back(
        statementOf(statement, orderOfShards(blocks, targetShards), statement.targets));
  else
    mergeBlocks(statement, statement.targets, blocks, expansion.statements);
  return expansion;
}

/// The numbers of shards of the source and of the target of a statement: the numbers that it says, else the
/// numbers of fused tensors.
std::pair<int64_t, int64_t> fusedShards(const Statement &statement, const MacroContext &context) {
  auto shards = [&](std::string_view key, const std::vector<Term> &terms, bool isTarget) {
    if (std::optional<int64_t> value = positiveInteger(statement, key))
      return *value;
    return terms.size() == 1 ? shardsOf(context, terms.front().name, isTarget) : int64_t(1);
  };
  return {shards("source_shards", statement.sources, false),
          shards("target_shards", statement.targets, true)};
}

bool isFused(const Statement &statement, size_t pieces) {
  size_t sources = statement.sources.size(), targets = statement.targets.size();
  return (sources == 1 && (targets == 1 || targets == pieces)) || (sources == pieces && targets == 1);
}

std::optional<Expansion> expandQkvOld(const Statement &statement, const MacroContext &context) {
  constexpr std::string_view flag = "fused_qkv_old";
  if (!statement.find(flag))
    return std::nullopt;
  int64_t heads = 0, groups = 0;
  std::string error = checkAttributes(
      statement, flag, {"num_heads", "num_key_value_groups", "source_shards", "target_shards"});
  if (error.empty())
    error = headsOf(statement, heads, groups);
  if (!error.empty())
    return expansionError(error);
  if (!isFused(statement, 3))
    return expansionError(formsOf(flag, 3, true));
  auto [sourceShards, targetShards] = fusedShards(statement, context);
  std::string prefix = statement.sources[0].name;
  std::vector<Block> blocks{{prefix + "#Q", heads}, {prefix + "#K", groups}, {prefix + "#V", groups}};
  return expandSharded(statement, blocks, sourceShards, targetShards);
}

std::optional<Expansion> expandFfn(const Statement &statement, const MacroContext &context) {
  constexpr std::string_view flag = "fused_ffn";
  if (!statement.find(flag))
    return std::nullopt;
  if (std::string error = checkAttributes(statement, flag, {"source_shards", "target_shards"});
      !error.empty())
    return expansionError(error);
  if (!isFused(statement, 2))
    return expansionError(formsOf(flag, 2, true));
  auto [sourceShards, targetShards] = fusedShards(statement, context);
  int64_t count = std::lcm(sourceShards, targetShards);
  std::string prefix = statement.sources[0].name;
  return expandSharded(statement, {{prefix + "#GATE", count}, {prefix + "#UP", count}}, sourceShards,
                       targetShards);
}

/// `w^T` on the left is a transposed copy.
std::optional<Expansion> expandTransposes(const Statement &statement, const MacroContext &) {
  auto isTransposed = [](const Term &term) { return term.isTransposed; };
  if (auto at = std::ranges::find_if(statement.targets, isTransposed); at != statement.targets.end())
    return expansionError(
        fmt::format("`{}^T` is a target, expected `^T` on the left of `->` only: assign `{}` first, "
                    "then transpose it by `{}^T -> {}`",
                    at->name, at->name, at->name, at->name));
  if (std::ranges::none_of(statement.sources, isTransposed))
    return std::nullopt;
  Expansion expansion;
  Statement next = statement;
  std::set<std::string> done;
  for (Term &term : next.sources) {
    if (!term.isTransposed)
      continue;
    Term copy{term.name + "#T"};
    if (done.insert(term.name).second)
      expansion.statements.push_back({{{term.name}}, {copy}, {{"permute", "[]"}}, statement.location});
    term = copy;
  }
  expansion.statements.push_back(std::move(next));
  return expansion;
}

constexpr Macro layoutsInOrder[] = {
    {"^T", expandTransposes},
    {"fused_qkv_old", expandQkvOld},
    {"fused_ffn", expandFfn},
    {"fused_qkv", expandQkv},
};

} // namespace

std::span<const Macro> layoutMacros() { return layoutsInOrder; }

} // namespace proa::transform

#include "translator/onnx/ReadModel.h"

#include "translator/onnx/Check.h"
#include "translator/onnx/TensorReader.h"

#include <fmt/format.h>
#include <google/protobuf/arena.h>

#include <array>
#include <climits>
#include <filesystem>

namespace proa::onnx {
namespace {

/// Takes strings out of the messages instead of copying them.
class ModelReader {
public:
  ModelReader(FileReport &report, ExternalFiles &files) : report(report), tensors(report, files) {}

  Model model(proto::Model &from) {
    Model out;
    out.irVersion = from.ir_version();
    out.opsetImports = opsets(*from.mutable_opset_import());
    out.producerName = std::move(*from.mutable_producer_name());
    out.producerVersion = std::move(*from.mutable_producer_version());
    out.domain = std::move(*from.mutable_domain());
    out.modelVersion = from.model_version();
    out.docString = std::move(*from.mutable_doc_string());
    out.metadata = entries(*from.mutable_metadata_props());
    out.unknownFields = from.unknown_fields();
    if (!from.has_graph())
      report.add("", "the model has no graph");
    out.graph = graph(nullptr, *from.mutable_graph());
    for (proto::TrainingInfo &info : *from.mutable_training_info())
      out.trainingInfos.push_back(trainingInfo(info));
    for (proto::Function &item : *from.mutable_functions())
      out.functions.push_back(function(item, out.irVersion));
    return out;
  }

private:
  template <class List> static std::vector<std::string> strings(List &from) {
    return {std::make_move_iterator(from.begin()), std::make_move_iterator(from.end())};
  }

  template <class List> static Metadata entries(List &from) {
    Metadata out;
    for (proto::Entry &entry : from)
      out.emplace_back(std::move(*entry.mutable_key()), std::move(*entry.mutable_value()));
    return out;
  }

  template <class List> static std::vector<OpsetImport> opsets(List &from) {
    std::vector<OpsetImport> out;
    for (proto::OperatorSetId &opset : from)
      out.push_back({std::move(*opset.mutable_domain()), opset.version(), opset.unknown_fields()});
    return out;
  }

  TrainingInfo trainingInfo(proto::TrainingInfo &from) {
    Location at{nullptr, "training_info"};
    TrainingInfo out;
    if (from.has_initialization())
      out.initialization = graph(&at, *from.mutable_initialization());
    if (from.has_algorithm())
      out.algorithm = graph(&at, *from.mutable_algorithm());
    out.initializationBinding = entries(*from.mutable_initialization_binding());
    out.updateBinding = entries(*from.mutable_update_binding());
    out.unknownFields = from.unknown_fields();
    return out;
  }

  Function function(proto::Function &from, int64_t irVersion) {
    Function out;
    out.name = std::move(*from.mutable_name());
    Location at{nullptr, "function", out.name};
    if (irVersion >= 8 && !from.has_domain())
      report.add(at.text(), "the function has no domain");
    out.domain = std::move(*from.mutable_domain());
    out.overload = std::move(*from.mutable_overload());
    out.inputs = strings(*from.mutable_input());
    out.outputs = strings(*from.mutable_output());
    out.attributes = strings(*from.mutable_attribute());
    for (proto::Attribute &item : *from.mutable_attribute_proto())
      out.defaultedAttributes.push_back(attribute(at, item));
    out.nodes = nodes(at, *from.mutable_node());
    out.opsetImports = opsets(*from.mutable_opset_import());
    out.valueInfos = valueInfos(at, *from.mutable_value_info());
    out.docString = std::move(*from.mutable_doc_string());
    out.metadata = entries(*from.mutable_metadata_props());
    out.unknownFields = from.unknown_fields();
    return out;
  }

  Graph graph(const Location *parent, proto::Graph &from) {
    Graph out;
    out.name = std::move(*from.mutable_name());
    Location at{parent, "graph", out.name};
    out.nodes = nodes(at, *from.mutable_node());
    out.initializers.reserve(static_cast<size_t>(from.initializer_size()));
    for (proto::Tensor &tensor : *from.mutable_initializer())
      out.initializers.push_back(tensors.read(at, tensor));
    for (proto::SparseTensor &tensor : *from.mutable_sparse_initializer())
      out.sparseInitializers.push_back(sparseTensor(at, tensor));
    out.inputs = valueInfos(at, *from.mutable_input());
    out.outputs = valueInfos(at, *from.mutable_output());
    out.valueInfos = valueInfos(at, *from.mutable_value_info());
    for (proto::TensorAnnotation &annotation : *from.mutable_quantization_annotation())
      out.quantization.push_back({std::move(*annotation.mutable_tensor_name()),
                                  entries(*annotation.mutable_quant_parameter_tensor_names()),
                                  annotation.unknown_fields()});
    out.docString = std::move(*from.mutable_doc_string());
    out.metadata = entries(*from.mutable_metadata_props());
    out.unknownFields = from.unknown_fields();
    return out;
  }

  template <class List> std::vector<Node> nodes(const Location &parent, List &from) {
    std::vector<Node> out;
    out.reserve(static_cast<size_t>(from.size()));
    for (proto::Node &item : from)
      out.push_back(node(parent, item, static_cast<int64_t>(out.size())));
    return out;
  }

  Node node(const Location &parent, proto::Node &from, int64_t index) {
    Node out;
    out.inputs = strings(*from.mutable_input());
    out.outputs = strings(*from.mutable_output());
    out.name = std::move(*from.mutable_name());
    out.type = std::move(*from.mutable_op_type());
    out.domain = std::move(*from.mutable_domain());
    out.overload = std::move(*from.mutable_overload());
    Location at{&parent, "node", out.name, index, out.type};
    out.attributes.reserve(static_cast<size_t>(from.attribute_size()));
    for (proto::Attribute &item : *from.mutable_attribute())
      out.attributes.push_back(attribute(at, item));
    out.docString = std::move(*from.mutable_doc_string());
    out.metadata = entries(*from.mutable_metadata_props());
    out.unknownFields = from.unknown_fields();
    return out;
  }

  /// The kinds whose field is set.
  static std::vector<AttributeKind> setKinds(const proto::Attribute &from) {
    const std::array<bool, attributeKindCount> isSet = {
        false,
        from.has_f(),
        from.has_i(),
        from.has_s(),
        from.has_t(),
        from.has_g(),
        from.floats_size() > 0,
        from.ints_size() > 0,
        from.strings_size() > 0,
        from.tensors_size() > 0,
        from.graphs_size() > 0,
        from.has_sparse_tensor(),
        from.sparse_tensors_size() > 0,
        from.has_tp(),
        from.type_protos_size() > 0,
    };
    std::vector<AttributeKind> kinds;
    for (size_t i = 0; i < isSet.size(); ++i)
      if (isSet[i])
        kinds.push_back(static_cast<AttributeKind>(i));
    return kinds;
  }

  Attribute attribute(const Location &parent, proto::Attribute &from) {
    Attribute out;
    out.name = std::move(*from.mutable_name());
    out.reference = std::move(*from.mutable_ref_attr_name());
    out.docString = std::move(*from.mutable_doc_string());
    out.unknownFields = from.unknown_fields();
    Location at{&parent, "attribute", out.name};
    if (from.type() <= 0 || from.type() >= attributeKindCount) {
      report.add(at.text(), from.has_type() ? fmt::format("found type {}, expected 1 to {}", from.type(),
                                                          attributeKindCount - 1)
                                            : "the attribute has no type");
      return out;
    }
    out.kind = static_cast<AttributeKind>(from.type());
    bool isMatching = true;
    for (AttributeKind kind : setKinds(from))
      if (kind != out.kind || !out.reference.empty()) {
        report.add(
            at.text(),
            out.reference.empty()
                ? fmt::format("the type is {}, but a value of type {} is set", nameOf(out.kind), nameOf(kind))
                : fmt::format("it has the value of the attribute '{}' of the function, and a value of type "
                              "{} too, expected one of them",
                              out.reference, nameOf(kind)));
        isMatching = false;
      }
    if (out.reference.empty())
      out.value = isMatching ? value(at, out.kind, from) : emptyValue(out.kind);
    return out;
  }

  AttributeValue value(const Location &at, AttributeKind kind, proto::Attribute &from) {
    switch (kind) {
    case AttributeKind::Undefined:
      return {};
    case AttributeKind::Float:
      return from.f();
    case AttributeKind::Int:
      return static_cast<int64_t>(from.i());
    case AttributeKind::String:
      return std::move(*from.mutable_s());
    case AttributeKind::Floats:
      return std::vector<float>(from.floats().begin(), from.floats().end());
    case AttributeKind::Ints:
      return std::vector<int64_t>(from.ints().begin(), from.ints().end());
    case AttributeKind::Strings:
      return strings(*from.mutable_strings());
    default:
      return messages(at, kind, from);
    }
  }

  /// The value of a kind whose elements are messages. A single one must be set; an absent list is empty, and
  /// writers of proto3 leave out numbers that are 0.
  AttributeValue messages(const Location &at, AttributeKind kind, proto::Attribute &from) {
    if (!isList(kind) && setKinds(from).empty()) {
      report.add(at.text(), fmt::format("the attribute of type {} has no value", nameOf(kind)));
      return emptyValue(kind);
    }
    switch (kind) {
    case AttributeKind::Tensor:
      return std::vector<TensorValue>{tensors.read(at, *from.mutable_t())};
    case AttributeKind::Graph:
      return std::vector<Graph>{graph(&at, *from.mutable_g())};
    case AttributeKind::SparseTensor:
      return std::vector<SparseTensorValue>{sparseTensor(at, *from.mutable_sparse_tensor())};
    case AttributeKind::Type:
      return std::vector<Type>{type(at, *from.mutable_tp())};
    case AttributeKind::Tensors:
      return listOf<TensorValue>(*from.mutable_tensors(), [&](auto &one) { return tensors.read(at, one); });
    case AttributeKind::Graphs:
      return listOf<Graph>(*from.mutable_graphs(), [&](auto &one) { return graph(&at, one); });
    case AttributeKind::SparseTensors:
      return listOf<SparseTensorValue>(*from.mutable_sparse_tensors(),
                                       [&](auto &one) { return sparseTensor(at, one); });
    default:
      return listOf<Type>(*from.mutable_type_protos(), [&](auto &one) { return type(at, one); });
    }
  }

  template <class T, class List, class Read> static std::vector<T> listOf(List &from, Read read) {
    std::vector<T> out;
    for (auto &one : from)
      out.push_back(read(one));
    return out;
  }

  SparseTensorValue sparseTensor(const Location &parent, proto::SparseTensor &from) {
    SparseTensorValue out;
    Location at{&parent, "sparse tensor", from.values().name()};
    if (!from.has_values())
      report.add(at.text(), "the sparse tensor has no values");
    else
      out.values = tensors.read(parent, *from.mutable_values());
    if (from.has_indices())
      out.indices = tensors.read(parent, *from.mutable_indices());
    out.dims.assign(from.dims().begin(), from.dims().end());
    out.unknownFields = from.unknown_fields();
    return out;
  }

  template <class List> std::vector<ValueInfo> valueInfos(const Location &parent, List &from) {
    std::vector<ValueInfo> out;
    out.reserve(static_cast<size_t>(from.size()));
    for (proto::ValueInfo &item : from) {
      ValueInfo info;
      info.name = std::move(*item.mutable_name());
      if (item.has_type())
        info.type = type(Location{&parent, "value", info.name}, *item.mutable_type());
      info.docString = std::move(*item.mutable_doc_string());
      info.metadata = entries(*item.mutable_metadata_props());
      info.unknownFields = item.unknown_fields();
      out.push_back(std::move(info));
    }
    return out;
  }

  DataType elementType(const Location &at, int32_t code) {
    if (isDataType(code))
      return static_cast<DataType>(code);
    if (code != 0) // an absent type is an error only where a type is needed
      report.add(at.text(), fmt::format("found element type {}, expected 1 to {}", code,
                                        static_cast<int32_t>(DataType::Float6E3M2)));
    return DataType::Undefined;
  }

  Type type(const Location &at, proto::Type &from) {
    Type out;
    out.denotation = std::move(*from.mutable_denotation());
    out.unknownFields = from.unknown_fields();
    auto element = [&](bool isSet, auto *message) {
      if (isSet)
        out.element.push_back(type(at, *message));
    };
    switch (from.value_case()) {
    case proto::Type::kTensorType:
      out.kind = Type::Kind::Tensor;
      tensorType(at, *from.mutable_tensor_type(), out);
      break;
    case proto::Type::kSparseTensorType:
      out.kind = Type::Kind::SparseTensor;
      tensorType(at, *from.mutable_sparse_tensor_type(), out);
      break;
    case proto::Type::kSequenceType:
      out.kind = Type::Kind::Sequence;
      element(from.sequence_type().has_elem_type(), from.mutable_sequence_type()->mutable_elem_type());
      break;
    case proto::Type::kOptionalType:
      out.kind = Type::Kind::Optional;
      element(from.optional_type().has_elem_type(), from.mutable_optional_type()->mutable_elem_type());
      break;
    case proto::Type::kMapType:
      out.kind = Type::Kind::Map;
      out.elementType = elementType(at, from.map_type().key_type());
      element(from.map_type().has_value_type(), from.mutable_map_type()->mutable_value_type());
      break;
    case proto::Type::kOpaqueType:
      out.kind = Type::Kind::Opaque;
      out.opaqueDomain = from.opaque_type().domain();
      out.opaqueName = from.opaque_type().name();
      break;
    case proto::Type::VALUE_NOT_SET:
      break;
    }
    return out;
  }

  void tensorType(const Location &at, proto::TensorType &from, Type &out) {
    out.elementType = elementType(at, from.elem_type());
    if (!from.has_shape())
      return;
    out.dims.emplace();
    for (proto::Dim &item : *from.mutable_shape()->mutable_dim()) {
      Dim dim;
      if (item.has_dim_value())
        dim.value = static_cast<int64_t>(item.dim_value());
      else if (item.has_dim_param())
        dim.value = std::move(*item.mutable_dim_param());
      dim.denotation = std::move(*item.mutable_denotation());
      dim.unknownFields = item.unknown_fields();
      out.dims->push_back(std::move(dim));
    }
  }

  FileReport &report;
  TensorReader tensors;
};

} // namespace

Result<Model> readModelBytes(std::span<const std::byte> bytes, const std::string &name,
                             const std::string &folder) {
  if (bytes.empty())
    return errorAt(name, "the file is empty, expected a ModelProto");
  if (bytes.size() > INT_MAX)
    return errorAt(name, fmt::format("found {} bytes, expected less than 2 GiB: a protobuf message cannot be "
                                     "larger, so that weights must be in files with external data",
                                     bytes.size()));
  google::protobuf::Arena arena;
  auto &message = *google::protobuf::Arena::CreateMessage<proto::Model>(&arena);
  if (!message.ParsePartialFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return errorAt(name,
                   fmt::format("{} bytes that are not a ModelProto: the protobuf message is cut off, damaged "
                               "or nested too deeply, after {} nodes of the graph",
                               bytes.size(), message.graph().node_size()));
  FileReport report(name);
  ExternalFiles files(folder);
  Model model = ModelReader(report, files).model(message);
  check(model, report);
  if (!report.empty())
    return report.take();
  return model;
}

Result<Model> readModel(const std::string &path) {
  auto file = mapFile(path);
  if (!file)
    return file.diagnostics();
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return readModelBytes((*file)->bytes(), path, folder.empty() ? "." : folder.string());
}

} // namespace proa::onnx

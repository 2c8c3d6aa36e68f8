/// Random small programs for tests of derivatives.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace proa::test {

/// Generates the text of a function `f` of float64 tensors with one result. Shapes, ops and uses are random;
/// values stay small, so that their differences are accurate.
class RandomProgram {
public:
  /// `sizes`: the dims of arguments. `hasCountedLoops`: whether there may be scf.for, which the
  /// reference evaluator does not run.
  explicit RandomProgram(std::mt19937 &random, std::vector<int64_t> sizes = {1, 2, 3},
                         bool hasCountedLoops = true)
      : random(random), sizes(std::move(sizes)), hasCountedLoops(hasCountedLoops) {}
  std::string draw();

private:
  using Shape = std::vector<int64_t>;
  struct Value {
    std::string name;
    Shape shape;
  };

  size_t below(size_t bound) { return std::uniform_int_distribution<size_t>(0, bound - 1)(random); }
  const Value &any() { return values[below(values.size())]; }
  static std::string typeOf(const Shape &shape, const char *element = "f64");
  static std::string ints(const Shape &list);
  Value emit(const std::string &op, const std::vector<Value> &operands, const std::string &attributes,
             Shape shape);

  Value apart(const Value &x);
  void drawOp();
  void unary();
  void binary();
  void product();
  void reduction();
  void movement();
  void normalization();
  void selection();
  void branch();
  void loop();
  void quotient();
  void indexed();
  void complexNumbers();
  void countedLoop();
  void arrayLoop();
  void dataLoop();
  void sharedArms();

  // Layers and losses (RandomLayers.cpp).
  Value spread(const Shape &shape);
  Value integers(const std::vector<int64_t> &values, const Shape &shape, const char *element);
  /// The text of an op; `name` is its result of this shape.
  Value written(const std::string &text, const std::string &name, const Shape &shape);
  void layer();
  void sequenceLayer();
  void recurrentLayer();
  void sequenceLoss();
  void alignmentLoss();
  void convolution();
  void layerNormalization();
  void crossEntropyLoss();

  std::mt19937 &random;
  std::vector<int64_t> sizes;
  bool hasCountedLoops;
  std::vector<Value> values;
  std::string body;
  int count = 0;
};

} // namespace proa::test

// A physics-informed network for the biharmonic equation of a clamped plate:
//   u_xxxx + 2 u_xxyy + u_yyyy = f  on the unit square,  u = 0 and du/dn = 0 on its boundary.
// The network N is a function of pd ops; u = 200 (x (1-x) y (1-y))^2 N(x, y) satisfies the boundary
// conditions. Its fourth derivatives are forward mode applied four times, batched over the three terms. The
// gradient of the loss by the parameters is reverse mode through it. f is chosen so that the solution is u =
// (sin(pi x) sin(pi y))^2.
#include "proa/Autodiff.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>

using namespace proa;

namespace {

constexpr int64_t side = 8, points = side * side, hidden = 16;

const char *const network = R"(
func.func @u(%p: tensor<64x2xf64>, %w1: tensor<2x16xf64>, %b1: tensor<16xf64>, %w2: tensor<16x16xf64>,
    %b2: tensor<16xf64>,
             %w3: tensor<16x1xf64>, %b3: tensor<1xf64>) -> tensor<64x1xf64> {
  %m1 = pd.matmul %p, %w1 : (tensor<64x2xf64>, tensor<2x16xf64>) -> tensor<64x16xf64>
  %s1 = pd.add %m1, %b1 : (tensor<64x16xf64>, tensor<16xf64>) -> tensor<64x16xf64>
  %h1 = pd.tanh %s1 : (tensor<64x16xf64>) -> tensor<64x16xf64>
  %m2 = pd.matmul %h1, %w2 : (tensor<64x16xf64>, tensor<16x16xf64>) -> tensor<64x16xf64>
  %s2 = pd.add %m2, %b2 : (tensor<64x16xf64>, tensor<16xf64>) -> tensor<64x16xf64>
  %h2 = pd.tanh %s2 : (tensor<64x16xf64>) -> tensor<64x16xf64>
  %m3 = pd.matmul %h2, %w3 : (tensor<64x16xf64>, tensor<16x1xf64>) -> tensor<64x1xf64>
  %n = pd.add %m3, %b3 : (tensor<64x1xf64>, tensor<1xf64>) -> tensor<64x1xf64>
  %one = pd.constant dense<1.0> : tensor<f64>
  %q = pd.subtract %one, %p : (tensor<f64>, tensor<64x2xf64>) -> tensor<64x2xf64>
  %pq = pd.multiply %p, %q : (tensor<64x2xf64>, tensor<64x2xf64>) -> tensor<64x2xf64>
  %border = pd.prod %pq {axis = array<i64: 1>, keepdim = true} : (tensor<64x2xf64>) -> tensor<64x1xf64>
  %square = pd.multiply %border, %border : (tensor<64x1xf64>, tensor<64x1xf64>) -> tensor<64x1xf64>
  %scale = pd.constant dense<200.0> : tensor<f64>
  %scaled = pd.multiply %square, %scale : (tensor<64x1xf64>, tensor<f64>) -> tensor<64x1xf64>
  %u = pd.multiply %scaled, %n : (tensor<64x1xf64>, tensor<64x1xf64>) -> tensor<64x1xf64>
  return %u : tensor<64x1xf64>
})";

template <class T> T check(Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "%s", result.diagnostics().text().c_str());
    std::exit(1);
  }
  return std::move(*result);
}

double solution(double x, double y) {
  double s = std::sin(M_PI * x) * std::sin(M_PI * y);
  return s * s;
}

/// The biharmonic operator applied to the solution.
double force(double x, double y) {
  auto s = [](double z) { return (1 - std::cos(2 * M_PI * z)) / 2; };
  auto second = [](double z) { return 2 * M_PI * M_PI * std::cos(2 * M_PI * z); };
  auto fourth = [](double z) { return -8 * std::pow(M_PI, 4) * std::cos(2 * M_PI * z); };
  return fourth(x) * s(y) + 2 * second(x) * second(y) + s(x) * fourth(y);
}

/// The points of a grid in the square, shifted by `offset` of its step.
Tensor grid(double offset) {
  Tensor tensor(DType::Float64, {points, 2});
  for (int64_t i = 0; i < points; ++i) {
    tensor.as<double>()[2 * i] = (static_cast<double>(i % side) + offset) / side;
    tensor.as<double>()[2 * i + 1] = (static_cast<double>(i / side) + offset) / side;
  }
  return tensor;
}

std::vector<Tensor> randomParameters() {
  std::mt19937 random(1);
  std::vector<Tensor> parameters;
  for (const std::vector<int64_t> &dims : std::vector<std::vector<int64_t>>{
           {2, hidden}, {hidden}, {hidden, hidden}, {hidden}, {hidden, 1}, {1}}) {
    Tensor tensor(DType::Float64, dims);
    std::normal_distribution<double> normal(0, dims.size() == 2 ? 1 / std::sqrt(static_cast<double>(dims[0]))
                                                                : 0.1);
    for (int64_t i = 0; i < tensor.size(); ++i)
      tensor.as<double>()[i] = normal(random);
    parameters.push_back(tensor);
  }
  return parameters;
}

/// For each of four derivatives the direction of each term of the operator: xxxx, xxyy, yyyy.
std::vector<Tensor> directions() {
  const char *const terms[] = {"xxxx", "xxyy", "yyyy"};
  std::vector<Tensor> all;
  for (int k = 0; k < 4; ++k) {
    Tensor tensor(DType::Float64, {3, points, 2});
    for (int64_t i = 0; i < tensor.size(); ++i)
      tensor.as<double>()[i] = (terms[i / (2 * points)][k] == 'x') == (i % 2 == 0) ? 1 : 0;
    all.push_back(tensor);
  }
  return all;
}

constexpr std::array<double, 3> weights = {1, 2, 1};

class Adam {
public:
  explicit Adam(std::vector<Tensor> &parameters) : parameters(parameters) {
    for (const Tensor &tensor : parameters) {
      first.emplace_back(tensor.size(), 0.0);
      second.emplace_back(tensor.size(), 0.0);
    }
  }

  void step(const Tensor *gradients, double rate) {
    ++count;
    double firstScale = 1 - std::pow(0.9, count), secondScale = 1 - std::pow(0.999, count);
    for (size_t p = 0; p < parameters.size(); ++p)
      for (int64_t i = 0; i < parameters[p].size(); ++i) {
        double g = gradients[p].as<double>()[i], &m = first[p][i], &v = second[p][i];
        m = 0.9 * m + 0.1 * g;
        v = 0.999 * v + 0.001 * g * g;
        parameters[p].as<double>()[i] -= rate * (m / firstScale) / (std::sqrt(v / secondScale) + 1e-8);
      }
  }

private:
  std::vector<Tensor> &parameters;
  std::vector<std::vector<double>> first, second;
  int count = 0;
};

/// The largest error at points outside of the training set; the maximum of the solution is 1.
double errorOf(Function &u, const std::vector<Tensor> &parameters) {
  std::vector<Tensor> given = {grid(0.25)};
  given.insert(given.end(), parameters.begin(), parameters.end());
  Tensor found = check(u.run(given))[0];
  double greatest = 0;
  for (int64_t i = 0; i < points; ++i) {
    const double *p = given[0].as<double>() + 2 * i;
    greatest = std::max(greatest, std::abs(found.as<double>()[i] - solution(p[0], p[1])));
  }
  return greatest;
}

} // namespace

int main(int argc, char **argv) {
  int steps = argc > 1 ? std::atoi(argv[1]) : 300;
  Function u = check(Function::parse(network)), derivative = u;
  for (int order = 0; order < 4; ++order)
    derivative = check(check(jvp(derivative, {0})).withResults({1}));
  // All three terms at once: directions are batched, points and parameters are not.
  Function terms = check(vmap(derivative, {-1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0}, 3));
  Function gradient = check(vjp(terms, {1, 2, 3, 4, 5, 6}));

  std::vector<Tensor> parameters = randomParameters(), along = directions();
  Tensor inside = grid(0.5), cotangent(DType::Float64, {3, points, 1});
  Adam adam(parameters);
  const double size = 8 * std::pow(M_PI, 4);
  for (int step = 0; step < steps; ++step) {
    std::vector<Tensor> given = {inside};
    given.insert(given.end(), parameters.begin(), parameters.end());
    given.insert(given.end(), along.begin(), along.end());
    Tensor fourth = check(terms.run(given))[0];
    double loss = 0;
    for (int64_t i = 0; i < points; ++i) {
      const double *p = inside.as<double>() + 2 * i;
      double residual = -force(p[0], p[1]);
      for (int64_t k = 0; k < 3; ++k)
        residual += weights[k] * fourth.as<double>()[k * points + i];
      residual /= size;
      loss += residual * residual / points;
      for (int64_t k = 0; k < 3; ++k)
        cotangent.as<double>()[k * points + i] = 2 * residual * weights[k] / (points * size);
    }
    given.push_back(cotangent);
    std::vector<Tensor> results = check(gradient.run(given));
    adam.step(&results[1], 1e-2 * std::pow(0.05, static_cast<double>(step) / steps));
    if (step % 100 == 0 || step + 1 == steps)
      std::printf("step %5d  loss %.3e  greatest error %.3e\n", step, loss, errorOf(u, parameters));
  }
  double error = errorOf(u, parameters);
  std::printf("greatest error %.3e\n", error);
  return error < 1e-2 ? 0 : 1;
}

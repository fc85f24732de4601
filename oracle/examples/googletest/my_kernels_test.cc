// A test of one's own: one's own function as a subject, the whole property suite in a few lines.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "gnomon/properties/suite.h"

namespace {

// The function under test: one vector, pairs (i, i + dims / 2), in float32.
void MyRope(const float* x, float position, float theta, int dims, float* y) {
  for (int i = 0; i < dims / 2; ++i) {
    const float angle =
        position / std::pow(theta, static_cast<float>(2 * i) / static_cast<float>(dims));
    const float c = std::cos(angle), s = std::sin(angle), a = x[i], b = x[i + dims / 2];
    y[i] = a * c - b * s;
    y[i + dims / 2] = a * s + b * c;
  }
}

class MySubject : public gnomon::properties::Subject {
 public:
  std::string Name() const override { return "MyRope"; }
  bool Declares(const std::string& operation, gnomon::Format format) const override {
    return operation == "rope.apply" && format == gnomon::Format::kF32;
  }
  // What MyRope does not do is not asked (SUBJ-3).
  gnomon::properties::Limits LimitsOf(const std::string&) const override {
    gnomon::properties::Limits limits;
    limits.parameters = {{"layout", {std::string("half_split")}}};
    limits.without = {"frequencies",   "rope_type", "rotary_dim", "rotary_offset",
                      "output_layout", "direction", "cos",        "sin"};
    limits.strides = limits.in_place = false;
    return limits;
  }
  size_t Promise() const override { return *gnomon::ProfileFromName("f32-angle"); }

  gnomon::properties::Outcome Run(const gnomon::Case& c,
                                  const gnomon::properties::OutputViews& outputs) override {
    const gnomon::Tensor &x = c.inputs.at("x"), &positions = c.inputs.at("positions");
    const auto theta = c.parameters.find("rope_theta");
    const double base = theta == c.parameters.end() ? 10000 : ToNumber(theta->second);
    const int64_t seq = x.shape()[1], heads = x.shape()[2], dims = x.shape()[3];
    const float* in = reinterpret_cast<const float*>(x.view().data);
    float* out = reinterpret_cast<float*>(outputs.at("y").data);
    for (int64_t head = 0; head < x.shape()[0] * seq * heads; ++head) {
      const int64_t row = head / heads;  // batch * seq + seq; positions may be those of every batch
      const auto position = static_cast<float>(positions.Integer(row % positions.count()));
      MyRope(in + head * dims, position, static_cast<float>(base), static_cast<int>(dims),
             out + head * dims);
    }
    return {};
  }

 private:
  // A number, or an exact decimal in quotes (CASE-3).
  static double ToNumber(const gnomon::Value& value) {
    const std::string* text = std::get_if<std::string>(&value);
    return text != nullptr ? std::stod(*text) : std::get<double>(value);
  }
};

TEST(MyRope, KeepsTheContract) {
  MySubject subject;
  gnomon::properties::SuiteOptions options;
  options.cases = 50;
  const gnomon::properties::SuiteReport report = RunSuite(subject, options);
  EXPECT_TRUE(report.holds()) << ToText(report);
  EXPECT_GT(report.count(gnomon::properties::PropertyReport::kHolds), 10);
}

}  // namespace

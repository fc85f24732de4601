// Judges a plain float32 rotation of one pair, and the same with the sign of the sine wrong.
#include <cmath>
#include <cstdio>

#include "gnomon/reference/judge.h"
#include "gnomon/reference/rope.h"

int main() {
  int unused_on_purpose;  // only a warning for us

  gnomon::Case c;
  c.operation = "rope.apply";
  c.parameters = {{"head_dim", 2.0}, {"layout", "half_split"}};
  gnomon::Tensor x(gnomon::DType::kF32, {1, 1, 1, 2});
  x.Set(0, 0.75);
  x.Set(1, -1.5);
  gnomon::Tensor positions(gnomon::DType::kI64, {1});
  positions.SetInteger(0, 3);
  c.inputs = {{"x", x}, {"positions", positions}};

  for (const float sign : {1.0f, -1.0f}) {
    gnomon::Tensor y(gnomon::DType::kF32, x.shape());
    const float cosine = std::cos(3.0f), sine = sign * std::sin(3.0f);
    y.Set(0, 0.75f * cosine + 1.5f * sine);
    y.Set(1, 0.75f * sine - 1.5f * cosine);
    const auto profile = gnomon::reference::Judge(c, {{"y", y}}).strictest();
    std::printf("%s\n", profile ? gnomon::kProfiles[*profile].name.data() : "nonconforming");
    if (profile.has_value() != (sign > 0)) return 1;
  }
  return 0;
}

#include "gnomon/reference/truth.h"

#include "gnomon/reference/certify.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::reference {

std::unique_ptr<Truth> TruthOf(const Case& c) {
  Validate(c);
  const std::string stem = c.operation.substr(0, c.operation.find('.'));
#define GNOMON_TRUTH(name) \
  if (stem == #name) return name::MakeTruth(c);
  GNOMON_FOR_EACH_STEM(GNOMON_TRUTH)
#undef GNOMON_TRUTH
  throw Rejected("operation", c.operation, "has no reference", "CASE-1");
}

bool AskQuick(const Truth& truth, int output, int64_t element, const Profiles& profiles,
              QuickElement* q) {
  try {
    return truth.Quick(output, element, profiles, q);
  } catch (const Undecided&) {
    return false;
  }
}

uint64_t RoundedBits(const Truth& truth, int output, int64_t element, Format format,
                     int64_t* ties) {
  const Expectation expected = truth.Expect(output, element);
  if (expected.kind == Expectation::kCopy || expected.kind == Expectation::kInteger)
    return expected.bits;
  if (expected.kind == Expectation::kNonFinite)
    return expected.or_bits ? *expected.or_bits : EncodeBits(format, expected.non_finite);
  QuickElement quick;
  if (AskQuick(truth, output, element, kProfiles, &quick)) {
    const double low = RoundToFormat(format, quick.value - quick.radius);
    if (low == RoundToFormat(format, quick.value + quick.radius) && low != 0)
      return EncodeBits(format, low);
  }
  const auto rounded = Certify([&] { return Round(format, truth.Value(output, element)); });
  if (rounded) return EncodeBits(format, *rounded);
  if (ties != nullptr) ++*ties;
  const auto near = Certify([&] { return Midpoint(truth.Value(output, element)); });
  return EncodeBits(format, RoundToFormat(format, near.value_or(std::nan(""))));
}

double RoundedValue(const Truth& truth, int output, int64_t element, Format format, int64_t* ties) {
  const bool integer = truth.Expect(output, element).kind == Expectation::kInteger;
  return ValueOf(integer ? DType::kI64 : DTypeOf(format),
                 RoundedBits(truth, output, element, format, ties));
}

Outputs RoundedTruth(const Case& c, int64_t* ties) {
  const std::unique_ptr<Truth> truth = TruthOf(c);
  Outputs outputs;
  int index = 0;
  for (const OutputShape& shape : Validate(c)) {
    Tensor tensor(StoredAs(shape, c), shape.shape);
    for (int64_t i = 0; i < tensor.count(); ++i)
      tensor.SetBits(i, RoundedBits(*truth, index, i, c.format, ties));
    outputs.emplace(shape.role, std::move(tensor));
    ++index;
  }
  return outputs;
}

}  // namespace gnomon::reference

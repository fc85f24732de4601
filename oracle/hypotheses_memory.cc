#include "gnomon/oracle/hypotheses_memory.h"

#include <cmath>

namespace gnomon::oracle {
namespace {

std::optional<uint64_t> BitsAtOffset(const Tensor& tensor, int64_t offset) {
  const int64_t size = SizeOf(tensor.dtype());
  const int64_t extent = static_cast<int64_t>(tensor.storage().size()) / size;
  const int64_t place = tensor.origin() + offset;
  if (place < 0 || place >= extent) return std::nullopt;
  return LoadBits(tensor.dtype(), tensor.storage().data() + place * size);
}

int64_t OffsetBy(const Change& change, const ConstTensorView& view, int64_t number) {
  if (change.offsets == Offsets::kContiguous) return number;
  const int64_t offset = view.OffsetOf(number);
  if (change.offsets == Offsets::kIn16Bits && offset > 0) return offset % 65536;
  return offset;
}

SharedHypothesis Memory(const std::string& id, const std::string& text,
                        std::function<void(Change*)> make) {
  return {{id, text, true, false},
          [make](const Number*, Change* change) {
            make(change);
            return true;
          },
          Concerns::kMemory};
}

}  // namespace

std::optional<uint64_t> FindBits(const Change& change, const Tensor& tensor, int64_t number) {
  return BitsAtOffset(tensor, OffsetBy(change, tensor.view(), number));
}

std::optional<double> FindBeyond(const Change& change, const Tensor& tensor, int64_t number) {
  const ConstTensorView view = tensor.view();
  const int64_t row = view.shape.back();
  if (!change.beyond_row || number % row != row - 1) return 0;
  const std::optional<uint64_t> bits =
      BitsAtOffset(tensor, OffsetBy(change, view, number) + view.strides.back());
  if (!bits) return std::nullopt;
  return 0 * ValueOf(view.dtype, *bits);
}

std::optional<double> FindNumber(const Change& change, const Tensor& tensor, int64_t number) {
  const std::optional<uint64_t> bits = FindBits(change, tensor, number);
  const std::optional<double> beyond = FindBeyond(change, tensor, number);
  if (!bits || !beyond) return std::nullopt;
  return Read(change, FormatOf(tensor.dtype()), *bits) + *beyond;
}

Prediction Copied(const Change& change, Format format, uint64_t bits) {
  const double value = DecodeBits(format, bits), read = Read(change, format, bits);
  if (std::isnan(read) && change.nan != NanAs::kNan) return NonFinite(change, format, read);
  // A zero that was made of something: of either sign.
  if (read == 0 && (value != 0 || change.flush_inputs)) return Stored(change, format, 0, 0, {}, {});
  if ((!change.any || change.factor != 1) && std::isfinite(value)) {
    // One rounding: what a factor is told by, and leaves.
    PerProfile rounding;
    rounding.fill(UnitRoundoff(format) * std::abs(value) + ExactPowerOfTwo(EtaExponent(format)));
    return Stored(change, format, value, 0, rounding, rounding);
  }
  Prediction p;
  p.kind = Prediction::kBits;
  p.bits = bits;
  p.value = value;
  return p;
}

std::optional<std::vector<const Tensor*>> Kept(const Answered& answered,
                                               const std::vector<std::string>& roles) {
  if (answered.before == nullptr) return std::nullopt;
  std::vector<const Tensor*> kept, own;
  bool fits = true;
  for (const std::string& role : roles) {
    kept.push_back(&answered.before->inputs.at(role));
    own.push_back(&answered.c->inputs.at(role));
    fits &= kept.back()->count() == own.back()->count();
  }
  return fits ? kept : own;
}

const std::vector<SharedHypothesis>& MemoryHypotheses() {
  static const std::vector<SharedHypothesis> all = {
      Memory("stride-ignored/input", "inputs taken as contiguous",
             [](Change* c) { c->offsets = Offsets::kContiguous; }),
      Memory("stride-ignored/padding", "zero times what lies after a row added",
             [](Change* c) { c->beyond_row = true; }),
      Memory("int32-index/16-bits", "offsets of inputs in 16 bits",
             [](Change* c) { c->offsets = Offsets::kIn16Bits; }),
  };
  return all;
}

}  // namespace gnomon::oracle

// The mistakes that schemes share (spec/mistakes.md): of angles, positions and stores.
#include <algorithm>
#include <cmath>

#include "gnomon/oracle/hypotheses.h"

namespace gnomon::oracle {
namespace {

SharedHypothesis Formula(const std::string& id, const std::string& text,
                         std::function<void(Change*)> make, bool convention = false,
                         Concerns concerns = Concerns::kAngles) {
  return {{id, text, false, convention},
          [make](const Number*, Change* change) {
            make(change);
            return true;
          },
          concerns};
}

SharedHypothesis Storage(const std::string& id, const std::string& text,
                         std::function<void(Change*)> make) {
  return Formula(id, text, make, false, Concerns::kStorage);
}

SharedHypothesis Position(const std::string& id, const std::string& text, bool state,
                          std::function<std::optional<int64_t>(int64_t)> position) {
  return {{id, text, state, false},
          [position](const Number*, Change* change) {
            change->position = position;
            return true;
          },
          Concerns::kPositions};
}

SharedHypothesis Base(double value) {
  const std::string name = ToText(Number(value));
  return {{"base/" + name, "frequencies of base " + name + ", whatever the case says", false, true},
          [value](const Number* base, Change* change) {
            if (base == nullptr || *base == Number(value)) return false;
            change->base = Number(value);
            return true;
          },
          Concerns::kAngles};
}

std::function<std::optional<int64_t>(int64_t)> RoundedPosition(Format format, bool saturates) {
  return [=](int64_t p) -> std::optional<int64_t> {
    double v = RoundToFormat(format, static_cast<double>(p));
    if (saturates) v = std::clamp(v, -LargestFinite(format), LargestFinite(format));
    if (std::isinf(v)) return std::nullopt;
    return static_cast<int64_t>(v);
  };
}

std::vector<SharedHypothesis> MakeShared() {
  std::vector<SharedHypothesis> all = {
      Formula("exponent-integer-division", "exponent 2i/r in integers, so 0",
              [](Change* c) { c->integer_exponent = true; }),
      Formula("exponent-inverse", "position divided by the frequency",
              [](Change* c) { c->inverse = true; }),
      Formula(
          "exponent-doubled", "twice the exponent", [](Change* c) { c->doubled = true; }, true),
      Formula("exponent-odd-cosine", "cosine with exponent (2i+1)/r",
              [](Change* c) { c->odd_cosine = true; }),
      {{"base/truncated", "the base as an integer", false, false},
       [](const Number* base, Change* change) {
         if (base == nullptr) return false;
         const double floor = std::max(1.0, std::floor(base->value));
         if (base->decimal.empty() && floor == base->value) return false;
         change->base = Number(floor);
         return true;
       },
       Concerns::kAngles},
      {{"base/frequencies-ignored", "base 10000 where frequencies are given", false, false},
       [](const Number* base, Change* change) {
         if (base != nullptr) return false;
         change->ignores_given = true;
         change->base = Number(10000);
         return true;
       },
       Concerns::kAngles},
      Formula("frequencies-bf16", "frequencies rounded to bf16",
              [](Change* c) { c->frequencies_in = Format::kBf16; }),
      Formula("frequencies-f16", "frequencies rounded to f16",
              [](Change* c) { c->frequencies_in = Format::kF16; }),
      Formula("frequencies-bf16/module",
              "frequencies, positions and angles in bf16, as by a module cast to it",
              [](Change* c) {
                c->frequencies_in = c->angles_in = Format::kBf16;
                c->position = RoundedPosition(Format::kBf16, false);
              }),
      Formula("frequencies-f16/module",
              "frequencies, positions and angles in f16, as by a module cast to it",
              [](Change* c) {
                c->frequencies_in = c->angles_in = Format::kF16;
                c->position = RoundedPosition(Format::kF16, false);
              }),
      Formula("negative-position/frequency", "|frequency|",
              [](Change* c) { c->absolute_frequency = true; }),
      Formula("frequency-zero/as-one", "a frequency 0 counts as 1",
              [](Change* c) { c->zero_frequency = 1; }),
      Formula("frequency-zero/period", "a frequency 0 by way of its period, so NaN",
              [](Change* c) { c->zero_frequency = std::nan(""); }),
      Formula("unreduced/float-two-pi", "the angle reduced by a float32 2 pi",
              [](Change* c) { c->float_two_pi = true; }),
      Formula("table-ulp/two", "table entries two ulps up", [](Change* c) { c->ulps = 2; }),
      Formula("table-ulp/one", "table entries one ulp up", [](Change* c) { c->ulps = 1; }),
      Formula("table-ulp/16-bit-tables", "cosines and sines rounded to bf16 on the way",
              [](Change* c) { c->tables_in = Format::kBf16; }),
      Formula("table-ulp/f16-tables", "cosines and sines rounded to f16 on the way",
              [](Change* c) { c->tables_in = Format::kF16; }),
      Storage("subnormals-flushed/result", "subnormal results become 0",
              [](Change* c) { c->store = StoreAs::kFlushed; }),
      Storage("subnormals-flushed/input", "subnormal inputs count as 0",
              [](Change* c) { c->flush_inputs = true; }),
      Formula("subnormals-flushed/table", "subnormal table entries count as 0",
              [](Change* c) { c->flush_tables = true; }),
      Storage("nan-lost/as-zero", "NaN inputs count as 0",
              [](Change* c) { c->nan_as_zero = true; }),
      Storage("nan-lost/infinity", "infinite results become the largest number",
              [](Change* c) { c->store = StoreAs::kCapped; }),
      Storage("nan-lost/zero", "NaN results become 0", [](Change* c) { c->nan = NanAs::kZero; }),
      Storage("nan-lost/clamped",
              "results clamped to finite numbers, NaN to the lowest: fmin(fmax(v, low), high)",
              [](Change* c) {
                c->store = StoreAs::kClamped;
                c->nan = NanAs::kLowest;
              }),
      Storage("nan-lost/clamped-high",
              "results clamped to finite numbers, NaN to the largest: fmax(fmin(v, high), low)",
              [](Change* c) {
                c->store = StoreAs::kClamped;
                c->nan = NanAs::kLargest;
              }),
      Storage("nan-lost/clamped-zero", "infinite results become the largest number, NaN 0",
              [](Change* c) {
                c->store = StoreAs::kClamped;
                c->nan = NanAs::kZero;
              }),
      Storage("f16-saturated", "overflow gives the largest number",
              [](Change* c) { c->store = StoreAs::kSaturated; }),
      Storage("bf16-truncated", "bf16 by dropping bits",
              [](Change* c) { c->store = StoreAs::kTruncated; }),
      Storage("bf16-double-rounding", "rounded to f32, then to 16 bits",
              [](Change* c) { c->store = StoreAs::kTwice; }),
      Position("offset", "position + 1", false, [](int64_t p) { return p + 1; }),
      Position("offset/minus-one", "position - 1", false, [](int64_t p) { return p - 1; }),
      Position("offset/padding", "position + 2, as if padded", false,
               [](int64_t p) { return p + 2; }),
      Position("position-factor/none", "position 0 everywhere: nothing turned", false,
               [](int64_t) { return int64_t{0}; }),
      Position("position-factor/twice", "twice the position, as if turned twice", false,
               [](int64_t p) { return 2 * p; }),
      Position("negative-position", "|position|", false, [](int64_t p) { return std::abs(p); }),
      Position("negative-position/unsigned", "positions as unsigned 32-bit numbers", false,
               [](int64_t p) { return static_cast<int64_t>(static_cast<uint32_t>(p)); }),
      Position("positions-bf16", "positions rounded to bf16", false,
               RoundedPosition(Format::kBf16, false)),
      Position("positions-f16", "positions rounded to f16", false,
               RoundedPosition(Format::kF16, false)),
      Position("positions-f16/saturated", "positions rounded to f16, at most 65504", false,
               RoundedPosition(Format::kF16, true)),
      Formula(
          "positions-bf16/f32-exact-promised", "positions rounded to f32",
          [](Change* c) {
            c->position = RoundedPosition(Format::kF32, false);
            c->working_positions = true;
          },
          false, Concerns::kPositions),
  };
  for (const int degree : {3, 5, 7, 9})
    all.push_back(Formula(
        "unreduced/polynomial",
        "sine by a polynomial of degree " + std::to_string(degree) + ", with no range reduction",
        [degree](Change* c) { c->taylor_degree = degree; }));
  for (const double base : {1e4, 5e5, 1e6, 1e5, 2.5e4, 5e4, 1.5e5, 1.6e5, 2e6, 5e6, 8e6, 1e7, 1e8})
    all.push_back(Base(base));
  for (const int factor : {2, 4, 8})
    all.push_back(Formula("base/linear-" + std::to_string(factor),
                          "positions divided by " + std::to_string(factor) + " (linear scaling)",
                          [factor](Change* c) { c->position_factor = Number(1.0 / factor); }));
  all.push_back({{"base/fitted", "frequencies of another base", false, false, Fit::kBase},
                 [](const Number* base, Change* change) {
                   if (base == nullptr || *base == Number(change->fitted)) return false;
                   change->base = Number(change->fitted);
                   change->exponent_error = change->fitted_error / change->fitted;
                   return true;
                 },
                 Concerns::kAngles});
  all.push_back({{"base/linear", "positions divided by a number", false, false, Fit::kDivisor},
                 [](const Number*, Change* change) {
                   change->position_factor = Number(1 / change->fitted);
                   change->frequency_error = change->fitted_error / change->fitted + 0x1p-52;
                   return true;
                 },
                 Concerns::kAngles});
  all.push_back({{"offset/fitted", "position plus a number", false, false, Fit::kOffset},
                 [](const Number*, Change* change) {
                   const int64_t by = static_cast<int64_t>(change->fitted);
                   change->position = [by](int64_t p) { return p + by; };
                   return true;
                 },
                 Concerns::kAngles});
  all.push_back({{"nan-lost/number", "some number where a NaN is due", false, false, Fit::kAny},
                 [](const Number*, Change* change) {
                   change->nan = NanAs::kAnyNumber;
                   return true;
                 },
                 Concerns::kStorage});
  const auto width = [&](const std::string& name, const std::string& text,
                         std::function<std::optional<int64_t>(int64_t)> position) {
    all.push_back(Position("position-width/" + name, "positions in " + text, false, position));
    all.back().concerns = Concerns::kWidths;
  };
  width("uint16", "unsigned 16 bits", [](int64_t p) { return static_cast<uint16_t>(p); });
  width("int16", "signed 16 bits", [](int64_t p) { return static_cast<int16_t>(p); });
  width("uint8", "unsigned 8 bits", [](int64_t p) { return static_cast<uint8_t>(p); });
  width("int8", "signed 8 bits", [](int64_t p) { return static_cast<int8_t>(p); });
  for (int64_t rows = 512; rows <= 131072; rows *= 2) {
    const std::string name = std::to_string(rows);
    all.push_back(Position("table-clamp/" + name,
                           "positions past a table of " + name + " rows use its last row", false,
                           [rows](int64_t p) { return std::min(p, rows - 1); }));
    all.push_back(Position("table-wrap/" + name,
                           "positions past a table of " + name + " rows start again", false,
                           [rows](int64_t p) { return p % rows; }));
  }
  for (const int lanes : {4, 8, 16, 32})
    for (const Fill fill : {Fill::kInput, Fill::kZero, Fill::kOnes}) {
      const char* const left = fill == Fill::kInput  ? "left as the input has them"
                               : fill == Fill::kZero ? "left 0"
                                                     : "not written";
      all.push_back(
          {{"tail-vector/" + std::to_string(lanes),
            "what is left of a row after full vectors of " + std::to_string(lanes) + " is " + left,
            fill == Fill::kOnes, false},  // what memory held before may be the right answer
           [lanes, fill](const Number*, Change* change) {
             change->tail_lanes = lanes;
             change->tail = fill;
             return true;
           },
           Concerns::kStorage});
    }
  // Where the output holds NaN before the call, as it does in the suite, it does so after it.
  all.push_back({{"in-place/adds-to-output", "adds to what the output holds", true, false},
                 [](const Number*, Change* change) {
                   change->tail_lanes = 1 << 30;  // no row is as long: all of it
                   change->tail = Fill::kOnes;
                   return true;
                 },
                 Concerns::kStorage});
  return all;
}

}  // namespace

const std::vector<SharedHypothesis>& SharedHypotheses() {
  static const std::vector<SharedHypothesis> all = MakeShared();
  return all;
}

}  // namespace gnomon::oracle

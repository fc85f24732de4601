// Judgement (spec/bounds.md, BOUND-6 and BOUND-7): a case, its outputs, and for every element the
// question whether it lies within the bound of each profile.
#ifndef GNOMON_REFERENCE_JUDGE_H_
#define GNOMON_REFERENCE_JUDGE_H_

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gnomon/reference/truth.h"
#include "gnomon/spec/operation.h"

namespace gnomon::reference {

struct ElementReport {
  std::string output;   // role
  int64_t element = 0;  // row-major number
  Shape index;          // by axis
  Place place;
  double candidate = 0;
  double expected = 0;     // the truth rounded to the format
  double error = 0;        // |candidate - truth|; infinite where one is not finite
  double error_units = 0;  // in the operation's unit
  double bound = 0;        // of the profile asked about
  std::string why;         // what was asked of it: "within the bound", "copied", "NaN", ...
};

// How one profile (BOUND-1) fares over all elements. within + outside + vacuous counts every
// element once.
struct ProfileResult {
  int64_t within = 0;
  int64_t outside = 0;
  int64_t vacuous = 0;                  // within a bound that proves nothing (BOUND-6)
  std::optional<int64_t> vacuous_from;  // smallest |position| of a vacuous element
  std::optional<int64_t> outside_from;  // smallest |position| of an element outside
  std::optional<ElementReport> worst;   // largest error / bound
  std::optional<ElementReport> first_outside;

  // Of those within: real numbers. A copied dim or a NaN that is due proves nothing of a scheme.
  int64_t proving = 0;

  bool met() const { return outside == 0 && proving > 0; }
};

// Errors, in the operation's unit, by power of two.
struct ErrorHistogram {
  static constexpr int kLowest = -3, kHighest = 40;
  // [0]: below 2^kLowest; [k]: from 2^(kLowest + k - 1) to twice that; the last one is open.
  std::array<int64_t, kHighest - kLowest + 2> counts{};
  int64_t not_finite = 0;  // no error can be stated
  double largest = 0;      // infinite where one is not finite
  void Add(double error);
};

struct Judgement {
  std::string operation;
  ErrorUnit unit = ErrorUnit::kUlp;
  Format format = Format::kF32;
  int64_t elements = 0;
  int64_t ties = 0;
  std::array<ProfileResult, kProfiles.size()> profiles;
  ErrorHistogram histogram;
  // Largest error, in the operation's unit, by floor(log2 |position|); -1: position 0.
  std::map<int, double> worst_by_position;
  int64_t flushed = 0;  // zero where the truth is a nonzero subnormal (ROPE-10)

  // The first profile met, in the order of kProfiles up to `floor`.
  std::optional<size_t> strictest(size_t floor = kProfiles.size() - 1) const;
};

// Every profile's answer about one element, the one that Judge counts.
enum class ElementVerdict { kWithin, kOutside, kVacuous };
std::array<ElementVerdict, kProfiles.size()> JudgeElement(const Truth& truth, const Case& c,
                                                          int output, int64_t element, DType dtype,
                                                          uint64_t bits, bool flushes = false);

struct JudgeOptions {
  std::function<void(int64_t done, int64_t all)> progress;  // called now and then
  bool flushes_subnormals = false;                          // declared by who answered (BOUND-8)
  std::optional<size_t> only = std::nullopt;  // the one profile asked about: others count nothing
};

// Throws Rejected where the case is not valid or an output has another shape or type.
Judgement Judge(const Case& c, const std::map<std::string, ConstTensorView>& outputs,
                const JudgeOptions& options = {});
Judgement Judge(const Case& c, const Outputs& outputs, const JudgeOptions& options = {});

}  // namespace gnomon::reference

#endif  // GNOMON_REFERENCE_JUDGE_H_

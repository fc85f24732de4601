// What a kernel with known mistakes would have answered of learned.resize (LEARNED-8 to
// LEARNED-12), for hypotheses_learned.cc. Shares no code with the wrong subjects.
#ifndef GNOMON_ORACLE_PREDICT_RESIZE_H_
#define GNOMON_ORACLE_PREDICT_RESIZE_H_

#include <functional>
#include <optional>
#include <vector>

#include "gnomon/oracle/hypotheses.h"
#include "gnomon/spec/learned_resize.h"

namespace gnomon::oracle::learned {

struct ResizeChange {
  enum Place { kAsAsked, kOtherCorners, kNoHalfPixel, kTenthLarger, kExchangedAxes };
  enum Beyond { kClamped, kZero, kReflected };
  Place place = kAsAsked;
  Beyond beyond = kClamped;
  bool plain = false, stretched = false;  // without antialiasing; with it
  bool other_coefficient = false, bilinear = false, nearest = false;
  bool taps_clamped = false, by_stretch = false;  // antialiased
  bool columns_first = false;                     // the table as [column, row, width]
  bool sums_in_bf16 = false;                      // every addition rounds
};

class ResizePredictor {
 public:
  // entry(number): of the table, row-major; nothing where the mistaken kernel reads what is not
  // there. `parameters`: of this case, or of one with the same sizes.
  using Entry = std::function<std::optional<double>(int64_t number)>;
  ResizePredictor(const Case& c, const Case& parameters, const Change& shared,
                  const ResizeChange& change, Entry entry);
  Prediction At(int64_t element) const;

 private:
  struct Tap {
    int64_t input;
    double weight, error;
  };
  std::vector<Tap> TapsOf(bool rows, int64_t output) const;
  double Placed(bool rows, int64_t output) const;
  int64_t NumberOf(const Tap& row, const Tap& column, int64_t dim) const;
  Prediction InBf16(const std::vector<Tap>& rows, const std::vector<Tap>& columns,
                    int64_t dim) const;

  Format format_;
  Change shared_;
  ResizeChange change_;
  gnomon::learned::ResizeParameters p_;
  Entry entry_;
  std::vector<std::vector<Tap>> rows_, columns_;
};

}  // namespace gnomon::oracle::learned

#endif  // GNOMON_ORACLE_PREDICT_RESIZE_H_

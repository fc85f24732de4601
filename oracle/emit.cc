#include "gnomon/oracle/emit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "gnomon/oracle/bad_file.h"
#include "gnomon/oracle/case_file.h"
#include "gnomon/oracle/case_json.h"
#include "gnomon/oracle/commands.h"
#include "gnomon/oracle/description.h"
#include "gnomon/oracle/files.h"
#include "gnomon/oracle/strict_json.h"
#include "gnomon/properties/cases.h"
#include "gnomon/properties/suite.h"
#include "gnomon/reference/certify.h"
#include "gnomon/reference/judge.h"
#include "gnomon/reference/truth.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::oracle {
namespace {

using reference::Interval;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr unsigned kPrecision = 4 * reference::kFirstPrecision;  // 2^31 and 2^-1074 in one sum
constexpr std::string_view kExtension = ".safetensors";
constexpr int64_t kMostDraws = 20;  // for each case that is new

// SUBJ-8: |answer - stated| <= this proves |answer - truth| <= bound, also where the difference is
// rounded to binary64. Negative where no distance proves it.
double Distance(const Interval& bound, const Interval& value, double stated) {
  const Interval rest = (bound - abs(Interval(stated) - value)) * (1 - ldexp(Interval(1), -51));
  return std::min(mpfr_get_d(reference::Lower(rest), MPFR_RNDD), LargestFinite(Format::kF64));
}

double BoundOf(const reference::Truth& truth, int output, int64_t element, const Profile& profile,
               double stated) {
  if (std::isnan(stated)) return kNaN;
  // Until the truth is enclosed in numbers: a softmax of scores near 2^1024 takes thousands of
  // bits.
  for (unsigned bits = kPrecision;; bits *= 2) {
    const reference::ScopedPrecision precision(bits);
    const double distance =
        Distance(truth.Bound(output, element, profile), truth.Value(output, element), stated);
    if (!std::isnan(distance) || bits >= reference::kLargestPrecision) return distance;
  }
}

// What is emitted of one operation and format.
struct Wanted {
  const OperationSpec* operation;
  Format format;
  properties::Limits limits;
  size_t promise;
  bool flushes_subnormals;
};

// BOUND-7. Of some cases even the right answer proves nothing: every element is vacuous, or copied.
bool ProvesSomething(const Case& c, const Wanted& wanted) {
  return reference::Judge(c, reference::RoundedTruth(c), {{}, wanted.flushes_subnormals})
             .profiles[wanted.promise]
             .proving > 0;
}

std::vector<Format> FormatsOf(const EmitArguments& arguments) {
  std::vector<Format> formats;
  for (const std::string& name : arguments.formats) {
    const auto format = FormatFromName(name);
    if (!format) throw Rejected("--format", Quoted(name), "is no format", "FORMAT-1");
    formats.push_back(*format);
  }
  for (size_t i = 0; i < kFormats.size() && arguments.formats.empty(); ++i)
    formats.push_back(static_cast<Format>(i));
  return formats;
}

std::vector<Wanted> WantedOf(const EmitArguments& arguments) {
  std::optional<Description> description;
  if (!arguments.description.empty())
    description = ParseDescription(ReadFile(arguments.description).text(), arguments.description);
  std::vector<Wanted> all;
  for (const OperationSpec* operation : AllOperations()) {
    if (std::none_of(arguments.operations.begin(), arguments.operations.end(),
                     [&](const std::string& glob) {
                       return properties::GlobMatches(glob, operation->name);
                     }))
      continue;
    for (const Format format : FormatsOf(arguments)) {
      if (description && !description->Declares(operation->name, format)) continue;
      all.push_back({operation, format,
                     description ? description->LimitsOf(operation->name) : properties::Limits(),
                     description ? description->promise : *ProfileFromName("f32-angle"),
                     description && description->flushes_subnormals});
    }
  }
  if (all.empty())
    throw Rejected("--operation", Quoted(arguments.operations.front()),
                   "leaves no operation in a format that is asked for", "CASE-1");
  return all;
}

}  // namespace

std::map<std::string, Tensor> TruthTensors(const Case& c, bool flushes_subnormals) {
  std::map<std::string, Tensor> tensors;
  const std::unique_ptr<reference::Truth> truth = reference::TruthOf(c);
  const std::vector<OutputShape> outputs = Validate(c);
  for (int o = 0; o < static_cast<int>(outputs.size()); ++o) {
    const OutputShape& output = outputs[static_cast<size_t>(o)];
    const std::string& role = output.role;
    const Shape& shape = output.shape;
    Tensor rounded(StoredAs(output, c), shape), nearest(DType::kF64, shape);
    std::map<std::string, Tensor> bounds, open;
    std::map<int64_t, uint64_t> also;  // by element
    const auto named = [&](const char* what, const Profile& profile) {
      return what + std::string(profile.name) + "/" + role;
    };
    for (const Profile& profile : ProfilesFor(flushes_subnormals))
      if (!profile.correctly_rounded)
        bounds.emplace(named("bound/", profile), Tensor(DType::kF64, shape));
    for (int64_t i = 0; i < rounded.count(); ++i) {
      rounded.SetBits(i, reference::RoundedBits(*truth, o, i, c.format));
      const reference::Expectation due = truth->Expect(o, i);
      const bool real = due.kind == reference::Expectation::kReal;
      const bool non_finite = due.kind == reference::Expectation::kNonFinite;
      // Where either is accepted, `rounded` has the unchanged input.
      if (due.or_bits)
        also.emplace(i, non_finite ? EncodeBits(c.format, due.non_finite) : *due.or_bits);
      const double stated =
          real ? DecodeBits(Format::kF64, reference::RoundedBits(*truth, o, i, Format::kF64))
               : kNaN;
      nearest.Set(i, stated);
      for (const Profile& profile : ProfilesFor(flushes_subnormals)) {
        if (profile.correctly_rounded) continue;
        bounds.at(named("bound/", profile)).Set(i, BoundOf(*truth, o, i, profile, stated));
        if (!(real || non_finite) || !truth->NonFiniteIsOpen(o, i, profile)) continue;
        open.try_emplace(named("open/", profile), DType::kI32, shape)
            .first->second.SetInteger(i, 1);
      }
    }
    if (!also.empty()) {
      Tensor& second = tensors.emplace("also/" + role, rounded).first->second;
      for (const auto& [element, bits] : also) second.SetBits(element, bits);
    }
    tensors.emplace("rounded/" + role, std::move(rounded));
    tensors.emplace("truth/" + role, std::move(nearest));
    tensors.merge(bounds);
    tensors.merge(open);
  }
  return tensors;
}

void WriteFolder(const std::string& folder,
                 const std::map<std::string, std::vector<std::byte>>& files) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw BadFile(folder, "cannot be made: " + error.message(), "SUBJ-8");
  std::vector<std::string> there;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename();
    if (!name.ends_with(kExtension)) continue;
    const auto found = files.find(name);
    const std::string path = entry.path();
    const bool same = found != files.end() && entry.is_regular_file() &&
                      std::ranges::equal(ReadFile(path).span(), found->second);
    if (!same)
      throw Rejected("--out", Quoted(folder),
                     "holds " + Quoted(name) +
                         (found != files.end()
                              ? ", one of these cases with something else in it, such as answers: "
                                "judge them by gnomon check, or emit into another folder"
                              : ", which is not one of the files to be written: emit into another "
                                "folder, or empty this one"),
                     "SUBJ-8");
    there.push_back(name);
  }
  if (error) throw BadFile(folder, "cannot be read: " + error.message(), "SUBJ-8");
  for (const auto& [name, bytes] : files)
    if (std::find(there.begin(), there.end(), name) == there.end())
      WriteFile(fs::path(folder) / name, {bytes});
}

int Emit(const EmitArguments& arguments, std::ostream& out) {
  std::map<std::string, std::vector<std::byte>> files;
  std::string lines;
  for (const Wanted& wanted : WantedOf(arguments)) {
    int64_t count = 0;
    for (int64_t number = 0; count < arguments.cases && number < kMostDraws * arguments.cases;
         ++number) {
      const auto c = properties::NumberedCase(wanted.operation->name, wanted.format, arguments.seed,
                                              number, wanted.limits);
      if (!c) break;
      // Few different cases can be asked of an operation without inputs.
      const std::string name = c->operation + "-" + CaseId(*c) + std::string(kExtension);
      if (files.count(name) || !ProvesSomething(*c, wanted)) continue;
      files.emplace(name,
                    CaseFileBytes(*c, {},
                                  arguments.truth ? TruthTensors(*c, wanted.flushes_subnormals)
                                                  : std::map<std::string, Tensor>()));
      ++count;
    }
    lines +=
        fmt::format("{:>6}  {} {}\n", count, wanted.operation->name, Traits(wanted.format).name);
  }
  if (files.empty())
    throw Rejected("--description", Quoted(arguments.description), "leaves no case to ask",
                   "SUBJ-3");
  WriteFolder(arguments.out, files);
  out << fmt::format("{} cases in {}\n", files.size(), arguments.out) << lines;
  return 0;
}

}  // namespace gnomon::oracle

// `gnomon diff`: two reports in JSON, result by result (REPORT-5).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "gnomon/oracle/bad_file.h"
#include "gnomon/oracle/commands.h"
#include "gnomon/oracle/conclusion.h"
#include "gnomon/oracle/files.h"
#include "gnomon/oracle/text.h"

namespace gnomon::oracle {
namespace {

constexpr char kClause[] = "REPORT-2";

constexpr char kNotApplicable[] = "not applicable";
// From good to bad; "starved", "not applicable" and "not run" prove as little as "nothing run".
constexpr std::array<const char*, 10> kStatuses = {
    "conforms", "holds",         "nothing run", kNotApplicable, "starved",
    "not run",  "nonconforming", "fails",       "crashed",      "refused"};
constexpr std::array<int, 10> kRanks = {0, 0, 1, 1, 1, 1, 2, 2, 3, 4};

struct Entry {
  std::string subject;   // the live one, or target of one; empty: nobody was asked
  std::string title;     // the rest of its name
  std::string id, file;  // of a recording
  std::string status;
  int rank = 0;
  std::optional<size_t> profile;
  std::optional<double> largest;
  std::string unit;
};

class Document {
 public:
  explicit Document(const std::string& path) : path_(path) {
    const FileBytes bytes = ReadFile(path);
    const Json json = ParseStrictly(bytes.text(), path, kClause);
    if (!json.is_object() || !json.contains("schema") || !json.contains("kind"))
      Fail("is no report of gnomon check --json");
    if (json["schema"] != kReportSchema)
      Fail("has schema " + json["schema"].dump().substr(0, 20) + "; this gnomon reads " +
           std::to_string(kReportSchema));
    try {
      kind_ = json["kind"].get<std::string>();
      if (kind_ == "recording") {
        AddRecording(json);
      } else if (kind_ == "recordings") {
        for (const Json& recording : json.at("recordings")) AddRecording(recording);
      } else if (kind_ == "subjects") {
        for (const Json& subject : json.at("subjects"))
          for (const Json& property : subject.at("properties"))
            AddProperty(subject.at("subject").get<std::string>(), property);
      } else {
        Fail("kind " + Quoted(kind_) + " is not known");
      }
    } catch (const Json::exception& error) {
      const std::string what = error.what();  // "[json.exception...] key 'file' not found"
      Fail("is no report as REPORT-2 has it: " + what.substr(what.find("] ") + 2));
    }
  }
  const std::vector<Entry>& entries() const { return entries_; }
  std::set<std::string> subjects() const {
    std::set<std::string> all;
    for (const Entry& entry : entries_) all.insert(entry.subject);
    return all;
  }
  bool of_subjects() const { return kind_ == "subjects"; }

 private:
  [[noreturn]] void Fail(const std::string& what) const { throw BadFile(path_, what, kClause); }

  void SetStatus(const std::string& status, Entry* entry) const {
    for (size_t i = 0; i < kStatuses.size(); ++i) {
      if (status != kStatuses[i]) continue;
      entry->status = status;
      entry->rank = kRanks[i];
      return;
    }
    if (status != "crashes") Fail("status " + Quoted(status) + " is not known");
    SetStatus("crashed", entry);
    entry->status = status;
  }
  void SetLargest(const Json& largest, Entry* entry) const {
    if (largest.is_number()) entry->largest = largest.get<double>();
    if (largest.is_string()) entry->largest = std::numeric_limits<double>::infinity();
  }
  void AddRecording(const Json& json) {
    Entry entry;
    SetStatus(json.at("verdict").get<std::string>(), &entry);
    if (json.contains("subject")) entry.subject = json.at("subject").get<std::string>();
    entry.file = json.at("file").get<std::string>();
    entry.title = entry.file;
    if (json.contains("case")) {
      entry.id = json.at("case").get<std::string>();
      entry.title = json.at("operation").get<std::string>() + "/" + entry.id + "/" +
                    json.at("format").get<std::string>() + " (" + entry.file + ")";
      entry.unit = json.at("histogram").at("unit").get<std::string>();
      if (const Json& profile = json.at("profile"); !profile.is_null()) {
        entry.profile = ProfileFromName(profile.get<std::string>());
        if (!entry.profile) Fail("profile " + profile.dump() + " is not known");
      }
      SetLargest(json.at("largest_error"), &entry);
    }
    entries_.push_back(entry);
  }
  void AddProperty(const std::string& subject, const Json& json) {
    Entry entry;
    SetStatus(json.at("status").get<std::string>(), &entry);
    entry.subject = subject;
    entry.title = json.at("name").get<std::string>();
    if (json.contains("largest_error")) SetLargest(json.at("largest_error"), &entry);
    entry.unit = "of the bound";
    entries_.push_back(entry);
  }

  std::string path_, kind_;
  std::vector<Entry> entries_;
};

// A case id names a result, unless one of the reports has it twice for one subject: then the file
// does too. `by_subject`: so does the subject.
std::map<std::string, Entry> ByKey(const Document& document, const std::set<std::string>& twice,
                                   bool by_subject) {
  std::map<std::string, Entry> entries;
  for (const Entry& entry : document.entries()) {
    std::string key = entry.title;
    if (!entry.file.empty()) key = entry.id.empty() ? entry.file : entry.id;
    if (twice.count(entry.id)) key += " " + entry.file;
    if (by_subject) key = entry.subject + " " + key;
    entries.insert_or_assign(key, entry);
  }
  return entries;
}
std::set<std::string> IdsThatOccurTwice(const Document& a, const Document& b) {
  std::set<std::string> twice;
  for (const Document* document : {&a, &b}) {
    std::set<std::string> seen;
    for (const Entry& entry : document->entries())
      if (!entry.id.empty() && !seen.insert(entry.subject + " " + entry.id).second)
        twice.insert(entry.id);
  }
  return twice;
}

std::string Error(double error, const std::string& unit) {
  return (std::isfinite(error) ? fmt::format("{:.6g} ", error) : "inf ") + unit;
}

struct Count {
  int64_t worse = 0, better = 0, same = 0, fresh = 0;
  std::string Text() const {
    return fmt::format("{} worse, {} better, {} the same, {} new\n", worse, better, same, fresh);
  }
};

// What has changed, a line each, with a column for the subject where there is one.
struct Tally {
  size_t width = 0;  // of that column
  Count all;
  std::map<std::string, Count> of_subject;
  std::string text;

  void Add(int64_t Count::*kind, const Entry& entry) {
    ++(all.*kind);
    ++(of_subject[entry.subject].*kind);
  }
  void Say(const char* kind, const Entry& entry, const std::string& what) {
    text += fmt::format("{:<8}", kind);
    if (width > 0) text += fmt::format("{:<{}}", entry.subject, width + 2);
    text += entry.title + ": " + what + "\n";
  }
  void Worse(const Entry& entry, const std::string& what) {
    Add(&Count::worse, entry);
    Say("worse", entry, what);
  }
  void Better(const Entry& entry, const std::string& what) {
    Add(&Count::better, entry);
    Say("better", entry, what);
  }
  void New(const Entry& entry, const std::string& what) {
    Add(&Count::fresh, entry);
    Say("new", entry, what);
  }
  void Compare(const Entry& before, const Entry& after) {
    std::vector<std::string> changes;
    bool any_worse = false;
    const auto note = [&](bool is_worse, const std::string& change) {
      any_worse |= is_worse;
      changes.push_back(change);
    };
    if (before.rank != after.rank)
      note(after.rank > before.rank, after.status + ", was " + before.status);
    if (before.profile && after.profile && *before.profile != *after.profile)
      note(*after.profile > *before.profile,
           fmt::format("meets {}, was {}", kProfiles[*after.profile].name,
                       kProfiles[*before.profile].name));
    if (before.largest && after.largest && *before.largest != *after.largest)
      note(*after.largest > *before.largest,
           fmt::format("errs by {}, was {}", Error(*after.largest, after.unit),
                       Error(*before.largest, before.unit)));
    if (changes.empty()) {
      Add(&Count::same, after);
      return;
    }
    const std::string what = fmt::format("{}", fmt::join(changes, "; "));
    any_worse ? Worse(after, what) : Better(after, what);
  }
};

}  // namespace

int Diff(const DiffArguments& arguments, std::ostream& out) {
  const Document before(arguments.before), after(arguments.after);
  if (before.of_subjects() != after.of_subjects())
    throw BadFile(arguments.after,
                  "is a report of " + std::string(after.of_subjects() ? "subjects" : "recordings") +
                      ", the other one is not",
                  "REPORT-5");
  const std::set<std::string> twice = IdsThatOccurTwice(before, after);
  // One subject in each is compared with the other, whatever they are called.
  const std::set<std::string> old_subjects = before.subjects(), new_subjects = after.subjects();
  const bool by_subject = old_subjects.size() > 1 || new_subjects.size() > 1;
  const auto old_entries = ByKey(before, twice, by_subject),
             new_entries = ByKey(after, twice, by_subject);
  Tally tally;
  for (const auto& subjects : {old_subjects, new_subjects})
    for (const std::string& subject : subjects) tally.width = std::max(tally.width, subject.size());
  for (const auto& [key, entry] : old_entries) {
    const auto found = new_entries.find(key);
    if (found == new_entries.end()) {
      tally.Worse(entry, "is missing, was " + entry.status);
    } else {
      tally.Compare(entry, found->second);
    }
  }
  for (const auto& [key, entry] : new_entries) {
    if (old_entries.count(key)) continue;
    if (entry.rank > 0 && entry.status != kNotApplicable) {
      tally.Worse(entry, "is new, and " + entry.status);
    } else {
      tally.New(entry, entry.status);
    }
  }
  out << tally.text;
  if (by_subject)
    for (const auto& [subject, count] : tally.of_subject)
      out << fmt::format("{:<{}}{}", subject, tally.width + 2, count.Text());
  out << tally.all.Text();
  return tally.all.worse > 0 ? 1 : 0;
}

}  // namespace gnomon::oracle

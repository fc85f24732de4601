// The commands of the command line, apart from the reading of arguments. Each writes its result to
// `out`, returns an exit code, and throws BadFile or Rejected.
#ifndef GNOMON_ORACLE_COMMANDS_H_
#define GNOMON_ORACLE_COMMANDS_H_

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "gnomon/oracle/subjects.h"
#include "gnomon/properties/suite.h"

namespace gnomon::oracle {

// What states a case; texts as the user gave them.
struct CaseArguments {
  std::string operation;
  std::string config;                // path of a config.json
  std::vector<std::string> sets;     // "rope_theta=500000"
  std::vector<std::string> tensors;  // "x=query"
  std::string axes;                  // "seq,heads*head_dim"
  std::string format;                // "bf16"
};

struct OperationsArguments {
  bool json = false, markdown = false;
};
int ListOperations(const OperationsArguments& arguments, std::ostream& out);

struct EvalArguments {
  CaseArguments stated;
  std::string in, out;
  std::string positions;  // "0,1,5"
  int64_t limit = 1000;   // elements printed
};
int Evaluate(const EvalArguments& arguments, std::ostream& out);

struct ExplainArguments {
  CaseArguments stated;
  std::string file;
  std::string at;      // "0,3,1,17"
  std::string output;  // role; the operation's first where empty
  bool flushes_subnormals = false;
};
int Explain(const ExplainArguments& arguments, std::ostream& out);

// Files that report a run, and the list that it is held to (spec/report.md); empty: none.
struct ReportFiles {
  std::string junit, markdown, expected;
  bool update = false;  // rewrite the list
};

struct CheckArguments {
  CaseArguments stated;
  std::vector<std::string> files;  // recordings, and folders of them
  std::string profile, floor;
  bool flushes_subnormals = false;  // declared of who made them (BOUND-8)
  std::string out;                  // folder for the smallest failing case
  bool json = false;
  ReportFiles reports;
  std::function<void(int64_t done, int64_t all)> progress;
};
int Check(const CheckArguments& arguments, std::ostream& out);

// `gnomon check --subject`: the property suite on a live subject.
struct SubjectArguments {
  std::string subject;                        // as SubjectsNamed has them
  std::string operation = "*";                // a glob
  int64_t cases = properties::kDefaultCases;  // for each property, at least 1
  bool thorough = false;                      // kThoroughCases of each
  uint64_t seed = properties::kDefaultSeed;
  int64_t case_time_ms = 5000;  // of a plug-in or process
  std::string out;              // folder for the smallest failing cases
  bool json = false;
  ReportFiles reports;
  std::function<void(const std::string& line)> progress;  // of a suite, while it runs
};
SubjectOptions ToOptions(const SubjectArguments& arguments);
// " --case-time 100"; empty: the default.
std::string CaseTimeOption(const SubjectArguments& arguments);
// The command that asks the subject of that name the case in the file again.
std::string RepeatWords(const SubjectArguments& arguments, const std::string& subject,
                        const std::string& file);
int CheckSubject(const SubjectArguments& arguments, std::ostream& out);
// The same on given cases, each held to the profile that the subject promises.
int CheckCases(const SubjectArguments& arguments, const std::vector<std::string>& files,
               std::ostream& out);

// `gnomon emit`: cases as files (SUBJ-8).
struct EmitArguments {
  std::vector<std::string> operations;  // globs
  std::vector<std::string> formats;     // none: every format
  std::string out;                      // a folder
  std::string description;              // path of a subject's own (SUBJ-1); empty: all there is
  int64_t cases = 20;                   // of each operation and format
  uint64_t seed = properties::kDefaultSeed;
  bool truth = false;
};
int Emit(const EmitArguments& arguments, std::ostream& out);

// `gnomon diff`: two reports in JSON.
struct DiffArguments {
  std::string before, after;  // paths
};
int Diff(const DiffArguments& arguments, std::ostream& out);

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_COMMANDS_H_

#include "gnomon/oracle/report_diagnosis.h"

#include <memory>

#include "gnomon/oracle/diagnosis.h"
#include "gnomon/oracle/text.h"
#include "gnomon/properties/suite.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::oracle {

namespace {

// The first and the worst element outside each profile, by output and number.
std::vector<std::pair<int, int64_t>> WrongElements(const Case& c,
                                                   const reference::Judgement& judgement) {
  std::vector<std::pair<int, int64_t>> wrong;
  const std::vector<TensorSpec>& outputs = OperationOf(c).outputs;
  for (const reference::ProfileResult& profile : judgement.profiles) {
    if (profile.outside == 0) continue;
    for (const auto& element : {profile.first_outside, profile.worst})
      for (size_t i = 0; element && i < outputs.size(); ++i)
        if (outputs[i].role == element->output)
          wrong.emplace_back(static_cast<int>(i), element->element);
  }
  return wrong;
}

}  // namespace

void AddDiagnosis(const Recording& recording, const reference::Judgement& judgement,
                  const Demand& demand, const std::string& folder, Report* report) {
  if (report->verdict != Verdict::kNonconforming) return;
  const Answered answered{&recording.c, &recording.outputs, WrongElements(recording.c, judgement)};
  report->diagnosis = std::make_shared<Diagnosis>(Diagnose({answered}, demand));
  const Diagnosis& d = *report->diagnosis;
  report->mistakes = d.mistakes;
  if (d.smallest_element >= 0) {
    const Cut cut = CutDown(answered, d.smallest_output, d.smallest_element);
    if (!Fails(cut, demand)) {
      const std::string hint = "smallest failing case: the whole one; its parts conform alone";
      report->hints.push_back(hint);
      return;
    }
    const TensorSpec& spec =
        OperationOf(recording.c).outputs[static_cast<size_t>(d.smallest_output)];
    const std::string name =
        ElementName(spec, IndexOf(recording.outputs.at(spec.role).shape, d.smallest_element));
    if (folder.empty()) {
      report->hints.push_back("smallest failing case: " + name +
                              " alone; --out DIR writes it to a file");
    } else {
      report->hints.push_back("smallest failing case: " + name + " alone: gnomon check " +
                              properties::ShellQuoted(WriteInto(folder, cut)) + demand.Options());
    }
  }
}

}  // namespace gnomon::oracle

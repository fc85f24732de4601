#include "gnomon/oracle/report_diagnosis.h"

#include <memory>

#include "gnomon/oracle/diagnosis.h"
#include "gnomon/oracle/text.h"
#include "gnomon/spec/schemes.h"

namespace gnomon::oracle {

void AddDiagnosis(const Recording& recording, const Demand& demand, const std::string& folder,
                  Report* report) {
  if (report->verdict != Verdict::kNonconforming) return;
  const Answered answered{&recording.c, &recording.outputs};
  report->diagnosis = std::make_shared<Diagnosis>(Diagnose({answered}, demand));
  const Diagnosis& d = *report->diagnosis;
  report->mistakes = d.mistakes;
  if (d.smallest_element >= 0) {
    const Cut cut = CutDown(answered, d.smallest_output, d.smallest_element);
    const TensorSpec& spec =
        OperationOf(recording.c).outputs[static_cast<size_t>(d.smallest_output)];
    const std::string name =
        ElementName(spec, IndexOf(recording.outputs.at(spec.role).shape, d.smallest_element));
    if (folder.empty()) {
      report->hints.push_back("smallest failing case: " + name +
                              " alone; --out DIR writes it to a file");
    } else {
      report->hints.push_back("smallest failing case: " + name + " alone: gnomon check " +
                              WriteInto(folder, cut));
    }
  }
}

}  // namespace gnomon::oracle

// A run as JUnit XML, which every continuous integration reads (spec/report.md, REPORT-3).
#ifndef GNOMON_ORACLE_REPORT_JUNIT_H_
#define GNOMON_ORACLE_REPORT_JUNIT_H_

#include <string>

namespace gnomon::oracle {

struct Conclusion;
std::string JUnit(const Conclusion& conclusion);

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_REPORT_JUNIT_H_

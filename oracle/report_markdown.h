// A run as Markdown, for a comment or a summary page (spec/report.md, REPORT-3).
#ifndef GNOMON_ORACLE_REPORT_MARKDOWN_H_
#define GNOMON_ORACLE_REPORT_MARKDOWN_H_

#include <string>

namespace gnomon::oracle {

struct Conclusion;
std::string Markdown(const Conclusion& conclusion);

}  // namespace gnomon::oracle

#endif  // GNOMON_ORACLE_REPORT_MARKDOWN_H_

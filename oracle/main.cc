#include <unistd.h>

#include <iostream>
#include <string>
#include <vector>

#include "gnomon/oracle/cli.h"

int main(int count, char** arguments) {
  return gnomon::oracle::RunCli(std::vector<std::string>(arguments + 1, arguments + count),
                                std::cout, std::cerr, isatty(STDERR_FILENO) == 1);
}

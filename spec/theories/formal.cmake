# The theories as tests, label `formal`. Included where GNOMON_TESTS is on, after Python3 was found. Without Coq,
# Flocq or Interval each reports itself skipped, with the reason: formal.py ends with 77; with GNOMON_REQUIRE_FORMAL=1, as
# .ci/run sets it, each fails instead. Every test has its own share in CPU seconds; together 600, that is 5 minutes of two
# cores (formal_test.py adds them up), and fails above three times that (budget.py): machines differ by so much. By the clock it has six
# times its share before it is ended.
set(formal ${PROJECT_SOURCE_DIR}/spec/theories/tools)
set(theories ${PROJECT_SOURCE_DIR}/spec/theories)
set(compiled ${PROJECT_BINARY_DIR}/formal)  # out of tree: Coq writes beside what it reads
file(MAKE_DIRECTORY ${compiled})

function(gnomon_formal name limit)
  math(EXPR at_most "6 * ${limit}")
  add_test(NAME formal.${name} COMMAND ${Python3_EXECUTABLE} ${formal}/budget.py ${limit} ${ARGN})
  set_tests_properties(formal.${name} PROPERTIES LABELS formal SKIP_RETURN_CODE 77 TIMEOUT ${at_most}
    ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
endfunction()

gnomon_formal(holes 5 ${formal}/formal.py holes ${theories})
gnomon_formal(constants 5 ${formal}/formal.py constants ${theories} ${PROJECT_SOURCE_DIR})
gnomon_formal(finds_planted_faults 40 ${formal}/formal_test.py)
set(limits_theories 75 20 40)  # prove, axioms, kernel
set(limits_numeric 90 15 15)
set(limits_certified 90 45 60)
foreach(group theories numeric certified)
  list(GET limits_${group} 0 prove)
  list(GET limits_${group} 1 axioms)
  list(GET limits_${group} 2 kernel)
  gnomon_formal(prove.${group} ${prove} ${formal}/formal.py prove ${theories} ${compiled} ${group})
  gnomon_formal(axioms.${group} ${axioms} ${formal}/formal.py axioms ${theories} ${compiled} ${group})
  gnomon_formal(kernel.${group} ${kernel} ${formal}/formal.py kernel ${compiled} ${group})
  set_tests_properties(formal.prove.${group} PROPERTIES FIXTURES_SETUP formal_${group} RESOURCE_LOCK formal)
  set_tests_properties(formal.axioms.${group} formal.kernel.${group} PROPERTIES FIXTURES_REQUIRED formal_${group})
endforeach()
# Reads what all groups compiled; a skipped group counts as set up.
gnomon_formal(clauses 5 ${formal}/formal.py clauses ${PROJECT_SOURCE_DIR}/spec ${compiled}
  --out ${compiled}/theorems.json)
set_tests_properties(formal.clauses PROPERTIES FIXTURES_REQUIRED "formal_theories;formal_numeric;formal_certified"
  FIXTURES_SETUP formal_names)
# The certified numbers: some computed again; those that no C++ reads yet against another arithmetic, without Coq.
gnomon_formal(numbers 90 ${formal}/certified_numbers.py sample ${compiled} ${PROJECT_SOURCE_DIR}/spec/vectors)
set_tests_properties(formal.numbers PROPERTIES FIXTURES_REQUIRED "formal_theories;formal_numeric;formal_certified")
gnomon_check(spec numbers.check ${Python3_EXECUTABLE} ${formal}/numbers_check.py ${PROJECT_SOURCE_DIR}/spec/vectors)
gnomon_check(spec numbers.find_planted_faults ${Python3_EXECUTABLE} ${formal}/numbers_test.py)
gnomon_formal(trace 5 ${PROJECT_SOURCE_DIR}/ci/checks/trace.py ${PROJECT_SOURCE_DIR}
  --theorems ${compiled}/theorems.json --out ${compiled}/trace.md)
set_tests_properties(formal.trace PROPERTIES FIXTURES_REQUIRED formal_names)

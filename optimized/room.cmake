# Every Highway target that the compiler can reach, one library; the CPU's best is picked at run time.
target_compile_definitions(gnomon_optimized PRIVATE HWY_COMPILE_ALL_ATTAINABLE HWY_WANT_AVX3_DL)

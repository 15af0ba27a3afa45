# Fail if a kernel object defines a weak symbol, which is an inline function or template that other
# files may define too. The linker keeps one copy of these; if it kept the kernel's, code that runs
# on every machine would hold AVX instructions, and die on machines without them.
foreach(object IN LISTS OBJECTS)
    execute_process(COMMAND ${NM} -C --defined-only ${object}
                    OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL "[^\n]* [WVu] [^\n]*" weak_symbols "${symbols}")
    if(weak_symbols)
        list(JOIN weak_symbols "\n  " weak_symbols)
        message(FATAL_ERROR "${object} shares these symbols with other files:\n  ${weak_symbols}\n"
                            "Keep kernels to plain loops over pointers, intrinsics and functions in "
                            "an anonymous namespace.")
    endif()
endforeach()

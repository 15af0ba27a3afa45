# Kernels are chosen at run time, so each file is compiled for its own instruction set and everything
# else for the plain x86-64 that any machine has.
set(baytree_flags_popcnt -mpopcnt)
set(baytree_flags_avx2 -mavx2 -mpopcnt -mbmi2)
set(baytree_flags_avx512 -mavx512f -mavx512bw -mavx512vl -mavx512vpopcntdq -mpopcnt)

# Compile `ARGN`, the kernel sources, into `target`.
function(baytree_add_kernels target)
    add_library(baytree_kernels OBJECT ${ARGN})
    target_include_directories(baytree_kernels PRIVATE core)
    target_link_libraries(baytree_kernels PRIVATE baytree_options)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        # GCC 12 warns of its own intrinsics' deliberately undefined registers (GCC bug 105593).
        target_compile_options(baytree_kernels PRIVATE -Wno-uninitialized -Wno-maybe-uninitialized)
    endif()
    foreach(source IN LISTS ARGN)
        string(REGEX MATCH "_(popcnt|avx2|avx512)\\.cpp$" suffix ${source})
        set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS
                                                         "${baytree_flags_${CMAKE_MATCH_1}}")
    endforeach()
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:baytree_kernels>)

    # Unoptimised builds leave trivial inline functions out of line, and nobody ships them.
    if(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND CMAKE_BUILD_TYPE STREQUAL "Release")
        add_custom_command(TARGET ${target} POST_BUILD VERBATIM
            COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} "-DOBJECTS=$<TARGET_OBJECTS:baytree_kernels>"
                    -P ${PROJECT_SOURCE_DIR}/cmake/check_kernels.cmake)
    endif()
endfunction()

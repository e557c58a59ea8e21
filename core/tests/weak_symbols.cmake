#An inline function compiled for a wide instruction set must not be the copy that the linker keeps for all : every weak
#symbol of a file in targets / has to lie in that file's own namespace.
string(REPLACE
       ","
       ";" objects "${OBJECTS}") foreach (object ${objects}) if (object MATCHES "targets/(avx2|avx512)\\.cpp")
    set(namespace ${CMAKE_MATCH_1})
        execute_process(COMMAND ${NM} - C ${object} OUTPUT_VARIABLE symbols RESULT_VARIABLE failed) if (failed)
            message(FATAL_ERROR "${NM} cannot read ${object}") endif()
                string(REGEX MATCHALL "[^\n]* [WVu] [^\n]*" weak "${symbols}")
                    foreach (line ${weak}) if (NOT line MATCHES "rosenblatt::${namespace}::" AND NOT line MATCHES
                                                                "DW.ref|__asan|__ubsan|__odr_asan")
                        message(SEND_ERROR "weak symbol outside rosenblatt::${namespace}: ${line}") endif() endforeach()
                            endif() endforeach()

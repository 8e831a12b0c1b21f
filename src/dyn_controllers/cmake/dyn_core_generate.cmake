# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0

# Write functions of a robot as an object for the parameter `kernel` of the controllers, at build time.
#
#   find_package(dyn_controllers REQUIRED)
#   dyn_core_generate(urdf/arm.urdf FUNCTIONS gravity rnea INPUTS gravity "payload(tool0)")
#
# It is installed in share/${PROJECT_NAME}/objects. The controllers refuse it with another
# robot_description: the file has to be the description as it is published, a xacro file expanded
# beforehand.
#
# FUNCTIONS, INPUTS: as of `dyn-core codegen`; TARGET: of another processor than this one.
function(dyn_core_generate ROBOT)
  cmake_parse_arguments(ARG "" "TARGET" "FUNCTIONS;INPUTS" ${ARGN})
  if(NOT ARG_FUNCTIONS OR ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "dyn_core_generate(ROBOT FUNCTIONS ... [INPUTS ...] [TARGET ...])")
  endif()
  find_program(DYN_CORE dyn-core REQUIRED)
  get_filename_component(robot "${ROBOT}" ABSOLUTE)
  get_filename_component(stem "${ROBOT}" NAME_WE)
  list(JOIN ARG_FUNCTIONS "," functions)
  list(JOIN ARG_INPUTS "," inputs)
  set(options --functions "${functions}" --lang object)
  if(ARG_INPUTS)
    list(APPEND options --inputs "${inputs}")
  endif()
  if(ARG_TARGET)
    list(APPEND options --target ${ARG_TARGET})
  endif()
  set(out "${CMAKE_CURRENT_BINARY_DIR}/objects/${stem}")
  add_custom_command(
    OUTPUT "${out}/made"
    COMMAND ${DYN_CORE} codegen "${robot}" ${options} --out "${out}"
    COMMAND ${CMAKE_COMMAND} -E touch "${out}/made"
    DEPENDS "${robot}"
    COMMENT "Functions of ${ROBOT}: ${functions}"
    VERBATIM
  )
  add_custom_target(${PROJECT_NAME}_object_of_${stem} ALL DEPENDS "${out}/made")
  install(DIRECTORY "${out}/" DESTINATION share/${PROJECT_NAME}/objects PATTERN made EXCLUDE)
endfunction()

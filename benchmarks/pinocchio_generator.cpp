// Copyright 2026 the maintainers of dyn suite
// SPDX-License-Identifier: Apache-2.0
// Pinocchio's own code generator: C source of an algorithm for one model, by CppAD and CppADCodeGen.
//
//     pinocchio_generator ARCHIVE FUNCTION FOLDER
//
// writes the source of FUNCTION for the model in a text archive into FOLDER. The functions are those
// for which Pinocchio has a generator; their outputs are what it chooses, of symmetric matrices one
// half.

#include <iostream>
#include <map>
#include <string>

#include <pinocchio/codegen/cppadcg-algo.hpp>
#include <pinocchio/serialization.hpp>

using Model = pinocchio::Model;

template <typename Generator> struct Saving : Generator {
  using Generator::Generator;

  void save(const std::string &folder) {
    this->build_jacobian = false;
    this->initLib();
    CppAD::cg::SaveFilesModelLibraryProcessor<double>(*this->libcgen_ptr).saveSourcesTo(folder);
  }
};

template <typename Generator> void save(const Model &model, const std::string &folder) {
  Saving<Generator>(model, "generated").save(folder);
}

int main(int count, char **arguments) {
  const std::map<std::string, void (*)(const Model &, const std::string &)> functions = {
      {"rnea", save<pinocchio::CodeGenRNEA<double>>},
      {"crba", save<pinocchio::CodeGenCRBA<double>>},
      {"aba", save<pinocchio::CodeGenABA<double>>},
      {"minverse", save<pinocchio::CodeGenMinv<double>>},
      {"rnea_derivatives", save<pinocchio::CodeGenRNEADerivatives<double>>},
      {"aba_derivatives", save<pinocchio::CodeGenABADerivatives<double>>},
  };
  if (count != 4 || !functions.count(arguments[2])) {
    std::cerr << "pinocchio_generator ARCHIVE FUNCTION FOLDER\n";
    return 2;
  }
  Model model;
  model.loadFromText(arguments[1]);
  functions.at(arguments[2])(model, arguments[3]);
}

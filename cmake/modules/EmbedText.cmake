# Run as a script: writes OUTPUT, a C++ file that holds the text of each of FILES (a list) under its
# file name. The lists of names and texts are what lib/Frontend/Library.h declares.
set(code "// Generated from the files of stdlib/.\n#include \"Library.h\"\n\nusing namespace mlir::nautilus::frontend;\n\n")
string(APPEND code "static const StandardFile files[] = {\n")
foreach(file IN LISTS FILES)
  get_filename_component(name "${file}" NAME)
  file(READ "${file}" text)
  string(APPEND code "{\"stdlib/${name}\", R\"naut(${text})naut\"},\n")
endforeach()
string(APPEND code "};\n\nllvm::ArrayRef<StandardFile> mlir::nautilus::frontend::getStandardLibrary() { return files; }\n")
file(WRITE "${OUTPUT}" "${code}")

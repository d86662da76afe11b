// Where the __shared__ arrays of all kernels lie, and what lies between them.
//
// They are in a section of their own, on pages between which there are others (see shim.h),
// so that around each there is room that belongs to none. Which bytes belong to one only the
// symbols of this library, or program, say. What is between is full of NaNs, and must still
// be when a launch ends.
#pragma once

#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <string>
#include <vector>

// The ends of the section.
extern "C" char __start_shim_shared[] __attribute__((visibility("hidden")));
extern "C" char __stop_shim_shared[] __attribute__((visibility("hidden")));

class SharedArrays {
 public:
  // find reads the symbols; it returns what is wrong, "" for nothing.
  std::string find() {
    Dl_info self;
    if (!dladdr(__start_shim_shared, &self)) return "the stand-in does not know its own file";
    std::string file;
    if (FILE *f = fopen(self.dli_fname, "rb")) {
      char part[4096];
      for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;) file.append(part, n);
      fclose(f);
    }
    if (file.size() < sizeof(Elf64_Ehdr)) return std::string("the stand-in cannot read its own file ") + self.dli_fname;
    int gaps = 0;
    const auto *header = (const Elf64_Ehdr *)file.data();
    char *base = header->e_type == ET_DYN ? (char *)self.dli_fbase : nullptr;
    const auto *sections = (const Elf64_Shdr *)(file.data() + header->e_shoff);
    for (int i = 0; i < header->e_shnum; i++) {
      if (sections[i].sh_type != SHT_SYMTAB) continue;
      const auto *symbols = (const Elf64_Sym *)(file.data() + sections[i].sh_offset);
      const char *names = file.data() + sections[sections[i].sh_link].sh_offset;
      for (size_t s = 0; s < sections[i].sh_size / sizeof *symbols; s++) {
        char *at = base + symbols[s].st_value;
        const char *name = names + symbols[s].st_name;
        if (ELF64_ST_TYPE(symbols[s].st_info) != STT_OBJECT || at < __start_shim_shared || at >= __stop_shim_shared) continue;
        if (strstr(name, "shim_gap_")) {
          gaps++;
        } else {
          arrays.push_back({at, symbols[s].st_size, plain(name)});
        }
      }
    }
    if (!gaps) return "the stand-in was stripped of its symbols, which say where shared arrays end";
    std::sort(arrays.begin(), arrays.end(), [](const Array &a, const Array &b) { return a.at < b.at; });
    for (size_t i = 0; i < arrays.size(); i++)
      if (arrays[i].end() + least > (i + 1 < arrays.size() ? arrays[i + 1].at : __stop_shim_shared))
        return "between " + arrays[i].name + " and what follows it is no room that could be watched";
    const unsigned nan = 0x7fc5a5a5;
    for (size_t i = 0; i < sizeof nans; i += 4) memcpy(nans + i, &nan, 4);
    fill(__start_shim_shared, __stop_shim_shared - __start_shim_shared);
    return "";
  }

  // begin_block makes the arrays as they are when a block begins.
  void begin_block() {
    for (const Array &a : arrays) fill(a.at, a.bytes);
  }

  // overrun says what was written outside of the arrays, "" for nothing, and forgets it.
  std::string overrun() {
    std::string first;
    char *from = __start_shim_shared;
    for (size_t i = 0; i <= arrays.size(); i++) {
      std::string wrong = changed(from, i < arrays.size() ? arrays[i].at : __stop_shim_shared);
      if (first.empty()) first = wrong;
      if (i < arrays.size()) from = arrays[i].end();
    }
    return first;
  }

 private:
  struct Array {
    char *at;
    size_t bytes;
    std::string name;
    char *end() const { return at + bytes; }
  };
  static constexpr size_t page = 4096, least = 64; // bytes, the latter between two arrays
  std::vector<Array> arrays;      // in the order of their addresses

  char nans[page + 4];

  // visit calls a function with parts of memory, and the NaNs that belong there.
  template <typename F> void visit(char *from, size_t bytes, F function) {
    for (size_t n; bytes > 0; from += n, bytes -= n) {
      n = std::min(bytes, page);
      function(from, nans + (size_t)from % 4, n);
    }
  }
  void fill(char *from, size_t bytes) {
    visit(from, bytes, [](char *to, const char *nan, size_t n) { memcpy(to, nan, n); });
  }

  // changed says where there is something else than NaNs, and puts them back.
  std::string changed(char *from, char *to) {
    char *first = nullptr;
    visit(from, to - from, [&](char *at, const char *nan, size_t n) {
      if (first || memcmp(at, nan, n) == 0) return;
      for (first = at; *first == *nan; nan++) first++;
    });
    if (!first) return "";
    fill(from, to - from);
    return describe(first);
  }

  std::string describe(char *at) {
    const Array *before = nullptr, *after = nullptr;
    for (const Array &a : arrays) {
      if (a.end() <= at) before = &a;
      if (a.at > at && !after) after = &a;
    }
    if (before && (!after || at - before->end() < after->at - at))
      return "wrote " + std::to_string((at - before->end()) / 4 * 4) + " bytes past the end of " + before->name + ", a shared array of " +
             std::to_string(before->bytes) + " bytes";
    return "wrote " + std::to_string((after->at - at + 3) / 4 * 4) + " bytes before the start of " + after->name + ", a shared array";
  }

  // plain is a symbol's name as C++ has it, matmul::shared_a.
  static std::string plain(const char *symbol) {
    int status;
    char *name = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
    std::string text = name ? name : symbol;
    free(name);
    return text;
  }
};

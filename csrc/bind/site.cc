// Push sites from Python frames: (code, instruction) is looked up, decoded once.
#include "bind/site.h"

#include <algorithm>
#include <array>
#include <memory>
#include <unordered_map>

#include "bind/array_object.h"
#include "bind/frame_place.h"
#include "engine/trace.h"
#include "launch/thread_state.h"

namespace hybrid {
namespace bind {

namespace {

// What is known of one code object. It is kept alive, so its address stays its own.
struct Code {
  PyCodeObject* code;
  bool library = false;
  bool seen = false;                        // a recorded cell's, rewritten
  std::string cell;                         // notebook cell id
  std::string text;                         // "file:function", without the folder
  std::shared_ptr<const std::string> file;  // with the folder
  std::unordered_map<int, uint32_t> sites;  // by instruction offset
};

struct Table {
  std::unordered_map<PyCodeObject*, Code> codes;
  std::vector<std::string> library_prefixes;
  std::vector<std::string> runtime_names;              // that rewritten code calls
  std::unordered_map<std::string, std::string> cells;  // file name -> cell id
  std::unordered_map<uint32_t, std::shared_ptr<const std::string>> files;  // by site
};
Table& table() {
  static Table* instance = new Table;
  return *instance;
}

// Lines that were looked up last. Their code is in the table: nothing else can have come to lie
// there.
struct Line {
  FramePlace place;
  uint32_t site = 0;
};
std::array<Line, 256> recent;

// Small operators of one name and line, one after the other.
struct Run {
  FramePlace place;
  uint32_t name = 0, line = 0;
  uint32_t length = 0, turns = 0;  // of lines
  uint64_t last = 0;               // ticks
};
Run run;

// Programs that compile code in a loop must not fill the memory with it.
constexpr size_t kMaxCodes = 1 << 14;

std::string text_of(PyObject* unicode) {
  const char* text = PyUnicode_AsUTF8(unicode);
  if (text == nullptr) PyErr_Clear();
  return text == nullptr ? "?" : text;
}

void clear_codes() {
  auto codes = std::move(table().codes);
  table().codes.clear();
  recent.fill({});
  run = {};
  for (auto& entry : codes) Py_DECREF(entry.first);
}

bool calls_runtime(PyCodeObject* code) {
  const py::object owner = py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(code));
  const py::tuple names = owner.attr("co_names");
  return std::any_of(names.begin(), names.end(), [](const py::handle& name) {
    const auto& ours = table().runtime_names;
    return std::find(ours.begin(), ours.end(), text_of(name.ptr())) != ours.end();
  });
}

Code& code_entry(PyCodeObject* code) {
  Table& t = table();
  const auto found = t.codes.find(code);
  if (found != t.codes.end()) return found->second;
  if (t.codes.size() >= kMaxCodes) clear_codes();
  Py_INCREF(code);
  Code& entry = t.codes[code];
  entry.code = code;
  const std::string file = text_of(code->co_filename);
  entry.file = std::make_shared<const std::string>(file);
  for (const std::string& prefix : t.library_prefixes) {
    entry.library = entry.library || file.compare(0, prefix.size(), prefix) == 0;
  }
  entry.seen = calls_runtime(code);
  const auto cell = t.cells.find(file);
  if (cell != t.cells.end()) entry.cell = cell->second;
  const std::string function = text_of(code->co_name);
  entry.text = file.substr(file.rfind('/') == std::string::npos ? 0 : file.rfind('/') + 1);
  if (function != "<module>") entry.text += ":" + function;
  return entry;
}

// 0-based column where the compiler recorded one (Python 3.11 and later), else 0.
int column_at(PyCodeObject* code, int instruction) {
#if PY_VERSION_HEX >= 0x030B0000
  int line = 0, column = 0, end_line = 0, end_column = 0;
  if (PyCode_Addr2Location(code, instruction, &line, &column, &end_line, &end_column) && column > 0)
    return column;
#else
  (void)code;
  (void)instruction;
#endif
  return 0;
}

int last_instruction(PyFrameObject* frame) {
#if PY_VERSION_HEX >= 0x030B0000
  return PyFrame_GetLasti(frame);
#else
  return frame->f_lasti * static_cast<int>(sizeof(_Py_CODEUNIT));
#endif
}

uint32_t site_in(Code& entry, PyFrameObject* frame) {
  const int instruction = last_instruction(frame);
  const auto found = entry.sites.find(instruction);
  if (found != entry.sites.end()) return found->second;
  trace::Site site;
  site.cell = entry.cell;
  site.line = PyFrame_GetLineNumber(frame);
  site.col = column_at(entry.code, instruction);
  site.text = entry.text;
  uint32_t id = trace::intern_site(site);
  const auto known = table().files.find(id);
  if (known != table().files.end() && *known->second != *entry.file) {
    // Files of one name in two folders.
    site.text = entry.file->substr(0, entry.file->rfind('/') + 1) + site.text;
    id = trace::intern_site(site);
  }
  table().files[id] = entry.file;
  return entry.sites[instruction] = id;
}

uint32_t without_column(uint32_t id) {
  trace::Site site = trace::site_of(id);
  site.col = 0;
  const uint32_t line = trace::intern_site(site);
  table().files[line] = table().files[id];
  return line;
}

constexpr size_t kBytesApart = 2;  // instructions are

uint32_t line_at(const FramePlace& place) {
  Line& known = recent[static_cast<size_t>(place.instruction) / kBytesApart % recent.size()];
  if (known.place == place) return known.site;
  if (place.code == nullptr) return 0;
  Code& code = code_entry(place.code);
  known = {place, code.library ? 0 : without_column(site_in(code, PyEval_GetFrame()))};
  return known.site;
}

// Apart, so that the short way has no frame of its own.
__attribute__((noinline)) uint32_t turn(const FramePlace& place, uint32_t name, uint64_t now) {
  constexpr uint32_t kManyTurns = 64, kLongRun = 16;
  static const uint64_t pause = trace::ticks_of_ns(1000000);
  const uint32_t line = line_at(place);
  if (now - run.last > pause) run.turns = 0;
  if (name != run.name) {  // another record in any case
    run.length = 0;
  } else if (line != run.line) {
    run.turns = std::min(run.turns + 1, kManyTurns);
    run.length = 0;
  } else if (++run.length >= kLongRun) {
    run.turns = 0;
  }
  run.place = place;
  run.name = name;
  run.line = line;
  run.last = now;
  return run.turns < kManyTurns ? line : 0;
}

}  // namespace

uint32_t line_of_run(uint32_t name, uint64_t now) {
  const FramePlace place = frame_place();
  if (run.turns == 0 && run.place == place && run.name == name) return run.line;
  return turn(place, name, now);
}

namespace {

// Goes out from the innermost frame to the first that is not library code: use(code, frame).
template <class Use>
void at_user_frame(const Use& use) {
  PyFrameObject* frame = PyEval_GetFrame();
  Py_XINCREF(frame);
  while (frame != nullptr) {
    PyCodeObject* code = PyFrame_GetCode(frame);
    Code& entry = code_entry(code);
    Py_DECREF(code);
    PyFrameObject* back = nullptr;
    if (entry.library) {
      back = PyFrame_GetBack(frame);
    } else {
      use(entry, frame);
    }
    Py_DECREF(frame);
    frame = back;
  }
}

}  // namespace

uint32_t user_site() {
  uint32_t site = 0;
  at_user_frame([&](Code& code, PyFrameObject* frame) { site = site_in(code, frame); });
  return site;
}

SeenPlace seen_place() {
  SeenPlace place;
  at_user_frame([&](const Code& code, PyFrameObject* frame) {
    if (code.seen) place = {code.code, last_instruction(frame)};
  });
  return place;
}

uint32_t mark_site() {
  const uint32_t site = user_site();
  trace::set_current_site(site);
  return thread_state().site = site;
}

void bind_site(py::module_& m) {
  m.def(
      "set_site_filter",
      [](std::vector<std::string> prefixes) {
        table().library_prefixes = std::move(prefixes);
        clear_codes();
      },
      py::arg("prefixes"),
      "Code whose file name starts with one of these is passed over as library code.");
  m.def(
      "register_cell_file",
      [](const std::string& filename, const std::string& cell) {
        table().cells[filename] = cell;
        clear_codes();
      },
      py::arg("filename"), py::arg("cell_id"), "Sites in this file carry the notebook cell's id.");
  m.def(
      "site",
      [](uint32_t id) {
        const trace::Site site = trace::site_of(id);
        return py::make_tuple(site.cell.empty() ? py::object(py::none()) : py::str(site.cell),
                              site.line, site.col, site.text);
      },
      py::arg("id"), "(cell id or None, line, column, text) of an interned site.");
  m.def(
      "site_file",
      [](uint32_t id) -> py::object {
        const auto found = table().files.find(id);
        return found == table().files.end() ? py::object(py::none()) : py::str(*found->second);
      },
      py::arg("id"), "The file of an interned site's code, or None.");
  m.def(
      "set_runtime_names",
      [](std::vector<std::string> names) {
        table().runtime_names = std::move(names);
        clear_codes();
      },
      py::arg("names"), "Rewritten code of recorded cells calls these.");
  m.def("current_site", &user_site, "The site of the caller's own line.");
}

}  // namespace bind
}  // namespace hybrid

// The alignment dynamic programme, compiled: the same rules as kernel.py, which states them in
// readable form and runs where this file could not be compiled. Property tests hold the two
// together. Everything here is exact: what is skipped is proved to lose, and sums of doubles are
// taken in the order of the specification, because ties are decided by ==.

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace {

enum Op : uint8_t { MATCH = 1, SWAP = 2, SUBSTITUTE = 4, INSERT = 8, DELETE = 16 };
const uint8_t RUN = SUBSTITUTE | INSERT | DELETE;

// The table of features.py, read in place.
struct Features {
    uint32_t tokens, sounds_count, related_count;
    double levels[4], no_class, sound_differs, mark_neither, mark_one, mark_both, lowest;
    const uint32_t *codes, *classes, *sounds_at, *related, *flags;
    const uint16_t *sounds;
    const uint32_t *matrix;
    size_t words;

    bool load(const char *data, size_t size) {
        const size_t header = 8 + 4 * 4 + 10 * 8;
        if (size < header || std::memcmp(data, "GECFEAT1", 8) != 0) return false;
        uint32_t counts[4];
        std::memcpy(counts, data + 8, sizeof counts);
        tokens = counts[0];
        sounds_count = counts[1];
        related_count = counts[2];
        double numbers[10];
        std::memcpy(numbers, data + 24, sizeof numbers);
        std::copy(numbers, numbers + 4, levels);
        no_class = numbers[4];
        sound_differs = numbers[5];
        mark_neither = numbers[6];
        mark_one = numbers[7];
        mark_both = numbers[8];
        lowest = numbers[9];
        words = (size_t(related_count) + 31) / 32;
        const size_t sounds_size = (size_t(sounds_count) * 2 + 3) / 4 * 4;
        const size_t need = header + size_t(tokens) * 20 + 4 + sounds_size
                            + size_t(related_count) * words * 4 + counts[3];
        if (size != need) return false;
        codes = reinterpret_cast<const uint32_t *>(data + header);
        classes = codes + tokens;
        sounds_at = classes + tokens;
        related = sounds_at + tokens + 1;
        flags = related + tokens;
        sounds = reinterpret_cast<const uint16_t *>(flags + tokens);
        matrix = reinterpret_cast<const uint32_t *>(
            reinterpret_cast<const char *>(sounds) + sounds_size);
        return true;
    }
};

struct Token {
    uint32_t cls = 0, related = 0, sounds_from = 0, sounds_to = 0;
    bool mark = false, sounded = false;
};

std::vector<Token> look_up(const Features &f, const std::vector<uint32_t> &sequence) {
    std::vector<Token> result(sequence.size());
    for (size_t i = 0; i < sequence.size(); ++i) {
        const uint32_t *at = std::lower_bound(f.codes, f.codes + f.tokens, sequence[i]);
        if (at == f.codes + f.tokens || *at != sequence[i]) continue;
        const size_t slot = size_t(at - f.codes);
        Token &token = result[i];
        token.cls = f.classes[slot];
        token.related = f.related[slot];
        token.sounds_from = f.sounds_at[slot];
        token.sounds_to = f.sounds_at[slot + 1];
        token.mark = f.flags[slot] & 1;
        token.sounded = f.flags[slot] & 2;
    }
    return result;
}

bool alike(const Features &f, const Token &a, const Token &b) {
    uint32_t x = a.sounds_from, y = b.sounds_from;
    while (x < a.sounds_to && y < b.sounds_to) {  // both sorted
        if (f.sounds[x] == f.sounds[y]) return true;
        if (f.sounds[x] < f.sounds[y]) ++x; else ++y;
    }
    if (!a.related || !b.related) return false;
    const uint32_t column = b.related - 1;
    return (f.matrix[size_t(a.related - 1) * f.words + column / 32] >> (column % 32)) & 1;
}

double substitution(const Features &f, const Token &a, const Token &b) {
    double meaning = f.no_class;
    if (a.cls && b.cls) {
        const uint32_t differ = a.cls ^ b.cls;
        const int same = !(differ & 0xff0000) + !(differ & 0xff00) + !(differ & 0xff);
        meaning = f.levels[same];
    }
    const double sound = a.sounded && b.sounded && alike(f, a, b) ? 0.0 : f.sound_differs;
    const double mark = a.mark && b.mark ? f.mark_both
                        : a.mark || b.mark ? f.mark_one : f.mark_neither;
    return (meaning + sound) + mark;
}

uint64_t scramble(uint64_t x) {  // splitmix64
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

std::vector<uint64_t> running_hash(const std::vector<uint32_t> &sequence) {
    std::vector<uint64_t> result(sequence.size() + 1, 0);
    for (size_t i = 0; i < sequence.size(); ++i) result[i + 1] = result[i] + scramble(sequence[i]);
    return result;
}

struct Lattice {
    std::vector<uint32_t> a, b;  // whole source, whole target
    size_t prefix = 0, rows = 0, columns = 0;
    std::vector<uint8_t> kept;  // operations of each cell of the trimmed table
    std::unordered_map<uint64_t, uint32_t> swaps;  // width of the transposition of a cell

    size_t at(size_t x, size_t y) const { return x * (columns + 1) + y; }

    void fill(const Features *features);
    uint32_t swap_width(size_t x, size_t y, size_t nearest, const std::vector<uint32_t> &changing,
                        const std::vector<uint64_t> &ha, const std::vector<uint64_t> &hb) const;

    uint8_t ops(size_t i, size_t j) const {
        if (i && j && a[i - 1] == b[j - 1]) return MATCH;
        // Beside the common prefix one side is a prefix of the other, so only deletions or
        // insertions cost as little as the difference of the lengths.
        if (i <= prefix || j <= prefix) return i > j ? DELETE : INSERT;
        return kept[at(i - prefix, j - prefix)];
    }
    uint32_t width(size_t i, size_t j) const {
        return swaps.find(at(i - prefix, j - prefix))->second;
    }
};

uint32_t Lattice::swap_width(size_t x, size_t y, size_t nearest,
                             const std::vector<uint32_t> &changing,
                             const std::vector<uint64_t> &ha,
                             const std::vector<uint64_t> &hb) const {
    const size_t i = x + prefix, j = y + prefix;
    for (size_t k = nearest; k <= changing[y - 1]; ++k) {
        if (ha[i] - ha[i - 1 - k] != hb[j] - hb[j - 1 - k]) continue;
        std::vector<uint32_t> one(a.begin() + (i - 1 - k), a.begin() + i);
        std::vector<uint32_t> two(b.begin() + (j - 1 - k), b.begin() + j);
        std::sort(one.begin(), one.end());
        std::sort(two.begin(), two.end());
        if (one == two) return uint32_t(k + 1);
    }
    return 0;
}

void Lattice::fill(const Features *features) {
    size_t n = a.size(), m = b.size();
    while (n && m && a[n - 1] == b[m - 1]) --n, --m;  // equal last tokens allow only a match
    while (prefix < n && prefix < m && a[prefix] == b[prefix]) ++prefix;
    rows = n - prefix;
    columns = m - prefix;
    kept.assign((rows + 1) * (columns + 1), 0);
    std::vector<double> cost((rows + 1) * (columns + 1));
    for (size_t x = 0; x <= rows; ++x) cost[at(x, 0)] = double(x);
    for (size_t y = 0; y <= columns; ++y) cost[at(0, y)] = double(y);
    std::vector<Token> ta, tb;
    std::vector<uint64_t> ha, hb;
    if (features) {
        ta = look_up(*features, a);
        tb = look_up(*features, b);
        ha = running_hash(a);
        hb = running_hash(b);
    }
    // changing[y]: for how many diagonal steps back from the row above the cost has changed.
    std::vector<uint32_t> changing(columns + 1, 0), next(columns + 1, 0);
    std::vector<uint32_t> seen_in_a(columns + 1, 0);  // row where b's token last stood in a
    for (size_t x = 1; x <= rows; ++x) {
        const uint32_t token = a[prefix + x - 1];
        size_t seen_in_b = 0;  // column where a's token last stood in b
        for (size_t y = 1; y <= columns; ++y) {
            const size_t here = at(x, y);
            const double diagonal = cost[at(x - 1, y - 1)];
            if (token == b[prefix + y - 1]) {
                cost[here] = diagonal;
                kept[here] = MATCH;
                next[y] = 0;
                seen_in_b = y;
                seen_in_a[y] = uint32_t(x);
                continue;
            }
            const double left = cost[here - 1] + 1, up = cost[at(x - 1, y)] + 1;
            double best = std::min(left, up);
            double swap = 0;
            uint32_t width = 0;
            if (features && seen_in_b && seen_in_a[y]) {
                const size_t nearest = std::max(y - seen_in_b, x - seen_in_a[y]);
                width = swap_width(x, y, nearest, changing, ha, hb);
                if (width) {
                    swap = cost[at(x - width, y - width)] + double(width - 1);
                    best = std::min(best, swap);
                }
            }
            double replace = 3;  // above every insertion plus deletion
            replace += diagonal;
            if (!features) {
                replace = diagonal + 1;
            } else if (diagonal + features->lowest <= best) {
                replace = diagonal
                          + substitution(*features, ta[prefix + x - 1], tb[prefix + y - 1]);
            }
            best = std::min(best, replace);
            uint8_t keep = 0;
            if (width && swap == best) {
                keep |= SWAP;
                swaps[here] = width;
            }
            if (replace == best) keep |= SUBSTITUTE;
            if (left == best) keep |= INSERT;
            if (up == best) keep |= DELETE;
            cost[here] = best;
            kept[here] = keep;
            next[y] = best == diagonal ? 0 : changing[y - 1] + 1;
        }
        std::swap(changing, next);
    }
}

// The cells where a run of substitutions, insertions and deletions that starts at (i, j) may
// end, in the order in which a depth-first walk S, I, D first meets them.
std::vector<std::pair<size_t, size_t>> run_ends(const Lattice &lattice, size_t i, size_t j,
                                                bool first) {
    std::vector<std::pair<size_t, size_t>> ends, stack{{i, j}};
    std::unordered_set<uint64_t> visited;
    bool start = true;
    while (!stack.empty()) {
        const std::pair<size_t, size_t> cell = stack.back();
        stack.pop_back();
        if (!visited.insert((uint64_t(cell.first) << 32) | cell.second).second) continue;
        if (!cell.first && !cell.second) {
            ends.push_back(cell);
            continue;
        }
        const uint8_t ops = lattice.ops(cell.first, cell.second);
        if (!start && (ops & (MATCH | SWAP))) {
            ends.push_back(cell);
            if (first || (ops & MATCH)) continue;
        }
        start = false;
        const size_t before = stack.size();
        if (ops & DELETE) stack.emplace_back(cell.first - 1, cell.second);
        if (ops & INSERT) stack.emplace_back(cell.first, cell.second - 1);
        if (ops & SUBSTITUTE) stack.emplace_back(cell.first - 1, cell.second - 1);
        if (first && stack.size() > before + 1) {  // the last pushed is the first in order
            stack[before] = stack.back();
            stack.resize(before + 1);
        }
    }
    return ends;
}

struct LatticeObject {
    PyObject_HEAD
    Lattice *lattice;
};

std::vector<uint32_t> sequence(const Py_buffer &buffer) {
    std::vector<uint32_t> result(size_t(buffer.len) / 4);
    std::memcpy(result.data(), buffer.buf, result.size() * 4);
    return result;
}

PyObject *lattice_new(PyTypeObject *type, PyObject *args, PyObject *) {
    Py_buffer source, target, table;
    table.obj = nullptr;
    table.buf = nullptr;
    if (!PyArg_ParseTuple(args, "y*y*z*", &source, &target, &table)) return nullptr;
    std::unique_ptr<Lattice> lattice;
    Features features;
    const bool graded = table.buf != nullptr;
    bool valid = !(source.len % 4) && !(target.len % 4)
                 && (!graded || features.load(static_cast<char *>(table.buf), size_t(table.len)));
    bool memory = true;
    if (valid) {
        Py_BEGIN_ALLOW_THREADS
        try {
            lattice.reset(new Lattice);
            lattice->a = sequence(source);
            lattice->b = sequence(target);
            lattice->fill(graded ? &features : nullptr);
        } catch (const std::bad_alloc &) {
            memory = false;
        }
        Py_END_ALLOW_THREADS
    }
    PyBuffer_Release(&source);
    PyBuffer_Release(&target);
    if (table.obj) PyBuffer_Release(&table);
    if (!valid) {
        PyErr_SetString(PyExc_ValueError, "not a feature table, or not 32-bit codes");
        return nullptr;
    }
    if (!memory) return PyErr_NoMemory();
    LatticeObject *self = PyObject_New(LatticeObject, type);
    if (self) self->lattice = lattice.release();
    return reinterpret_cast<PyObject *>(self);
}

void lattice_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    delete reinterpret_cast<LatticeObject *>(self)->lattice;
    PyObject_Free(self);
    Py_DECREF(type);
}

PyObject *lattice_arcs(PyObject *self, PyObject *args) {
    Py_ssize_t i, j;
    int in_run, first;
    if (!PyArg_ParseTuple(args, "nnpp", &i, &j, &in_run, &first)) return nullptr;
    const Lattice &lattice = *reinterpret_cast<LatticeObject *>(self)->lattice;
    if (i < 0 || j < 0 || size_t(i) > lattice.a.size() || size_t(j) > lattice.b.size()) {
        PyErr_SetString(PyExc_IndexError, "no such cell");
        return nullptr;
    }
    PyObject *result = PyList_New(0);
    if (!result || (!i && !j)) return result;
    const auto add = [&](const char *kind, size_t to_i, size_t to_j) {
        PyObject *arc = Py_BuildValue("(snn)", kind, Py_ssize_t(to_i), Py_ssize_t(to_j));
        const bool done = arc && !PyList_Append(result, arc);
        Py_XDECREF(arc);
        return done;
    };
    const uint8_t ops = lattice.ops(size_t(i), size_t(j));
    bool good = true;
    if (ops & MATCH) {
        size_t x = size_t(i), y = size_t(j);
        while (x && y && lattice.a[x - 1] == lattice.b[y - 1]) --x, --y;
        good = add("M", x, y);
    } else {
        if (ops & SWAP) {
            const uint32_t width = lattice.width(size_t(i), size_t(j));
            good = add("T", size_t(i) - width, size_t(j) - width);
        }
        if (good && (ops & RUN) && !in_run && !(first && (ops & SWAP))) {
            try {
                for (const auto &end : run_ends(lattice, size_t(i), size_t(j), bool(first))) {
                    const char *kind = end.first == size_t(i) ? "I"
                                       : end.second == size_t(j) ? "D" : "S";
                    if (!(good = add(kind, end.first, end.second))) break;
                }
            } catch (const std::bad_alloc &) {
                PyErr_NoMemory();
                good = false;
            }
        }
    }
    if (!good) {
        Py_DECREF(result);
        return nullptr;
    }
    return result;
}

PyObject *lattice_steps(PyObject *self, PyObject *) {
    const Lattice &lattice = *reinterpret_cast<LatticeObject *>(self)->lattice;
    size_t i = lattice.a.size(), j = lattice.b.size();
    std::vector<char> steps;
    try {
        while (i || j) {
            const uint8_t ops = lattice.ops(i, j);
            if (ops & (MATCH | SUBSTITUTE)) {
                steps.push_back(ops & MATCH ? 'M' : 'S');
                --i, --j;
            } else if (ops & INSERT) {
                steps.push_back('I');
                --j;
            } else {
                steps.push_back('D');
                --i;
            }
        }
    } catch (const std::bad_alloc &) {
        return PyErr_NoMemory();
    }
    std::reverse(steps.begin(), steps.end());
    return PyUnicode_FromStringAndSize(steps.data(), Py_ssize_t(steps.size()));
}

PyMethodDef lattice_methods[] = {
    {"arcs", lattice_arcs, METH_VARARGS, "arcs(i, j, in_run, first): see kernel.py"},
    {"steps", lattice_steps, METH_NOARGS, "steps(): see kernel.py"},
    {nullptr, nullptr, 0, nullptr}};

PyType_Slot lattice_slots[] = {
    {Py_tp_new, reinterpret_cast<void *>(lattice_new)},
    {Py_tp_dealloc, reinterpret_cast<void *>(lattice_dealloc)},
    {Py_tp_methods, lattice_methods},
    {Py_tp_doc, const_cast<char *>("Lattice(source, target, table): see kernel.py")},
    {0, nullptr}};

PyType_Spec lattice_spec = {"gecbench.edits._kernel.Lattice", sizeof(LatticeObject), 0,
                            Py_TPFLAGS_DEFAULT, lattice_slots};

PyModuleDef module = {PyModuleDef_HEAD_INIT, "_kernel",
                      "The compiled alignment kernel; kernel.py states the rules.", -1,
                      nullptr, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__kernel(void) {
    PyObject *self = PyModule_Create(&module);
    if (!self) return nullptr;
    PyObject *type = PyType_FromSpec(&lattice_spec);
    if (!type || PyModule_AddObject(self, "Lattice", type) < 0) {
        Py_XDECREF(type);
        Py_DECREF(self);
        return nullptr;
    }
    return self;
}

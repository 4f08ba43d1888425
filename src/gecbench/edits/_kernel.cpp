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
    uint32_t tokens, sounds_count, related_count, run_slot, run_length;
    double levels[4], no_class, sound_differs, mark_neither, mark_one, mark_both, lowest;
    const uint32_t *codes, *classes, *sounds_at, *related, *flags;
    const uint16_t *sounds;
    const uint32_t *matrix;
    size_t words;

    bool load(const char *data, size_t size) {
        const size_t header = 8 + 8 * 4 + 10 * 8;
        if (size < header || std::memcmp(data, "GECFEAT3", 8) != 0) return false;
        uint32_t counts[8];
        std::memcpy(counts, data + 8, sizeof counts);
        tokens = counts[0];
        sounds_count = counts[1];
        related_count = counts[2];
        run_slot = counts[4];
        run_length = counts[5];
        if (size_t(run_slot) + run_length > tokens) return false;
        double numbers[10];
        std::memcpy(numbers, data + 40, sizeof numbers);
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

// The place of a code in the table, or the number of tokens. Most fall into the longest run of
// consecutive codes, where no search is needed.
size_t slot_of(const Features &f, uint32_t code) {
    const uint32_t offset = code - (f.run_length ? f.codes[f.run_slot] : code);
    if (offset < f.run_length) return f.run_slot + offset;
    const uint32_t *at = std::lower_bound(f.codes, f.codes + f.tokens, code);
    return at == f.codes + f.tokens || *at != code ? f.tokens : size_t(at - f.codes);
}

struct Token {
    uint32_t cls = 0, related = 0, sounds_from = 0, sounds_to = 0;
    bool mark = false, sounded = false;
};

std::vector<Token> look_up(const Features &f, const uint32_t *sequence, size_t length) {
    std::vector<Token> result(length);
    for (size_t i = 0; i < length; ++i) {
        const size_t slot = slot_of(f, sequence[i]);
        if (slot == f.tokens) continue;
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

std::vector<uint64_t> running_hash(const uint32_t *sequence, size_t length) {
    std::vector<uint64_t> result(length + 1, 0);
    for (size_t i = 0; i < length; ++i) result[i + 1] = result[i] + scramble(sequence[i]);
    return result;
}

struct Lattice {
    std::vector<uint32_t> a, b;  // whole source, whole target
    size_t prefix = 0, rows = 0, columns = 0;
    std::vector<uint8_t> kept;  // operations of each cell of the trimmed table
    std::unordered_map<uint64_t, uint32_t> swaps;  // width of the transposition of a cell
    std::vector<uint32_t> numbers_a, numbers_b;  // trimmed tokens, numbered where that is needed
    std::vector<int32_t> balance;  // by number; zero between uses

    size_t at(size_t x, size_t y) const { return x * (columns + 1) + y; }

    void trim();
    template <bool graded> void fill(const Features &features);
    void number();
    bool same_tokens(size_t x, size_t y, size_t k);
    uint32_t swap_width(size_t x, size_t y, size_t nearest, size_t farthest,
                        const std::vector<uint64_t> &ha, const std::vector<uint64_t> &hb);

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

// Whether the last k + 1 tokens before (x, y) are the same on both sides, in any order. Their
// hashes are equal already; here it is proved. Reversed texts have such windows within windows,
// hundreds of tokens wide, at every cell: what the inner one has proved is not proved again.
bool Lattice::same_tokens(size_t x, size_t y, size_t k) {
    if (numbers_a[x - 1 - k] == numbers_b[y - 1] && numbers_a[x - 1] == numbers_b[y - 1 - k]) {
        if (k == 1) return true;
        const auto inner = swaps.find(at(x - 1, y - 1));
        if (inner != swaps.end() && inner->second == k - 1) return true;
    }
    for (size_t back = 1; back <= k + 1; ++back) {
        ++balance[numbers_a[x - back]];
        --balance[numbers_b[y - back]];
    }
    bool same = true;
    for (size_t back = 1; back <= k + 1; ++back) {
        same = same && !balance[numbers_a[x - back]] && !balance[numbers_b[y - back]];
    }
    for (size_t back = 1; back <= k + 1; ++back) {
        balance[numbers_a[x - back]] = balance[numbers_b[y - back]] = 0;
    }
    return same;
}

uint32_t Lattice::swap_width(size_t x, size_t y, size_t nearest, size_t farthest,
                             const std::vector<uint64_t> &ha, const std::vector<uint64_t> &hb) {
    for (size_t k = nearest; k <= farthest; ++k) {
        if (ha[x] - ha[x - 1 - k] != hb[y] - hb[y - 1 - k]) continue;
        if (numbers_a.empty()) number();
        if (same_tokens(x, y, k)) return uint32_t(k + 1);
    }
    return 0;
}

// Number the tokens of the trimmed table from 0, equal ones alike.
void Lattice::number() {
    std::vector<uint32_t> known(a.begin() + prefix, a.begin() + prefix + rows);
    known.insert(known.end(), b.begin() + prefix, b.begin() + prefix + columns);
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    const auto number_of = [&](uint32_t code) {
        return uint32_t(std::lower_bound(known.begin(), known.end(), code) - known.begin());
    };
    numbers_a.resize(rows);
    numbers_b.resize(columns);
    for (size_t x = 0; x < rows; ++x) numbers_a[x] = number_of(a[prefix + x]);
    for (size_t y = 0; y < columns; ++y) numbers_b[y] = number_of(b[prefix + y]);
    balance.assign(known.size(), 0);
}

void Lattice::trim() {
    size_t n = a.size(), m = b.size();
    while (n && m && a[n - 1] == b[m - 1]) --n, --m;  // equal last tokens allow only a match
    while (prefix < n && prefix < m && a[prefix] == b[prefix]) ++prefix;
    rows = n - prefix;
    columns = m - prefix;
}

template <bool graded> void Lattice::fill(const Features &features) {
    const size_t width = columns + 1;
    const uint32_t *const from_a = a.data() + prefix, *const from_b = b.data() + prefix;
    kept.assign((rows + 1) * width, 0);
    const std::unique_ptr<double[]> costs(new double[(rows + 1) * width]);  // filled below
    for (size_t y = 0; y <= columns; ++y) costs[y] = double(y);
    std::vector<Token> ta, tb;
    std::vector<uint64_t> ha, hb;
    // changing[y]: for how many diagonal steps back from the row above the cost has changed.
    std::vector<uint32_t> changing, next;
    std::vector<uint32_t> seen_in_a;  // row where b's token last stood in a
    if (graded) {
        ta = look_up(features, from_a, rows);
        tb = look_up(features, from_b, columns);
        ha = running_hash(from_a, rows);
        hb = running_hash(from_b, columns);
        changing.assign(width, 0);
        next.assign(width, 0);
        seen_in_a.assign(width, 0);
    }
    for (size_t x = 1; x <= rows; ++x) {
        const uint32_t token = from_a[x - 1];
        const double *const above = &costs[(x - 1) * width];
        double *const row = &costs[x * width];
        uint8_t *const keep = &kept[x * width];
        size_t seen_in_b = 0;  // column where a's token last stood in b
        double last = row[0] = double(x);
        for (size_t y = 1; y <= columns; ++y) {
            const double diagonal = above[y - 1];
            if (token == from_b[y - 1]) {
                row[y] = last = diagonal;
                keep[y] = MATCH;
                if (graded) {
                    next[y] = 0;
                    seen_in_b = y;
                    seen_in_a[y] = uint32_t(x);
                }
                continue;
            }
            const double left = last + 1, up = above[y] + 1;
            double best = std::min(left, up);
            if (!graded) {
                const double replace = diagonal + 1;
                best = std::min(best, replace);
                keep[y] = uint8_t((replace == best) * SUBSTITUTE | (left == best) * INSERT
                                  | (up == best) * DELETE);
                row[y] = last = best;
                continue;
            }
            uint8_t op = 0;
            if (seen_in_b && seen_in_a[y]) {  // only tokens that both sides have met can change
                const size_t nearest = std::max(y - seen_in_b, x - seen_in_a[y]);
                const uint32_t swap = nearest > changing[y - 1]
                    ? 0 : swap_width(x, y, nearest, changing[y - 1], ha, hb);
                if (swap) {
                    const double cost = costs[(x - swap) * width + y - swap] + double(swap - 1);
                    if (cost <= best) {
                        best = cost;
                        op = SWAP;
                        swaps[x * width + y] = swap;
                    }
                }
            }
            if (diagonal + features.lowest <= best) {  // else no substitution is as cheap
                const double replace = diagonal + substitution(features, ta[x - 1], tb[y - 1]);
                if (replace < best) {
                    best = replace;
                    op = SUBSTITUTE;
                } else if (replace == best) {
                    op |= SUBSTITUTE;
                }
            }
            keep[y] = uint8_t(op | (left == best) * INSERT | (up == best) * DELETE);
            row[y] = last = best;
            next[y] = best == diagonal ? 0 : changing[y - 1] + 1;
        }
        if (graded) std::swap(changing, next);
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

struct Arc {
    const char *kind;
    size_t i, j;
};

// The segments that may end before (i, j), in order; see kernel.py.
std::vector<Arc> arcs_at(const Lattice &lattice, size_t i, size_t j, bool in_run, bool first) {
    std::vector<Arc> arcs;
    if (!i && !j) return arcs;
    const uint8_t ops = lattice.ops(i, j);
    if (ops & MATCH) {
        size_t x = i, y = j;
        while (x && y && lattice.a[x - 1] == lattice.b[y - 1]) --x, --y;
        arcs.push_back({"M", x, y});
        return arcs;
    }
    if (ops & SWAP) {
        const uint32_t width = lattice.width(i, j);
        arcs.push_back({"T", i - width, j - width});
    }
    if ((ops & RUN) && !in_run && !(first && (ops & SWAP))) {
        for (const auto &end : run_ends(lattice, i, j, first)) {
            const char *kind = end.first == i ? "I" : end.second == j ? "D" : "S";
            arcs.push_back({kind, end.first, end.second});
        }
    }
    return arcs;
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
            lattice->trim();
            if (graded) {
                lattice->fill<true>(features);
            } else {
                lattice->fill<false>(features);
            }
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
    int in_run;
    if (!PyArg_ParseTuple(args, "nnp", &i, &j, &in_run)) return nullptr;
    const Lattice &lattice = *reinterpret_cast<LatticeObject *>(self)->lattice;
    if (i < 0 || j < 0 || size_t(i) > lattice.a.size() || size_t(j) > lattice.b.size()) {
        PyErr_SetString(PyExc_IndexError, "no such cell");
        return nullptr;
    }
    std::vector<Arc> arcs;
    try {
        arcs = arcs_at(lattice, size_t(i), size_t(j), in_run, false);
    } catch (const std::bad_alloc &) {
        return PyErr_NoMemory();
    }
    PyObject *result = PyList_New(Py_ssize_t(arcs.size()));
    for (size_t at = 0; result && at < arcs.size(); ++at) {
        PyObject *arc = Py_BuildValue("(snn)", arcs[at].kind, Py_ssize_t(arcs[at].i),
                                      Py_ssize_t(arcs[at].j));
        if (!arc) {
            Py_DECREF(result);
            return nullptr;
        }
        PyList_SetItem(result, Py_ssize_t(at), arc);
    }
    return result;
}

PyObject *lattice_chain(PyObject *self, PyObject *args) {
    int first;
    if (!PyArg_ParseTuple(args, "p", &first)) return nullptr;
    const Lattice &lattice = *reinterpret_cast<LatticeObject *>(self)->lattice;
    std::vector<Arc> chain{{"", lattice.a.size(), lattice.b.size()}};
    try {
        bool in_run = false;
        while (chain.back().i || chain.back().j) {
            const std::vector<Arc> arcs = arcs_at(lattice, chain.back().i, chain.back().j,
                                                  in_run, first);
            if (arcs.size() != 1) Py_RETURN_NONE;
            in_run = *arcs[0].kind != 'M' && *arcs[0].kind != 'T';
            chain.push_back(arcs[0]);
        }
    } catch (const std::bad_alloc &) {
        return PyErr_NoMemory();
    }
    const size_t length = chain.size() - 1;
    PyObject *result = PyList_New(Py_ssize_t(length));
    for (size_t at = 0; result && at < length; ++at) {
        const Arc &from = chain[length - at], &to = chain[length - at - 1];
        PyObject *segment = Py_BuildValue("(snnnn)", from.kind, Py_ssize_t(from.i),
                                          Py_ssize_t(to.i), Py_ssize_t(from.j), Py_ssize_t(to.j));
        if (!segment) {
            Py_DECREF(result);
            return nullptr;
        }
        PyList_SetItem(result, Py_ssize_t(at), segment);
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
    {"arcs", lattice_arcs, METH_VARARGS, "arcs(i, j, in_run): see kernel.py"},
    {"chain", lattice_chain, METH_VARARGS, "chain(first): see kernel.py"},
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

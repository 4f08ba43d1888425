// The edits that m2scorer proposes, compiled: the same rules as maxmatch/exact.py, which states
// them in readable form and runs where this file could not be compiled. Property tests hold the
// two together. Sums of doubles are taken in the order that is stated there, because ties are
// decided by them.

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <new>
#include <utility>
#include <vector>

namespace {

enum Kind : uint8_t { UNCHANGED, INSERT, DELETE, REPLACE };
enum Op : uint8_t { DIAGONAL = 1, UP = 2, LEFT = 4 };
const int SECOND = 3;  // bits by which the second distance's operations are shifted
const double CHARGE = 0.001;

using Codes = std::vector<uint32_t>;

struct Gold {
    size_t start, end;
    std::vector<Codes> texts;
};

struct Span {
    size_t i, x, j, y;
};

struct Step {
    uint32_t end;
    Kind kind;
    uint8_t times;
};

struct Cell {
    uint32_t i, j;
};

struct Lattice {
    const Codes &a, &b;
    std::vector<uint8_t> ops;  // of both distances, by cell of the table
    std::vector<Cell> cells;
    std::vector<uint32_t> rows;  // number of the first vertex with so many source tokens behind
    std::vector<std::vector<Step>> steps;

    Lattice(const Codes &source, const Codes &target) : a(source), b(target) {
        ops.assign((a.size() + 1) * (b.size() + 1), 0);
        fill(1, 0);
        fill(2, SECOND);
        connect();
    }
    size_t at(size_t i, size_t j) const { return i * (b.size() + 1) + j; }
    void fill(uint32_t replace, int shift);
    void connect();
};

void Lattice::fill(uint32_t replace, int shift) {
    std::vector<uint32_t> above(b.size() + 1), row(b.size() + 1);
    for (size_t y = 0; y <= b.size(); ++y) {
        above[y] = uint32_t(y);
        ops[y] = uint8_t(ops[y] | (y ? LEFT << shift : 0));
    }
    for (size_t x = 1; x <= a.size(); ++x) {
        row[0] = uint32_t(x);
        ops[at(x, 0)] = uint8_t(ops[at(x, 0)] | UP << shift);
        for (size_t y = 1; y <= b.size(); ++y) {
            const uint32_t diagonal = above[y - 1] + (a[x - 1] == b[y - 1] ? 0 : replace);
            const uint32_t up = above[y] + 1, left = row[y - 1] + 1;
            const uint32_t least = std::min({diagonal, up, left});
            row[y] = least;
            const int kept = (diagonal == least) * DIAGONAL | (up == least) * UP
                             | (left == least) * LEFT;
            ops[at(x, y)] = uint8_t(ops[at(x, y)] | kept << shift);
        }
        std::swap(above, row);
    }
}

// Walk back from the far corner, number what is reached, and list the base arcs.
void Lattice::connect() {
    const size_t n = a.size(), m = b.size();
    std::vector<uint8_t> seen(ops.size(), 0);  // bit 1: by the first distance, 2: by the second
    seen.back() = 3;
    for (size_t i = n + 1; i-- > 0;) {
        for (size_t j = m + 1; j-- > 0;) {
            for (const int table : {0, 1}) {
                if (!(seen[at(i, j)] & (1 << table))) continue;
                const int kept = ops[at(i, j)] >> (table * SECOND);
                const uint8_t mark = uint8_t(1 << table);
                if (kept & DIAGONAL) seen[at(i - 1, j - 1)] |= mark;
                if (kept & UP) seen[at(i - 1, j)] |= mark;
                if (kept & LEFT) seen[at(i, j - 1)] |= mark;
            }
        }
    }
    std::vector<uint32_t> numbers(ops.size(), 0);
    for (size_t i = 0; i <= n; ++i) {
        rows.push_back(uint32_t(cells.size()));
        for (size_t j = 0; j <= m; ++j) {
            if (!seen[at(i, j)]) continue;
            numbers[at(i, j)] = uint32_t(cells.size());
            cells.push_back({uint32_t(i), uint32_t(j)});
        }
    }
    rows.push_back(uint32_t(cells.size()));
    steps.resize(cells.size());
    // In this order the arcs of a vertex are sorted by where they end.
    const auto add = [&](size_t v, size_t i, size_t j, Op op, Kind kind) {
        if (i > n || j > m) return;
        const size_t end = at(i, j);
        const int times = ((seen[end] & 1) && (ops[end] & op))
                          + ((seen[end] & 2) && (ops[end] >> SECOND & op));
        if (times) steps[v].push_back({numbers[end], kind, uint8_t(times)});
    };
    for (size_t v = 0; v < cells.size(); ++v) {
        const size_t i = cells[v].i, j = cells[v].j;
        add(v, i, j + 1, LEFT, INSERT);
        add(v, i + 1, j, UP, DELETE);
        const bool equal = i < n && j < m && a[i] == b[j];
        add(v, i + 1, j + 1, DIAGONAL, equal ? UNCHANGED : REPLACE);
    }
}

struct Arc {
    uint32_t start, end, length, unchanged;
    Kind kind;
};

const uint32_t NO_ARC = 0xffffffff;

// The arcs of a closed lattice, the list in which they are gone through, and where to find them.
struct Arcs {
    const Lattice &lattice;
    std::vector<Arc> arcs;
    std::vector<uint32_t> listed;
    std::vector<uint32_t> first;   // by vertex: the first from which an arc may come
    std::vector<size_t> offset;    // by vertex: where its arcs begin in `into`
    std::vector<uint32_t> into;    // arc number, by the vertex where the arc starts

    explicit Arcs(const Lattice &made) : lattice(made) {}

    bool bound(size_t limit, size_t most);
    void close(size_t limit);
    uint32_t find(uint32_t u, uint32_t v) const {
        return u < first[v] || u >= v ? NO_ARC : into[offset[v] + u - first[v]];
    }
    void set(uint32_t u, uint32_t v, uint32_t arc) { into[offset[v] + u - first[v]] = arc; }
    bool says(uint32_t arc, const std::vector<Codes> &texts) const;
    void mark(std::vector<double> &weights, const std::vector<Gold> &golds) const;
    void mark_insertions(std::vector<double> &weights, size_t place,
                         const std::vector<const Gold *> &golds) const;
    std::vector<Span> best(const std::vector<double> &weights) const;
};

// Reserve room for all arcs; false where it is more than `most`. See lattice.py, pairs.
bool Arcs::bound(size_t limit, size_t most) {
    const size_t count = lattice.cells.size();
    std::vector<std::vector<uint32_t>> earliest(limit + 1, std::vector<uint32_t>(count));
    first.resize(count);
    for (size_t v = 0; v < count; ++v) first[v] = uint32_t(v);
    for (auto &each : earliest) each = first;
    for (size_t v = 0; v < count; ++v) {
        for (const Step &step : lattice.steps[v]) {
            first[step.end] = std::min(first[step.end], uint32_t(v));
            const size_t cost = step.kind == UNCHANGED;
            for (size_t u = cost; u <= limit; ++u) {
                earliest[u][step.end] = std::min(earliest[u][step.end], earliest[u - cost][v]);
            }
        }
    }
    size_t total = 0;
    offset.resize(count);
    for (size_t v = 0; v < count; ++v) {
        first[v] = std::min(first[v], earliest[limit][v]);
        offset[v] = total;
        total += v - first[v];
    }
    if (total > most) return false;
    into.assign(total, NO_ARC);
    return true;
}

void Arcs::close(size_t limit) {
    const uint32_t count = uint32_t(lattice.cells.size());
    std::vector<uint32_t> all;
    for (uint32_t v = 0; v < count; ++v) {
        for (const Step &step : lattice.steps[v]) {
            const uint32_t number = uint32_t(arcs.size());
            set(v, step.end, number);
            arcs.push_back({v, step.end, 1, step.kind == UNCHANGED, step.kind});
            all.insert(all.end(), step.times, number);
        }
    }
    for (uint32_t k = 0; k < count; ++k) {
        if (lattice.steps[k].empty()) continue;
        for (uint32_t i = first[k]; i < k; ++i) {
            const uint32_t before = find(i, k);
            if (before == NO_ARC) continue;
            for (const Step &step : lattice.steps[k]) {
                const Arc from = arcs[before];
                const uint32_t unchanged = from.unchanged + (step.kind == UNCHANGED);
                if (unchanged > limit) continue;
                const Kind kind = from.kind == step.kind ? step.kind : REPLACE;
                uint32_t known = find(i, step.end);
                if (known == NO_ARC) {
                    known = uint32_t(arcs.size());
                    set(i, step.end, known);
                    arcs.push_back({i, step.end, 0, 0, kind});
                } else if (from.length + 1 >= arcs[known].length) {
                    continue;
                }
                arcs[known] = {i, step.end, from.length + 1, unchanged, kind};
                all.push_back(known);
            }
        }
    }
    bool looks = true;  // the arc behind a removed one is not looked at
    for (const uint32_t number : all) {
        const Arc &arc = arcs[number];
        const bool removes = looks && arc.kind == UNCHANGED && arc.length > 1;
        looks = !removes;
        if (!removes) listed.push_back(number);
    }
}

// Whether the hypothesis tokens of an arc are one of the texts.
bool Arcs::says(uint32_t number, const std::vector<Codes> &texts) const {
    const size_t j = lattice.cells[arcs[number].start].j, y = lattice.cells[arcs[number].end].j;
    return std::any_of(texts.begin(), texts.end(), [&](const Codes &text) {
        return text.size() == y - j && std::equal(text.begin(), text.end(), lattice.b.begin() + j);
    });
}

void Arcs::mark(std::vector<double> &weights, const std::vector<Gold> &golds) const {
    std::map<size_t, std::vector<const Gold *>> insertions;
    for (const Gold &gold : golds) {
        if (gold.start == gold.end) {
            insertions[gold.start].push_back(&gold);
            continue;
        }
        for (uint32_t u = lattice.rows[gold.start]; u < lattice.rows[gold.start + 1]; ++u) {
            for (uint32_t v = lattice.rows[gold.end]; v < lattice.rows[gold.end + 1]; ++v) {
                const uint32_t arc = find(u, v);
                if (arc != NO_ARC && says(arc, gold.texts)) weights[arc] = -double(listed.size());
            }
        }
    }
    for (const auto &each : insertions) mark_insertions(weights, each.first, each.second);
}

// See insertions.py, walk.
void Arcs::mark_insertions(std::vector<double> &weights, size_t place,
                           const std::vector<const Gold *> &golds) const {
    std::vector<uint32_t> ways;
    for (uint32_t u = lattice.rows[place]; u < lattice.rows[place + 1]; ++u) {
        for (uint32_t v = u + 1; v < lattice.rows[place + 1]; ++v) {
            const uint32_t arc = find(u, v);
            if (arc == NO_ARC) continue;
            size_t times = 1;  // a merged insertion has one length, so it is listed once
            for (const Step &step : lattice.steps[u]) if (step.end == v) times = step.times;
            ways.insert(ways.end(), times, arc);
            weights[arc] = double(arcs[arc].length);
        }
    }
    using Place = std::ptrdiff_t;
    Place left = 0, right = Place(ways.size()) - 1, at = 0;
    Place low = 0, high = Place(golds.size()) - 1;
    while (left <= right) {
        const uint32_t way = ways[size_t(at)];
        const bool forwards = at == left;
        Place hit = -1;
        for (Place step = 0; step <= high - low && hit < 0; ++step) {
            const Place n = forwards ? low + step : high - step;
            if (says(way, golds[size_t(n)]->texts)) hit = n;
        }
        if (hit < 0) {
            weights[way] += CHARGE;
            if (forwards) ++left; else --right;
            at = forwards ? right : left;
            continue;
        }
        weights[way] = -double(listed.size());
        if (forwards) {
            low = hit + 1;
            for (++left; left < Place(ways.size())
                 && arcs[ways[size_t(left)]].start != arcs[way].end; ++left) {
                weights[ways[size_t(left)]] += CHARGE;
            }
            at = left;
        } else {
            high = hit - 1;
            for (--right; right >= 0 && arcs[ways[size_t(right)]].end != arcs[way].start; --right) {
                weights[ways[size_t(right)]] += CHARGE;
            }
            at = right;
        }
    }
}

// Bellman-Ford over the list as it is, until a round changes nothing.
std::vector<Span> Arcs::best(const std::vector<double> &weights) const {
    const std::vector<Cell> &cells = lattice.cells;
    std::vector<double> cost(cells.size(), std::numeric_limits<double>::infinity());
    std::vector<uint32_t> last(cells.size(), NO_ARC);
    cost[0] = 0;
    for (bool changes = true; changes;) {
        changes = false;
        for (const uint32_t number : listed) {
            const Arc &arc = arcs[number];
            const double through = cost[arc.start] + weights[number];
            if (through < cost[arc.end]) {
                cost[arc.end] = through;
                last[arc.end] = number;
                changes = true;
            }
        }
    }
    std::vector<Span> spans;
    for (uint32_t before = last.back(); before != NO_ARC; before = last[arcs[before].start]) {
        const Arc &arc = arcs[before];
        if (arc.kind == UNCHANGED) continue;
        spans.push_back({cells[arc.start].i, cells[arc.end].i, cells[arc.start].j,
                         cells[arc.end].j});
    }
    std::reverse(spans.begin(), spans.end());
    return spans;
}

bool read_codes(PyObject *object, Codes &codes) {
    char *data;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(object, &data, &size) < 0) return false;
    if (size % 4) {
        PyErr_SetString(PyExc_ValueError, "not 32-bit codes");
        return false;
    }
    codes.resize(size_t(size) / 4);
    if (size) std::memcpy(codes.data(), data, size_t(size));
    return true;
}

bool is_tuple(PyObject *object) {
    if (PyTuple_Check(object)) return true;
    PyErr_SetString(PyExc_TypeError, "gold edits, and those of an annotator, are tuples");
    return false;
}

bool read_golds(PyObject *object, size_t length, std::vector<Gold> &golds) {
    if (!is_tuple(object)) return false;
    for (Py_ssize_t n = 0; n < PyTuple_Size(object); ++n) {
        Py_ssize_t start, end;
        PyObject *texts;
        if (!is_tuple(PyTuple_GetItem(object, n))) return false;
        if (!PyArg_ParseTuple(PyTuple_GetItem(object, n), "nnO!", &start, &end, &PyTuple_Type,
                              &texts)) {
            return false;
        }
        if (start < 0 || end < start || size_t(end) > length) {
            PyErr_SetString(PyExc_ValueError, "a gold edit lies outside the source");
            return false;
        }
        golds.push_back({size_t(start), size_t(end), {}});
        for (Py_ssize_t k = 0; k < PyTuple_Size(texts); ++k) {
            golds.back().texts.emplace_back();
            if (!read_codes(PyTuple_GetItem(texts, k), golds.back().texts.back())) return false;
        }
    }
    return true;
}

PyObject *of_spans(const std::vector<Span> &spans) {
    PyObject *result = PyList_New(Py_ssize_t(spans.size()));
    for (size_t n = 0; result && n < spans.size(); ++n) {
        const Span &span = spans[n];
        PyObject *made = Py_BuildValue("(nnnn)", Py_ssize_t(span.i), Py_ssize_t(span.x),
                                       Py_ssize_t(span.j), Py_ssize_t(span.y));
        if (!made) {
            Py_DECREF(result);
            return nullptr;
        }
        PyList_SetItem(result, Py_ssize_t(n), made);
    }
    return result;
}

PyObject *of_annotators(const std::vector<std::vector<Span>> &found) {
    PyObject *result = PyList_New(Py_ssize_t(found.size()));
    for (size_t n = 0; result && n < found.size(); ++n) {
        PyObject *made = of_spans(found[n]);
        if (!made) {
            Py_DECREF(result);
            return nullptr;
        }
        PyList_SetItem(result, Py_ssize_t(n), made);
    }
    return result;
}

// The edits for each annotator; false where the lattice is too large.
bool propose(const Codes &source, const Codes &target, size_t limit, size_t most,
             const std::vector<std::vector<Gold>> &golds, std::vector<std::vector<Span>> &found) {
    const Lattice lattice(source, target);
    Arcs arcs(lattice);
    if (!arcs.bound(limit, most)) return false;
    arcs.close(limit);
    std::vector<double> plain;
    for (const Arc &arc : arcs.arcs) plain.push_back(double(arc.length));
    for (const uint32_t number : arcs.listed) {
        if (arcs.arcs[number].kind != UNCHANGED) plain[number] += CHARGE;
    }
    for (const auto &annotator : golds) {
        std::vector<double> weights = plain;
        arcs.mark(weights, annotator);
        found.push_back(arcs.best(weights));
    }
    return true;
}

PyObject *proposals(PyObject *, PyObject *args) {
    PyObject *source_object, *target_object, *golds_object;
    Py_ssize_t limit, most;
    if (!PyArg_ParseTuple(args, "O!O!nO!n", &PyBytes_Type, &source_object, &PyBytes_Type,
                          &target_object, &limit, &PyTuple_Type, &golds_object, &most)) {
        return nullptr;
    }
    if (limit < 0 || most < 0) {
        PyErr_SetString(PyExc_ValueError, "limit and most are 0 or more");
        return nullptr;
    }
    Codes source, target;
    std::vector<std::vector<Gold>> golds;
    std::vector<std::vector<Span>> found;
    bool fits = false, memory = true;
    try {
        if (!read_codes(source_object, source) || !read_codes(target_object, target)) {
            return nullptr;
        }
        for (Py_ssize_t n = 0; n < PyTuple_Size(golds_object); ++n) {
            golds.emplace_back();
            if (!read_golds(PyTuple_GetItem(golds_object, n), source.size(), golds.back())) {
                return nullptr;
            }
        }
    } catch (const std::bad_alloc &) {
        return PyErr_NoMemory();
    }
    Py_BEGIN_ALLOW_THREADS
    try {
        fits = propose(source, target, size_t(limit), size_t(most), golds, found);
    } catch (const std::bad_alloc &) {
        memory = false;
    }
    Py_END_ALLOW_THREADS
    if (!memory) return PyErr_NoMemory();
    if (!fits) Py_RETURN_NONE;
    return of_annotators(found);
}

PyMethodDef methods[] = {
    {"proposals", proposals, METH_VARARGS,
     "proposals(source, target, limit, golds, most): see maxmatch/exact.py"},
    {nullptr, nullptr, 0, nullptr}};

PyModuleDef module = {PyModuleDef_HEAD_INIT, "_maxmatch",
                      "MaxMatch, compiled; maxmatch/exact.py states the rules.", -1,
                      methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__maxmatch(void) { return PyModule_Create(&module); }

// The alignment of three sequences, compiled: the same rules as threeway.py, which states them in
// readable form and runs where this file could not be compiled. Property tests hold the two
// together.

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>
#include <vector>

namespace {

using Codes = std::vector<uint32_t>;

const int GAP = 2, MISMATCH = 3;
// Moves in the order in which they are preferred: which of the three sequences take a token.
const int MOVES[7] = {7, 3, 5, 6, 1, 2, 4};
const int32_t NEVER = INT32_MAX / 2;

bool read_codes(const char *data, Py_ssize_t size, Codes &codes) {
    if (size % 4 != 0) {
        PyErr_SetString(PyExc_ValueError, "codes are 32-bit integers");
        return false;
    }
    codes.resize(size_t(size) / 4);
    if (size) std::memcpy(codes.data(), data, size_t(size));
    return true;
}

// The cells (i, j, k) with j and k at most `band` away from i; all others are never.
struct Table {
    size_t band, width, depth;
    std::vector<int32_t> values;

    Table(size_t n, size_t m, size_t p, size_t band)
        : band(band), width(std::min(2 * band, m) + 1), depth(std::min(2 * band, p) + 1),
          values((n + 1) * width * depth, NEVER) {}

    size_t low(size_t i) const { return i > band ? i - band : 0; }

    int32_t &at(size_t i, size_t j, size_t k) {
        return values[(i * width + (j - low(i))) * depth + (k - low(i))];
    }

    int32_t get(size_t i, size_t j, size_t k) {
        const size_t least = low(i);
        const bool inside = j >= least && k >= least && j - least < width && k - least < depth;
        return inside ? at(i, j, k) : NEVER;
    }
};

int cost(int move, bool ab, bool ac, bool bc) {
    int sum = 0;
    const bool equal[3] = {ab, ac, bc};
    const int pairs[3] = {3, 5, 6};
    for (int pair = 0; pair < 3; ++pair) {
        const int both = move & pairs[pair];
        if (both == pairs[pair]) sum += equal[pair] ? 0 : MISMATCH;
        else if (both) sum += GAP;
    }
    return sum;
}

// The least cost of aligning two sequences.
int distance(const Codes &a, const Codes &b) {
    std::vector<int> row(b.size() + 1);
    for (size_t y = 0; y <= b.size(); ++y) row[y] = GAP * int(y);
    for (size_t x = 1; x <= a.size(); ++x) {
        int diagonal = row[0];
        row[0] = GAP * int(x);
        for (size_t y = 1; y <= b.size(); ++y) {
            const int replaced = diagonal + (a[x - 1] == b[y - 1] ? 0 : MISMATCH);
            diagonal = row[y];
            row[y] = std::min(replaced, std::min(row[y], row[y - 1]) + GAP);
        }
    }
    return row[b.size()];
}

size_t difference(const Codes &a, const Codes &b) {
    return a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
}

// How far apart the places of the first and another sequence can be; threeway.py says why.
size_t band_of(const Codes &a, const Codes &b, const Codes &c) {
    const int ab = distance(a, b), ac = distance(a, c), bc = distance(b, c);
    const size_t two = size_t(ab + ac + bc - std::max(ab, std::max(ac, bc)));
    const size_t lengths = difference(a, b) + difference(a, c) + difference(b, c);
    return std::max((2 * two + 2 * lengths) / 8, std::max(difference(a, b), difference(a, c)));
}

std::string align(const Codes &a, const Codes &b, const Codes &c) {
    const size_t band = band_of(a, b, c);
    Table table(a.size(), b.size(), c.size(), band);
    table.at(0, 0, 0) = 0;
    const auto step = [&](size_t i, size_t j, size_t k, int move) -> int32_t {
        const size_t x = move & 1, y = move >> 1 & 1, z = move >> 2 & 1;
        if (i < x || j < y || k < z) return NEVER;
        const int32_t before = table.get(i - x, j - y, k - z);
        if (before >= NEVER) return NEVER;
        const bool ab = x && y && a[i - 1] == b[j - 1], ac = x && z && a[i - 1] == c[k - 1];
        return before + cost(move, ab, ac, y && z && b[j - 1] == c[k - 1]);
    };
    for (size_t i = 0; i <= a.size(); ++i) {
        const size_t low = table.low(i);
        for (size_t j = low; j <= std::min(b.size(), i + band); ++j) {
            for (size_t k = low; k <= std::min(c.size(), i + band); ++k) {
                int32_t &least = table.at(i, j, k);
                for (int move : MOVES) least = std::min(least, step(i, j, k, move));
            }
        }
    }
    std::string moves;
    for (size_t i = a.size(), j = b.size(), k = c.size(); i || j || k;) {
        const int32_t value = table.get(i, j, k);
        for (int move : MOVES) {
            if (step(i, j, k, move) != value) continue;
            moves.push_back(char(move));
            i -= move & 1;
            j -= move >> 1 & 1;
            k -= move >> 2 & 1;
            break;
        }
    }
    std::reverse(moves.begin(), moves.end());
    return moves;
}

PyObject *moves(PyObject *, PyObject *args) {
    const char *data[3];
    Py_ssize_t sizes[3];
    if (!PyArg_ParseTuple(args, "y#y#y#", &data[0], &sizes[0], &data[1], &sizes[1], &data[2],
                          &sizes[2])) {
        return nullptr;
    }
    try {
        Codes codes[3];
        for (int n = 0; n < 3; ++n) {
            if (!read_codes(data[n], sizes[n], codes[n])) return nullptr;
        }
        const std::string found = align(codes[0], codes[1], codes[2]);
        return PyBytes_FromStringAndSize(found.data(), Py_ssize_t(found.size()));
    } catch (const std::bad_alloc &) {
        return PyErr_NoMemory();
    }
}

PyMethodDef methods[] = {
    {"moves", moves, METH_VARARGS, "moves(a, b, c): see threeway.py"},
    {nullptr, nullptr, 0, nullptr}};

PyModuleDef module = {PyModuleDef_HEAD_INIT, "_threeway",
                      "Alignment of three sequences, compiled; threeway.py states the rules.", -1,
                      methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__threeway(void) { return PyModule_Create(&module); }

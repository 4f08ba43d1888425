// ERRANT's alignment, compiled: the same rules as kernel.py, which states them in readable form
// and runs where this file could not be compiled. Property tests hold the two together. Sums of
// doubles are taken in the order of the specification, because ties are decided by ==, and what
// is skipped is proved to lose.

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <memory>
#include <new>
#include <unordered_map>
#include <vector>

namespace {

const uint32_t MATCH = 0, SUBSTITUTE = 1, INSERT = 2, DELETE = 3;
const uint32_t SWAP = 2;  // a transposition of w tokens, at least two, is the number w + 2

// Texts as numbers, equal ones alike, from 0. Open addressing: str objects know their hash.
class Numbers {
public:
    explicit Numbers(size_t most) {
        size_t size = 8;
        while (size < 2 * most) size *= 2;
        slots.assign(size, {nullptr, 0});
    }

    uint32_t of(PyObject *text) {
        const size_t mask = slots.size() - 1;
        size_t at = size_t(PyObject_Hash(text)) & mask;
        while (slots[at].text) {
            if (slots[at].text == text || !PyUnicode_Compare(slots[at].text, text)) {
                return slots[at].number;
            }
            at = (at + 1) & mask;
        }
        slots[at] = {text, count};
        return count++;
    }

private:
    struct Slot {
        PyObject *text;
        uint32_t number;
    };
    std::vector<Slot> slots;
    uint32_t count = 0;
};

// Characters as numbers, so that a word's places can lie in a small table.
class Letters {
public:
    uint32_t of(uint32_t code) {
        uint32_t &number = code < 256 ? latin[code] : others[code];
        if (!number) number = ++count;
        return number - 1;
    }
    size_t size() const { return count; }

private:
    uint32_t latin[256] = {}, count = 0;
    std::unordered_map<uint32_t, uint32_t> others;
};

struct Word {
    uint32_t form = 0, lower = 0, lemma = 0, pos = 0;
    bool open = false;
    size_t from = 0, to = 0;  // its letters
};

struct Pair {
    std::vector<Word> a, b;
    std::vector<uint32_t> letters;
    Letters alphabet;
    size_t rows = 0, columns = 0;  // without the common ending
    std::vector<uint32_t> ops;

    uint32_t &op(size_t x, size_t y) { return ops[x * (columns + 1) + y]; }

    void trim() {
        rows = a.size();
        columns = b.size();
        while (rows && columns && a[rows - 1].form == b[columns - 1].form) --rows, --columns;
        ops.assign((rows + 1) * (columns + 1), MATCH);
        for (size_t x = 1; x <= rows; ++x) op(x, 0) = DELETE;
        for (size_t y = 1; y <= columns; ++y) op(0, y) = INSERT;
    }
    void fill_plain();
    void fill_graded();
};

void Pair::fill_plain() {
    std::vector<size_t> above(columns + 1), row(columns + 1);
    for (size_t y = 0; y <= columns; ++y) row[y] = y;
    for (size_t x = 1; x <= rows; ++x) {
        std::swap(above, row);
        row[0] = x;
        for (size_t y = 1; y <= columns; ++y) {
            row[y] = above[y - 1];
            if (a[x - 1].form == b[y - 1].form) continue;
            const size_t least = std::min({above[y - 1], row[y - 1], above[y]});
            op(x, y) = above[y - 1] == least ? SUBSTITUTE : row[y - 1] == least ? INSERT : DELETE;
            row[y] = least + 1;
        }
    }
}

// The normalised Indel distance between one word, held as the places of its letters in bits, and
// others. The longest common subsequence is found as in Hyyro (2004), 64 places at a time.
class Forms {
public:
    Forms(const Pair &pair) : letters(pair.letters) {
        size_t longest = 1;
        for (const Word &word : pair.a) longest = std::max(longest, word.to - word.from);
        most = (longest + 63) / 64;
        places.assign(pair.alphabet.size() * most, 0);
        open.resize(most);
    }

    double distance(const Word &one, const Word &two) {
        if (held != &one) hold(one);
        const size_t length = one.to - one.from, blocks = (length + 63) / 64;
        std::fill_n(open.begin(), blocks, ~uint64_t(0));
        for (size_t at = two.from; at < two.to; ++at) {
            const uint64_t *const here = &places[letters[at] * most];
            uint64_t carry = 0;
            for (size_t block = 0; block < blocks; ++block) {
                const uint64_t before = open[block], met = before & here[block];
                const uint64_t sum = before + met, with_carry = sum + carry;
                carry = (sum < before) | (with_carry < sum);
                open[block] = with_carry | (before - met);
            }
        }
        size_t common = 0;
        for (size_t block = 0; block < blocks; ++block) {
            const size_t left = length - block * 64;
            const uint64_t inside = left < 64 ? (uint64_t(1) << left) - 1 : ~uint64_t(0);
            common += std::bitset<64>(~open[block] & inside).count();
        }
        const size_t both = length + (two.to - two.from);
        return double(both - 2 * common) / double(both);
    }

private:
    void hold(const Word &word) {
        if (held) mark(*held, false);
        mark(word, true);
        held = &word;
    }
    void mark(const Word &word, bool set) {
        for (size_t at = word.from; at < word.to; ++at) {
            const size_t place = at - word.from;
            uint64_t &block = places[letters[at] * most + place / 64];
            block = set ? block | uint64_t(1) << (place % 64) : 0;
        }
    }

    const std::vector<uint32_t> &letters;
    const Word *held = nullptr;
    size_t most;
    std::vector<uint64_t> places, open;
};

// Sums of two 64-bit hashes of the lower forms before each place. Windows of both sides hold the
// same tokens, in any order, where their sums are equal: for two different windows that is less
// likely than a fault of the machine.
struct Sums {
    std::vector<uint64_t> one, two;

    explicit Sums(const std::vector<Word> &words, size_t length)
        : one(length + 1, 0), two(length + 1, 0) {
        for (size_t i = 0; i < length; ++i) {
            one[i + 1] = one[i] + scramble(2 * uint64_t(words[i].lower));
            two[i + 1] = two[i] + scramble(2 * uint64_t(words[i].lower) + 1);
        }
    }

    static uint64_t scramble(uint64_t x) {  // splitmix64
        x = (x + 1) * 0x9e3779b97f4a7c15ULL;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
        return x ^ (x >> 31);
    }
};

// The width of the least transposition that ends at (x, y), or 0.
uint32_t swap_width(const Sums &a, const Sums &b, size_t x, size_t y, size_t nearest,
                    size_t farthest) {
    const uint64_t rest = a.one[x] - b.one[y];
    for (size_t k = nearest; k <= farthest; ++k) {
        if (a.one[x - 1 - k] - b.one[y - 1 - k] == rest
            && a.two[x - 1 - k] - b.two[y - 1 - k] == a.two[x] - b.two[y]) {
            return uint32_t(k + 1);
        }
    }
    return 0;
}

void Pair::fill_graded() {
    const size_t width = columns + 1;
    const std::unique_ptr<double[]> costs(new double[(rows + 1) * width]);  // filled below
    for (size_t y = 0; y <= columns; ++y) costs[y] = double(y);
    const Sums sums_a(a, rows), sums_b(b, columns);
    Forms forms(*this);
    // changing[y]: for how many diagonal steps back from the row above the cost has changed.
    std::vector<uint32_t> changing(width, 0), next(width, 0);
    std::vector<size_t> seen_in_a(width, 0);  // row where b's lower form last stood in a
    for (size_t x = 1; x <= rows; ++x) {
        const Word &one = a[x - 1];
        const double *const above = &costs[(x - 1) * width];
        double *const row = &costs[x * width];
        size_t seen_in_b = 0;  // column where a's lower form last stood in b
        double last = row[0] = double(x);
        for (size_t y = 1; y <= columns; ++y) {
            const Word &two = b[y - 1];
            const double diagonal = above[y - 1];
            const bool alike = one.lower == two.lower;
            if (alike) seen_in_a[y] = x, seen_in_b = y;
            if (one.form == two.form) {
                row[y] = last = diagonal;
                next[y] = 0;
                continue;
            }
            const double left = last + 1, up = above[y] + 1;
            double best = std::min(left, up);
            uint32_t chosen = left <= up ? INSERT : DELETE;
            const double least
                = alike ? 0
                        : (one.lemma == two.lemma ? 0 : 0.499)
                              + (one.pos == two.pos ? 0 : one.open && two.open ? 0.25 : 0.5);
            // Rounding keeps order, so a sum that is too great without the forms is with them.
            if (diagonal + least <= best) {
                const double replace
                    = diagonal + (alike ? 0 : least + forms.distance(one, two));
                if (replace <= best) {
                    best = replace;
                    chosen = SUBSTITUTE;
                }
            }
            // Only tokens that both sides have met can have changed places.
            if (seen_in_b && seen_in_a[y]) {
                const size_t nearest
                    = std::max({y - seen_in_b, x - seen_in_a[y], size_t(1)});
                const uint32_t swap = swap_width(sums_a, sums_b, x, y, nearest, changing[y - 1]);
                if (swap) {
                    const double cost = costs[(x - swap) * width + y - swap] + double(swap - 1);
                    if (cost <= best) {
                        best = cost;
                        chosen = swap + SWAP;
                    }
                }
            }
            op(x, y) = chosen;
            row[y] = last = best;
            next[y] = best == diagonal ? 0 : changing[y - 1] + 1;
        }
        std::swap(changing, next);
    }
}

// Append the words of one side. False, with an error set, where the arguments are no such thing.
bool read(PyObject *forms, PyObject *features, std::vector<Word> &words, Pair &pair,
          std::vector<Numbers> &numbers) {
    const Py_ssize_t length = PyTuple_Size(forms);
    PyObject *parts[4] = {forms, nullptr, nullptr, nullptr};
    if (features != Py_None) {
        if (!PyArg_ParseTuple(features, "O!O!O!", &PyTuple_Type, &parts[1], &PyTuple_Type,
                              &parts[2], &PyTuple_Type, &parts[3])) {
            return false;
        }
    }
    for (PyObject *part : parts) {
        bool valid = !part || PyTuple_Size(part) == length;
        for (Py_ssize_t i = 0; part && valid && i < length; ++i) {
            valid = PyUnicode_Check(PyTuple_GetItem(part, i));
        }
        if (!valid) {
            PyErr_SetString(PyExc_ValueError, "not tuples of texts of one length");
            return false;
        }
    }
    words.resize(size_t(length));
    std::vector<Py_UCS4> codes;
    for (Py_ssize_t i = 0; i < length; ++i) {
        Word &word = words[size_t(i)];
        PyObject *const form = PyTuple_GetItem(forms, i);
        word.form = numbers[0].of(form);
        if (!parts[1]) continue;
        word.lower = numbers[1].of(PyTuple_GetItem(parts[1], i));
        word.lemma = numbers[2].of(PyTuple_GetItem(parts[2], i));
        PyObject *const pos = PyTuple_GetItem(parts[3], i);
        word.pos = numbers[3].of(pos);
        for (const char *name : {"ADJ", "ADV", "NOUN", "VERB"}) {
            word.open = word.open || !PyUnicode_CompareWithASCIIString(pos, name);
        }
        codes.resize(size_t(PyUnicode_GetLength(form)));
        if (!codes.empty()
            && !PyUnicode_AsUCS4(form, codes.data(), Py_ssize_t(codes.size()), 0)) {
            return false;
        }
        word.from = pair.letters.size();
        for (const Py_UCS4 code : codes) pair.letters.push_back(pair.alphabet.of(code));
        word.to = pair.letters.size();
    }
    return true;
}

struct Found {
    uint32_t op;
    size_t x, i, y, j;
};

std::vector<Found> walk(Pair &pair) {
    std::vector<Found> found;
    for (size_t i = pair.a.size(), j = pair.b.size(); i > pair.rows; --i, --j) {
        found.push_back({MATCH, i - 1, i, j - 1, j});
    }
    size_t i = pair.rows, j = pair.columns;
    while (i || j) {
        const uint32_t op = pair.op(i, j);
        const size_t width = op > DELETE ? op - SWAP : 1;
        const size_t x = op == INSERT ? i : i - width, y = op == DELETE ? j : j - width;
        found.push_back({op, x, i, y, j});
        i = x;
        j = y;
    }
    std::reverse(found.begin(), found.end());
    return found;
}

// The steps as instances of a class that is a tuple of five.
PyObject *as_steps(const std::vector<Found> &found, PyTypeObject *type) {
    const allocfunc allocate = reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc));
    PyObject *const result = PyTuple_New(Py_ssize_t(found.size()));
    for (size_t at = 0; result && at < found.size(); ++at) {
        const Found &each = found[at];
        PyObject *const step = allocate(type, 5);
        PyObject *const name
            = each.op > DELETE ? PyUnicode_FromFormat("T%zu", size_t(each.op - SWAP))
                               : PyUnicode_FromStringAndSize(&"MSID"[each.op], 1);
        if (step) PyTuple_SetItem(step, 0, name);
        if (!step || !name) {
            if (!step) Py_XDECREF(name);
            Py_XDECREF(step);
            Py_DECREF(result);
            return nullptr;
        }
        const size_t places[4] = {each.x, each.i, each.y, each.j};
        for (Py_ssize_t k = 0; k < 4; ++k) {
            PyObject *const place = PyLong_FromSize_t(places[k]);
            if (!place) {
                Py_DECREF(step);
                Py_DECREF(result);
                return nullptr;
            }
            PyTuple_SetItem(step, k + 1, place);
        }
        PyTuple_SetItem(result, Py_ssize_t(at), step);
    }
    return result;
}

PyObject *steps(PyObject *, PyObject *args) {
    PyObject *type, *forms_a, *forms_b, *features_a, *features_b;
    if (!PyArg_ParseTuple(args, "O!O!O!OO", &PyType_Type, &type, &PyTuple_Type, &forms_a,
                          &PyTuple_Type, &forms_b, &features_a, &features_b)) {
        return nullptr;
    }
    PyTypeObject *const step = reinterpret_cast<PyTypeObject *>(type);
    const bool graded = features_a != Py_None;
    if (!PyType_IsSubtype(step, &PyTuple_Type) || graded != (features_b != Py_None)) {
        PyErr_SetString(PyExc_ValueError, "not a class of tuples, or only one side has features");
        return nullptr;
    }
    try {
        Pair pair;
        const size_t most = size_t(PyTuple_Size(forms_a) + PyTuple_Size(forms_b));
        std::vector<Numbers> numbers(4, Numbers(most));
        if (!read(forms_a, features_a, pair.a, pair, numbers)
            || !read(forms_b, features_b, pair.b, pair, numbers)) {
            return nullptr;
        }
        pair.trim();
        if (graded) pair.fill_graded(); else pair.fill_plain();
        return as_steps(walk(pair), step);
    } catch (const std::bad_alloc &) {
        return PyErr_NoMemory();
    }
}

PyMethodDef methods[] = {
    {"steps", steps, METH_VARARGS, "steps(Step, source, target, features, features): see kernel.py"},
    {nullptr, nullptr, 0, nullptr}};

PyModuleDef module = {PyModuleDef_HEAD_INIT, "_align",
                      "ERRANT's alignment, compiled; kernel.py states the rules.", -1,
                      methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__align(void) { return PyModule_Create(&module); }

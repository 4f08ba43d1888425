// The scheme zh-char, compiled: where edits are (char.py has the same in Python), and the counts
// of hypotheses against references without an object for each edit (by the rules of
// scoring/spans.py at level correction). Property tests hold both to what Python makes.

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

uint64_t scramble(uint64_t x) {  // splitmix64
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

// The edit distance without numbers: Myers, JACM 1999, section 4, in blocks of 64 rows. Bit x of
// column y says whether the diagonal step to this cell costs nothing (`free`), and whether the step
// from the column before costs 1 (`grows`): that is all that the way back asks for.
struct Distance {
    std::vector<uint64_t> free, grows;
    std::vector<uint64_t> masks, up, down;  // rows of a character; how the column changes
    std::vector<uint32_t> keys;             // a hash table of the characters of the columns
    std::vector<size_t> mask;               // of each slot: 1 + the number of its mask, 0: unused
    size_t blocks = 0;

    size_t slot(uint32_t code) const {
        size_t at = size_t(scramble(code)) & (keys.size() - 1);
        while (mask[at] && keys[at] != code) at = (at + 1) & (keys.size() - 1);
        return at;
    }

    void fill(const uint32_t *a, size_t rows, const uint32_t *b, size_t columns) {
        blocks = (rows + 63) / 64;
        size_t size = 16;
        while (size < 2 * columns) size *= 2;
        keys.resize(size);
        mask.assign(size, 0);
        size_t distinct = 0;  // only these have a mask: no more memory than `free` takes
        for (size_t y = 0; y < columns; ++y) {
            const size_t at = slot(b[y]);
            if (!mask[at]) mask[at] = ++distinct;
            keys[at] = b[y];
        }
        masks.assign(distinct * blocks, 0);
        for (size_t x = 0; x < rows; ++x) {
            const size_t number = mask[slot(a[x])];
            if (number) masks[(number - 1) * blocks + x / 64] |= uint64_t(1) << (x % 64);
        }
        up.assign(blocks, ~uint64_t(0));
        down.assign(blocks, 0);
        free.resize(columns * blocks);
        grows.resize(columns * blocks);
        for (size_t y = 0; y < columns; ++y) {
            const uint64_t *const rows_of = &masks[(mask[slot(b[y])] - 1) * blocks];
            uint64_t plus = 1, minus = 0;  // how the row above the block changes
            for (size_t block = 0; block < blocks; ++block) {
                const uint64_t pv = up[block], mv = down[block];
                const uint64_t xv = rows_of[block] | mv, eq = rows_of[block] | minus;
                const uint64_t xh = (((eq & pv) + pv) ^ pv) | eq;
                uint64_t ph = mv | ~(xh | pv), mh = pv & xh;
                free[y * blocks + block] = xh | mv;
                grows[y * blocks + block] = ph;
                const uint64_t next_plus = ph >> 63, next_minus = mh >> 63;
                ph = (ph << 1) | plus;
                mh = (mh << 1) | minus;
                up[block] = mh | ~(xv | ph);
                down[block] = ph & xv;
                plus = next_plus;
                minus = next_minus;
            }
        }
    }

    bool has(const std::vector<uint64_t> &bits, size_t x, size_t y) const {
        return (bits[(y - 1) * blocks + (x - 1) / 64] >> ((x - 1) % 64)) & 1;
    }
};

struct Span {
    size_t start, end, from, to;  // half-open, of source and target
};

// The edits between two texts, from the first to the last: runs of one kind of step.
void find_spans(Distance &distance, const Codes &a, const Codes &b, std::vector<Span> &spans) {
    spans.clear();
    size_t n = a.size(), m = b.size(), prefix = 0;
    while (n && m && a[n - 1] == b[m - 1]) --n, --m;
    while (prefix < n && prefix < m && a[prefix] == b[prefix]) ++prefix;
    if (n > prefix && m > prefix) {
        distance.fill(a.data() + prefix, n - prefix, b.data() + prefix, m - prefix);
    }
    char last = 'M';
    while (n || m) {
        char step;
        if (n && m && a[n - 1] == b[m - 1]) {
            step = 'M';
        } else if (n <= prefix || m <= prefix) {  // one side is the beginning of the other
            step = n > m ? 'D' : 'I';
        } else if (!distance.has(distance.free, n - prefix, m - prefix)) {
            step = 'S';
        } else {
            step = distance.has(distance.grows, n - prefix, m - prefix) ? 'I' : 'D';
        }
        const size_t end = n, to = m;
        n -= step != 'I';
        m -= step != 'D';
        if (step == 'M') {
        } else if (step == last) {
            spans.back().start = n;
            spans.back().from = m;
        } else {
            spans.push_back({n, end, m, to});
        }
        last = step;
    }
    std::reverse(spans.begin(), spans.end());
}

// Counts.

const uint32_t PLACEHOLDER_CODE = 0x110000;  // as in char.py
const uint32_t PLACEHOLDER[] = {'[', 0x7f3a, 0x5931, 0x6210, 0x5206, ']'};

// What `str.split` splits at.
bool is_space(uint32_t code) {
    return (code >= 0x09 && code <= 0x0d) || (code >= 0x1c && code <= 0x20) || code == 0x85
           || code == 0xa0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200a)
           || code == 0x2028 || code == 0x2029 || code == 0x202f || code == 0x205f
           || code == 0x3000;
}

void parse(PyObject *text, Codes &characters, Codes &codes) {
    const size_t whole = sizeof PLACEHOLDER / sizeof *PLACEHOLDER;
    characters.resize(size_t(PyUnicode_GetLength(text)));
    codes.clear();
    if (characters.empty()) return;
    PyUnicode_AsUCS4(text, characters.data(), Py_ssize_t(characters.size()), 0);
    for (const uint32_t code : characters) {
        if (is_space(code)) continue;
        codes.push_back(code);
        if (code == ']' && codes.size() >= whole
            && std::equal(PLACEHOLDER, PLACEHOLDER + whole, codes.end() - whole)) {
            codes.resize(codes.size() - whole);
            codes.push_back(PLACEHOLDER_CODE);
        }
    }
}

enum Label { MISSING, REDUNDANT, SUBSTITUTED, MOVED_IN, MOVED_OUT, FREE, UNANNOTATABLE, LABELS };
const char *const NAMES[LABELS] = {"M", "R", "S", "W:M", "W:R", "error-free", "unannotatable"};
enum Kind { TP, FP, FN };

struct Version {
    bool annotatable = true;
    Codes codes;
    std::vector<Span> edits;
    std::vector<Label> labels;  // of the edits
};

bool equal_tokens(const Codes &a, size_t from, size_t to, const Codes &b, size_t start, size_t end) {
    return to - from == end - start
           && std::equal(a.begin() + from, a.begin() + to, b.begin() + start);
}

// As `word_order` of char.py.
void label(const Codes &source, Version &version) {
    const std::vector<Span> &edits = version.edits;
    std::vector<Label> &labels = version.labels;
    labels.clear();
    for (const Span &edit : edits) {
        labels.push_back(edit.start == edit.end ? MISSING
                         : edit.from == edit.to ? REDUNDANT : SUBSTITUTED);
    }
    for (size_t at = 0; at < edits.size(); ++at) {
        for (size_t to = 0; labels[at] == REDUNDANT && to < edits.size(); ++to) {
            if (labels[to] == MISSING
                && equal_tokens(version.codes, edits[to].from, edits[to].to, source,
                                edits[at].start, edits[at].end)) {
                labels[at] = MOVED_OUT;
                labels[to] = MOVED_IN;
            }
        }
    }
}

struct Tally {
    Label order[LABELS];  // as they are first met
    size_t met = 0;
    unsigned long counts[LABELS][3] = {};

    void add(Label label, Kind kind) {
        unsigned long *const three = counts[label];
        if (!three[TP] && !three[FP] && !three[FN]) order[met++] = label;
        ++three[kind];
    }
};

// As `pair` of spans.py. The edits of a side are in order, and no two have one span.
void compare(const Version &hypothesis, const Version &reference, std::vector<char> &hits,
             Tally &tally) {
    const std::vector<Span> &left = hypothesis.edits, &right = reference.edits;
    if (left.empty() && !hypothesis.annotatable) {
        if (!right.empty()) {
            tally.add(UNANNOTATABLE, FP);
        } else {
            tally.add(reference.annotatable ? FREE : UNANNOTATABLE, TP);
        }
    }
    hits.assign(right.size(), 0);
    size_t to = 0;
    for (size_t at = 0; at < left.size(); ++at) {
        const Span &edit = left[at];
        while (to < right.size()
               && (right[to].start < edit.start
                   || (right[to].start == edit.start && right[to].end < edit.end))) {
            ++to;
        }
        const bool hit = to < right.size() && right[to].start == edit.start
                         && right[to].end == edit.end
                         && equal_tokens(hypothesis.codes, edit.from, edit.to, reference.codes,
                                         right[to].from, right[to].to);
        if (hit) {
            hits[to] = 1;
            tally.add(reference.labels[to], TP);
        } else {
            tally.add(hypothesis.labels[at], FP);
        }
    }
    if (right.empty() && !reference.annotatable && !left.empty()) tally.add(UNANNOTATABLE, FN);
    for (size_t at = 0; at < right.size(); ++at) {
        if (!hits[at]) tally.add(reference.labels[at], FN);
    }
}

// How many edits two texts share. Those of each are in order, and no two have one span.
int32_t count_shared(const Version &one, const Version &other) {
    const std::vector<Span> &left = one.edits, &right = other.edits;
    int32_t shared = 0;
    for (size_t at = 0, to = 0; at < left.size() && to < right.size();) {
        const Span &a = left[at], &b = right[to];
        if (a.start == b.start && a.end == b.end) {
            shared += equal_tokens(one.codes, a.from, a.to, other.codes, b.from, b.to);
            ++at, ++to;
        } else if (a.start < b.start || (a.start == b.start && a.end < b.end)) {
            ++at;
        } else {
            ++to;
        }
    }
    return shared;
}

PyObject *names[LABELS];

PyObject *counts_of(const Tally &tally) {
    PyObject *result = PyTuple_New(Py_ssize_t(tally.met));
    for (size_t at = 0; result && at < tally.met; ++at) {
        const Label label = tally.order[at];
        const unsigned long *const three = tally.counts[label];
        PyObject *item = Py_BuildValue("(Okkk)", names[label], three[TP], three[FP], three[FN]);
        if (!item) {
            Py_CLEAR(result);
        } else {
            PyTuple_SetItem(result, Py_ssize_t(at), item);
        }
    }
    return result;
}

// What is used again from sentence to sentence.
struct Counter {
    Distance distance;
    Codes characters, source;
    std::vector<Version> hypotheses, references;
    std::vector<char> hits;
    bool seen[LABELS] = {};

    bool read(PyObject *texts, std::vector<Version> &versions) {
        const Py_ssize_t size = PyTuple_Size(texts);
        versions.resize(size_t(size));
        for (Py_ssize_t at = 0; at < size; ++at) {
            PyObject *const text = PyTuple_GetItem(texts, at);
            Version &version = versions[size_t(at)];
            version.annotatable = text != Py_None;
            version.edits.clear();
            version.labels.clear();
            if (!version.annotatable) continue;
            if (!PyUnicode_Check(text)) return false;
            parse(text, characters, version.codes);
            find_spans(distance, source, version.codes, version.edits);
        }
        return true;
    }

    bool read_labelled(PyObject *texts, std::vector<Version> &versions) {
        if (!read(texts, versions)) return false;
        for (Version &version : versions) {
            if (!version.annotatable) continue;
            label(source, version);
            for (const Label label : version.labels) seen[label] = true;
        }
        return true;
    }

    // Adds how many edits each two texts of a sentence share; false: as `count`.
    bool add_shared(PyObject *sentence, std::vector<int32_t> &numbers) {
        PyObject *text, *texts;
        if (!PyTuple_Check(sentence)
            || !PyArg_ParseTuple(sentence, "UO!", &text, &PyTuple_Type, &texts)) {
            return false;
        }
        parse(text, characters, source);
        if (!read(texts, hypotheses)) return false;
        for (const Version &one : hypotheses) {
            for (const Version &other : hypotheses) numbers.push_back(count_shared(one, other));
        }
        return true;
    }

    // The counts of each pair of a sentence; nullptr with an exception, or without: a wrong type.
    PyObject *count(PyObject *sentence) {
        PyObject *text, *left, *right;
        if (!PyTuple_Check(sentence)
            || !PyArg_ParseTuple(sentence, "UO!O!", &text, &PyTuple_Type, &left, &PyTuple_Type,
                                 &right)) {
            return nullptr;
        }
        parse(text, characters, source);
        if (!read_labelled(left, hypotheses) || !read_labelled(right, references)) return nullptr;
        for (const Version &reference : references) hits.reserve(reference.edits.size());
        PyObject *result = PyList_New(0);  // from here on nothing throws
        for (const Version &hypothesis : hypotheses) {
            for (const Version &reference : references) {
                Tally tally;
                compare(hypothesis, reference, hits, tally);
                PyObject *pair = result ? counts_of(tally) : nullptr;
                if (!pair || PyList_Append(result, pair) < 0) Py_CLEAR(result);
                Py_XDECREF(pair);
            }
        }
        return result;
    }
};

PyObject *count_matches(PyObject *, PyObject *sentences) {
    if (!PyList_Check(sentences)) {
        PyErr_SetString(PyExc_TypeError, "a list of sentences is needed");
        return nullptr;
    }
    PyObject *rows = PyList_New(0);
    try {
        Counter counter;
        for (Py_ssize_t at = 0; rows && at < PyList_Size(sentences); ++at) {
            PyObject *row = counter.count(PyList_GetItem(sentences, at));
            // Ctrl-C is heard between two sentences.
            if (!row || PyList_Append(rows, row) < 0 || PyErr_CheckSignals() < 0) Py_CLEAR(rows);
            Py_XDECREF(row);
        }
        PyObject *labels = rows ? PyList_New(0) : nullptr;
        for (size_t label = 0; labels && label < LABELS; ++label) {
            if (counter.seen[label] && PyList_Append(labels, names[label]) < 0) Py_CLEAR(labels);
        }
        if (labels) return Py_BuildValue("(NN)", rows, labels);
    } catch (const std::bad_alloc &) {
        PyErr_NoMemory();
    }
    Py_XDECREF(rows);
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "a text, or None, is needed");
    return nullptr;
}

PyObject *count_shared_edits(PyObject *, PyObject *sentences) {
    if (!PyList_Check(sentences)) {
        PyErr_SetString(PyExc_TypeError, "a list of sentences is needed");
        return nullptr;
    }
    try {
        Counter counter;
        std::vector<int32_t> numbers;
        bool good = true;
        for (Py_ssize_t at = 0; good && at < PyList_Size(sentences); ++at) {
            good = counter.add_shared(PyList_GetItem(sentences, at), numbers)
                   && PyErr_CheckSignals() == 0;
        }
        if (good) {
            const Py_ssize_t size = Py_ssize_t(numbers.size() * sizeof(int32_t));
            return PyBytes_FromStringAndSize(reinterpret_cast<char *>(numbers.data()), size);
        }
    } catch (const std::bad_alloc &) {
        PyErr_NoMemory();
    }
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "a text, or None, is needed");
    return nullptr;
}

PyObject *spans(PyObject *, PyObject *args) {
    Py_buffer source, target;
    if (!PyArg_ParseTuple(args, "y*y*", &source, &target)) return nullptr;
    std::vector<Span> found;
    bool memory = true;
    try {
        Codes a(size_t(source.len) / 4), b(size_t(target.len) / 4);
        if (!a.empty()) std::memcpy(a.data(), source.buf, a.size() * 4);
        if (!b.empty()) std::memcpy(b.data(), target.buf, b.size() * 4);
        Distance distance;
        find_spans(distance, a, b, found);
    } catch (const std::bad_alloc &) {
        memory = false;
    }
    PyBuffer_Release(&source);
    PyBuffer_Release(&target);
    if (!memory) return PyErr_NoMemory();
    PyObject *result = PyList_New(Py_ssize_t(found.size()));
    for (size_t at = 0; result && at < found.size(); ++at) {
        const Span &span = found[at];
        PyObject *item = Py_BuildValue("(nnnn)", Py_ssize_t(span.start), Py_ssize_t(span.end),
                                       Py_ssize_t(span.from), Py_ssize_t(span.to));
        if (!item) {
            Py_CLEAR(result);
        } else {
            PyList_SetItem(result, Py_ssize_t(at), item);
        }
    }
    return result;
}

PyMethodDef methods[] = {
    {"spans", spans, METH_VARARGS, "spans(source, target): see char.py"},
    {"count_matches", count_matches, METH_O,
     "count_matches(sentences): see CountMatches of core/scheme.py"},
    {"count_shared_edits", count_shared_edits, METH_O,
     "count_shared_edits(sentences): see CountSharedEdits of core/scheme.py"},
    {nullptr, nullptr, 0, nullptr}};

PyModuleDef module = {PyModuleDef_HEAD_INIT, "_char",
                      "The compiled scheme zh-char; char.py states its rules.", -1,
                      methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__char(void) {
    for (size_t label = 0; label < LABELS; ++label) {
        if (!names[label] && !(names[label] = PyUnicode_InternFromString(NAMES[label]))) {
            return nullptr;
        }
    }
    return PyModule_Create(&module);
}

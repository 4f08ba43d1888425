// The greedy choice of references in many resamples or permutations, as resample.py states it.
//
// Counts are whole numbers, so sums of doubles are exact in any order; F is computed step by step
// as NumPy does it (no -ffast-math, no contraction), because its last digit can decide.

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <exception>
#include <vector>

namespace {

// More of the first and less of the others is better: true positives, false positives and false
// negatives, or matched, proposed and gold edits.
struct Counts {
    double a, b, c;

    Counts operator+(const Counts &other) const { return {a + other.a, b + other.b, c + other.c}; }
    Counts operator-(const Counts &other) const { return {a - other.a, b - other.b, c - other.c}; }
    bool operator==(const Counts &other) const {
        return a == other.a && b == other.b && c == other.c;
    }
    bool at_least(const Counts &other) const {
        return a >= other.a && b <= other.b && c <= other.c;
    }
};

// ErrantRule: F in 4 decimals, then the counts one after the other.
struct Errant {
    double square;

    // F of precision and recall as `f_scores` has it.
    double f(const Counts &t) const {
        const double precision = t.b != 0 ? t.a / (t.a + t.b) : 1;
        const double recall = t.c != 0 ? t.a / (t.a + t.c) : 1;
        if (precision + recall == 0) return 0;
        return (1 + square) * precision * recall / (square * precision + recall);
    }

    // F in ten thousandths, rounded as Python's `round` does: what the double is exactly decides,
    // and half goes to the even one. fma has one rounding, so its sign is right.
    double exact_key(const Counts &t) const {
        const double value = f(t), whole = std::floor(value * 10000);
        const double above = std::fma(value, 20000, -(2 * whole + 1));
        const bool up = above > 0 || (above == 0 && std::fmod(whole, 2) != 0);
        return up ? whole + 1 : whole;
    }

    // The same with one division and no branch, where that is not near half.
    double key(const Counts &t) const {
        const double hits = (1 + square) * t.a, all = hits + square * t.c + t.b;
        const double scaled = all != 0 ? 10000 * hits / all : 10000;
        const double whole = double(int64_t(scaled + 0.5));
        return std::fabs(scaled - whole) > 0.5 - 1e-6 ? exact_key(t) : whole;
    }

    bool wins_tie(const Counts &t, const Counts &best) const {
        if (t.a != best.a) return t.a > best.a;
        if (t.b != best.b) return t.b < best.b;
        return t.c < best.c;
    }
};

// MaxMatchRule: F, then matches, then what was proposed and gold.
struct MaxMatch {
    double square;

    double cost(const Counts &t) const { return square * t.c + t.b; }

    double key(const Counts &t) const {
        const double all = cost(t);
        return all != 0 ? (1 + square) * t.a / all : 1;
    }

    bool wins_tie(const Counts &t, const Counts &best) const {
        if (t.a != best.a) return t.a > best.a;
        return cost(t) < cost(best);
    }
};

// The candidates of each sentence that no other beats or equals in all counts, in their order; of
// equal ones the first (drop_dominated).
struct Candidates {
    std::vector<Counts> counts;
    std::vector<size_t> starts{0};

    Candidates(const double *data, size_t sentences, size_t width) {
        for (size_t n = 0; n < sentences; ++n) {
            const double *row = data + n * width * 3;
            const auto at = [&](size_t k) { return Counts{row[3 * k], row[3 * k + 1], row[3 * k + 2]}; };
            for (size_t k = 0; k < width; ++k) {
                bool dominated = false;
                for (size_t other = 0; other < width && !dominated; ++other) {
                    dominated = other != k && at(other).at_least(at(k)) &&
                                (other < k || !(at(other) == at(k)));
                }
                if (!dominated) counts.push_back(at(k));
            }
            starts.push_back(counts.size());
        }
    }

    const Counts *begin(size_t sentence) const { return counts.data() + starts[sentence]; }
    const Counts *end(size_t sentence) const { return counts.data() + starts[sentence + 1]; }
    bool single(size_t sentence) const { return end(sentence) - begin(sentence) == 1; }
};

// The totals with the candidate that the rule prefers.
template <class Rule>
Counts add_best(const Rule &rule, const Counts &total, const Counts *candidate, const Counts *end) {
    Counts best = total + *candidate;
    double greatest = rule.key(best);
    while (++candidate != end) {
        const Counts other = total + *candidate;
        const double key = rule.key(other);
        if (key > greatest || (key == greatest && rule.wins_tie(other, best))) {
            best = other;
            greatest = key;
        }
    }
    return best;
}

// Totals as rows of all first counts, all second and all third.
void write(const Counts &total, double *totals, size_t at, size_t size) {
    totals[at] = total.a;
    totals[size + at] = total.b;
    totals[2 * size + at] = total.c;
}

template <class Rule>
void resample(const Rule &rule, const Candidates &candidates, const int32_t *indices,
              size_t resamples, size_t length, double *totals) {
    for (size_t r = 0; r < resamples; ++r) {
        Counts total{0, 0, 0};
        for (const int32_t *at = indices + r * length; at != indices + (r + 1) * length; ++at) {
            const Counts *first = candidates.begin(size_t(*at));
            total = candidates.single(size_t(*at))
                        ? total + *first
                        : add_best(rule, total, first, candidates.end(size_t(*at)));
        }
        write(total, totals, r, resamples);
    }
}

// A sentence in which the systems differ and neither has a choice.
struct Difference {
    size_t sentence;
    Counts counts;
};

// What lies between two sentences with a choice: sums of both systems, and their differences.
struct Span {
    Counts first{0, 0, 0}, second{0, 0, 0};
    std::vector<Difference> differences;
    size_t choice;  // the sentence behind it
};

std::vector<Span> divide(const Candidates &first, const Candidates &second, size_t sentences) {
    std::vector<Span> spans(1);
    for (size_t n = 0; n < sentences; ++n) {
        Span &span = spans.back();
        if (first.single(n) && second.single(n)) {
            const Counts here = *first.begin(n), there = *second.begin(n);
            span.first = span.first + here;
            span.second = span.second + there;
            if (!(here == there)) span.differences.push_back({n, there - here});
        } else {
            span.choice = n;
            spans.emplace_back();
        }
    }
    spans.back().choice = sentences;
    return spans;
}

template <class Rule>
void exchange(const Rule &rule, const Candidates &first, const Candidates &second,
              const char *swaps, size_t permutations, size_t sentences, double *totals) {
    const size_t AT_ONCE = 16;  // permutations, so that the processor need not wait for one
    const std::vector<Span> spans = divide(first, second, sentences);
    for (size_t start = 0; start < permutations; start += AT_ONCE) {
        const size_t size = permutations - start < AT_ONCE ? permutations - start : AT_ONCE;
        const char *coins = swaps + start * sentences;
        Counts left[AT_ONCE] = {}, right[AT_ONCE] = {};
        for (const Span &span : spans) {
            for (size_t p = 0; p < size; ++p) {
                Counts gain{0, 0, 0};
                for (const Difference &difference : span.differences) {
                    const double coin = coins[p * sentences + difference.sentence];
                    gain = gain + Counts{coin * difference.counts.a, coin * difference.counts.b,
                                         coin * difference.counts.c};
                }
                left[p] = left[p] + span.first + gain;
                right[p] = right[p] + span.second - gain;
            }
            const size_t n = span.choice;
            if (n == sentences) break;
            for (size_t p = 0; p < size; ++p) {
                const bool coin = coins[p * sentences + n];
                const Candidates &here = coin ? second : first, &there = coin ? first : second;
                left[p] = add_best(rule, left[p], here.begin(n), here.end(n));
                right[p] = add_best(rule, right[p], there.begin(n), there.end(n));
            }
        }
        for (size_t p = 0; p < size; ++p) {
            write(left[p], totals, start + p, permutations);
            write(right[p], totals + 3 * permutations, start + p, permutations);
        }
    }
}

struct Buffer {
    Py_buffer view{};
    ~Buffer() {
        if (view.obj) PyBuffer_Release(&view);
    }
    template <class T> const T *as() const { return static_cast<const T *>(view.buf); }
    template <class T> size_t size() const { return size_t(view.len) / sizeof(T); }
};

PyObject *refuse(const char *message) {
    PyErr_SetString(PyExc_ValueError, message);
    return nullptr;
}

// Whether these many numbers are so many rows of so many columns; a product could overflow.
bool is_shape(size_t size, Py_ssize_t rows, Py_ssize_t columns) {
    if (rows < 0 || columns < 0) return false;
    if (columns == 0) return size == 0;
    return size % size_t(columns) == 0 && size / size_t(columns) == size_t(rows);
}

// The same of candidates, of three numbers each.
bool are_candidates(size_t size, Py_ssize_t sentences, Py_ssize_t width) {
    return width > 0 && size % 3 == 0 && is_shape(size / 3, sentences, width);
}

// Calls `work` with the rule that has this name, without the interpreter's lock, and returns the
// totals that it writes: `rows` of one number for each of `corpora`.
template <class Work>
PyObject *run(const char *name, double square, size_t rows, Py_ssize_t corpora, const Work &work) {
    const bool errant = !std::strcmp(name, "errant");
    if (!errant && std::strcmp(name, "maxmatch")) return refuse("no such rule");
    if (size_t(corpora) > size_t(PY_SSIZE_T_MAX) / 2 / (rows * sizeof(double))) {
        return PyErr_NoMemory();  // half, because the bytes have a head, too
    }
    const size_t numbers = rows * size_t(corpora);
    PyObject *result = PyBytes_FromStringAndSize(nullptr, Py_ssize_t(numbers * sizeof(double)));
    if (!result) return nullptr;
    std::vector<double> totals;
    bool memory = true;
    Py_BEGIN_ALLOW_THREADS
    try {
        totals.resize(numbers);
        if (errant) work(Errant{square}, totals.data());
        else work(MaxMatch{square}, totals.data());
    } catch (const std::exception &) {  // only vectors throw, and only that they are too large
        memory = false;
    }
    Py_END_ALLOW_THREADS
    if (!memory) {
        Py_DECREF(result);
        return PyErr_NoMemory();
    }
    if (numbers) std::memcpy(PyBytes_AsString(result), totals.data(), numbers * sizeof(double));
    return result;
}

PyObject *resample_totals(PyObject *, PyObject *args) {
    Buffer candidates, indices;
    Py_ssize_t sentences, width, length, resamples;
    const char *rule;
    double square;
    if (!PyArg_ParseTuple(args, "y*nny*nnsd", &candidates.view, &sentences, &width, &indices.view,
                          &resamples, &length, &rule, &square)) {
        return nullptr;
    }
    if (!are_candidates(candidates.size<double>(), sentences, width) ||
        !is_shape(indices.size<int32_t>(), resamples, length)) {
        return refuse("sizes do not agree");
    }
    const int32_t *places = indices.as<int32_t>();
    for (size_t n = 0; n < indices.size<int32_t>(); ++n) {
        if (places[n] < 0 || places[n] >= sentences) return refuse("an index is of no sentence");
    }
    return run(rule, square, 3, resamples, [&](const auto &rule, double *totals) {
        const Candidates rows(candidates.as<double>(), size_t(sentences), size_t(width));
        resample(rule, rows, places, size_t(resamples), size_t(length), totals);
    });
}

PyObject *exchange_totals(PyObject *, PyObject *args) {
    Buffer first, second, swaps;
    Py_ssize_t widths[2], sentences, permutations;
    const char *rule;
    double square;
    if (!PyArg_ParseTuple(args, "y*ny*ny*nnsd", &first.view, &widths[0], &second.view, &widths[1],
                          &swaps.view, &permutations, &sentences, &rule, &square)) {
        return nullptr;
    }
    if (!are_candidates(first.size<double>(), sentences, widths[0]) ||
        !are_candidates(second.size<double>(), sentences, widths[1]) ||
        !is_shape(swaps.size<char>(), permutations, sentences)) {
        return refuse("sizes do not agree");
    }
    return run(rule, square, 6, permutations, [&](const auto &rule, double *totals) {
        const Candidates here(first.as<double>(), size_t(sentences), size_t(widths[0]));
        const Candidates there(second.as<double>(), size_t(sentences), size_t(widths[1]));
        exchange(rule, here, there, swaps.as<char>(), size_t(permutations), size_t(sentences),
                 totals);
    });
}

PyMethodDef methods[] = {
    {"resample_totals", resample_totals, METH_VARARGS,
     "resample_totals(candidates, sentences, width, indices, resamples, length, rule, square)"},
    {"exchange_totals", exchange_totals, METH_VARARGS,
     "exchange_totals(first, width, second, width, swaps, permutations, sentences, rule, square)"},
    {nullptr, nullptr, 0, nullptr}};

PyModuleDef module = {PyModuleDef_HEAD_INIT, "_resample",
                      "Greedy choices in many corpora, compiled; resample.py states the rules.", -1,
                      methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__resample(void) { return PyModule_Create(&module); }

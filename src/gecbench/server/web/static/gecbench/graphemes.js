// Where a text may be cut so that no drawn character is cut. The twin of rules/graphemes.py, whose
// rules are few and the same everywhere: Intl.Segmenter follows each browser's own tables.
//
// Texts are arrays of code points here, as Python counts them.

const JOINER = "\u200d";
const EXTENDING =
  /^(?:\p{M}|[\u200c\u200d\u1160-\u11ff\uff9e\uff9f]|[\u{1f3fb}-\u{1f3ff}]|[\u{e0020}-\u{e007f}])$/u;
const PICTURE = /^(?:\p{So}|[\u2194\u2195]|[\u{1f000}-\u{1faff}])$/u;
const REGIONAL = /^[\u{1f1e6}-\u{1f1ff}]$/u;

/** Say of each code point whether a grapheme starts there. */
export function starts(points) {
  let paired = false; // the one before is a regional indicator that still lacks its second
  let pictured = false; // the grapheme so far began with an emoji
  return points.map((point, place) => {
    if (point < "\u0300") {
      paired = false;
      pictured = false;
      return true;
    }
    const regional = REGIONAL.test(point);
    const picture = !regional && PICTURE.test(point);
    const joined = pictured && picture && points[place - 1] === JOINER;
    const attached = place > 0 && ((regional && paired) || EXTENDING.test(point) || joined);
    paired = regional && !paired;
    if (!attached) pictured = picture;
    return !attached;
  });
}

/** Return for each code point where its grapheme starts, and where it ends (half-open). */
export function bounds(points) {
  const first = starts(points);
  const begin = first.map((opens, place) => (opens ? place : 0));
  for (let place = 1; place < first.length; place += 1) {
    if (!first[place]) begin[place] = begin[place - 1];
  }
  const end = first.map(() => points.length);
  for (let place = points.length - 2; place >= 0; place -= 1) {
    end[place] = first[place + 1] ? place + 1 : end[place + 1];
  }
  return [begin, end];
}

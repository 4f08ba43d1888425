// The data of the page: JSON, compressed by gzip, written in base64.

/** Return the data; null where the browser cannot decompress them. */
async function unpack(element) {
  if (typeof DecompressionStream === "undefined") return null;
  const letters = atob(element.textContent.trim());
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; at += 1) bytes[at] = letters.charCodeAt(at);
  element.textContent = ""; // several megabytes that nobody needs again
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}
